/** Reads hex dumps back. */
import { ProgramError } from '../../program-error.js'

/** Pairs of digits; other characters are skipped, and separate pairs unless they are white space. */
export function revertPlain(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil(text.length / 2))
  let count = 0
  let high = -1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 32 || (code >= 9 && code <= 13)) continue
    const digit = digitOf(code)
    if (digit === -1) high = -1
    else if (high === -1) high = digit
    else {
      bytes[count] = high * 16 + digit
      count += 1
      high = -1
    }
  }
  return bytes.slice(0, count)
}

/** Lines `offset: digits  text`. Gaps between offsets are filled with zeros. */
export function revertDump(text: string, columns: number, seek: number, bits: boolean): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(1024)
  let size = 0

  function put(at: number, byte: number): void {
    if (at < 0) throw new ProgramError('sorry, cannot seek backwards.', 5)
    if (at >= bytes.length) {
      const grown = new Uint8Array(Math.max(at + 1, bytes.length * 2))
      grown.set(bytes)
      bytes = grown
    }
    bytes[at] = byte
    size = Math.max(size, at + 1)
  }

  for (const line of text.split('\n')) {
    const [start, offset] = /^[^0-9a-fA-F]*([0-9a-fA-F]+)[^0-9a-fA-F]/.exec(line) ?? []
    if (start === undefined || offset === undefined) continue
    const at = Number.parseInt(offset, 16) + seek
    const values = bits ? bitValues(line.slice(start.length), columns) : hexValues(line.slice(start.length), columns)
    for (const [index, value] of values.entries()) put(at + index, value)
  }
  return bytes.slice(0, size)
}

/** Two separators one after another end the digits. */
function hexValues(text: string, columns: number): number[] {
  const values: number[] = []
  let high = -1
  let separators = 1
  for (let at = 0; at < text.length && values.length < columns; at += 1) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit === -1) {
      high = -1
      separators += 1
      if (separators > 1 && values.length > 0) break
      continue
    }
    separators = 0
    if (high === -1) high = digit
    else {
      values.push(high * 16 + digit)
      high = -1
    }
  }
  return values
}

function bitValues(text: string, columns: number): number[] {
  const [digits = ''] = /^ ?[01]{8}(?: ?[01]{8})*/.exec(text) ?? []
  return (digits.replaceAll(' ', '').match(/[01]{8}/g) ?? []).slice(0, columns).map((byte) => Number.parseInt(byte, 2))
}

function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
