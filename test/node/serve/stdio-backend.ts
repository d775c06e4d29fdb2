/** The built command, for the conformance cases over its standard input and output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { disk, empty, remove, temporaryDirectory, temporaryPlaces } from '../../dialects/vectors/disk.js'
import { fill, type Places } from '../../dialects/vectors/places.js'
import { createRpc, initialize, type Rpc } from '../../dialects/vectors/rpc.js'
import type { Backend, Session, Vector } from '../../dialects/vectors/stage.js'
import type { RawTree } from '../../dialects/vectors/tree.js'
import { cliCommand } from '../cli/run-cli.js'

/** A directory and its server, which cases with the same flags use one after another. */
interface Slot {
  places: Places
  server?: Server
}

export interface Server extends Session {
  isRunning(): boolean
  stop(): Promise<void>
}

/** `program` starts the command: Node, unless it is another runtime, with its arguments. */
export function stdioBackend(program?: readonly string[]): Backend {
  const name =
    program === undefined ? 'the built server over stdio' : `the built server over stdio, run by ${program[0]}`
  return linesBackend({ name, raw: disk, start: (started) => startServer(started, program) })
}

/** What a server is started with. */
export interface Started {
  vector: Vector
  places: Places
  stateDirectory: string
}

/** Any server that reads and writes lines, and works on the disk of this machine. */
export function linesBackend(options: {
  name: string
  raw: RawTree
  start(started: Started): Promise<Server>
  unfit?: Backend['unfit']
}): Backend {
  const slots = new Map<string, Slot>()
  let state: string | undefined
  return {
    name: options.name,
    ...(options.unfit && { unfit: options.unfit }),
    async openStage(vector) {
      const isShared = !vector.fresh && vector.flags?.allowRead === undefined && vector.flags?.allowWrite === undefined
      const key = JSON.stringify(isShared ? [vector.dialect, vector.flags] : vector.id)
      const slot = slots.get(key) ?? { places: temporaryPlaces() }
      slots.set(key, slot)
      empty(slot.places)
      const stateDirectory = (state ??= temporaryDirectory())
      return {
        places: slot.places,
        raw: options.raw,
        speaks: 'lines',
        async start() {
          if (!slot.server?.isRunning()) {
            slot.server = await options.start({ vector, places: slot.places, stateDirectory })
          }
          return slot.server
        },
        async close() {
          if (!isShared) await slot.server?.stop()
        },
      }
    },
    async close() {
      for (const { server, places } of slots.values()) {
        await server?.stop()
        remove(places.BASE)
      }
      if (state !== undefined) remove(state)
    },
  }
}

async function startServer(
  { vector, places, stateDirectory }: Started,
  program: readonly string[] | undefined,
): Promise<Server> {
  const { command, args, env } = await cliCommand(argumentsFor(vector, places), stateDirectory)
  const [executable = command, ...first] = program ?? []
  const child = spawn(executable, [...first, ...args], {
    cwd: vector.dialect === 'fs-context' ? places.ROOT : places.BASE,
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-2000)
  })
  const writeLine = (line: string) => void child.stdin.write(`${line}\n`)
  const rpc = createRpc((message) => writeLine(JSON.stringify(message)))
  createInterface({ input: child.stdout }).on('line', (line) => rpc.receive(JSON.parse(line)))
  // The server has ended; the missing response shows it.
  child.stdin.on('error', () => {})
  const ended = whenEnded(child).then((how) => rpc.end(`the server ${how}: ${complaints}`))
  try {
    await initialize(rpc, (message) => writeLine(JSON.stringify(message)))
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return {
    request: rpc.request,
    sendLine: (line, id) => sendLine(rpc, writeLine, line, id),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(timer)
    },
  }
}

/** file-editor gets its workspace with the first call, all others on the command line. */
export function argumentsFor({ dialect, flags = {} }: Vector, places: Places): string[] {
  const named = (option: string, paths: readonly string[] = []) => paths.flatMap((path) => [option, fill(path, places)])
  return [
    '--dialect',
    dialect,
    ...(flags.readOnly ? ['--read-only'] : []),
    ...named('--allow-read', flags.allowRead),
    ...named('--allow-write', flags.allowWrite),
    ...(dialect === 'file-editor' ? [] : [places.ROOT]),
  ]
}

export function sendLine(rpc: Rpc, writeLine: (line: string) => void, line: string, id: number | null) {
  const answer = rpc.answerTo(id)
  writeLine(line)
  return answer
}

function whenEnded(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`did not start (${error.message})`))
    child.on('exit', (code, signal) => resolve(`ended (${signal ?? code})`))
  })
}
