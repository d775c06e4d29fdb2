/** Makes a program of its declared options and what it does. */
import { isFsError } from '../../src/errors.js'
import { basename } from '../../src/fs/path.js'
import { describeError } from '../io/describe-error.js'
import type { Program, ProgramIo } from '../io/program.js'
import { type OptionSpecs, type ParsedArguments, parseArguments } from './options.js'
import { helpText, versionOptionsOf, versionText } from './originals.js'
import { ProgramError, UsageError } from './program-error.js'

export interface ProgramDefinition<Specs extends OptionSpecs> {
  name: string
  aliases?: readonly string[]
  /** What follows the name in the usage line, such as `[OPTION]... [FILE]...`. Other forms of the call follow in lines of their own. */
  usage: string
  options: Specs
  /** Default: `--help`. */
  helpNames?: readonly string[]
  /** Options of the original that are missing here: they fail with status 2 and say so. */
  unsupported?: readonly string[]
  /** The status for a wrong option or operand. Default: 1, as in coreutils. */
  usageStatus?: number
  /** What follows the message about a wrong option. Default: `Try 'NAME --help' for more information.` */
  usageHint?: string
  /** Operands end the options, as for programs that run another command (`env`, `xargs`, `timeout`). */
  stopsAtOperand?: boolean
  /** Rewrites historic forms such as `head -5` before parsing. */
  rewrite?(args: readonly string[]): readonly string[]
  run(io: ProgramIo, given: ParsedArguments<Specs>): Promise<number>
}

export interface RawProgram extends Program {
  /** With it, the program has `--help` and `--version`, as its only argument. */
  usage?: string
}

/** A program that reads its arguments itself, such as `find` or `test`. Failures are handled as for the others. */
export function rawProgram({ name, aliases, usage, run }: RawProgram): Program {
  return {
    name,
    ...(aliases && { aliases }),
    async run(io) {
      const about = usage === undefined ? undefined : aboutItself(calledAs(io, name, aliases), usage, io.args)
      if (about !== undefined) {
        await io.stdout.write(about)
        return 0
      }
      try {
        return await withHint(() => run(io), defaultHint(io.name))
      } catch (error) {
        return await failed(io, error)
      }
    },
  }
}

/** `--help` prints the usage and `--version` what it is. An option that is not declared fails and is named. */
export function defineProgram<Specs extends OptionSpecs>(definition: ProgramDefinition<Specs>): Program {
  const { name, aliases, usage, options, unsupported = [], usageStatus = 1, stopsAtOperand = false } = definition
  return rawProgram({
    name,
    ...(aliases && { aliases }),
    async run(io) {
      const called = calledAs(io, name, aliases)
      const taken = new Set(Object.values(options).flatMap(({ names }) => names))
      const versionNames = versionOptionsOf(called).filter((option) => !taken.has(option))
      const helpNames = definition.helpNames ?? ['--help']
      const specs = { ...options, [helpKey]: { names: helpNames }, [versionKey]: { names: versionNames } } as Specs
      const args = definition.rewrite?.(io.args) ?? io.args
      const rules = { unsupported, usageStatus, stopsAtOperand }
      const hint = definition.usageHint ?? defaultHint(io.name)
      const given = await withHint(async () => parseArguments(args, specs, rules), hint)
      const about = given.given.find(({ key }) => key === helpKey || key === versionKey)
      if (about !== undefined) {
        await io.stdout.write(about.key === helpKey ? helpText(called, usage, listed(options)) : versionText(called))
        return 0
      }
      return withHint(() => definition.run(io, given), hint)
    },
  })
}

/** No program has options of its own under these keys. */
const helpKey = 'help text'
const versionKey = 'version text'

function aboutItself(called: string, usage: string, args: readonly string[]): string | undefined {
  const [only = ''] = args
  if (args.length !== 1) return undefined
  if (only === '--help') return helpText(called, usage)
  return versionOptionsOf(called).includes(only) ? versionText(called) : undefined
}

/** One of its names, when it was called by a path or under another. */
function calledAs(io: ProgramIo, name: string, aliases: readonly string[] = []): string {
  const called = basename(io.name)
  return aliases.includes(called) ? called : name
}

function defaultHint(name: string): string {
  return `Try '${name} --help' for more information.`
}

async function withHint<Result>(run: () => Promise<Result>, hint: string): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new ProgramError(hint === '' ? error.message : `${error.message}\n${hint}`, error.status)
  }
}

async function failed(io: ProgramIo, error: unknown): Promise<number> {
  if (error instanceof ProgramError) {
    await io.error(error.message)
    return error.status
  }
  if (isFsError(error)) {
    await io.error('path' in error.facts ? `${error.facts.path}: ${describeError(error)}` : describeError(error))
    return 1
  }
  throw error
}

function listed(options: OptionSpecs): string {
  return Object.values(options)
    .map(({ names, value }) => `  ${names.join(', ')}${value ? ' VALUE' : ''}\n`)
    .join('')
}
