/** What the coder and the decoder of LZMA share: the probabilities of bits, and the states. */

/** Where the probabilities of each kind of bit begin. */
export const at = {
  isMatch: 0,
  isRep: 192,
  isRep0: 204,
  isRep1: 216,
  isRep2: 228,
  isRep0Long: 240,
  slot: 432,
  special: 688,
  align: 816,
  length: 832,
  repLength: 1346,
  literal: 1860,
} as const

/** Within the probabilities of lengths. */
export const lengthAt = { choice: 0, choice2: 1, low: 2, middle: 130, high: 258 } as const

export const shortestMatch = 2
export const longestMatch = 273
export const positionBitsMax = 4

const literalShare = 0x300
const evenOdds = 1024

export function probabilities(literalBits: number): Uint16Array {
  return new Uint16Array(at.literal + (literalShare << literalBits)).fill(evenOdds)
}

export function resetProbabilities(model: Uint16Array): void {
  model.fill(evenOdds)
}

/** Where the probabilities of a literal begin. */
export function literalAt(context: number): number {
  return at.literal + literalShare * context
}

/** A state says what the last symbols were; below 7 the last one was a literal. */
export const afterLiteral = Uint8Array.of(0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5)
export const firstNonLiteral = 7
export const afterMatch = (state: number): number => (state < firstNonLiteral ? 7 : 10)
export const afterRep = (state: number): number => (state < firstNonLiteral ? 8 : 11)
export const afterShortRep = (state: number): number => (state < firstNonLiteral ? 9 : 11)
