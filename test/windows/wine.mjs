/** Programs for Windows, run by wine on Linux. Wine finds faults, it proves nothing. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { nodeForWindows, whyNoWindows, wineLibraries } from './install.mjs'

const run = promisify(execFile)

/** The tree that wine takes for drive C, of its own for these tests. */
const prefix = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'polyfs-test-wine/prefix')

// Its server crashes when it has this variable.
const { TMPDIR: _, ...inherited } = process.env
const env = {
  ...inherited,
  WINEPREFIX: prefix,
  WINESERVER: '/usr/lib/wine/wineserver64',
  // Its own messages would be taken for those of the program.
  WINEDEBUG: '-all',
  // No display, and no offer to install what browsers or .NET need.
  WINEDLLOVERRIDES: 'winemenubuilder.exe,mscoree,mshtml=',
  DISPLAY: '',
  // Names that are not ASCII are read as the locale says.
  LC_ALL: 'C.UTF-8',
}

const bridgeFile = fileURLToPath(new URL('bridge.mjs', import.meta.url))

/** Starts Node for Windows, which then starts others. Fails with a sentence where that can't be done. */
export async function startWindows() {
  const reason = whyNoWindows()
  if (reason !== undefined) throw new Error(reason)
  const node = await nodeForWindows()
  const libraries = await wineLibraries()
  const withWine = ['--dev-bind', '/', '/', '--ro-bind', libraries, '/usr', '--die-with-parent', '/usr/lib/wine/wine64']
  await mkdir(prefix, { recursive: true })
  // Node refuses to start on the Windows 7 that wine is by default.
  if (!existsSync(join(prefix, 'system.reg'))) await run('bwrap', [...withWine, 'winecfg', '-v', 'win10'], { env })
  const place = await mkdtemp(join(tmpdir(), 'polyfs-wine-'))
  const portFile = join(place, 'port')
  const bridge = spawn('bwrap', [...withWine, node, bridgeFile, portFile], { env, stdio: 'ignore' })
  let ended = false
  bridge.on('error', () => (ended = true))
  bridge.on('exit', () => (ended = true))
  const port = await portFrom(portFile, () => ended)
  const temporary = toWindows(tmpdir())

  return {
    /** A program's streams: one socket, whose last line says how it ended. */
    async start({ args, cwd, env: variables = {} }) {
      const socket = createConnection(port, '127.0.0.1')
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
      socket.write(`${JSON.stringify({ args, cwd, env: { TEMP: temporary, TMP: temporary, ...variables } })}\n`)
      return socket
    },
    async close() {
      const socket = createConnection(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`${JSON.stringify({ stop: true })}\n`)
      await new Promise((resolve) => (ended ? resolve() : bridge.once('exit', resolve)))
      await rm(place, { recursive: true, force: true })
    },
  }
}

/** `/tmp/x` as wine has it, where `Z:` is the whole tree of this machine. */
export function toWindows(path) {
  return `Z:${path.replaceAll('/', '\\')}`
}

async function portFrom(file, hasEnded) {
  for (;;) {
    const text = existsSync(file) ? await readFile(file, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
    if (hasEnded()) throw new Error('Node for Windows ended before it could be used')
    await delay(50)
  }
}
