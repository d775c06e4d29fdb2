import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedJournal } from '../../../src/change/journal/journal.js'
import { isFsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { copyEntries } from '../../../src/ops/many/copy-entries.js'
import { deleteEntries } from '../../../src/ops/many/delete-entries.js'
import { moveEntries } from '../../../src/ops/many/move-entries.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { scaled } from '../../scale.js'
import { backends } from './stage.js'

describe.each(backends)('several entries, %s', (_name, open) => {
  test('files, links and directories move into a directory, which is made if its name ends in a slash', async () => {
    const { change, refusal } = await open({ a: 'A', 'd/x': 'X', l: { link: 'a' }, 'e/': '' })
    const sources = ['a', 'd', './l']
    expect(await refusal(moveEntries, { sources, into: 'n' })).toEqual({ code: 'NOT_FOUND', path: '/w/n' })
    expect(await refusal(moveEntries, { sources: ['d'], into: 'a' })).toEqual({
      code: 'NOT_A_DIRECTORY',
      path: '/w/a',
    })
    expect(await change(moveEntries, { sources, into: 'n/m/', makeParents: true })).toEqual({
      result: [
        { from: '/w/a', to: '/w/n/m/a', kind: 'file', replaced: false },
        { from: '/w/d', to: '/w/n/m/d', kind: 'directory', replaced: false },
        { from: '/w/l', to: '/w/n/m/l', kind: 'symlink', replaced: false },
      ],
      tree: { 'e/': '', 'n/': '', 'n/m/': '', 'n/m/a': 'A', 'n/m/d/': '', 'n/m/d/x': 'X', 'n/m/l': { link: 'a' } },
    })
    expect((await change(moveEntries, { sources: ['n/m/a', 'n/m/d/x'], into: 'e' })).tree).toMatchObject({
      'e/a': 'A',
      'e/x': 'X',
    })
  })

  test('two files change places, three in a circle, and a chain moves on', async () => {
    const { change } = await open({ a: { text: 'A', mode: '755' }, b: 'B', c: 'C' })
    const swapped = await change(moveEntries, {
      pairs: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ],
    })
    expect(swapped.tree).toEqual({ a: 'B', b: { text: 'A', mode: '755' }, c: 'C' })
    const circle = ['a', 'b', 'c'].map((from, index) => ({ from, to: ['b', 'c', 'a'][index] as string }))
    expect((await change(moveEntries, { pairs: circle })).tree).toEqual({
      a: 'C',
      b: 'B',
      c: { text: 'A', mode: '755' },
    })
    const chain = ['a', 'b', 'c'].map((from, index) => ({ from, to: ['b', 'c', 'd'][index] as string }))
    expect((await change(moveEntries, { pairs: chain })).tree).toEqual({
      b: 'C',
      c: 'B',
      d: { text: 'A', mode: '755' },
    })
  })

  test('directories change places, with links and modes in them', async () => {
    const { change } = await open({
      'a/': '700',
      'a/x': 'X',
      'a/l': { link: '../b' },
      'b/': '',
      'b/x/y': { text: 'Y', mode: '600' },
    })
    const pairs = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]
    expect((await change(moveEntries, { pairs })).tree).toEqual({
      'a/': '',
      'a/x/': '',
      'a/x/y': { text: 'Y', mode: '600' },
      'b/': '700',
      'b/l': { link: '../b' },
      'b/x': 'X',
    })
  })

  test('a file and a directory change places', async () => {
    const { change } = await open({ a: 'A', 'b/x': 'X' })
    const pairs = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]
    expect((await change(moveEntries, { pairs })).tree).toEqual({ 'a/': '', 'a/x': 'X', b: 'A' })
  })

  test('an entry of a directory that moves too goes its own way', async () => {
    const { change } = await open({ 'd/x': 'X', 'd/y': 'Y', 'e/': '' })
    expect((await change(moveEntries, { sources: ['d', 'd/x'], into: 'e' })).tree).toEqual({
      'e/': '',
      'e/d/': '',
      'e/d/y': 'Y',
      'e/x': 'X',
    })
  })

  test('moves that exclude each other are refused, whole', async () => {
    const { refusal } = await open({ a: 'A', b: 'B', 'd/a': 'DA', 'e/': '', to: { link: 'e' } })
    const pairs = (...given: [string, string][]) => ({ pairs: given.map(([from, to]) => ({ from, to })) })
    expect(await refusal(moveEntries, { sources: ['a', 'd/a'], into: 'e' })).toEqual({
      code: 'CLASHING_PATHS',
      path: '/w/a',
      other: '/w/d/a',
      reason: 'same-target',
    })
    // The same target by way of a link.
    expect(await refusal(moveEntries, pairs(['a', 'e/n'], ['b', 'to/n']))).toMatchObject({ reason: 'same-target' })
    expect(await refusal(moveEntries, pairs(['a', 'c'], ['./a', 'd/c']))).toMatchObject({ reason: 'same-source' })
    expect(await refusal(moveEntries, { ...pairs(['d', 'f'], ['a', 'd/n']), makeParents: true })).toEqual({
      code: 'CLASHING_PATHS',
      path: '/w/d/n',
      other: '/w/d',
      reason: 'into-moved',
    })
    expect(await refusal(moveEntries, pairs(['a', 'n'], ['no', 'm']))).toEqual({ code: 'NOT_FOUND', path: '/w/no' })
    expect(await refusal(moveEntries, pairs(['a', 'n'], ['b', 'd/a']))).toMatchObject({ code: 'EXISTS' })
    expect(await refusal(moveEntries, pairs(['a', 'n'], ['d', 'd/e/f']))).toMatchObject({ code: 'INTO_ITSELF' })
    expect(await refusal(moveEntries, { sources: ['a', '.'], into: 'e' })).toEqual({ code: 'IS_ROOT', path: '/w' })
  })

  test('one file replaces an existing one, on request', async () => {
    const { change } = await open({ a: 'A', b: 'B', 'e/a': 'old' })
    expect(await change(moveEntries, { sources: ['a', 'b'], into: 'e', replace: true })).toMatchObject({
      result: [{ replaced: true }, { replaced: false }],
      tree: { 'e/a': 'A', 'e/b': 'B' },
    })
  })

  test('copies are of the tree before the call', async () => {
    const { change, refusal } = await open({ a: 'A', 'd/x': 'X', 'e/': '' })
    const pairs = [
      { from: 'd', to: 'f' },
      { from: 'a', to: 'd/n' },
      { from: 'a', to: 'f/n' },
    ]
    expect(await change(copyEntries, { pairs })).toEqual({
      result: [
        { from: '/w/d', to: '/w/f', entries: 2 },
        { from: '/w/a', to: '/w/d/n', entries: 1 },
        { from: '/w/a', to: '/w/f/n', entries: 1 },
      ],
      tree: { a: 'A', 'd/': '', 'd/n': 'A', 'd/x': 'X', 'e/': '', 'f/': '', 'f/n': 'A', 'f/x': 'X' },
    })
    expect(await refusal(copyEntries, { sources: ['a', 'a'], into: 'e' })).toMatchObject({ reason: 'same-target' })
    const chain = [
      { from: 'a', to: 'new' },
      { from: 'new', to: 'newer' },
    ]
    expect(await refusal(copyEntries, { pairs: chain })).toEqual({ code: 'NOT_FOUND', path: '/w/new' })
    expect(await refusal(copyEntries, { sources: ['a', 'd/x', 'd'], into: 'f' })).toMatchObject({ code: 'EXISTS' })
  })

  test('several are deleted; each entry counts once', async () => {
    const { change, refusal } = await open({ a: 'A', 'd/x': 'X', 'd/y': 'Y', 'e/z': 'Z', l: { link: 'd' } })
    expect(await refusal(deleteEntries, { paths: ['a', 'no'], recursive: true })).toEqual({
      code: 'NOT_FOUND',
      path: '/w/no',
    })
    expect(await refusal(deleteEntries, { paths: ['a', 'd/x', 'd'] })).toEqual({ code: 'NOT_EMPTY', path: '/w/d' })
    expect(await refusal(deleteEntries, { paths: ['a', '.'] })).toEqual({ code: 'IS_ROOT', path: '/w' })
    expect(await change(deleteEntries, { paths: ['d', 'a', './a', 'd/x', 'l'], recursive: true })).toEqual({
      result: [
        { path: '/w/d', kind: 'directory', entries: 2, undoable: true },
        { path: '/w/a', kind: 'file', entries: 1, undoable: true },
        { path: '/w/d/x', kind: 'file', entries: 1, undoable: true },
        { path: '/w/l', kind: 'symlink', entries: 1, undoable: true },
      ].map((entry) => (entry.path === '/w/a' ? { ...entry, path: expect.any(String) } : entry)),
      tree: { 'e/': '', 'e/z': 'Z' },
    })
    expect((await change(deleteEntries, { paths: ['e', 'e/z'] })).tree).toEqual({})
  })
})

