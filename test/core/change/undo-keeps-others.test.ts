/** Two authors change lines of some files; undoing what one of them did keeps what the other one wrote, or names what is in the way. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { undoneBy } from '../../../src/change/journal/record.js'
import { type FsError, isFsError, type UndoOverlap } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import { confine } from '../../../src/fs/gate/confine.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { scaled } from '../../scale.js'
import { sqlJs } from '../fs/sqlite-database.js'
import { decode, encode, snapshot } from './faulty-disk.js'

const openDatabase = await sqlJs()
const names = ['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h']

const place = fc.double({ min: 0, max: 1, noNaN: true })
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('insert' as const),
      file: fc.nat(3),
      at: place,
      count: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('delete' as const),
      file: fc.nat(3),
      at: place,
      count: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rename' as const), file: fc.nat(3), to: fc.constantFrom(...names) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      to: fc.constantFrom(...names),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), file: fc.nat(3) }) },
)
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never

const event = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      author: fc.constantFrom('agent', 'user'),
      actions: fc.array(action, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('undo' as const),
      author: fc.constantFrom('agent', 'user'),
      chosen: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      overlaps: fc.constantFrom('refuse' as const, 'refuse' as const, 'skip' as const),
    }),
  },
)
const events = fc.tuple(
  fc.array(event, { minLength: 3, maxLength: 10 }),
  fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
)

/** A line is another one than all others. It stays in the list when it is deleted. */
interface Line {
  text: string
  isThere: boolean
  /** The changes that inserted or deleted it and stand, in order. */
  authored: { id: string; to: boolean }[]
  /** All that did, undos too. */
  touched: string[]
}

interface File {
  lines: Line[]
  path: string | undefined
  /** Where it was, also after it was removed. */
  paths: Set<string>
}

interface Made {
  id: string
  author: string
  /** The files whose lines it changed, made, removed or moved. */
  files: File[]
  /** Files that it made, removed or moved. */
  places: File[]
}

