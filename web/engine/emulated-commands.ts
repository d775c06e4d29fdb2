/** What the worker of the emulated shell answers to the page. */
import './no-eval.js'
import { nodeOnThreads } from '../../bash/programs/node/index.js'
import type { FromRunner, ToRunner } from '../../bash/programs/node/wire.js'
import { ProgramError } from '../../bash/programs/program-error.js'
import { pythonPrograms } from '../../bash/programs/python/index.js'
import type { FromPython, ToPython } from '../../bash/programs/python/wire.js'
import { sqlitePrograms } from '../../bash/programs/sqlite/index.js'
import { sqlitePackage } from '../../bash/programs/sqlite/package-version.js'
import { defaultMemoryBytes } from '../../bash/worker/command-limits.js'
import type { ToWorker } from '../../bash/worker/messages.js'
import { serveCommands } from '../../bash/worker/serve-commands.js'
import { hindrance } from '../node/hindrance.js'
import type { RoomName } from '../room/messages.js'

const scope = globalThis as unknown as DedicatedWorkerGlobalScope
const commandMissing = 127

/** What the page says before the first command. */
interface Places {
  kind: 'places'
  sqlite: string
}

/** Runs the commands of the page that started this worker. */
export function start(): void {
  let sqlite = ''
  const handle = serveCommands(
    (message, transferred = []) => scope.postMessage(message, transferred as ArrayBuffer[]),
    {
      programs: new Map([
        ...nodeOnThreads(nodeOfPage),
        ...pythonPrograms(pythonOfPage, defaultMemoryBytes),
        ...sqlitePrograms(() => loadSqlite(sqlite)),
      ]),
    },
  )
  scope.addEventListener('message', ({ data }: MessageEvent<ToWorker | Places>) => {
    if (data.kind === 'places') sqlite = data.sqlite
    else handle(data)
  })
}

/** A server may answer with a page of its own where the file is missing. */
async function loadSqlite(url: string): Promise<WebAssembly.Module> {
  const bytes = await fetch(url).then(
    (response) => (response.ok ? response.arrayBuffer() : undefined),
    () => undefined,
  )
  const begin = bytes === undefined ? '' : new TextDecoder().decode(bytes.slice(0, 4))
  if (bytes === undefined || begin !== '\0asm')
    throw new ProgramError(`needs ${url}, which is dist/sqlite3.wasm of the package ${sqlitePackage}`, commandMissing)
  return WebAssembly.compile(bytes)
}

async function pythonOfPage() {
  const { threadsOfPage } = await import('../room/threads-of-page.js')
  return { ...threadsOfPage<ToPython, FromPython>(portOf('python')), image: async () => 'own' as const }
}

/** Undefined where the browser's engine can't wait for files, so that no page is asked in vain. */
async function nodeOfPage() {
  if (hindrance() !== undefined) return undefined
  const { threadsOfPage } = await import('../room/threads-of-page.js')
  return threadsOfPage<ToRunner, FromRunner>(portOf('node'))
}

/** The other end of the port is for the page. */
function portOf(name: RoomName): MessagePort {
  const { port1, port2 } = new MessageChannel()
  scope.postMessage({ kind: 'room', name, port: port2 }, [port2])
  return port1
}
