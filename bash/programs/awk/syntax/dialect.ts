/** Which awk a program is written for: gawk with all it has, or less. */

export interface Dialect {
  /** `--traditional`: without the extensions of gawk. */
  readonly traditional: boolean
  /** `--posix`: also without what POSIX does not have. */
  readonly posix: boolean
  /** `--sandbox`: nothing is run, and no files but the operands are opened. */
  readonly sandbox: boolean
  /** `--non-decimal-data`: text can be a hexadecimal or octal number. */
  readonly nonDecimal: boolean
}

export const gawkDialect: Dialect = { traditional: false, posix: false, sandbox: false, nonDecimal: false }

/** Keywords and functions that only gawk has. */
const extensions = new Set(
  `BEGINFILE ENDFILE and asort asorti bindtextdomain case compl dcgettext dcngettext default gensub isarray lshift mkbool
  mktime or patsplit rshift strftime strtonum switch systime typeof xor`.split(/\s+/),
)

/** Whether a word that is a keyword or a function of gawk is one here too. */
export function isReserved(word: string, { traditional, posix }: Dialect): boolean {
  return !(traditional && extensions.has(word)) && !(posix && word === 'func')
}

/** Variables of which only gawk knows. */
export const extensionVariables: ReadonlySet<string> = new Set(
  'ARGIND BINMODE ERRNO FIELDWIDTHS FPAT FUNCTAB IGNORECASE LINT PREC PROCINFO ROUNDMODE RT SYMTAB TEXTDOMAIN'.split(
    ' ',
  ),
)

const standardVariables = new Set(
  'ARGC ARGV CONVFMT ENVIRON FILENAME FNR FS NF NR OFMT OFS ORS RLENGTH RS RSTART SUBSEP'.split(' '),
)

/** Variables of awk, which cannot be parameters. */
export function isSpecialName(name: string): boolean {
  return standardVariables.has(name) || extensionVariables.has(name)
}
