/** Reads the flags of `polyfs eval`. */
import { parseArgs } from 'node:util'
import type { Tier } from '../../harness/run-types.js'
import { UsageError } from '../terminal/usage-error.js'

/** The flags of a subcommand: true for those that take a value. */
export type FlagTable = Readonly<Record<string, 'string' | 'boolean'>>

export interface Flags<Table extends FlagTable> {
  values: { [Name in keyof Table]?: Table[Name] extends 'string' ? string : boolean }
  positionals: string[]
}

/** Throws a `UsageError` for an unknown flag, a missing value, or a flag that is given twice. */
export function parseFlags<const Table extends FlagTable>(argv: readonly string[], table: Table): Flags<Table> {
  const options = Object.fromEntries(Object.entries(table).map(([name, type]) => [name, { type }]))
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      tokens: true,
    })
    const given = tokens.filter((token) => token.kind === 'option').map(({ name }) => name)
    const twice = given.find((name, index) => given.indexOf(name) !== index)
    if (twice !== undefined) throw new UsageError(`--${twice} is given twice`)
    // The names and types are those of the table.
    return { values: values as Flags<Table>['values'], positionals }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // Removes Node's advice on quoting positionals that look like options.
    throw new UsageError(error.message.replace(/\. To specify a positional.*$/s, ''))
  }
}

/** A whole number from `least`. */
export function wholeNumber(flag: string, given: string, least = 1): number {
  const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
  if (!(number >= least)) throw new UsageError(`--${flag} takes a whole number from ${least}, not '${given}'`)
  return number
}

/** A number from 0 to `most`. */
export function fraction(flag: string, given: string, most = Number.POSITIVE_INFINITY): number {
  const number = /^\d*\.?\d+$/.test(given) ? Number(given) : Number.NaN
  if (number >= 0 && number <= most) return number
  throw new UsageError(`--${flag} takes a number from 0${most < Infinity ? ` to ${most}` : ''}, not '${given}'`)
}

/** The tier that commands of episodes run in. */
export function tierOf(given: string | undefined): { tier?: Tier } {
  if (given === undefined) return {}
  if (given !== 'emulated' && given !== 'real') throw new UsageError(`--tier takes emulated or real, not '${given}'`)
  return { tier: given }
}

/** `--help` shows the help of the subcommand, wherever it stands. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).some((arg) => arg === '--help' || arg === '-h')
}
