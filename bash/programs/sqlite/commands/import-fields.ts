/** Fields of a file with separators, read as the shell of SQLite reads them. */

export interface FieldReader {
  /** Undefined at the end. */
  next(): Uint8Array | undefined
  /** The last field was followed by a separator: the row goes on. */
  readonly hasMore: boolean
  /** The last field was the last of all. */
  readonly isAtEnd: boolean
  /** The line of the next field. */
  readonly line: number
  /** Mistakes that were found, to be said. */
  readonly faults: string[]
}

export interface FieldRules {
  name: string
  separator: number
  rowSeparator: number
  isAscii: boolean
}

const quote = 34
const carriageReturn = 13
const byteOrderMark = [0xef, 0xbb, 0xbf]
const end = -1

export function readFields(bytes: Uint8Array, { name, separator, rowSeparator, isAscii }: FieldRules): FieldReader {
  let at = 0
  let line = 1
  /** What ended the last field. */
  let ended: number = 0
  const faults: string[] = []
  if (!isAscii && byteOrderMark.every((byte, index) => bytes[index] === byte)) at = byteOrderMark.length

  function plain(): Uint8Array {
    const start = at
    while (at < bytes.length && bytes[at] !== separator && bytes[at] !== rowSeparator) at += 1
    let stop = at
    ended = at < bytes.length ? (bytes[at] as number) : end
    at += 1
    if (ended === rowSeparator) {
      line += 1
      if (!isAscii && bytes[stop - 1] === carriageReturn && stop > start) stop -= 1
    }
    return bytes.subarray(start, stop)
  }

  /** After its first quote. Two quotes are one of the text, and the one before a separator ends it. */
  function quoted(): Uint8Array {
    const startLine = line
    const made: number[] = []
    let before = 0
    let beforeThat = 0
    for (;;) {
      const byte = at < bytes.length ? (bytes[at] as number) : end
      at += 1
      if (byte === rowSeparator) line += 1
      if (byte === quote && before === quote) {
        before = 0
        continue
      }
      const closes =
        (before === quote && (byte === separator || byte === rowSeparator || byte === end)) ||
        (byte === rowSeparator && before === carriageReturn && beforeThat === quote)
      if (closes) {
        made.length = made.lastIndexOf(quote)
        ended = byte
        break
      }
      if (before === quote && byte !== carriageReturn) faults.push(`${name}:${line}: unescaped " character`)
      if (byte === end) {
        faults.push(`${name}:${startLine}: unterminated "-quoted field`)
        ended = byte
        break
      }
      made.push(byte)
      beforeThat = before
      before = byte
    }
    return Uint8Array.from(made)
  }

  return {
    next() {
      if (at >= bytes.length) {
        ended = end
        return undefined
      }
      if (isAscii || bytes[at] !== quote) return plain()
      at += 1
      return quoted()
    },
    get hasMore() {
      return ended === separator
    },
    get isAtEnd() {
      return ended === end
    },
    get line() {
      return line
    },
    faults,
  }
}
