/** Transforms JSON with programs of the language jq, version 1.6. */
import { decodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import { helpText, versionText } from '../originals.js'
import { ProgramError } from '../program-error.js'
import { type JqArguments, parseJqArguments } from './arguments.js'
import { type Code, Halt, type JqContext } from './compile/code.js'
import { compileProgram } from './compile/compile.js'
import { createInputs, type Inputs } from './inputs.js'
import { compactText, type JsonStyle, jsonText } from './json/json-text.js'
import { JsonSyntaxError } from './json/syntax-error.js'
import { CompileError } from './syntax.js'
import { isTruthy, JqError, type Json, objectOf } from './values.js'

const compileStatus = 3
const errorStatus = 5
const fileStatus = 2
const inputStatus = 4

const usage = `[options] <jq filter> [file...]
[options] --args <jq filter> [strings...]
[options] --jsonargs <jq filter> [JSON_TEXTS...]`

export const jq = rawProgram({
  name: 'jq',
  async run(io) {
    const given = await parseJqArguments(io)
    if (given.flags.has('help')) {
      await io.stdout.write(helpText('jq', usage))
      return 0
    }
    if (given.flags.has('version')) {
      await io.stdout.write(versionText('jq'))
      return 0
    }
    return runProgram(io, given, await programOf(io, given))
  },
})

async function programOf(io: ProgramIo, given: JqArguments): Promise<string> {
  if (given.program === undefined) return '.'
  if (!given.flags.has('from-file')) return given.program
  try {
    return decodeText(await io.fs.readFile(given.program))
  } catch (error) {
    throw new ProgramError(`Could not open ${given.program}: ${describeError(error)}`, fileStatus)
  }
}

const heldOutput = 1 << 20
const writtenAtOnce = 1 << 15
const writtenAfterMs = 50
/** Outputs, where no time passes. */
const writtenAtFirst = 64

async function runProgram(io: ProgramIo, given: JqArguments, source: string): Promise<number> {
  const { flags } = given
  const inputs = createInputs(io, {
    names: given.files,
    isRaw: flags.has('raw-input'),
    isSlurped: flags.has('slurp'),
    isStreamed: flags.has('stream'),
  })
  let errors = ''
  let held = 0
  let output: string[] = []
  let counted = 0
  function account(bytes: number): void {
    counted += bytes
    io.account(bytes)
  }
  const context: JqContext = {
    step: () => io.step(),
    account,
    now: () => io.now(),
    timeZone: io.env.get('TZ'),
    env: new Map(io.env),
    named: new Map<string, Json>([
      ...given.named,
      ['ARGS', objectOf({ positional: given.positional, named: new Map(given.named) })],
    ]),
    args: null,
    nextInput: inputs.nextNow,
    inputName: inputs.name,
    inputLine: inputs.line,
    writeError(text) {
      errors += text
    },
  }
  const code = await compiled(io, source, context)
  if (code === undefined) return compileStatus
  const whole = code
  // A program that asks for inputs itself can't wait for them.
  if (/\binputs?\b/.test(source)) await inputs.load()

  const style: JsonStyle = {
    ...(given.indent !== undefined && { indent: given.indent }),
    sortKeys: flags.has('sort-keys'),
    ascii: flags.has('ascii-output'),
    color: flags.has('color-output'),
    account,
  }
  const isRaw = flags.has('raw-output') || flags.has('join-output')
  const start = flags.has('seq') ? '\x1e' : ''
  const end = flags.has('join-output') ? '' : '\n'
  let last: Json | undefined
  let hasRun = false

  function emit(value: Json): void {
    last = value
    const text = isRaw && typeof value === 'string' && !style.ascii ? value : jsonText(value, style)
    output.push(start + text + end)
    held += text.length
    if (held < heldOutput) return
    account(held * 2)
    held = 0
  }

  async function flush(): Promise<void> {
    if (output.length > 0) await io.stdout.write(output.join(''))
    output = []
    held = 0
    if (errors !== '') await io.stderr.write(errors)
    errors = ''
  }

  /** Output is written as it comes: who reads it may want no more, and each output may take longer than the one before. */
  async function runStreaming(outputs: Iterable<Json>): Promise<void> {
    let written = io.clock.elapsed()
    let [count, next] = [0, writtenAtFirst]
    for (const value of outputs) {
      emit(value)
      count += 1
      const isDue = count === next || io.clock.elapsed() - written > writtenAfterMs
      if (isDue) next = Math.ceil(count * 1.5)
      if (!isDue && held < writtenAtOnce && errors.length < writtenAtOnce) continue
      await flush()
      if (isDue) await io.stdout.flush()
      if (isDue) await io.clock.turn()
      written = io.clock.elapsed()
    }
  }

  async function fail(error: unknown): Promise<number> {
    await flush()
    if (error instanceof RangeError) throw new ProgramError('error: the program nests too deeply', errorStatus)
    if (!(error instanceof JqError)) throw error
    if (error.value !== null) await io.stderr.write(errorLine(error.value, inputs))
    return errorStatus
  }

  /** A promise only where something has to be waited for. */
  function run(input: Json, { run: runCode, stream }: Code): Promise<number> | number {
    hasRun = true
    try {
      if (stream !== undefined) return runStreaming(stream(input, undefined)).then(() => 0, fail)
      runCode(input, undefined, emit)
      return held < writtenAtOnce ? 0 : flush().then(() => 0)
    } catch (error) {
      return fail(error)
    }
  }

  async function runAll(): Promise<number> {
    let last = 0
    for (;;) {
      let input = inputs.ready()
      if (input === undefined) {
        // More input may be long in coming.
        await flush()
        input = await inputs.next()
        if (input === undefined) return last
      }
      const ran = run(input, whole)
      last = typeof ran === 'number' ? ran : await ran
      if (counted !== 0) account(-counted)
      io.step()
    }
  }

  let status = 0
  try {
    status = flags.has('null-input') ? await run(null, whole) : await runAll()
    await flush()
  } catch (error) {
    await flush()
    if (error instanceof Halt) {
      if (error.message !== '') await io.stderr.write(error.message)
      return error.status
    }
    if (!(error instanceof JsonSyntaxError)) throw error
    const isUnfinished = flags.has('seq') && error.message.startsWith('Unfinished')
    await io.stderr.write(`${isUnfinished ? 'ignoring ' : ''}parse error: ${error.message}\n`)
    return inputStatus
  }
  if (status !== 0) return status
  if (inputs.hasFailed()) return fileStatus
  if (!flags.has('exit-status') || !hasRun) return 0
  return last === undefined ? 4 : isTruthy(last) ? 0 : 1
}

function errorLine(value: Json, inputs: Inputs): string {
  if (typeof value === 'string') return `jq: error (at ${inputs.place()}): ${value}\n`
  return `jq: error (at ${inputs.place()}) (not a string): ${compactText(value)}\n`
}

async function compiled(io: ProgramIo, source: string, context: JqContext): Promise<Code | undefined> {
  try {
    return compileProgram(source, context)
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    const isSyntax = error.message.startsWith('syntax error')
    const place = `at <top-level>, line ${error.line}:`
    const shown = source
      .split('\n')
      .slice(error.line - 1)
      .join('\n')
    await io.error(`error: ${error.message}${isSyntax ? ' (Unix shell quoting issues?)' : ''} ${place}\n${shown}`)
    await io.error('1 compile error')
    return undefined
  }
}
