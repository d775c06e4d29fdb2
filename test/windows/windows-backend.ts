/** The built command in wine, for the conformance cases. */
import { createInterface } from 'node:readline'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { disk } from '../dialects/vectors/disk.js'
import { createRpc, initialize } from '../dialects/vectors/rpc.js'
import type { Backend } from '../dialects/vectors/stage.js'
import { cliCommand } from '../node/cli/run-cli.js'
import { argumentsFor, linesBackend, type Server, type Started, sendLine } from '../node/serve/stdio-backend.js'
import { windowsSession } from './windows-paths.js'
import { toWindows, type Windows } from './wine.mjs'

/** Wine has no links, and modes mean nothing on Windows. */
const { symlink: _, readLink: __, setMode: ___, ...plainDisk } = disk

const raw = {
  ...plainDisk,
  async stat(at: string) {
    const { mode: _mode, ...stat } = await disk.stat(at)
    return stat
  },
}

export function windowsBackend(windows: () => Windows, unfit: NonNullable<Backend['unfit']>): Backend {
  const backend = linesBackend({
    name: 'the built server on Windows',
    raw,
    unfit,
    start: (started) => startServer(windows(), started),
  })
  // Without a shell it is not offered.
  return { ...backend, ownTools: polyfs.tools.filter(({ name }) => name !== 'bash') }
}

/** The messages of failures after which a case is played again: wine crashed, or stood still. */
export const wineCrashed = /^(the connection to Windows was lost|no answer within)/

/** Wine reads a directory for each name it looks up: a case with 5000 entries takes a minute. */
const patienceMs = 120_000

async function startServer(windows: Windows, { vector, places, stateDirectory }: Started): Promise<Server> {
  const given = argumentsFor(vector, places).map((text) => (text.startsWith(places.BASE) ? toWindows(text) : text))
  const { args } = await cliCommand(given, stateDirectory)
  const socket = await windows.start({
    args,
    cwd: toWindows(vector.dialect === 'fs-context' ? places.ROOT : places.BASE),
    env: { POLYFS_STATE_DIR: toWindows(stateDirectory) },
  })
  const writeLine = (line: string) => void socket.write(`${line}\n`)
  const rpc = createRpc((message) => writeLine(JSON.stringify(message)), patienceMs)
  let isRunning = true
  const ended = new Promise<void>((resolve) =>
    socket.once('close', () => {
      isRunning = false
      rpc.end('the connection to Windows was lost')
      resolve()
    }),
  )
  createInterface({ input: socket }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.bridge === undefined) return rpc.receive(message)
    isRunning = false
    rpc.end(`the server ${message.bridge}: ${message.complaints}`)
  })
  // A server that does not answer is ended, so that the next case gets another.
  const request: typeof rpc.request = (method, params) =>
    rpc.request(method, params).catch((error) => {
      socket.destroy()
      throw error
    })
  await initialize({ ...rpc, request }, (message) => writeLine(JSON.stringify(message)))
  const session = windowsSession({ request }, { here: places.BASE, there: toWindows(places.BASE) })
  return {
    ...session,
    sendLine: (line, id) => sendLine(rpc, writeLine, line, id),
    isRunning: () => isRunning,
    async stop() {
      socket.destroy()
      await ended
    },
  }
}
