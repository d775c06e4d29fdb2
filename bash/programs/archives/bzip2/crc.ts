/** The checksum of bzip2: the CRC-32 polynomial, the highest bit first. */
export const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit += 1) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value
})

export const initialCrc = -1

/** The checksum of a stream after one more block. */
export function combined(stream: number, block: number): number {
  return ((stream << 1) | (stream >>> 31)) ^ block
}
