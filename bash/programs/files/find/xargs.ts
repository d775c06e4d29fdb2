/** Builds and runs commands from input. */
import { encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo, RunOptions } from '../../../io/program.js'
import { brokenPipeStatus } from '../../../io/program-run.js'
import { type ByteReader, readerOf } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedIfNeeded } from '../../quoting.js'
import { statIfThere } from '../shared/facts.js'
import { usageError } from '../shared/usage.js'
import { type Item, readItems } from './xargs-input.js'

const options = {
  null: { names: ['-0', '--null'] },
  argFile: { names: ['-a', '--arg-file'], value: 'required' },
  delimiter: { names: ['-d', '--delimiter'], value: 'required' },
  endOfFile: { names: ['-E'], value: 'required' },
  endOfFileOptional: { names: ['-e', '--eof'], value: 'optional' },
  replace: { names: ['-I'], value: 'required' },
  replaceOptional: { names: ['-i', '--replace'], value: 'optional' },
  maxLines: { names: ['-L'], value: 'required' },
  maxLinesOptional: { names: ['-l', '--max-lines'], value: 'optional' },
  maxArgs: { names: ['-n', '--max-args'], value: 'required' },
  slotVariable: { names: ['--process-slot-var'], value: 'required' },
  openTty: { names: ['-o', '--open-tty'] },
  interactive: { names: ['-p', '--interactive'] },
  processes: { names: ['-P', '--max-procs'], value: 'required' },
  noRunIfEmpty: { names: ['-r', '--no-run-if-empty'] },
  maxChars: { names: ['-s', '--max-chars'], value: 'required' },
  verbose: { names: ['-t', '--verbose'] },
  exit: { names: ['-x', '--exit'] },
} as const

type Given = ParsedArguments<typeof options>

const tooSmall = 'cannot fit single argument within argument list size limit'

/** The longest command line by default, in bytes. */
const defaultMaxChars = 128 * 1024

interface Limits {
  replace?: string
  maxLines?: number
  maxArgs?: number
  maxChars: number
  exitsWhenTooLong: boolean
}

export const xargs = defineProgram({
  name: 'xargs',
  usage: '[OPTION]... COMMAND [INITIAL-ARGS]...',
  options,
  unsupported: ['--show-limits'],
  stopsAtOperand: true,
  async run(io, given) {
    if (given.has('openTty')) throw new ProgramError("option '-o' is not supported by this shell", 2)
    const limits = await limitsOf(io, given)
    const processes = Number(given.value('processes') ?? '1')
    if (!Number.isInteger(processes) || processes < 0) {
      throw usageError(io, `invalid number "${given.value('processes')}" for -P option`)
    }
    const { reader, isStdin } = await openInput(io, given.value('argFile'))
    const runner = commandRunner(io, {
      isStdin,
      isVerbose: given.has('verbose'),
      asks: given.has('interactive'),
      processes,
      slotVariable: given.value('slotVariable'),
    })
    const words = given.operands.length > 0 ? given.operands : ['echo']
    if (words.reduce((sum, word) => sum + sizeOf(word), 0) > limits.maxChars) {
      throw new ProgramError(tooSmall)
    }
    const delimiter = delimiterOf(given)
    const endMark = given.value(given.last('endOfFile', 'endOfFileOptional') ?? 'endOfFile')
    const items = readItems(reader, {
      delimiter,
      isLines: limits.replace !== undefined,
      endMark: delimiter === undefined ? endMark || undefined : undefined,
    })
    try {
      const isFine =
        limits.replace === undefined
          ? await runBatches(io, items, words, limits, given.has('noRunIfEmpty'), runner)
          : await runReplacing(io, items, words, limits, runner)
      if (!isFine) return 1
    } finally {
      await runner.finish()
    }
    return runner.status()
  },
})

async function openInput(io: ProgramIo, path: string | undefined): Promise<{ reader: ByteReader; isStdin: boolean }> {
  if (path === undefined || path === '-') return { reader: io.stdin, isStdin: true }
  try {
    return { reader: await io.fs.openRead(path), isStdin: false }
  } catch (error) {
    throw new ProgramError(`Cannot open input file ${quoted(path)}: ${describeError(error)}`)
  }
}

