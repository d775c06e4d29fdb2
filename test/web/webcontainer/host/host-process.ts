/** Processes of the stand-in: `jsh -c` runs in the emulated shell, and a few invented programs write while they run. */

import { commandTree } from '../../../../bash/io/command-tree.js'
import { type ByteWriter, readerOf } from '../../../../bash/io/streams.js'
import { runScript } from '../../../../bash/language/run/run-script.js'
import { shellPrograms } from '../../../../bash/programs/index.js'
import { isFsError } from '../../../../src/errors.js'
import { confine } from '../../../../src/fs/gate/confine.js'
import { join, resolve } from '../../../../src/fs/path.js'
import type { FileSystem } from '../../../../src/fs/types.js'
import { joinBytes } from '../../../../src/text/join-bytes.js'
import { makeDirs } from './host-fs.js'
import { hostNode } from './host-node.js'

export type Emit = (event: string, ...given: unknown[]) => void

interface Size {
  cols: number
  rows: number
}

export interface ProcessRequest {
  command: string
  args: string[]
  cwd?: string
  env?: Record<string, string>
  terminal?: Size
}

/** What a process can do: write to its terminal, read input up to the end mark, and react to being ended. */
interface Machine {
  tree: FileSystem
  cwd: string
  env: Record<string, string>
  write(text: string): void
  /** Called now and on every change. */
  onSize(listener: (size: Size) => void): void
  input: Promise<string>
  signal: AbortSignal
  emit: Emit
}

type Program = (machine: Machine, args: string) => Promise<number>

export function runProcess(
  tree: FileSystem,
  workdir: string,
  { command, args, cwd = '', env = {}, terminal = { cols: 80, rows: 24 } }: ProcessRequest,
  output: (data: Uint8Array | null) => void,
  emit: Emit,
) {
  if (command !== 'jsh') throw new Error(`spawn ${command} ENOENT`)
  const killed = new AbortController()
  let typed = ''
  let tellSize = (_size: Size) => {}
  let endInput = (_text: string) => {}
  const input = new Promise<string>((resolveInput) => {
    endInput = resolveInput
  })
  const machine: Machine = {
    tree,
    cwd: resolve(workdir, cwd),
    env,
    // Like a terminal.
    write: (text) => output(new TextEncoder().encode(text.replaceAll('\n', '\r\n'))),
    onSize(listener) {
      tellSize = listener
      listener(terminal)
    },
    input,
    signal: killed.signal,
    emit,
  }
  const script = args[1] ?? ''
  const [name, program] = Object.entries(programs).find(([known]) => script.startsWith(known)) ?? ['', inBash]
  const onExit = run(program, machine, script.slice(name.length)).then((code) => {
    output(null)
    return code
  })
  return {
    onExit,
    write(text: string) {
      typed += text
      if (typed.includes('\x04')) endInput(typed.slice(0, typed.indexOf('\x04')))
    },
    kill: () => killed.abort(),
    resize: (size: Size) => tellSize(size),
  }
}

async function run(program: Program, machine: Machine, args: string): Promise<number> {
  try {
    return await program(machine, args)
  } catch (error) {
    if (machine.signal.aborted) return 143
    machine.write(`${error}\n`)
    return 1
  }
}

const inBash: Program = async (machine, script) => {
  const { tree, cwd, env, signal, write } = machine
  const stdin = new TextEncoder().encode(await machine.input)
  const chunks: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] }
  const collect = (stream: 'stdout' | 'stderr'): ByteWriter => ({
    write: (bytes) => void chunks[stream].push(bytes),
    close: async () => {},
  })
  const files = commandTree(appendable(tree))
  const killed = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const running = runScript({
    source: script,
    cwd,
    env: { HOME: '/home', ...env },
    tree: files,
    programs: new Map([...shellPrograms, ['node', hostNode(tree)]]),
    stdin: readerOf(stdin),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    now: () => Date.now(),
    random: () => Math.random(),
    step() {
      signal.throwIfAborted()
      // Others see what it wrote while it runs.
      files.flushSoon()
    },
    account: () => {},
  })
  // A killed process stops writing at its next step; nobody waits for it.
  running.catch(() => {})
  const { exitCode } = await Promise.race([running, killed])
  await files.settle()
  write(new TextDecoder().decode(joinBytes(chunks.stdout)))
  if (chunks.stderr.length > 0) write(new TextDecoder().decode(joinBytes(chunks.stderr)))
  return exitCode
}

function appendable(tree: FileSystem) {
  const view = confine(tree, { roots: [{ path: '/', access: 'read-write' }], protect: { git: false } })
  return {
    ...view,
    async append(path: string, data: Uint8Array) {
      const before = await view.readFile(path).catch((error) => {
        if (isFsError(error, 'NOT_FOUND')) return new Uint8Array()
        throw error
      })
      await view.writeFile(path, joinBytes([before, data]))
    },
  }
}

/** Invented, and realistic only in how they use their terminal. */
const programs: Record<string, Program> = {
  'npm install': async ({ tree, cwd, write }) => {
    write('\x1b[1G\x1b[0K⠙')
    await makeDirs(tree, join(cwd, 'node_modules/left-pad'))
    const text = new TextEncoder()
    await tree.writeFile(join(cwd, 'node_modules/left-pad/index.js'), text.encode('module.exports = 1\n'))
    await tree.writeFile(join(cwd, 'package-lock.json'), text.encode('{}\n'))
    write('\x1b[1G\x1b[0K\n\x1b[32madded 1 package\x1b[39m in 1s\n')
    return 0
  },
  'npm run dev': async ({ write, emit, signal }) => {
    write('\x1b]0;dev server\x07  ready\n')
    emit('server-ready', 5173, 'http://localhost:5173/preview')
    await new Promise<void>((ends) => signal.addEventListener('abort', () => ends(), { once: true }))
    return 143
  },
  'show-size': async ({ write, onSize, signal }) => {
    onSize(({ cols, rows }) => write(`${cols}x${rows}\n`))
    await new Promise<void>((ends) => signal.addEventListener('abort', () => ends(), { once: true }))
    return 143
  },
  'tick ': async ({ write, signal }, count) => {
    for (let at = 1; at <= Number(count) && !signal.aborted; at += 1) {
      write(`tick ${at}\n`)
      await new Promise((resume) => setTimeout(resume, 5))
    }
    return 0
  },
}