/** Paths of files with their text, and of directories with `null`. */
type Model = Map<string, string | null>

const names = ['a', 'b', 'c']
const anyPath = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((parts) => `/${parts.join('/')}`)
const anyTree = fc.array(anyPath, { maxLength: 8 })
/** Most sources are entries of the tree. */
const treeAndPairs = anyTree.chain((paths) => {
  const there = [...plant(paths).keys()]
  const source = there.length === 0 ? anyPath : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...there) }, anyPath)
  const pairs = fc.uniqueArray(fc.tuple(source, anyPath), { minLength: 1, maxLength: 4, selector: ([from]) => from })
  return fc.tuple(fc.constant(paths), pairs)
})

function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function within(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}

/** Every second path is a file, if nothing is in the way. */
function plant(paths: readonly string[]): Model {
  const model: Model = new Map()
  for (const [index, path] of paths.entries()) {
    const parents: string[] = []
    for (let at = above(path); at !== ''; at = above(at)) parents.push(at)
    if (model.has(path) || parents.some((at) => typeof model.get(at) === 'string')) continue
    for (const at of parents) model.set(at, null)
    model.set(path, index % 2 === 0 ? `text ${index}` : null)
  }
  return model
}

/** Puts subtrees into a tree, the outermost first; undefined where one would go over what is there. */
function place(model: Model, subtrees: { to: string; entries: Model }[], replace: boolean): Model | undefined {
  for (const { to, entries } of [...subtrees].sort((a, b) => a.to.split('/').length - b.to.split('/').length)) {
    for (let at = above(to); at !== ''; at = above(at)) {
      if (typeof model.get(at) === 'string') return undefined
      model.set(at, null)
    }
    const isFree = !model.has(to) || (replace && typeof model.get(to) === 'string' && entries.get('') !== null)
    if (!isFree) return undefined
    for (const [rest, content] of entries) model.set(to + rest, content)
  }
  return model
}

