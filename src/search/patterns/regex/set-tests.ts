import { type CodePoints, contains } from './code-points.js'

/** Tells quickly whether a character is in one of several sets, by their numbers. */
export interface SetTests {
  /** A byte for each ASCII character of each set, set by set: 1 if the set has it. */
  readonly ascii: Uint8Array
  has(set: number, code: number): boolean
}

export function setTests(sets: readonly CodePoints[]): SetTests {
  const ascii = asciiTable(sets)
  return {
    ascii,
    has: (set, code) => (code < 0x80 ? ascii[(set << 7) + code] === 1 : contains(sets[set]!, code)),
  }
}

function asciiTable(sets: readonly CodePoints[]): Uint8Array {
  const table = new Uint8Array(sets.length * 128)
  sets.forEach((members, set) => {
    for (let code = 0; code < 128; code += 1) table[set * 128 + code] = contains(members, code) ? 1 : 0
  })
  return table
}
