/**
 * After any commands, however they end, and any changes by tools beside them: the shell sees what the tools see, and what the history says;
 * every change has the label of the command that made it; undoing everything gives the tree of the beginning.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import type { CommandWorker } from '../../bash/host/command-workers.js'
import { emulatedShells } from '../../bash/host/emulated-shell.js'
import { openOverlayWorkspace } from '../../node/workspace/overlay-workspace.js'
import { imageAt } from '../../src/change/entry-image.js'
import { keyValueJournal } from '../../src/change/journal/key-value-journal.js'
import { type ChangeRecord, type Image, sameImage } from '../../src/change/journal/record.js'
import { sqliteJournal } from '../../src/change/journal/sqlite-journal.js'
import { isFsError } from '../../src/errors.js'
import { keyValue } from '../../src/fs/backends/key-value/file-system.js'
import { memory } from '../../src/fs/backends/memory.js'
import { mount } from '../../src/fs/backends/mount.js'
import { overlay } from '../../src/fs/backends/overlay.js'
import { sqlite } from '../../src/fs/backends/sqlite/workspaces.js'
import { dirname, isWithin, join as joinPath, relative } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'
import { walk } from '../../src/fs/walk/walk.js'
import { deleteEntry } from '../../src/ops/delete-entry.js'
import { moveEntry } from '../../src/ops/move-entry.js'
import { writeFiles } from '../../src/ops/write-files.js'
import { shellSession } from '../../src/shell/session.js'
import { seededRandom } from '../../src/text/seeded-random.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { mapStore } from '../core/fs/key-value-stores.js'
import { sqlJs } from '../core/fs/sqlite-database.js'
import { built } from '../node/cli/built.js'
import { temporaryDirectory } from '../node/cli/run-cli.js'
import { isFull, seeded } from '../scale.js'
import { type GeneratedCommand, generatedCommand } from './killed-scripts.js'

const start: Readonly<Record<string, string>> = { a: 'a\n1\n', 'd/a': 'da\n', 'd/e/a': 'dea\n', b: 'b\n' }
const names = ['a', 'b', 'd/a', 'd/new', 'f/a', 'd']
const workerFile = built('node/emulated-worker.js')
const openDatabase = await sqlJs()

/** What happens at messages of the threads; each happens once. */
const hooks = new Set<{ left: number; onReached: (thread: Worker) => void }>()

function startThread(): CommandWorker {
  const thread = new Worker(workerFile, { env: {}, argv: [], execArgv: [] })
  let onMessage: Parameters<CommandWorker['onMessage']>[0] = () => {}
  let onLost: Parameters<CommandWorker['onLost']>[0] = () => {}
  thread.on('message', (message) => {
    onMessage(message)
    // A thread that is free again harms nobody.
    if (message.kind === 'done') return
    for (const hook of hooks) {
      hook.left -= 1
      if (hook.left > 0) continue
      hooks.delete(hook)
      hook.onReached(thread)
    }
  })
  thread.on('error', ({ message }: Error) => onLost(message))
  thread.on('exit', () => onLost('it ended'))
  return {
    post: (message) => thread.postMessage(message),
    onMessage(listener) {
      onMessage = listener
    },
    onLost(listener) {
      onLost = listener
    },
    hold: (busy) => (busy ? thread.ref() : thread.unref()),
    end: () => thread.terminate(),
  }
}

const shell = emulatedShells({ start: startThread }, { maxMemoryBytes: 16 << 20, workers: 2 })

async function plant(fs: FileSystem, root: string): Promise<void> {
  for (const [name, content] of Object.entries(start)) {
    const path = joinPath(root, name)
    const above = relative('/', dirname(path)).split('/').filter(Boolean)
    for (let depth = 1; depth <= above.length; depth += 1) {
      await fs.makeDir(`/${above.slice(0, depth).join('/')}`).catch((error) => {
        if (!isFsError(error, 'EXISTS')) throw error
      })
    }
    await fs.writeFile(path, new TextEncoder().encode(content))
  }
}

async function planted(fs: FileSystem, options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  await plant(fs, options.roots?.[0].path ?? '/')
  return createWorkspace({ fs, shell, ...options })
}

