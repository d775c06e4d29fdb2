/** Builtins that are programs too: for `xargs`, `env`, `find -exec` and the like. */

import type { Program } from '../../io/program.js'
import { type RawProgram, rawProgram } from '../../programs/define-program.js'
import { drive } from '../run/state/steps.js'
import { echoText } from './echo.js'
import { printFormat } from './printf-format.js'
import { evaluateTest, TestFault } from './test.js'

const echo: RawProgram = {
  name: 'echo',
  usage: '[SHORT-OPTION]... [STRING]...\nLONG-OPTION',
  async run(io) {
    await io.stdout.write(echoText(io.args))
    return 0
  },
}

/** The program says it in other words than the builtin. */
function programMessage(message: string): string {
  const [, started] = /^(\s*[-+]?\d.*): invalid number$/s.exec(message) ?? []
  if (started !== undefined) return `‘${started}’: value not completely converted`
  return message
    .replace(/^(.*): invalid number$/s, '‘$1’: expected a numeric value')
    .replace(/^warning: (.*): Numerical result out of range$/s, '‘$1’: Numerical result out of range')
}

const printf: RawProgram = {
  name: 'printf',
  usage: 'FORMAT [ARGUMENT]...\nOPTION',
  async run(io) {
    const args = io.args[0] === '--' ? io.args.slice(1) : io.args
    const [format, ...values] = args
    if (format === undefined) {
      await io.error('missing operand')
      return 1
    }
    const { text, errors } = printFormat(format, values, { nowMs: io.now(), startMs: io.now(), zone: io.env.get('TZ') })
    let done = 0
    for (const { message, at } of errors) {
      await io.stdout.write(text.slice(done, at))
      done = at

      await io.error(programMessage(message))
    }
    await io.stdout.write(text.slice(done))
    return errors.length > 0 ? 1 : 0
  },
}

const test: Program = {
  name: 'test',
  run: async (io) => {
    let { args } = io
    if (io.name === '[') {
      if (args.at(-1) !== ']') {
        await io.error("missing ']'")
        return 2
      }
      args = args.slice(0, -1)
    }
    try {
      return (await drive(evaluateTest(args, { files: io.fs }))) ? 0 : 1
    } catch (error) {
      if (!(error instanceof TestFault)) throw error
      await io.error(error.message)
      return 2
    }
  },
}

const constant = (name: string, status: number): RawProgram => ({
  name,
  usage: '[ignored command line arguments]\nOPTION',
  run: async () => status,
})

const pwd: RawProgram = {
  name: 'pwd',
  usage: '[OPTION]...',
  async run(io) {
    await io.stdout.write(`${io.args.includes('-L') ? (io.env.get('PWD') ?? io.cwd) : await io.fs.realPath(io.cwd)}\n`)
    return 0
  },
}

export const builtinPrograms: readonly Program[] = [
  echo,
  printf,
  test,
  { ...test, name: '[', usage: 'EXPRESSION ]' },
  constant('true', 0),
  constant('false', 1),
  pwd,
].map(rawProgram)