function isBad(pairs: readonly [string, string][], model: Model): boolean {
  return pairs.some(([from]) => !model.has(from)) || new Set(pairs.map(([, to]) => to)).size < pairs.length
}

function moved(model: Model, pairs: readonly [string, string][], replace: boolean): Model | undefined {
  const sources = pairs.map(([from]) => from)
  if (isBad(pairs, model) || new Set(sources).size < pairs.length) return undefined
  const moving = pairs.filter(([from, to]) => from !== to)
  if (pairs.some(([, to]) => moving.some(([from]) => to !== from && within(from, to)))) return undefined
  const left: Model = new Map()
  const subtrees = moving.map(([from, to]) => ({ from, to, entries: new Map() as Model }))
  for (const [path, content] of model) {
    // An entry goes with the innermost of those above it that move.
    const own = subtrees.filter(({ from }) => within(from, path)).sort((a, b) => b.from.length - a.from.length)[0]
    const stays = pairs.some(([from, to]) => from === to && within(from, path) && from.length > (own?.from.length ?? 0))
    if (own === undefined || stays) left.set(path, content)
    else own.entries.set(path.slice(own.from.length), content)
  }
  return place(left, subtrees, replace)
}

function copied(model: Model, pairs: readonly [string, string][]): Model | undefined {
  if (isBad(pairs, model)) return undefined
  if (pairs.some(([from, to]) => from !== to && within(from, to) && model.get(from) === null)) return undefined
  const subtrees = pairs.map(([from, to]) => ({
    to,
    entries: new Map(
      [...model].filter(([path]) => within(from, path)).map(([path, text]) => [path.slice(from.length), text]),
    ),
  }))
  return place(new Map(model), subtrees, false)
}

function deleted(model: Model, paths: readonly string[], recursive: boolean): Model | undefined {
  if (paths.some((path) => !model.has(path))) return undefined
  const isGone = (path: string) => paths.some((one) => path === one || (recursive && within(one, path)))
  const left = new Map([...model].filter(([path]) => !isGone(path)))
  return [...left.keys()].some((path) => paths.some((one) => within(one, path))) ? undefined : left
}

