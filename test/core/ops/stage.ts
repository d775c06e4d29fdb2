/** One tree on two backends: in memory, and in a real directory with its state outside. Outputs are the same for both. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { storedJournal } from '../../../src/change/journal/journal.js'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { dirname, join } from '../../../src/fs/path.js'
import type { FileSystem } from '../../../src/fs/types.js'
import type { Operation } from '../../../src/ops/operation.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'

/** A key that ends in `/` is a directory, and its text the mode, if it is not the usual one. */
export type Tree = Record<string, Leaf>
export type Leaf = string | Uint8Array | { link: string } | { text: string; mode: string }

export type StageOptions = Pick<WorkspaceOptions, 'readOnly' | 'protect' | 'limits'> & {
  /** Below the root, and only readable. */
  readOnlyRoot?: string
}

export interface Stage {
  workspace: Workspace
  /** Everything in the root as stored by the backend, staged files included. */
  tree(): Promise<Tree>
  /** Everything beside the root, which must stay untouched. */
  outside(): Promise<Tree>
  /** Files that the journal and the locks have left behind. */
  leftovers(): Promise<string[]>
  /** Runs an operation; paths in the result are relative to the root, which is `/w` on every backend. */
  run<Given, Input, Result>(operation: Operation<Given, Input, Result>, input: Given): Promise<Result>
  /** Runs an operation that must succeed; it is undone and redone, and the whole tree is compared each time. */
  change<Given, Input, Result>(
    operation: Operation<Given, Input, Result>,
    input: Given,
  ): Promise<{ result: Result; tree: Tree }>
  /** Runs an operation that must be refused and leave nothing behind; returns its code and facts. */
  refusal<Given, Input, Result>(operation: Operation<Given, Input, Result>, input: Given): Promise<object>
}

export const backends: ReadonlyArray<[name: string, open: (tree: Tree, options?: StageOptions) => Promise<Stage>]> = [
  ['in memory', openMemory],
  ['in a real directory', openDirectory],
]

const outsideTree: Tree = { 'secret.txt': 'secret' }

async function openMemory(tree: Tree, { readOnlyRoot, ...options }: StageOptions = {}): Promise<Stage> {
  const fs = memory({ '/w/': '', '/outside/': '' })
  // Memory has every ability.
  const raw = fs as Raw
  await plant(raw, '/w', tree)
  await plant(raw, '/outside', outsideTree)
  const store = memory()
  const root = { path: '/w', access: 'read-write' as const }
  const inner = readOnlyRoot === undefined ? [] : [{ path: `/w/${readOnlyRoot}`, access: 'read-only' as const }]
  const workspace = createWorkspace({
    ...options,
    fs,
    roots: [root, ...inner],
    journal: await storedJournal(store),
  })
  return stage(workspace, {
    tree: () => read(raw, '/w', { file: '644', directory: '755' }),
    outside: () => read(raw, '/outside', { file: '644', directory: '755' }),
    leftovers: async () => (await store.readDir('/pending')).map(({ name }) => name),
    known: (value) => value,
  })
}

async function openDirectory(tree: Tree, { readOnlyRoot, ...options }: StageOptions = {}): Promise<Stage> {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-ops-')))
  const [root, state] = [path.join(base, 'w'), path.join(base, 'state')]
  for (const directory of [root, state, path.join(base, 'outside')]) fs.mkdirSync(directory)
  const raw = hostFs(base)
  await plant(raw, '/w', tree)
  await plant(raw, '/outside', outsideTree)
  const inner =
    readOnlyRoot === undefined ? [] : [{ directory: path.join(root, readOnlyRoot), access: 'read-only' as const }]
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }, ...inner], {
    ...options,
    stateDirectory: state,
    fsync: false,
  })
  onTestFinished(() => {
    workspace.close()
    fs.rmSync(base, { recursive: true })
  })
  const mask = process.umask()
  const usual = { file: (0o666 & ~mask).toString(8), directory: (0o777 & ~mask).toString(8) }
  return stage(workspace, {
    tree: () => read(raw, '/w', usual),
    outside: () => read(raw, '/outside', usual),
    leftovers: async () =>
      fs.readdirSync(state).flatMap((name) => {
        const at = path.join(state, name)
        const others = fs
          .readdirSync(at)
          .filter((entry) => !['pending', 'history', 'key', 'output', 'lock'].includes(entry))
        return [...others, ...fs.readdirSync(path.join(at, 'pending'))]
      }),
    known: (value) => value.replaceAll(base, ''),
  })
}

type Backend = Pick<Stage, 'tree' | 'outside' | 'leftovers'> & { known: (path: string) => string }