/** One at `/tmp/w`, where scratch space lies around it. */
const backends: Record<string, () => Promise<Workspace>> = {
  memory: () => planted(memory()),
  'an overlay on memory': async () => {
    const lower = memory()
    await plant(lower, '/tmp/w')
    return createWorkspace({ fs: overlay(lower, memory()), shell, roots: [{ path: '/tmp/w', access: 'read-write' }] })
  },
  'an overlay on a disk': async () => {
    const directory = await temporaryDirectory()
    for (const name of Object.keys(start)) mkdirSync(join(directory, dirname(`/${name}`)), { recursive: true })
    for (const [name, content] of Object.entries(start)) writeFileSync(join(directory, name), content)
    return openOverlayWorkspace([{ directory, access: 'read-write' }], { shell })
  },
  'a database': () => {
    const fs = sqlite(openDatabase())
    return planted(fs, { journal: sqliteJournal(fs) })
  },
  'a key-value store': () => {
    const fs = keyValue(mapStore())
    return planted(fs, { journal: keyValueJournal(fs) })
  },
  'a mount': () => planted(mount({ '/': memory({ '/d/': '' }), '/d/e': memory() })),
  'a fork with a clock of its own': async () => {
    const original = memory()
    await plant(original, '/')
    let ms = 1_700_000_000_000
    const moveClock = (nowMs: number) => {
      ms = Math.max(ms, nowMs)
    }
    return createWorkspace({
      fs: original.fork({ now: () => ms }),
      shell,
      now: () => ms,
      random: seededRandom(1),
      internals: { moveClock },
    })
  },
}

type Tree = Map<string, Image>

async function treeOf({ fs, root }: Workspace): Promise<Tree> {
  const tree: Tree = new Map()
  for await (const { path } of walk(fs, root)) tree.set(path, await imageAt(fs.exact, path))
  return tree
}

/** What the steps of a record make of a tree. Each must find what it replaced. */
function replay(tree: Tree, { steps }: ChangeRecord): void {
  const at = (path: string): Image => tree.get(path) ?? { kind: 'absent' }
  for (const step of steps) {
    expect([step.path, sameImage(at(step.path), step.before)], JSON.stringify([at(step.path), step])).toEqual([
      step.path,
      true,
    ])
    if (step.do === 'set') {
      if (step.after.kind === 'absent') tree.delete(step.path)
      else tree.set(step.path, step.after)
      continue
    }
    for (const [path, image] of [...tree].filter(([path]) => isWithin(step.path, path))) {
      tree.delete(path)
      tree.set(path === step.path ? step.to : joinPath(step.to, relative(step.path, path)), image)
    }
  }
}

/** A step need not say which mode a new entry gets. */
function noteModes(replayed: Tree, actual: Tree): void {
  for (const [path, image] of replayed) {
    const found = actual.get(path)
    if (found !== undefined && sameImage(image, found)) replayed.set(path, found)
  }
}

function described(tree: Tree, root: string): string[] {
  return [...tree].map(([path, image]) => `${relative(root, path)} ${describedImage(image)}`).sort()
}

function describedImage(image: Image): string {
  if (image.kind === 'symlink') return `-> ${image.target}`
  const mode = 'mode' in image && image.mode !== undefined ? image.mode.toString(8) : ''
  return image.kind === 'file' ? `${mode} ${image.hash}` : `${mode} ${image.kind}`
}

/** The same as a new command lists it. */
async function listed({ shell: own, root, fs }: Workspace): Promise<string[]> {
  const command = "find . -mindepth 1 -printf '%y %m %P %l\\n'; echo; find . -type f -exec sha256sum {} +"
  if (own === undefined) throw new Error('no shell')
  const { stdout, stderr } = await own.exec({
    command,
    cwd: root,
    timeoutMs: 60_000,
    maxStreamBytes: 10e6,
  })
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
  expect(text(stderr.bytes)).toBe('')
  const [entries = '', sums = ''] = text(stdout.bytes).split('\n\n')
  const hashes = new Map(sums.split('\n').map((line) => [line.slice(68), line.slice(0, 64)]))
  return (entries === '' ? [] : entries.trimEnd().split('\n'))
    .map((line) => {
      const [kind, mode = '', path = '', target] = line.split(' ')
      if (kind === 'l') return `${path} -> ${target}`
      const shown = fs.capabilities.modeBits ? mode : ''
      return `${path} ${shown} ${kind === 'd' ? 'directory' : hashes.get(path)}`
    })
    .sort()
}

