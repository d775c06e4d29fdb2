/** Makes a program of its declared options and what it does. */
import { isFsError } from '../../src/errors.js'
import { describeError } from '../io/describe-error.js'
import type { Program, ProgramIo } from '../io/program.js'
import { type OptionSpecs, type ParsedArguments, parseArguments } from './options.js'
import { ProgramError, UsageError } from './program-error.js'

export interface ProgramDefinition<Specs extends OptionSpecs> {
  name: string
  aliases?: readonly string[]
  /** What follows the name in the usage line, such as `[OPTION]... [FILE]...`. */
  usage: string
  options: Specs
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

/** A program that reads its arguments itself, such as `find` or `test`. Failures are handled as for the others. */
export function rawProgram({ name, aliases, run }: Program): Program {
  return {
    name,
    ...(aliases && { aliases }),
    async run(io) {
      try {
        return await run(io)
      } catch (error) {
        return await failed(io, error)
      }
    },
  }
}

/** `--help` prints the usage and `--version` the name. An option that is not declared fails and is named. */
export function defineProgram<Specs extends OptionSpecs>(definition: ProgramDefinition<Specs>): Program {
  const { name, aliases, usage, options, unsupported = [], usageStatus = 1, stopsAtOperand = false } = definition
  const specs = {
    ...options,
    ...(!isDeclared(options, '--help') && { help: { names: ['--help'] } }),
    ...(!isDeclared(options, '--version') && { version: { names: ['--version'] } }),
  } as Specs
  return rawProgram({
    name,
    ...(aliases && { aliases }),
    async run(io) {
      const args = definition.rewrite?.(io.args) ?? io.args
      const rules = { unsupported, usageStatus, stopsAtOperand }
      const given = withHint(() => parseArguments(args, specs, rules), definition.usageHint ?? defaultHint(io.name))
      const [first] = given.given.filter(({ name: option }) => option === '--help' || option === '--version')
      if (first?.name === '--help' && !isDeclared(options, '--help')) {
        await io.stdout.write(`Usage: ${io.name} ${usage}\n${listed(options)}`)
        return 0
      }
      if (first?.name === '--version' && !isDeclared(options, '--version')) {
        await io.stdout.write(`${name} (polyfs)\n`)
        return 0
      }
      return definition.run(io, given)
    },
  })
}

function defaultHint(name: string): string {
  return `Try '${name} --help' for more information.`
}

function withHint<Result>(parse: () => Result, hint: string): Result {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof UsageError) || hint === '') throw error
    throw new ProgramError(`${error.message}\n${hint}`, error.status)
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

function isDeclared(options: OptionSpecs, name: string): boolean {
  return Object.values(options).some(({ names }) => names.includes(name))
}

function listed(options: OptionSpecs): string {
  return Object.values(options)
    .map(({ names, value }) => `  ${names.join(', ')}${value ? ' VALUE' : ''}\n`)
    .join('')
}
