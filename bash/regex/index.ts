/** POSIX and Perl regular expressions, for all programs that have them. */
export { compileRegex } from './compile-regex.js'
export { compilePatterns, type PatternListOptions } from './pattern-list.js'
export { compileProgramRegex, type ProgramRegex } from './perl-program.js'
export { RegexError } from './regex-error.js'
export { compileRust, type RustRegex } from './rust.js'
export type { RegexMatch, RegexOptions, ShellRegex } from './types.js'