function stage(workspace: Workspace, { known, ...backend }: Backend): Stage {
  const { tree, outside, leftovers } = backend

  async function run<Given, Input, Result>(operation: Operation<Given, Input, Result>, input: Given): Promise<Result> {
    await workspace.ready
    return withKnownPaths(await operation.run(operation.input.parse(input), workspace, {}), known)
  }

  return {
    workspace,
    ...backend,
    run,

    async change(operation, input) {
      const { history } = workspace
      const before = await tree()
      const recorded = (await history.list()).length
      const result = await run(operation, input)
      const after = await tree()
      const records = await history.list()
      const [record] = records
      if (record !== undefined && records.length > recorded) {
        const { id } = await history.undo(record.id)
        expect(await tree()).toEqual(before)
        await history.undo(id)
        expect(await tree()).toEqual(after)
      } else expect(after).toEqual(before)
      expect(await leftovers()).toEqual([])
      expect(await outside()).toEqual(outsideTree)
      return { result, tree: after }
    },

    async refusal(operation, input) {
      const before = { tree: await tree(), outside: outsideTree, history: await workspace.history.list() }
      const error = await run(operation, input).then(
        () => undefined,
        (reason) => reason,
      )
      expect(error).toBeInstanceOf(FsError)
      expect({ tree: await tree(), outside: await outside(), history: await workspace.history.list() }).toEqual(before)
      expect(await leftovers()).toEqual([])
      return withKnownPaths({ code: error.code, ...error.facts }, known)
    },
  }
}

/** The same value with every path in it relative to the root. */
function withKnownPaths<Value>(value: Value, known: (path: string) => string): Value {
  // Every value keeps its type: only strings are touched, and they stay strings.
  if (typeof value === 'string') return known(value) as Value
  if (Array.isArray(value)) return value.map((item) => withKnownPaths(item, known)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withKnownPaths(item, known)])) as Value
}

type Raw = Required<
  Pick<FileSystem, 'stat' | 'readDir' | 'readFile' | 'writeFile' | 'makeDir' | 'setMode' | 'symlink' | 'readLink'>
>

async function plant(raw: Raw, base: string, tree: Tree): Promise<void> {
  const modes: Array<[string, string]> = []
  for (const [key, leaf] of Object.entries(tree)) {
    const at = join(base, key.replace(/\/$/, ''))
    const parents: string[] = []
    for (let above = key.endsWith('/') ? at : dirname(at); above !== base; above = dirname(above))
      parents.unshift(above)
    for (const directory of parents) if (!(await isThere(raw, directory))) await raw.makeDir(directory)
    if (key.endsWith('/')) {
      if (typeof leaf === 'string' && leaf !== '') modes.push([at, leaf])
    } else if (typeof leaf === 'object' && 'link' in leaf) await raw.symlink(leaf.link, at)
    else if (leaf instanceof Uint8Array) await raw.writeFile(at, leaf)
    else {
      await raw.writeFile(at, new TextEncoder().encode(typeof leaf === 'string' ? leaf : leaf.text))
      if (typeof leaf === 'object') modes.push([at, leaf.mode])
    }
  }
  for (const [at, mode] of modes) await raw.setMode(at, Number.parseInt(mode, 8))
}

async function isThere(raw: Raw, at: string): Promise<boolean> {
  return raw.stat(at).then(
    () => true,
    () => false,
  )
}

async function read(raw: Raw, base: string, usual: { file: string; directory: string }): Promise<Tree> {
  const found: Tree = {}
  async function visit(directory: string, shown: string): Promise<void> {
    for (const { name, kind } of await raw.readDir(directory)) {
      const at = join(directory, name)
      if (kind === 'symlink') {
        found[shown + name] = { link: await raw.readLink(at) }
        continue
      }
      const mode = ((await raw.stat(at)).mode ?? 0).toString(8)
      if (kind === 'directory') {
        found[`${shown}${name}/`] = mode === usual.directory ? '' : mode
        await visit(at, `${shown}${name}/`)
      } else {
        const text = readable(await raw.readFile(at))
        found[shown + name] = mode === usual.file || typeof text !== 'string' ? text : { text, mode }
      }
    }
  }
  await visit(base, '')
  return found
}

/** Text where the bytes are text, so that what differs can be read. */
function readable(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return new Uint8Array(bytes)
  }
}

/** The disk itself, without our adapter, which could hide something. */
function hostFs(base: string): Raw {
  const host = (at: string) => path.join(base, at)
  const kindOf = (entry: fs.Dirent | fs.Stats) =>
    entry.isSymbolicLink() ? 'symlink' : entry.isDirectory() ? 'directory' : 'file'
  return {
    stat: async (at) => {
      const stats = fs.lstatSync(host(at))
      return { kind: kindOf(stats), mode: stats.mode & 0o7777 }
    },
    readDir: async (at) =>
      fs.readdirSync(host(at), { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
    readFile: async (at) => fs.readFileSync(host(at)),
    writeFile: async (at, bytes) => fs.writeFileSync(host(at), bytes),
    makeDir: async (at) => void fs.mkdirSync(host(at)),
    setMode: async (at, mode) => fs.chmodSync(host(at), mode),
    symlink: async (target, at) => fs.symlinkSync(target, host(at)),
    readLink: async (at) => fs.readlinkSync(host(at)),
  }
}
