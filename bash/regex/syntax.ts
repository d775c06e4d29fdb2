/** What the variants of POSIX regular expressions differ in. */
export interface SyntaxRules {
  /** `( ) |` are operators as they are; otherwise with a backslash. */
  plainGroups: boolean
  /** `{ }` are operators as they are; `escaped`: with a backslash; `none`: there are no intervals. */
  intervals: 'plain' | 'escaped' | 'none'
  /** `+ ?` are operators as they are; otherwise with a backslash. */
  plainPlus: boolean
  /** `\+ \? \|` are operators where `+ ? |` are none, as GNU has it beyond POSIX. */
  escapedRepeats: boolean
  /** `^` and `$` are anchors wherever they are. */
  anchorsAnywhere: boolean
  /** A repetition with nothing before it: an error, a character, or left out. */
  leadingRepeat: 'error' | 'literal' | 'skip'
  /** The same for an interval. */
  leadingInterval: 'error' | 'literal' | 'skip'
  /** `*` and `{` after a repetition are an error. */
  refusesDoubleRepeat: boolean
  /** `{` that starts no valid interval is a character. */
  looseInterval: boolean
  /** `^*` repeats the anchor. */
  repeatsAnchors?: boolean
  /** A `{` with nothing before it is left out, and what follows it is no interval. */
  dropsLeadingBrace?: boolean
  /** `)` without `(` is a character. */
  looseClose: boolean
  /** Backslashes escape in brackets, and there are escapes such as `\t` and `\101`, and no references. */
  awkEscapes: boolean
  /** `\<`, `\w` and the like. */
  gnuOperators: boolean
  classes: boolean
  /** `[:space:]` is refused, as a mistake for `[[:space:]]`. */
  checksClassSyntax: boolean
  /** Bytes that are not UTF-8 are characters, as in the locale C. */
  bytes?: boolean
}

const basic: SyntaxRules = {
  plainGroups: false,
  intervals: 'escaped',
  plainPlus: false,
  escapedRepeats: true,
  anchorsAnywhere: false,
  leadingRepeat: 'literal',
  leadingInterval: 'error',
  refusesDoubleRepeat: true,
  looseInterval: false,
  looseClose: false,
  awkEscapes: false,
  gnuOperators: true,
  classes: true,
  checksClassSyntax: false,
}

const extended: SyntaxRules = {
  ...basic,
  plainGroups: true,
  intervals: 'plain',
  plainPlus: true,
  anchorsAnywhere: true,
  leadingRepeat: 'error',
  refusesDoubleRepeat: false,
  looseClose: true,
}

const egrep: SyntaxRules = {
  ...extended,
  leadingRepeat: 'skip',
  leadingInterval: 'skip',
  looseInterval: true,
  checksClassSyntax: true,
}

const awk: SyntaxRules = {
  ...extended,
  leadingRepeat: 'literal',
  leadingInterval: 'literal',
  looseInterval: true,
  awkEscapes: true,
}

/**
 * `basic` and `extended` are POSIX's as the C library reads them; `sed-extended`, `grep` and `egrep` are what these
 * programs make of them: `grep -E` selects lines with `egrep`, and finds where a match begins and ends with `egrep-spans`.
 * `emacs` is what `find -regex` reads.
 */
export const posixSyntaxes = {
  basic,
  extended,
  'sed-extended': { ...extended, looseClose: false },
  'basic-posix': { ...basic, gnuOperators: false, escapedRepeats: false },
  'extended-posix': { ...extended, gnuOperators: false },
  grep: { ...basic, leadingInterval: 'literal', refusesDoubleRepeat: false, checksClassSyntax: true },
  egrep: { ...egrep, repeatsAnchors: true },
  'egrep-spans': { ...egrep, dropsLeadingBrace: true },
  awk,
  'posix-awk': { ...awk, leadingRepeat: 'error', leadingInterval: 'error', gnuOperators: false },
  'traditional-awk': { ...awk, gnuOperators: false },
  emacs: { ...basic, intervals: 'none', refusesDoubleRepeat: false, plainPlus: true, classes: false },
} satisfies Record<string, SyntaxRules>

export type PosixSyntax = keyof typeof posixSyntaxes