async function open(model: Model, maxUndoBytes: number) {
  const tree = Object.fromEntries(
    [...model].map(([path, text]) => (text === null ? [`/w${path}/`, ''] : [`/w${path}`, text])),
  )
  const fs = memory({ '/w/': '', ...tree })
  const roots = [{ path: '/w', access: 'read-write' as const }] as const
  const workspace = createWorkspace({
    fs,
    roots: [...roots],
    journal: await storedJournal(memory()),
    limits: { maxUndoBytes },
  })
  const look = async (): Promise<Model> => {
    const found: Model = new Map()
    for await (const { path, kind } of walk(fs, '/w')) {
      found.set(path.slice(2), kind === 'directory' ? null : new TextDecoder().decode(await fs.readFile(path)))
    }
    return found
  }
  return { workspace, look }
}

/** Runs on the tree and compares with the model: the same tree or a refusal that changes nothing; one change, one undo. */
async function compare(
  model: Model,
  expected: Model | undefined,
  maxUndoBytes: number,
  act: (workspace: ReturnType<typeof createWorkspace>) => Promise<unknown>,
): Promise<void> {
  const { workspace, look } = await open(model, maxUndoBytes)
  const error = await act(workspace).then(
    () => undefined,
    (reason) => reason,
  )
  if (error !== undefined && !isFsError(error)) throw error
  const sorted = (tree: Model) => [...tree].sort(([a], [b]) => (a < b ? -1 : 1))
  expect({ refused: error !== undefined }).toEqual({ refused: expected === undefined })
  expect(sorted(await look())).toEqual(sorted(expected ?? model))
  const records = await workspace.history.list()
  expect(records.length).toBeLessThanOrEqual(expected === undefined ? 0 : 1)
  if (records.length === 0 || !records[0]?.undoable) return
  await workspace.history.undo()
  expect(sorted(await look())).toEqual(sorted(model))
}

describe('random trees and pairs, against a model', () => {
  // With little room for content, files are renamed and copied without being read.
  const undo = fc.constantFrom(1_000_000, 5)

  test('moves', async () => {
    await fc.assert(
      fc.asyncProperty(treeAndPairs, fc.boolean(), undo, async ([paths, pairs], replace, maxUndoBytes) => {
        const model = plant(paths)
        await compare(model, moved(new Map(model), pairs, replace), maxUndoBytes, (workspace) =>
          workspace.run(moveEntries, {
            pairs: pairs.map(([from, to]) => ({ from: `/w${from}`, to: `/w${to}` })),
            replace,
            makeParents: true,
          }),
        )
      }),
      { numRuns: scaled(600) },
    )
  })

  test('permutations of existing entries', async () => {
    const shuffled = anyTree.chain((paths) => {
      const all = [...plant(paths).keys()]
      return fc.tuple(
        fc.constant(paths),
        fc
          .shuffledSubarray(all, { maxLength: Math.min(4, all.length) })
          .chain((some) =>
            fc
              .shuffledSubarray(some, { minLength: some.length })
              .map((targets) => some.map((from, index): [string, string] => [from, targets[index] as string])),
          ),
      )
    })
    await fc.assert(
      fc.asyncProperty(shuffled, undo, async ([paths, pairs], maxUndoBytes) => {
        if (pairs.length === 0) return
        const model = plant(paths)
        await compare(model, moved(new Map(model), pairs, false), maxUndoBytes, (workspace) =>
          workspace.run(moveEntries, { pairs: pairs.map(([from, to]) => ({ from: `/w${from}`, to: `/w${to}` })) }),
        )
      }),
      { numRuns: scaled(400) },
    )
  })

  test('copies', async () => {
    await fc.assert(
      fc.asyncProperty(treeAndPairs, undo, async ([paths, pairs], maxUndoBytes) => {
        const model = plant(paths)
        await compare(model, copied(model, pairs), maxUndoBytes, (workspace) =>
          workspace.run(copyEntries, {
            pairs: pairs.map(([from, to]) => ({ from: `/w${from}`, to: `/w${to}` })),
            makeParents: true,
          }),
        )
      }),
      { numRuns: scaled(400) },
    )
  })

  test('deletes', async () => {
    const some = fc.array(anyPath, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(anyTree, some, fc.boolean(), undo, async (tree, paths, recursive, maxUndoBytes) => {
        const model = plant(tree)
        await compare(model, deleted(model, paths, recursive), maxUndoBytes, (workspace) =>
          workspace.run(deleteEntries, { paths: paths.map((path) => `/w${path}`), recursive }),
        )
      }),
      { numRuns: scaled(400) },
    )
  })
})
