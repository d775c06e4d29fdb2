/** How often bytes stand in source text. */
import type { Bytes } from '../../fs/types.js'

/** Bytes by how often they stand in source text, the most frequent first. */
const frequent = new TextEncoder().encode(
  ' etnarsoi"lcdu.p,m_hf(;gb)=y/:v-{}wSTxkA0C1E>\n\'[IP]RDM2O3qzN4jL5F89B76U&?|!+*@VGHW<$\\KYX`#Q%JZ^~\t\r',
)
const frequency = new Uint8Array(256)
frequent.forEach((byte, rank) => {
  frequency[byte] = 255 - rank
})

/** About how often a byte stands at a place of a source text: the n-th most frequent is there n times as rarely as the first. */
export function likelihood(byte: number): number {
  if (byte >= 0x80) return 0.000_01
  const rank = 255 - frequency[byte]!
  return rank === 255 ? 0.000_1 : 0.15 / (rank + 1)
}

/** Where the two rarest bytes of a needle stand; the same place twice if it is one byte long. */
export function rareBytes(needle: Bytes): [number, number] {
  const first = rarestByte(needle)
  let second = first === 0 ? needle.length - 1 : 0
  needle.forEach((byte, at) => {
    if (at !== first && frequency[byte]! < frequency[needle[second]!]!) second = at
  })
  return [first, second]
}

/** Where the rarest byte of a needle stands. */
export function rarestByte(needle: Bytes): number {
  let best = 0
  for (let i = 1; i < needle.length; i += 1) if (frequency[needle[i]!]! < frequency[needle[best]!]!) best = i
  return best
}
