/** Runs a command in a changed environment, or prints it; and `printenv`. */

import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { defineProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'
import { runCommand } from './run-command.js'
import { splitString } from './split-string.js'

export const env = defineProgram({
  name: 'env',
  usage: '[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]',
  options: {
    ignore: { names: ['-i', '--ignore-environment'] },
    null: { names: ['-0', '--null'] },
    unset: { names: ['-u', '--unset'], value: 'required' },
    directory: { names: ['-C', '--chdir'], value: 'required' },
    split: { names: ['-S', '--split-string'], value: 'required' },
  },
  unsupported: ['-v', '--debug', '--block-signal', '--default-signal', '--ignore-signal', '--list-signal-handling'],
  usageStatus: 125,
  stopsAtOperand: true,
  rewrite: withSplitStrings,
  async run(io, given) {
    const words = [...given.operands]
    const clears = given.has('ignore') || words[0] === '-'
    if (words[0] === '-') words.shift()
    const variables = new Map(clears ? [] : io.env)
    for (const name of given.values('unset')) {
      if (name === '' || name.includes('=')) throw new ProgramError(`cannot unset ‘${name}’: Invalid argument`, 125)
      variables.delete(name)
    }
    while (words[0]?.includes('=')) {
      const word = words.shift() as string
      const at = word.indexOf('=')
      variables.set(word.slice(0, at), word.slice(at + 1))
    }
    const directory = given.value('directory')
    if (directory !== undefined) await checkDirectory(io, directory)
    if (words.length === 0) {
      if (directory !== undefined) throw new ProgramError('must specify command with --chdir (-C)', 125)
      const end = given.has('null') ? '\0' : '\n'
      for (const [name, value] of variables) await io.stdout.write(`${name}=${value}${end}`)
      return 0
    }
    if (given.has('null')) throw new ProgramError('cannot specify --null (-0) with command', 125)
    return runCommand(io, words, { env: variables, ...(directory !== undefined && { cwd: io.path(directory) }) })
  },
})

/** `-S` stands for the words in its string. */
function withSplitStrings(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args
  if (first === undefined) return args
  const [, flags = '', attached] = /^-([i0]*)S(.*)$/s.exec(first) ?? []
  const long = /^--split-string=(.*)$/s.exec(first)?.[1]
  const separate = attached === '' || first === '--split-string' ? rest[0] : undefined
  const text = long ?? (attached !== undefined && attached !== '' ? attached : separate)
  if (text === undefined) return args
  const following = separate === undefined ? rest : rest.slice(1)
  return [...(flags === '' ? [] : [`-${flags}`]), ...splitString(text), ...following]
}

async function checkDirectory(io: ProgramIo, directory: string): Promise<void> {
  try {
    const { kind } = await io.fs.stat(directory)
    if (kind === 'directory') return
  } catch (error) {
    throw new ProgramError(`cannot change directory to ‘${directory}’: ${describeError(error)}`, 125)
  }
  throw new ProgramError(`cannot change directory to ‘${directory}’: Not a directory`, 125)
}

export const printenv = defineProgram({
  name: 'printenv',
  usage: '[OPTION]... [VARIABLE]...',
  options: { null: { names: ['-0', '--null'] } },
  usageStatus: 2,
  stopsAtOperand: true,
  async run(io, given) {
    const end = given.has('null') ? '\0' : '\n'
    if (given.operands.length === 0) {
      for (const [name, value] of io.env) await io.stdout.write(`${name}=${value}${end}`)
      return 0
    }
    let status = 0
    for (const name of given.operands) {
      const value = io.env.get(name)
      if (value === undefined) status = 1
      else await io.stdout.write(`${value}${end}`)
    }
    return status
  },
})