async function orRefused(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isFsError(error)) throw error
  })
}

function byTool(workspace: Workspace, random: () => number): Promise<void> {
  const name = () => names[Math.floor(random() * names.length)] as string
  const way = random()
  if (way < 0.6) {
    const files = [{ path: name(), content: `tool ${Math.floor(random() * 1000)}\n` }]
    return orRefused(workspace.run(writeFiles, { files, makeParents: true }))
  }
  if (way < 0.8) return orRefused(workspace.run(moveEntry, { from: name(), to: name(), replace: true }))
  return orRefused(workspace.run(deleteEntry, { path: name(), recursive: true }))
}

async function runCommand(session: ReturnType<typeof shellSession>, { script, ends, ...limits }: GeneratedCommand) {
  const abort = new AbortController()
  const end = ends?.how === 'abort' ? () => abort.abort() : (thread: Worker) => void thread.terminate()
  const hook = { left: ends?.atMessage ?? Infinity, onReached: end }
  if (ends !== undefined) hooks.add(hook)
  const request = { command: script, timeoutMs: 60_000, maxStreamBytes: 1e6, onOutputLimit: 'end' as const }
  try {
    const { stderr } = await session.run({ ...request, ...limits, signal: abort.signal })
    return { script, stderrText: new TextDecoder().decode(stderr.bytes) }
  } finally {
    hooks.delete(hook)
  }
}

const rounds = isFull ? 40 : 4

describe.each(Object.entries(backends))('on %s', (name, open) => {
  test('a killed command leaves one truth', async () => {
    const random = seededRandom(seeded(name.length))
    const workspace = await open()
    const { root, history } = workspace
    if (workspace.shell === undefined) throw new Error('no shell')
    const sessions = [1, 2].map(() => shellSession(workspace.shell as NonNullable<Workspace['shell']>, { cwd: root }))
    const first = await treeOf(workspace)
    const replayed: Tree = new Map(first)
    let known = 0

    for (let round = 0; round < rounds; round += 1) {
      const beside = random() < 0.3 ? sessions : [sessions[round % 2] as (typeof sessions)[0]]
      const commands = beside.map((_, index) => generatedCommand(`${round} ${index}`, random))
      const context = JSON.stringify(commands)
      const [ran] = await Promise.all([
        Promise.all(beside.map((session, index) => runCommand(session, commands[index] as GeneratedCommand))),
        random() < 0.4 ? byTool(workspace, random) : undefined,
      ])
      if (random() < 0.3) await byTool(workspace, random)

      const records = (await history.list()).reverse()
      const made = records.slice(known)
      known = records.length
      for (const { script, stderrText } of ran) {
        const own = made.filter(({ label }) => label === script.slice(0, 200))
        const saysSaved = stderrText.includes('what it had changed by then is saved')
        expect(
          [own.length <= 1, stderrText.includes('none of its changes were saved') && own.length > 0],
          context,
        ).toEqual([true, false])
        if (saysSaved) expect(own.length, context).toBe(1)
      }
      const labels = new Set(ran.map(({ script }) => script.slice(0, 200)))
      expect(
        made.filter(({ label }) => label.startsWith(':') && !labels.has(label)),
        context,
      ).toEqual([])
      for (const record of made) replay(replayed, record)
      const actual = await treeOf(workspace)
      noteModes(replayed, actual)
      const tree = described(actual, root)
      expect(tree, context).toEqual(described(replayed, root))
      expect(await listed(workspace), context).toEqual(tree)
      expect((await history.list()).length, context).toBe(known)
    }

    for (let left = known; left > 0; left -= 1) await history.undo()
    expect(described(await treeOf(workspace), root)).toEqual(described(first, root))
    expect(await listed(workspace)).toEqual(described(first, root))
    await workspace.shell.close()
  })
})