function delimiterOf(given: Given): number | undefined {
  const last = given.last('null', 'delimiter')
  if (last === 'null') return 0
  const text = given.value('delimiter')
  if (text === undefined) return undefined
  const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '0': 0, '\\': 92 }
  const [, letter, octal, hex] = /^\\(?:([abfnrtv\\])|([0-7]{1,3})|x([0-9a-fA-F]{1,2}))$/.exec(text) ?? []
  if (letter !== undefined) return escapes[letter] as number
  if (octal !== undefined) return Number.parseInt(octal, 8)
  if (hex !== undefined) return Number.parseInt(hex, 16)
  const bytes = encodeText(text)
  if (bytes.length !== 1) {
    throw new ProgramError(
      `Invalid input delimiter specification ${text}: the delimiter must be either a single character or an escape sequence starting with \\.`,
    )
  }
  return bytes[0] as number
}

/** The last of `-I`, `-L` and `-n` counts; the others are left out with a warning. */
async function limitsOf(io: ProgramIo, given: Given): Promise<Limits> {
  const limits: Limits = { maxChars: defaultMaxChars, exitsWhenTooLong: given.has('exit') }
  const number = (text: string, option: string): number => {
    if (!/^[-+]?\d+$/.test(text)) throw usageError(io, `invalid number "${text}" for -${option} option`)
    if (Number(text) >= 1) return Number(text)
    const message = `value ${text} for -${option} option should be >= 1`
    if (option === 's') throw new ProgramError(`${message}\nxargs: ${tooSmall}`)
    throw usageError(io, message)
  }
  const exclusive = async (previous: string, now: string) => {
    await io.error(
      `warning: options ${previous} and ${now} are mutually exclusive, ignoring previous ${previous} value`,
    )
  }
  for (const { key, value } of given.given) {
    if (key === 'replace' || key === 'replaceOptional') {
      if (limits.maxArgs !== undefined) await exclusive('--max-args', '--replace/-I/-i')
      if (limits.maxLines !== undefined) await exclusive('--max-lines', '--replace/-I/-i')
      delete limits.maxArgs
      delete limits.maxLines
      limits.replace = value ?? '{}'
    } else if (key === 'maxLines' || key === 'maxLinesOptional') {
      const name = key === 'maxLines' ? '-L' : '--max-lines/-l'
      if (limits.maxArgs !== undefined) await exclusive('--max-args', name)
      if (limits.replace !== undefined) await exclusive('--replace', name)
      delete limits.maxArgs
      delete limits.replace
      limits.maxLines = number(value ?? '1', key === 'maxLines' ? 'L' : 'l')
    } else if (key === 'maxArgs') {
      const count = number(value ?? '', 'n')
      // With -I, one argument at a time is what happens anyway.
      if (limits.replace !== undefined && count === 1) continue
      if (limits.maxLines !== undefined) await exclusive('--max-lines', '--max-args/-n')
      if (limits.replace !== undefined) await exclusive('--replace', '--max-args/-n')
      delete limits.maxLines
      delete limits.replace
      limits.maxArgs = count
    } else if (key === 'maxChars') limits.maxChars = number(value ?? '', 's')
  }
  return limits
}

/** Its bytes, and the one that ends it. */
function sizeOf(word: string): number {
  for (let at = 0; at < word.length; at += 1) if (word.charCodeAt(at) >= 0x80) return encodeText(word).length + 1
  return word.length + 1
}

async function* oneByOne(items: AsyncGenerator<Item[]>): AsyncGenerator<Item> {
  for await (const known of items) yield* known
}

async function runReplacing(
  io: ProgramIo,
  items: AsyncGenerator<Item[]>,
  words: readonly string[],
  { replace = '{}', maxChars }: Limits,
  runner: Runner,
): Promise<boolean> {
  for await (const { text } of oneByOne(items)) {
    io.step()
    const argv = words.map((word, index) =>
      index === 0 && replace === '' ? word : word.replaceAll(replace, () => text),
    )
    if (argv.reduce((sum, word) => sum + sizeOf(word), 0) > maxChars) {
      await io.error('argument line too long')
      return false
    }
    if (!(await runner.run(argv))) return true
  }
  return true
}

