/** Bytes as hexadecimal digits, two for each, and back. */

/** In lower case. */
export function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += pairs[byte] as string
  return hex
}

const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i += 1) {
    bytes[i] = (digitOf(hex.charCodeAt(2 * i)) << 4) | digitOf(hex.charCodeAt(2 * i + 1))
  }
  return bytes
}

function digitOf(code: number): number {
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x61 + 10
}
