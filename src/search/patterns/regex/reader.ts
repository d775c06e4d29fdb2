/** What the parsers of a pattern's parts share. */

export type RegexSyntax = 'ecmascript' | 'rust'

/**
 * The flags in force at a place of the pattern. Only Rust's `unicode`, `verbose` and `swapGreed` are not ECMAScript's.
 */
export interface Flags {
  ignoreCase: boolean
  dotAll: boolean
  unicode: boolean
  verbose: boolean
  swapGreed: boolean
}

/** A pattern being read: its characters, and how far we are. */
export interface Reader {
  readonly characters: readonly string[]
  at: number
  readonly syntax: RegexSyntax
  fail(reason: string): never
}

/** What back-references may refer to; a reference may stand before its group. */
export interface Groups {
  count: number
  byName: ReadonlyMap<string, number>
}