async function runBatches(
  io: ProgramIo,
  items: AsyncGenerator<Item[]>,
  words: readonly string[],
  limits: Limits,
  skipsEmpty: boolean,
  runner: Runner,
): Promise<boolean> {
  const { maxArgs = Number.POSITIVE_INFINITY, maxLines = Number.POSITIVE_INFINITY, maxChars } = limits
  const base = words.reduce((sum, word) => sum + sizeOf(word), 0)
  let batch: string[] = []
  let size = base
  let lines = 0
  let hasRun = false
  const stopsWhenTooLong = limits.exitsWhenTooLong || limits.maxLines !== undefined

  async function flush(): Promise<boolean> {
    const argv = [...words, ...batch]
    batch = []
    size = base
    lines = 0
    hasRun = true
    return runner.run(argv)
  }

  type Next = 'more' | 'stop' | 'too long'

  /** A promise only when a command runs. */
  function add(item: Item): Next | Promise<Next> {
    const bytes = sizeOf(item.text)
    const isFull = size + bytes > maxChars || batch.length + 1 >= maxArgs || (item.endsLine && lines + 1 >= maxLines)
    if (isFull) return addAndRun(item, bytes)
    batch.push(item.text)
    size += bytes
    if (item.endsLine) lines += 1
    return 'more'
  }

  async function addAndRun({ text, endsLine }: Item, bytes: number): Promise<Next> {
    const isLineTooLong = base + bytes > maxChars
    if (size + bytes > maxChars) {
      const stopsHere = limits.maxLines !== undefined || (limits.exitsWhenTooLong && limits.maxArgs !== undefined)
      if (stopsHere && (batch.length > 0 || !isLineTooLong)) {
        await io.error('argument list too long')
        return 'too long'
      }
      if (isLineTooLong) {
        // What came before has been read, and runs.
        if (batch.length > 0) await flush()
        await io.error('argument line too long')
        return 'too long'
      }
      if (!(await flush())) return 'stop'
    }
    batch.push(text)
    size += bytes
    if (endsLine) lines += 1
    return (batch.length >= maxArgs || lines >= maxLines) && !(await flush()) ? 'stop' : 'more'
  }

  try {
    for await (const known of items) {
      for (const item of known) {
        io.step()
        const added = add(item)
        const next = typeof added === 'string' ? added : await added
        if (next !== 'more') return next === 'stop'
      }
    }
  } catch (error) {
    // What came before a quote without an end is used.
    if (error instanceof ProgramError && batch.length > 0 && !stopsWhenTooLong) await flush()
    throw error
  }
  if (batch.length > 0 || (!hasRun && !skipsEmpty)) await flush()
  return true
}

interface Runner {
  /** False when no more commands may run. */
  run(argv: readonly string[]): Promise<boolean>
  finish(): Promise<void>
  status(): number
}

interface RunnerOptions {
  isStdin: boolean
  isVerbose: boolean
  asks: boolean
  processes: number
  /** It says in which of the places for commands that run at once a command is. */
  slotVariable: string | undefined
}

function commandRunner(io: ProgramIo, { isStdin, isVerbose, asks, processes, slotVariable }: RunnerOptions): Runner {
  const running = new Map<number, Promise<void>>()
  const limit = processes === 0 ? 64 : processes
  let status = 0
  let isStopped = false

  async function runOne(argv: readonly string[], slot: number): Promise<void> {
    const [name = ''] = argv
    if (!(await io.has(name))) {
      const isThere = name.includes('/') && (await statIfThere(io.fs, name)) !== undefined
      await io.error(`${name}: ${isThere ? 'Permission denied' : 'No such file or directory'}`)
      status = isThere ? 126 : 127
      isStopped = true
      return
    }
    const input: RunOptions = {
      ...(isStdin && { stdin: readerOf(new Uint8Array()) }),
      ...(slotVariable !== undefined && { env: new Map(io.env).set(slotVariable, String(slot)) }),
    }
    const code = await io.run(argv, input)
    if (code === 0) return
    if (code === brokenPipeStatus) {
      await io.error(`${name}: terminated by signal 13`)
      isStopped = true
      status = 125
      return
    }
    if (code === 255) {
      await io.error(`${name}: exited with status 255; aborting`)
      isStopped = true
    }
    // One that failed before decides the status.
    status ||= code === 255 ? 124 : 123
  }

  return {
    async run(argv) {
      if (isVerbose || asks) {
        const line = argv.map(quotedIfNeeded).join(' ')
        if (asks) {
          await io.stderr.write(`${line}?...`)
          throw new ProgramError('failed to open /dev/tty for reading: No such device or address')
        } else await io.stderr.write(`${line}\n`)
      }
      if (limit === 1) await runOne(argv, 0)
      else {
        while (running.size >= limit) await Promise.race(running.values())
        let slot = 0
        while (running.has(slot)) slot += 1
        const one = runOne(argv, slot).finally(() => running.delete(slot))
        running.set(slot, one)
        // A failure is thrown by `finish`, which waits for all.
        one.catch(() => {})
      }
      return !isStopped
    },
    async finish() {
      await Promise.all(running.values())
    },
    status: () => status,
  }
}