async function play(
  raw: FileSystem,
  [happened, last]: [readonly (typeof event extends fc.Arbitrary<infer Value> ? Value : never)[], boolean[]],
) {
  let ms = 1_000
  const changes = createChanges({ fs: confine(raw, { roots: [{ path: '/', access: 'read-write' }] }), now: () => ms++ })
  const history = createHistory(confine(raw, { roots: [{ path: '/', access: 'read-write' }] }), changes)
  const files: File[] = []
  const made: Made[] = []
  /** Changes that are undone. */
  const gone = new Set<string>()
  let count = 0

  const newLine = (author: string): Line => ({
    text: `${author} ${(count += 1)}\n`,
    isThere: true,
    authored: [],
    touched: [],
  })
  const at = (one: string) => files.find((file) => file.path === one)
  const content = (file: File) =>
    file.lines
      .filter(({ isThere }) => isThere)
      .map(({ text }) => text)
      .join('')

  function act(author: string, one: Action, done: { lines: Map<Line, boolean>; places: Set<File> }): void {
    // By paths alone nobody can tell files that have the same name one after the other, or in one change.
    if (one.do !== 'insert' && one.do !== 'delete' && done.places.size > 0) return
    if (one.do === 'create') {
      if (files.some(({ paths }) => paths.has(one.to))) return
      const file: File = {
        lines: Array.from({ length: one.count }, () => newLine(author)),
        path: one.to,
        paths: new Set([one.to]),
      }
      for (const line of file.lines) done.lines.set(line, true)
      files.push(file)
      done.places.add(file)
      return
    }
    const present = files.filter((file) => file.path !== undefined)
    const file = present[one.file % Math.max(1, present.length)]
    if (file === undefined) return
    // A file that is moved and edited in one change is another file to the history.
    if (done.places.has(file) || (one.do === 'rename' && file.lines.some((line) => done.lines.has(line)))) return
    const there = file.lines.filter(({ isThere }) => isThere)
    if (one.do === 'rename') {
      if (file.path === one.to || there.length === 0) return
      if (files.some((other) => other !== file && other.paths.has(one.to))) return
      file.path = one.to
      file.paths.add(one.to)
      done.places.add(file)
    } else if (one.do === 'insert') {
      const after = there[Math.floor(one.at * (there.length + 1)) - 1]
      const added = Array.from({ length: one.count }, () => newLine(author))
      file.lines.splice(after === undefined ? 0 : file.lines.indexOf(after) + 1, 0, ...added)
      for (const line of added) done.lines.set(line, true)
    } else {
      const start = Math.floor(one.do === 'remove' ? 0 : one.at * there.length)
      for (const line of there.slice(start, one.do === 'remove' ? undefined : start + one.count)) {
        line.isThere = false
        // One that this change has just inserted was never there.
        if (done.lines.get(line) === true) done.lines.delete(line)
        else done.lines.set(line, false)
      }
      if (one.do !== 'remove') return
      file.path = undefined
      done.places.add(file)
    }
  }

  /** Writes the files as the model has them. */
  async function change(author: string, actions: readonly Action[]): Promise<void> {
    const before = new Map(files.map((file) => [file, file.path]))
    const done = { lines: new Map<Line, boolean>(), places: new Set<File>() }
    for (const one of actions) act(author, one, done)
    const { record } = await changes.run({ label: author, scopes: [{ path: '/', tree: true }] }, async (draft) => {
      for (const [file, old] of before) if (old !== undefined && file.path !== old) await draft.remove(old)
      for (const file of files) if (file.path !== undefined) await draft.write(file.path, encode(content(file)))
    })
    if (record !== undefined) note(record.id, author, done)
  }

  function note(id: string, author: string, done: { lines: Map<Line, boolean>; places: Set<File> }): void {
    for (const [line, to] of done.lines) {
      line.authored.push({ id, to })
      line.touched.push(id)
    }
    const changed = files.filter((file) => done.places.has(file) || file.lines.some((line) => done.lines.has(line)))
    made.push({ id, author, files: changed, places: [...done.places] })
  }

  /** Undoes some changes of an author, and checks what is left. */
  async function undo(author: string, chosen: readonly boolean[], overlaps: 'refuse' | 'skip'): Promise<void> {
    const own = made.filter((one) => one.author === author).slice(-4)
    const ids = own.filter(({ id }, index) => chosen[index] && !gone.has(id)).map(({ id }) => id)
    const before = await snapshot(raw)
    try {
      const undone = await history.undoAll(ids, { overlaps })
      for (const overlap of undone.overlaps) expectReal(overlap, ids)
      const skipped = undone.overlaps.flatMap((overlap) => filesOf(overlap))
      const changed = await expectWithout(ids, skipped)
      if (undone.record === undefined) return
      noteUndo(undone.record.id, changed)
      for (const id of undoneBy(undone.record)) gone.add(id)
      if (undone.overlaps.length > 0) return
      // Done again, all is as it was.
      const after = await snapshot(raw)
      const again = await history.undoAll([], { redo: ids })
      expect(await snapshot(raw)).toEqual(before)
      if (again.record === undefined) throw new Error('nothing was done again')
      noteUndo(again.record.id, changed)
      noteUndo((await history.undo(again.record.id)).id, changed)
      expect(await snapshot(raw)).toEqual(after)
    } catch (error) {
      if (!isFsError(error, 'CONFLICT')) throw error
      const found = (error as FsError<'CONFLICT'>).facts.overlaps ?? []
      expect(found.length).toBeGreaterThan(0)
      for (const overlap of found) expectReal(overlap, ids)
      expect(await snapshot(raw)).toEqual(before)
    }
  }

  function noteUndo(id: string, changed: ReadonlySet<Line>): void {
    for (const line of changed) line.touched.push(id)
    made.push({ id, author: 'undo', files: [...files], places: [...files] })
  }

  /** The files that an overlap may be about: names are used again. */
  function filesOf({ path: named }: UndoOverlap): File[] {
    return files.filter((file) => file.paths.has(named))
  }

  function expectReal(overlap: UndoOverlap, ids: readonly string[]): void {
    const { reason, changes: named, lines, path: where } = overlap
    for (const id of named) expect(ids).not.toContain(id)
    if (reason !== 'lines') {
      const others = made.filter(({ id, places }) => !ids.includes(id) && places.length > 0)
      if (reason !== 'edited') expect(others).not.toEqual([])
      return
    }
    const file = at(where)
    const count = file?.lines.filter(({ isThere }) => isThere).length ?? Infinity
    for (const { first, last: end } of lines ?? []) expect(first >= 1 && end >= first - 1 && end <= count).toBe(true)
    expect(named.length).toBeGreaterThan(0)
    for (const id of named) expect([id, isInTheWay(id, where, ids)]).toEqual([id, true])
  }

  /** True for a change of lines that the undone changes touched, and where either put one file in the place of another. */
  function isInTheWay(id: string, where: string, ids: readonly string[]): boolean {
    const there = files.filter(({ paths }) => paths.has(where))
    const isPlaced = made.some(
      (one) => (one.id === id || ids.includes(one.id)) && there.some((file) => one.places.includes(file)),
    )
    return isPlaced || there.some((file) => touch(file, ids, id))
  }

  /** True where a change and one of the undone ones touched lines between which none stayed as it was. */
  function touch(file: File, ids: readonly string[], other: string): boolean {
    const [oldest = ''] = [...ids].sort()
    let [isOwn, isOther] = [false, false]
    for (const line of file.lines) {
      const touched = line.touched.filter((id) => id >= oldest)
      // Gone before all of this.
      if (touched.length === 0 && !line.isThere) continue
      if (touched.length === 0) [isOwn, isOther] = [false, false]
      if (touched.some((id) => ids.includes(id))) isOwn = true
      if (touched.includes(other)) isOther = true
      if (isOwn && isOther) return true
    }
    return false
  }

  /** Every line is as if the changes had never been made, except in files that may have been left out. */
  async function expectWithout(ids: readonly string[], skipped: readonly File[]): Promise<Set<Line>> {
    const now = new Map<string, string>()
    for await (const { path: one } of walk(raw, '/')) now.set(one, decode(await raw.readFile(one)))
    const all = [...now.values()].join('')
    const changed = new Set<Line>()
    for (const file of files) {
      const isLeft = skipped.includes(file) && file.lines.every(({ text, isThere }) => all.includes(text) === isThere)
      for (const line of file.lines) {
        if (isLeft) continue
        const authored = line.authored.filter(({ id }) => !ids.includes(id))
        const isThere = authored.at(-1)?.to ?? false
        // A line that someone else has deleted since is gone already.
        if (isThere === line.isThere) continue
        changed.add(line)
        line.authored = authored
        line.isThere = isThere
      }
      const isEmpty = content(file) === ''
      const found = [...now].find(([, text]) => text !== '' && text === content(file))
      if (isEmpty) for (const line of file.lines) expect(all).not.toContain(line.text)
      else expect([content(file), found !== undefined]).toEqual([content(file), true])
      if (!isEmpty) file.path = found?.[0]
      else if (file.path !== undefined && now.get(file.path) !== '') file.path = undefined
    }
    expect([...now].filter(([one, text]) => text !== '' && at(one) === undefined)).toEqual([])
    return changed
  }

  for (const to of names.slice(0, 3)) await change('user', [{ do: 'create', to, count: 5 }])
  for (const one of happened) {
    if (one.do === 'change') await change(one.author, one.actions)
    else await undo(one.author, one.chosen, one.overlaps)
  }
  await undo('agent', last, 'refuse')
}

const runs = { seed: Number(process.env.POLYFS_SEED ?? 20_261_118) }

describe('what others wrote stays when changes are undone', () => {
  test('in memory', () =>
    fc.assert(
      fc.asyncProperty(events, (one) => play(memory({}), one)),
      { ...runs, numRuns: scaled(1500) },
    ))

  test('in a database', () =>
    fc.assert(
      fc.asyncProperty(events, (one) => play(sqlite(openDatabase()), one)),
      { ...runs, numRuns: scaled(150) },
    ))

  test('on a disk', () =>
    fc.assert(
      fc.asyncProperty(events, async (one) => {
        const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-undo-'))
        try {
          await play(nodeFs(directory), one)
        } finally {
          fs.rmSync(directory, { recursive: true })
        }
      }),
      { ...runs, numRuns: scaled(80) },
    ))
})
