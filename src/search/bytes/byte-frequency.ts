/** How frequent each byte is in source text. */
import type { Bytes } from '../../fs/types.js'

/** The bytes of source text, most frequent first. */
const frequent = new TextEncoder().encode(
  ' etnarsoi"lcdu.p,m_hf(;gb)=y/:v-{}wSTxkA0C1E>\n\'[IP]RDM2O3qzN4jL5F89B76U&?|!+*@VGHW<$\\KYX`#Q%JZ^~\t\r',
)
const frequency = new Uint8Array(256)
frequent.forEach((byte, rank) => {
  frequency[byte] = 255 - rank
})

/** The approximate probability of a byte in source text: the n-th most frequent is n times as rare as the first. */
export function likelihood(byte: number): number {
  if (byte >= 0x80) return 0.000_01
  const rank = 255 - frequency[byte]!
  return rank === 255 ? 0.000_1 : 0.15 / (rank + 1)
}

/** Offsets of the two rarest bytes of a needle; the same offset twice if it is one byte long. */
export function rareBytes(needle: Bytes): [number, number] {
  const first = rarestByte(needle)
  let second = first === 0 ? needle.length - 1 : 0
  needle.forEach((byte, at) => {
    if (at !== first && frequency[byte]! < frequency[needle[second]!]!) second = at
  })
  return [first, second]
}

/** The offset of the rarest byte of a needle. */
export function rarestByte(needle: Bytes): number {
  let best = 0
  for (let i = 1; i < needle.length; i += 1) if (frequency[needle[i]!]! < frequency[needle[best]!]!) best = i
  return best
}
