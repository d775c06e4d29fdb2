/** Reads hex dumps back, as xxd does: character by character, with what it makes of those that are no digits. */
import { ProgramError } from '../../program-error.js'

export interface RevertRules {
  /** Bytes of a line; what follows them is not read. */
  columns: number
  seek: number
  /** Digits without offsets, where spaces and ends of lines do not count. */
  isPlain: boolean
  /** The output can be sought back. */
  canSeek: boolean
}

/** What was written before a failure is part of the result. */
export interface Reverted {
  bytes: Uint8Array<ArrayBuffer>
  failure?: ProgramError
}

export function revertHex(text: string, { columns, seek, isPlain, canSeek }: RevertRules): Reverted {
  const output = growing()
  // The last three characters: the value of a digit, or -1.
  let [n1, n2, n3] = [-1, 0, 0]
  let ignoresGarbage = true
  let column = columns
  let have = 0
  let want = 0
  const lineAfter = (at: number) => {
    const end = text.indexOf('\n', at)
    return end === -1 ? text.length : end
  }
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 13 || (isPlain && (code === 32 || code === 10 || code === 9))) continue
    ;[n3, n2, n1] = [n2, n1, digitOf(code)]
    if (n1 === -1 && ignoresGarbage) continue
    ignoresGarbage = false
    if (column >= columns) {
      if (isPlain) column = 0
      else {
        if (n1 < 0) column = 0
        else want = want * 16 + n1
        continue
      }
    }
    if (seek + want !== have) {
      if (canSeek) have = seek + want
      if (seek + want < have || have < 0) {
        return { bytes: output.bytes(), failure: new ProgramError('sorry, cannot seek backwards.', 5) }
      }
      have = Math.max(have, seek + want)
    }
    if (n2 >= 0 && n1 >= 0) {
      output.put(have, n2 * 16 + n1)
      have += 1
      want += 1
      n1 = -1
      column += 1
      if (column >= columns && !isPlain) {
        want = 0
        at = lineAfter(at)
        ignoresGarbage = true
      }
    } else if (n1 < 0 && n2 < 0 && n3 < 0) {
      if (!isPlain) [want, column] = [0, columns]
      at = lineAfter(at)
      ignoresGarbage = true
    }
    if (code === 10 && !isPlain) {
      ;[want, column] = [0, columns]
      ignoresGarbage = true
    }
  }
  return { bytes: output.bytes() }
}

/** Lines `offset: digits  text` with a digit for each bit. */
export function revertBits(text: string, columns: number, seek: number): Reverted {
  const output = growing()
  for (const line of text.split('\n')) {
    const [start, offset] = /^[^0-9a-fA-F]*([0-9a-fA-F]+)[^0-9a-fA-F]/.exec(line) ?? []
    if (start === undefined || offset === undefined) continue
    const at = Number.parseInt(offset, 16) + seek
    if (at < 0) return { bytes: output.bytes(), failure: new ProgramError('sorry, cannot seek backwards.', 5) }
    for (const [index, value] of bitValues(line.slice(start.length), columns).entries()) output.put(at + index, value)
  }
  return { bytes: output.bytes() }
}

function bitValues(text: string, columns: number): number[] {
  const [digits = ''] = /^ ?[01]{8}(?: ?[01]{8})*/.exec(text) ?? []
  return (digits.replaceAll(' ', '').match(/[01]{8}/g) ?? []).slice(0, columns).map((byte) => Number.parseInt(byte, 2))
}

/** Bytes at any place; gaps are zeros. */
function growing() {
  let bytes = new Uint8Array(1024)
  let size = 0
  return {
    put(at: number, byte: number) {
      if (at >= bytes.length) {
        const grown = new Uint8Array(Math.max(at + 1, bytes.length * 2))
        grown.set(bytes)
        bytes = grown
      }
      bytes[at] = byte
      size = Math.max(size, at + 1)
    },
    bytes: () => bytes.slice(0, size),
  }
}

function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
