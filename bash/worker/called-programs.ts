/** Programs of the host, as programs of the shell: input and output pass as messages. */

import type { Bytes } from '../../src/fs/types.js'
import type { OutputChunk } from '../../src/shell/types.js'
import { joinBytes } from '../../src/text/join-bytes.js'
import { decodeText, encodeText } from '../io/byte-text.js'
import type { CommandClock } from '../io/command-clock.js'
import {
  type CommandToRun,
  type EditedText,
  editedVariable,
  type ProgramEnd,
  type Ran,
  type Request,
  ranVariable,
  type TextToEdit,
} from '../io/host-programs.js'
import type { Program, ProgramIo } from '../io/program.js'
import type { ByteReader, ByteWriter } from '../io/streams.js'
import type { FromWorker, ProgramToRun } from './messages.js'

export interface CalledPrograms {
  programs(names: readonly string[], files: FilesOfCommand): Array<[string, Program]>
  /** The host's program reads. */
  pull(call: number): void
  /** The host's program writes. */
  push(call: number, chunk: OutputChunk): void
}

/** What the programs of the host share with the command. */
interface FilesOfCommand {
  /** Hands over buffered writes, so that the host sees them. */
  settle(): Promise<void>
  /** Until the returned function is called, what the host changes is seen at once. */
  suspend(): () => void
}

/** Asks the host to run a program; `done` resolves to its status. */
type Start = (program: ProgramToRun) => { call: number; done: Promise<unknown> }

interface Running {
  io: ProgramIo
  /** Writes in their order; a failure of one is the program's. */
  written: Promise<void>
  /** The program waits for input, or has ended: for now it does nothing more. */
  rest: () => void
}

export function calledPrograms(start: Start, send: (message: FromWorker) => void, clock: CommandClock): CalledPrograms {
  const running = new Map<number, Running>()

  async function run(
    name: string,
    io: ProgramIo,
    edited: readonly EditedText[],
    ran: Ran | undefined,
  ): Promise<ProgramEnd> {
    const env = Object.fromEntries(io.env)
    if (ran !== undefined) env[ranVariable] = JSON.stringify(ran)
    if (edited.length > 0) env[editedVariable] = JSON.stringify(edited)
    const { call, done } = start({ name, args: [...io.args], cwd: io.cwd, env })
    const one: Running = { io, written: Promise.resolve(), rest: () => {} }
    running.set(call, one)
    const ended = done.finally(() => one.rest())
    ended.catch(() => {})
    untilItRests(one)
    try {
      const status = await ended
      await one.written
      return isRequest(status) ? status : Number(status)
    } finally {
      running.delete(call)
    }
  }

  /** What it writes until it waits for input, or ends, arrives when it is its turn. */
  function untilItRests(one: Running): void {
    if (!clock.isVirtual) return
    const rests = new Promise<void>((resolve) => {
      one.rest = resolve
    })
    const turn = clock.outside(rests)
    one.written = one.written.then(() => turn)
  }

  return {
    programs: (names, files) =>
      names.map((name) => [
        name,
        {
          name,
          async run(io) {
            const input = repeatable(io)
            let edited: EditedText[] = []
            let ran: Ran | undefined
            for (;;) {
              await files.settle()
              const resume = files.suspend()
              let end: ProgramEnd
              try {
                end = await run(name, { ...io, stdin: input.again() }, edited, ran)
              } finally {
                resume()
              }
              if (typeof end === 'number') return end
              if ('line' in end) {
                ran = { phase: end.phase, ...(await runLine(io, end)) }
                edited = []
              } else if (end.phase === undefined) edited.push(await edit(io, end))
              else {
                ran = { phase: end.phase, ...(await edit(io, end)) }
                edited = []
              }
            }
          },
        },
      ]),
    pull(call) {
      const one = running.get(call)
      const give = (bytes?: Bytes) => {
        if (one !== undefined) untilItRests(one)
        send({ kind: 'input', call, ...(bytes && { bytes }) })
      }
      if (one === undefined) return give()
      const { written } = one
      one.rest()
      const ready = clock.isVirtual ? written : Promise.resolve()
      ready.then(() => one.io.stdin.read()).then(give, () => give())
    },
    push(call, { stream, bytes }) {
      const one = running.get(call)
      if (one === undefined) return
      one.written = one.written.then(() => one.io[stream].write(typeof bytes === 'string' ? encodeText(bytes) : bytes))
      one.written.catch(() => {})
    },
  }
}

/** Input that every call of a program reads from the beginning. */
function repeatable({ stdin, account }: ProgramIo): { again(): ByteReader } {
  const seen: Bytes[] = []
  return {
    again() {
      let at = 0
      return {
        ...stdin,
        async read() {
          const known = seen[at]
          at += 1
          if (known !== undefined) return known
          const bytes = await stdin.read()
          if (bytes === undefined) return undefined
          account(bytes.length)
          seen.push(bytes)
          return bytes
        },
      }
    },
  }
}

function isRequest(status: unknown): status is Request {
  return typeof status === 'object' && status !== null && ('command' in status || 'line' in status)
}

/** Runs a command line as git does: by a shell, or by itself where it is one plain word. */
async function runLine(
  { run, has, stderr, account }: ProgramIo,
  { line, cwd, isCaptured = false }: CommandToRun,
): Promise<EditedText> {
  const isPlain = !/[|&;<>()$`\\"' \t\n*?[#~=%]/.test(line)
  if (isPlain && !(await has(line))) {
    await stderr.write(`error: cannot run ${line}: No such file or directory\n`)
    await stderr.flush()
    return { status: 127, text: '' }
  }
  const pieces: Bytes[] = []
  const stdout: ByteWriter = {
    async write(bytes) {
      account(bytes.length)
      pieces.push(bytes)
    },
    close: async () => {},
  }
  const status = await run(isPlain ? [line] : ['sh', '-c', line, line], { cwd, ...(isCaptured && { stdout }) })
  return { status, text: decodeText(joinBytes(pieces)) }
}

/** Runs the editor on a file in scratch space: what a program of the host keeps is not for others to write. */
async function edit({ fs, env, run, random }: ProgramIo, { command, name, text }: TextToEdit): Promise<EditedText> {
  const directory = `${env.get('TMPDIR') || '/tmp'}/edit-${Math.floor(random() * 2 ** 40).toString(36)}`
  const file = `${directory}/${name}`
  await fs.makeDir(directory)
  await fs.writeFile(file, encodeText(text))
  const status = await run(['bash', '-c', `${command} "$@"`, command, file])
  const bytes = await fs.readFile(file).catch(() => new Uint8Array())
  await fs.remove(file).catch(() => {})
  await fs.remove(directory).catch(() => {})
  return { status, text: decodeText(bytes) }
}
