/** Runs a command for a limited time. */

import type { Bytes } from '../../../src/fs/types.js'
import { entryOf } from '../../../src/text/entry-of.js'
import type { ProgramIo } from '../../io/program.js'
import { BrokenPipe, type ByteReader, type ByteWriter } from '../../io/streams.js'
import { defineProgram } from '../define-program.js'
import { UsageError } from '../program-error.js'
import { parseDuration } from './duration.js'
import { runCommand } from './run-command.js'

const signals: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  ALRM: 14,
  TERM: 15,
}

export const timeout = defineProgram({
  name: 'timeout',
  usage: '[OPTION] DURATION COMMAND [ARG]...',
  options: {
    preserveStatus: { names: ['--preserve-status'] },
    foreground: { names: ['--foreground'] },
    killAfter: { names: ['-k', '--kill-after'], value: 'required' },
    signal: { names: ['-s', '--signal'], value: 'required' },
    verbose: { names: ['-v', '--verbose'] },
  },
  usageStatus: 125,
  stopsAtOperand: true,
  async run(io, given) {
    const [duration, ...command] = given.operands
    if (duration === undefined || command.length === 0) throw new UsageError('missing operand', 125)
    const name = given.value('signal') ?? 'TERM'
    const signal = /^\d+$/.test(name) ? Number(name) : entryOf(signals, name.toUpperCase().replace(/^SIG/, ''))
    if (signal === undefined) throw new UsageError(`‘${name}’: invalid signal`, 125)
    const killAfter = given.value('killAfter')
    if (killAfter !== undefined) interval(killAfter)
    const limit = interval(duration)
    const status = await runLimited(io, command, limit === 0 ? Number.POSITIVE_INFINITY : limit)
    if (status !== undefined) return status
    if (given.has('verbose')) await io.error(`sending signal ${name.replace(/^SIG/, '')} to command ‘${command[0]}’`)
    if (signal === 9) return 137
    return given.has('preserveStatus') ? 128 + signal : 124
  },
})

function interval(text: string): number {
  const duration = parseDuration(text)
  if (duration === undefined) throw new UsageError(`invalid time interval ‘${text}’`, 125)
  return duration
}

class TimedOut extends Error {}

/** The status, or undefined when the time was over. Then the command is cut off from its input and output. */
async function runLimited(io: ProgramIo, command: readonly string[], limit: number): Promise<number | undefined> {
  const { clock } = io
  const end = clock.elapsed() + limit
  let over = false
  const isOver = () => {
    over ||= clock.elapsed() > end
    return over
  }
  const stdout: ByteWriter = {
    async write(bytes: Bytes) {
      if (isOver()) throw new BrokenPipe()
      await io.stdout.write(bytes)
      await io.stdout.flush()
    },
    close: async () => {},
    get path() {
      return io.stdout.path
    },
  }
  const stdin: ByteReader = {
    ...io.stdin,
    read: async () => (isOver() ? undefined : io.stdin.read()),
    unread: (bytes) => io.stdin.unread(bytes),
    close: () => io.stdin.close(),
  }
  const timer = Number.isFinite(limit) ? clock.timer(limit) : undefined
  const done = runCommand(io, command, {
    stdin,
    stdout,
    step() {
      if (isOver()) throw new TimedOut()
    },
  }).catch((error: unknown) => {
    if (error instanceof TimedOut || over) return undefined
    throw error
  })
  const status = await (timer === undefined ? done : Promise.race([done, timer.due.then(() => undefined)]))
  timer?.cancel()
  if (over) return undefined
  over = true
  return status
}
