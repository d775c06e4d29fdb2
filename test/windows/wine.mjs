/** Programs for Windows, run by wine on Linux. Wine finds faults, it proves nothing. */
import { execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
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

/** How long Node takes to start in wine on a busy machine, at most. */
const startMs = 120_000
/**
 * Wine crashes now and then, also while it starts ("nested exception on signal stack" on arm64). Other threads of a crashed process live
 * on, so that neither its end is seen nor its connections are closed.
 */
const maxStarts = 5
const pulseMs = 5_000
const longestSilenceMs = 30_000

/**
 * Starts Node for Windows, which then starts others. When wine crashes, what was started is lost, and the next program gets a new one.
 * Fails with a sentence where that can't be done.
 */
export async function startWindows() {
  const reason = whyNoWindows()
  if (reason !== undefined) throw new Error(reason)
  const node = await nodeForWindows()
  const libraries = await wineLibraries()
  const withWine = ['--dev-bind', '/', '/', '--ro-bind', libraries, '/usr', '--die-with-parent', '/usr/lib/wine/wine64']
  await mkdir(prefix, { recursive: true })
  // Node refuses to start on the Windows 7 that wine is by default.
  if (!existsSync(join(prefix, 'system.reg'))) await run('bwrap', [...withWine, 'winecfg', '-v', 'win10'], { env })
  const temporary = toWindows(tmpdir())
  let crashes = 0
  let started = 0
  let bridge = await startBridge()

  async function startBridge() {
    for (let attempt = 1; ; attempt += 1) {
      const place = await mkdtemp(join(tmpdir(), 'polyfs-wine-'))
      const portFile = join(place, 'port')
      const child = spawn('bwrap', [...withWine, node, bridgeFile, portFile], { env, stdio: 'ignore' })
      let hasEnded = false
      const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
      ended.then(() => (hasEnded = true))
      const port = await portFrom(portFile, () => hasEnded)
      const end = async () => {
        child.kill('SIGKILL')
        await ended
        await rm(place, { recursive: true, force: true })
      }
      if (port !== undefined) return { port, place, ended, end, hasEnded: () => hasEnded, sockets: new Set() }
      await end()
      if (attempt === maxStarts) throw new Error('Node for Windows ended before it could be used')
      crashes += 1
    }
  }

  async function connect() {
    const socket = createConnection(bridge.port, '127.0.0.1')
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    const { sockets } = bridge
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  /** Ends one that does not answer, with all its connections. */
  const pulse = setInterval(async () => {
    const { port, end, sockets, hasEnded } = bridge
    if (hasEnded() || (await answers(port))) return
    for (const socket of sockets) socket.destroy()
    await end()
  }, pulseMs)
  pulse.unref()

  async function replace() {
    crashes += 1
    await bridge.end()
    bridge = await startBridge()
  }

  return {
    /** A program's streams as one, whose last line says how it ended. Without such a line wine has crashed. */
    async start({ args, cwd, env: variables = {} }) {
      if (bridge.hasEnded()) await replace()
      const socket = await connect().catch(async () => {
        await replace()
        return connect()
      })
      socket.on('error', () => {})
      const output = join(bridge.place, `output-${(started += 1)}`)
      const wanted = { args, cwd, env: { TEMP: temporary, TMP: temporary, ...variables }, output: toWindows(output) }
      closeSync(openSync(output, 'w'))
      socket.write(`${JSON.stringify(wanted)}\n`)
      return streams(socket, output)
    },
    crashes: () => crashes,
    async close() {
      clearInterval(pulse)
      const socket = createConnection(bridge.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`${JSON.stringify({ stop: true })}\n`)
      await Promise.race([bridge.ended, delay(10_000, undefined, { ref: false })])
      await bridge.end()
    },
  }
}

/** `/tmp/x` as wine has it, where `Z:` is the whole tree of this machine. */
export function toWindows(path) {
  return `Z:${path.replaceAll('/', '\\')}`
}

/** What is written goes to the socket; what is read comes from the file, and at the end from the socket. */
function streams(socket, output) {
  const file = openSync(output, 'r')
  const buffer = Buffer.alloc(1024 * 1024)
  let last = ''
  const look = () => {
    for (;;) {
      const length = readSync(file, buffer)
      if (length === 0) return
      both.push(Buffer.from(buffer.subarray(0, length)))
    }
  }
  const looking = setInterval(look, 10)
  const both = new Duplex({
    allowHalfOpen: false,
    read() {},
    write: (chunk, _encoding, done) => void socket.write(chunk, () => done()),
    destroy(error, done) {
      clearInterval(looking)
      closeSync(file)
      socket.destroy()
      done(error)
    },
  })
  socket.setEncoding('utf8').on('data', (text) => {
    last += text
  })
  socket.once('close', () => {
    if (both.destroyed) return
    look()
    clearInterval(looking)
    both.push(last)
    both.push(null)
    both.end()
  })
  return both
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    const finish = (answered) => {
      socket.destroy()
      resolve(answered)
    }
    socket.setTimeout(longestSilenceMs, () => finish(false))
    socket.once('error', () => finish(false))
    socket.once('data', () => finish(true))
    socket.write(`${JSON.stringify({ pulse: true })}\n`)
  })
}

/** Undefined when the program ends without naming its port, or names none in time. */
async function portFrom(file, hasEnded) {
  for (const until = Date.now() + startMs; Date.now() < until; await delay(50)) {
    const text = existsSync(file) ? await readFile(file, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
    if (hasEnded()) return undefined
  }
  return undefined
}
