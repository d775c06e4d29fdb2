/** Options of git's commands: declared per command, read by the shell's parser, with git's words for mistakes. */
import { type OptionSpec, type OptionSpecs, type ParsedArguments, parseArguments } from '../programs/options.js'
import { ProgramError } from '../programs/program-error.js'
import { fatal, GitError } from './git-error.js'

export interface GitArguments<Specs extends OptionSpecs> extends ParsedArguments<Specs> {
  /** What follows `--`; undefined without one. */
  paths: readonly string[] | undefined
  /** Operands and paths in one list, for commands that know no revisions. */
  all: readonly string[]
}

/** What code needs of the arguments that several commands share. */
export interface Given<Specs extends OptionSpecs> {
  has(key: keyof Specs & string): boolean
  value(key: keyof Specs & string): string | undefined
  values(key: keyof Specs & string): string[]
  last(...keys: Array<keyof Specs & string>): string | undefined
  given: ReadonlyArray<{ key: string; name: string; value?: string; after: number }>
}

export interface GitParseRules {
  /** Options of git that are missing here. */
  unsupported?: readonly string[]
  /** The key of the option that `-5` is short for. */
  number?: string
  stopsAtOperand?: boolean
}

export const flag = (...names: string[]): OptionSpec => ({ names })
export const value = (...names: string[]): OptionSpec => ({ names, value: 'required' })
export const optional = (...names: string[]): OptionSpec => ({ names, value: 'optional' })

export function parseGit<Specs extends OptionSpecs>(
  command: string,
  args: readonly string[],
  specs: Specs,
  { unsupported = [], number, stopsAtOperand = false }: GitParseRules = {},
): GitArguments<Specs> {
  const dashes = args.indexOf('--')
  const before = dashes === -1 ? args : args.slice(0, dashes)
  const paths = dashes === -1 ? undefined : args.slice(dashes + 1)
  const name = number === undefined ? undefined : specs[number]?.names.find((each) => each.startsWith('--'))
  const rewritten =
    name === undefined ? before : before.map((arg) => (/^-\d+$/.test(arg) ? `${name}=${arg.slice(1)}` : arg))
  try {
    const parsed = parseArguments(rewritten, specs, { unsupported, usageStatus: 129, stopsAtOperand })
    return { ...parsed, paths, all: [...parsed.operands, ...(paths ?? [])] }
  } catch (error) {
    if (error instanceof ProgramError) throw described(command, error)
    throw error
  }
}

const historyCommands = new Set(['log', 'show', 'rev-list', 'format-patch', 'shortlog'])

function described(command: string, { message, status }: ProgramError): GitError {
  const [, missing] = /^option '(.*)' is not supported/.exec(message) ?? []
  if (missing !== undefined && status === 2) return fatal(`option '${missing}' is not supported by this git`)
  // These commands pass options on to one another, and word it differently.
  const [, unknown] = /^(?:unrecognized option|invalid option --) '(.*)'/.exec(message) ?? []
  const written = unknown === undefined || unknown.startsWith('-') ? unknown : `-${unknown}`
  if (written !== undefined && historyCommands.has(command)) return fatal(`unrecognized argument: ${written}`)
  if (written !== undefined && command.startsWith('diff')) return new GitError(`error: invalid option: ${written}`, 129)
  const usage = `\nusage: git ${command} [<options>]`
  const [, long] = /^unrecognized option '--(.*)'/.exec(message) ?? []
  if (long !== undefined) return new GitError(`error: unknown option \`${long}'${usage}`, 129)
  const [, letter] = /^invalid option -- '(.*)'/.exec(message) ?? []
  if (letter !== undefined) return new GitError(`error: unknown switch \`${letter}'${usage}`, 129)
  const [, valueless] = /^option '--(.*)' requires/.exec(message) ?? []
  if (valueless !== undefined) return new GitError(`error: option \`${valueless}' requires a value`, 129)
  const [, short] = /^option requires an argument -- '(.*)'/.exec(message) ?? []
  if (short !== undefined) return new GitError(`error: switch \`${short}' requires a value`, 129)
  return new GitError(`error: ${message}`, 129)
}

/** The number an option was given. */
export function countOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (!/^-?\d+$/.test(given)) throw new GitError(`fatal: '${given}': not an integer`, 128)
  void name
  return Number(given)
}
