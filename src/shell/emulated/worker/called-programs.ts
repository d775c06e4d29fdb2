/** Programs of the host, as programs of the shell: input and output pass as messages. */
import { encodeText } from '../../io/byte-text.js'
import type { Program, ProgramIo } from '../../programs/program.js'
import type { OutputChunk } from '../../types.js'
import type { FromWorker, ProgramToRun } from '../messages.js'

export interface CalledPrograms {
  /** `settle` hands over buffered writes, so that the host sees them. */
  programs(names: readonly string[], settle: () => Promise<void>): Array<[string, Program]>
  /** The host's program reads. */
  pull(call: number): void
  /** The host's program writes. */
  push(call: number, chunk: OutputChunk): void
}

/** Asks the host to run a program; `done` resolves to its status. */
type Start = (program: ProgramToRun) => { call: number; done: Promise<unknown> }

interface Running {
  io: ProgramIo
  /** Writes in their order; a failure of one is the program's. */
  written: Promise<void>
}

export function calledPrograms(start: Start, send: (message: FromWorker) => void): CalledPrograms {
  const running = new Map<number, Running>()

  async function run(name: string, io: ProgramIo): Promise<number> {
    const { call, done } = start({ name, args: [...io.args], cwd: io.cwd, env: Object.fromEntries(io.env) })
    const one: Running = { io, written: Promise.resolve() }
    running.set(call, one)
    try {
      const status = await done
      await one.written
      return Number(status)
    } finally {
      running.delete(call)
    }
  }

  return {
    programs: (names, settle) =>
      names.map((name) => [
        name,
        {
          name,
          async run(io) {
            await settle()
            return run(name, io)
          },
        },
      ]),
    pull(call) {
      const one = running.get(call)
      const end = () => send({ kind: 'input', call })
      if (one === undefined) end()
      else one.io.stdin.read().then((bytes) => send({ kind: 'input', call, ...(bytes && { bytes }) }), end)
    },
    push(call, { stream, bytes }) {
      const one = running.get(call)
      if (one === undefined) return
      one.written = one.written.then(() => one.io[stream].write(typeof bytes === 'string' ? encodeText(bytes) : bytes))
      one.written.catch(() => {})
    },
  }
}
