/** Parses the options of a script, and prints them in an order that is easy to read. */

import type { ProgramIo } from '../../io/program.js'
import { defineProgram } from '../define-program.js'
import type { ParsedArguments } from '../options.js'
import { ProgramError } from '../program-error.js'
import { type LongOption, scanOptions } from './scan-options.js'

const options = {
  alternative: { names: ['-a', '--alternative'] },
  longOptions: { names: ['-l', '--longoptions'], value: 'required' },
  name: { names: ['-n', '--name'], value: 'required' },
  shortOptions: { names: ['-o', '--options'], value: 'required' },
  quiet: { names: ['-q', '--quiet'] },
  quietOutput: { names: ['-Q', '--quiet-output'] },
  shell: { names: ['-s', '--shell'], value: 'required' },
  test: { names: ['-T', '--test'] },
  unquoted: { names: ['-u', '--unquoted'] },
} as const

const usageStatus = 2
const wrongStatus = 1
const testStatus = 4

export const getopt = defineProgram({
  name: 'getopt',
  usage:
    '<optstring> <parameters>\n[options] [--] <optstring> <parameters>\n[options] -o|--options <optstring> [options] [--] <parameters>',
  helpNames: ['-h', '--help'],
  options,
  usageStatus,
  stopsAtOperand: true,
  async run(io, given) {
    if (given.has('test')) return testStatus
    const isOld = io.env.has('GETOPT_COMPATIBLE') || (io.args[0] !== undefined && !io.args[0].startsWith('-'))
    if (isOld) return old(io)
    const shell = given.value('shell') ?? 'bash'
    if (shell === 'csh' || shell === 'tcsh') {
      throw new ProgramError(`quoting for ${shell} is not supported by this shell`, usageStatus)
    }
    if (shell !== 'sh' && shell !== 'bash') {
      throw new ProgramError(`unknown shell after -s or --shell argument\n${hint(io)}`, usageStatus)
    }
    const words = [...given.operands]
    const short = given.value('shortOptions') ?? words.shift()
    if (short === undefined) throw new ProgramError(`missing optstring argument\n${hint(io)}`, usageStatus)
    return print(io, short, words, given)
  },
})

function hint(io: ProgramIo): string {
  return `Try '${io.name} --help' for more information.`
}

/** The form of other systems: the letters come first, and nothing is quoted. */
async function old(io: ProgramIo): Promise<number> {
  const [letters, ...words] = io.args
  if (letters === undefined) {
    await io.stdout.write(' --\n')
    return 0
  }
  const { output, problems } = scanOptions(words, {
    short: letters.replace(/^[-+]+/, ''),
    long: [],
    quote: (word) => word,
  })
  for (const problem of problems) await io.error(problem)
  await io.stdout.write(`${output}\n`)
  return problems.length > 0 ? wrongStatus : 0
}

async function print(
  io: ProgramIo,
  short: string,
  words: readonly string[],
  given: ParsedArguments<typeof options>,
): Promise<number> {
  const isStrict = io.env.has('POSIXLY_CORRECT') && !/^[-+]/.test(short)
  const { output, problems } = scanOptions(words, {
    short: isStrict ? `+${short}` : short,
    long: given.values('longOptions').flatMap(longOptions),
    isAlternative: given.has('alternative'),
    quote: given.has('unquoted') ? (word) => word : quoted,
  })
  const name = given.value('name') ?? io.name
  if (!given.has('quiet')) for (const problem of problems) await io.stderr.write(`${name}: ${problem}\n`)
  if (!given.has('quietOutput')) await io.stdout.write(`${output}\n`)
  return problems.length > 0 ? wrongStatus : 0
}

function longOptions(list: string): LongOption[] {
  return list
    .split(/[,\s]+/)
    .filter((item) => item !== '')
    .map((item) => {
      const [, name = '', colons = ''] = /^(.*?)(:{0,2})$/s.exec(item) ?? []
      if (name === '') throw new ProgramError('empty long option after -l or --long argument', usageStatus)
      return { name, value: (['none', 'required', 'optional'] as const)[colons.length as 0 | 1 | 2] }
    })
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
