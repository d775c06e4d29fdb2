/** The state that the parsers of patterns, classes and escapes share. */

export type RegexSyntax = 'ecmascript' | 'rust'

/** The flags at the current position. `unicode`, `verbose` and `swapGreed` exist in Rust syntax only. */
export interface Flags {
  ignoreCase: boolean
  dotAll: boolean
  unicode: boolean
  verbose: boolean
  swapGreed: boolean
}

/** A pattern and the current position in it. */
export interface Reader {
  readonly characters: readonly string[]
  at: number
  readonly syntax: RegexSyntax
  fail(reason: string): never
}

/** All groups of the pattern: a back-reference may come before its group. */
export interface Groups {
  count: number
  byName: ReadonlyMap<string, number>
}
