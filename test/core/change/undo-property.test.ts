import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChanges } from '../../../src/change/changes.js'
import type { Draft } from '../../../src/change/draft.js'
import { createHistory } from '../../../src/change/history/history.js'
import { memoryJournal, storedJournal } from '../../../src/change/journal/journal.js'
import { keyValueJournal } from '../../../src/change/journal/key-value-journal.js'
import type { ChangeRecord, Image } from '../../../src/change/journal/record.js'
import { sqliteJournal } from '../../../src/change/journal/sqlite-journal.js'
import { isFsError } from '../../../src/errors.js'
import { keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { dirname, isWithin } from '../../../src/fs/path.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { scaled, seeded } from '../../scale.js'
import { mapStore } from '../fs/key-value-stores.js'
import { sqlJs } from '../fs/sqlite-database.js'
import { decode, encode, type Snapshot, snapshot } from './faulty-disk.js'

const openDatabase = await sqlJs()

/** Few names, so that what is done meets what was done. */
const names = ['a', 'b', 'c']
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
/** Some lead nowhere, some to themselves, at once or by way of what they would have to hold. */
const target = fc.constantFrom(...names, 'a/b', 'b/c', 'c/a', '../a', '../b/a')
const mode = fc.constantFrom(0o700, 0o711, 0o750, 0o755)

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), path, text: fc.string({ maxLength: 8 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('write' as const), path, text: fc.string({ maxLength: 8 }), mode }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('stream' as const), path, text: fc.string({ maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('create' as const), path, text: fc.string({ maxLength: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('removeTree' as const), path }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('move' as const), path, to: path }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('mkdir' as const), path, mode: fc.option(mode, { nil: undefined }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('link' as const), path, target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('copy' as const), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('mode' as const), path, mode }) },
)
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never

const session = fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 })

/** Where the tree and its journal are. In memory and in a database a change is one transaction, with the journal or without. */
const places = [
  'memory',
  'memory in steps',
  'stored',
  'database',
  'database without journal',
  'store',
  'store without journal',
] as const
type Place = (typeof places)[number]
const place = fc.constantFrom<Place>(...places)

async function open(where: Place, maxUndoBytes = 1_000_000) {
  const seed = memory({ '/a/a': 'aa', '/a/b/c': 'abc', '/b': 'b', '/c/': '' })
  const database = where.startsWith('database') ? sqlite(openDatabase()) : undefined
  const store = where.startsWith('store ') || where === 'store' ? keyValue(mapStore()) : undefined
  const raw = database ?? store ?? (where === 'memory in steps' ? withoutFacets(seed) : seed)
  if (raw === database || raw === store) await copyTree(seed, raw)
  const fs = confine(raw, { roots: [{ path: '/', access: 'read-write' }] })
  let ms = 1_000
  const journal =
    where === 'database' && database !== undefined
      ? sqliteJournal(database)
      : where === 'store' && store !== undefined
        ? keyValueJournal(store)
        : where === 'stored' || where.endsWith('without journal')
          ? await storedJournal(memory())
          : memoryJournal()
  const changes = createChanges({ fs, journal, now: () => ms++, limits: { maxUndoBytes } })
  return { raw, fs, changes, history: createHistory(fs, changes) }
}
async function copyTree(from: FileSystem, to: FileSystem): Promise<void> {
  for await (const { path: at, kind } of walk(from, '/')) {
    if (kind === 'directory') await to.makeDir(at)
    else await to.writeFile(at, await from.readFile(at))
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** One transaction; an action that makes no sense here is left out. Whatever else goes wrong, the whole is not made. */
async function apply({ raw, changes }: Opened, actions: readonly Action[]): Promise<ChangeRecord | undefined> {
  const before = await snapshot(raw)
  try {
    const { record } = await changes.run({ label: 'some', scopes: [{ path: '/', tree: true }] }, async (draft) => {
      for (const one of actions) {
        await draftOne(draft, one).catch((error) => {
          if (!isFsError(error)) throw error
        })
      }
    })
    return record
  } catch (error) {
    if (!isFsError(error)) throw error
    expect(await snapshot(raw)).toEqual(before)
    return undefined
  }
}

async function draftOne(draft: Draft, one: Action): Promise<void> {
  // Whoever drafts has followed the links.
  for (const at of 'to' in one ? [one.path, one.to] : [one.path]) {
    for (let above = dirname(at); above !== '/'; above = dirname(above)) {
      if ((await draft.entry(above)).image.kind === 'symlink') return
    }
  }
  const { image } = await draft.entry(one.path)
  if (one.do === 'write') await draft.write(one.path, encode(one.text), 'mode' in one ? { mode: one.mode } : {})
  else if (one.do === 'stream') await draft.write(one.path, streamOf(one.text))
  else if (one.do === 'create') {
    await draft.makeParents(one.path)
    await draft.write(one.path, encode(one.text))
  } else if (one.do === 'remove') await draft.remove(one.path)
  else if (one.do === 'removeTree') await removeTree(draft, one.path)
  else if (one.do === 'mkdir') await draft.makeDirectory(one.path, one.mode === undefined ? {} : { mode: one.mode })
  else if (one.do === 'link') await draft.link(one.path, one.target)
  else if (one.do === 'mode') await draft.setMode(one.path, one.mode)
  else if (one.do === 'move' && image.kind === 'directory') await draft.move(one.path, one.to)
  else if ((await draft.entry(one.to)).image.kind === 'absent') {
    if (image.kind === 'symlink') await draft.link(one.to, image.target)
    else if (image.kind === 'directory') await draft.makeDirectory(one.to)
    else if (image.kind === 'file') {
      await draft.copy(one.path, one.to, image.mode === undefined ? {} : { mode: image.mode })
    }
    if (one.do === 'move') await draft.remove(one.path)
  }
}

/** One byte at a time. */
function streamOf(text: string) {
  return {
    async *pieces() {
      for (const byte of encode(text)) yield Uint8Array.of(byte)
    },
  }
}

async function removeTree(draft: Draft, at: string): Promise<void> {
  const { kind } = (await draft.entry(at)).image
  if (kind === 'absent') return
  if (kind === 'directory' && at.length < 8) for (const name of names) await removeTree(draft, `${at}/${name}`)
  await draft.remove(at)
}

const runs = {
  seed: Number(process.env.POLYFS_SEED ?? seeded(1)),
  numRuns: Number(process.env.POLYFS_RUNS ?? scaled(200)),
}

test('undoing any sequence of changes in order restores every byte, mode and link', async () => {
  await fc.assert(
    fc.asyncProperty(session, place, async (transactions, stored) => {
      const opened = await open(stored)
      const states = [await snapshot(opened.raw)]
      for (const actions of transactions) {
        if (await apply(opened, actions)) states.push(await snapshot(opened.raw))
      }
      for (const state of states.slice(0, -1).reverse()) {
        await opened.history.undo()
        expect(await snapshot(opened.raw)).toEqual(state)
      }
      await expect(opened.history.undo()).rejects.toMatchObject({ code: 'UNKNOWN_POINT' })
    }),
    runs,
  )
})

test('a change has the same result whether its content is read or streamed', async () => {
  await fc.assert(
    fc.asyncProperty(session, place, fc.constantFrom(0, 1, 3), async (transactions, stored, maxUndoBytes) => {
      const [read, streamed] = [await open(stored), await open(stored, maxUndoBytes)]
      for (const actions of transactions) {
        const done = [await apply(read, actions), await apply(streamed, actions)]
        expect(await snapshot(streamed.raw)).toEqual(await snapshot(read.raw))
        const hashes = done.map((record) => record?.steps.flatMap(hashAfter).sort())
        expect(hashes[1] ?? []).toEqual((hashes[0] ?? []).filter((hash) => hashes[1]?.includes(hash)))
        expect(JSON.stringify(hashes)).not.toContain('streamed')
      }
    }),
    { ...runs, numRuns: runs.numRuns * 2 },
  )
})

test('a change has the same result whether it is made at once or in steps', async () => {
  let made = 0
  await fc.assert(
    fc.asyncProperty(session, async (transactions) => {
      const [first, ...others] = await Promise.all(places.map((where) => open(where)))
      for (const actions of transactions) {
        const record = await apply(first as Opened, actions)
        if (record !== undefined) made += 1
        for (const [index, other] of others.entries()) {
          const same = await apply(other, actions)
          const at = places[index + 1]
          expect({ at, tree: await snapshot(other.raw) }).toEqual({ at, tree: await snapshot((first as Opened).raw) })
          expect({ at, steps: same?.steps.map(withoutStaging) }).toEqual({
            at,
            steps: record?.steps.map(withoutStaging),
          })
        }
      }
    }),
    runs,
  )
  expect(made).toBeGreaterThan(runs.numRuns)
})

/** Where content waits until it lands differs from place to place. */
function withoutStaging(step: ChangeRecord['steps'][number]) {
  const { staged: _, parked: __, ...rest } = { staged: undefined, parked: undefined, ...step }
  return rest
}

/** Of a file that was written; one that was only renamed is known by less. */
function hashAfter(step: ChangeRecord['steps'][number]): string[] {
  return step.do === 'set' && step.after.kind === 'file' && step.staged !== undefined ? [step.after.hash] : []
}

test('undoing an undo repeats the change, which can be undone again', async () => {
  await fc.assert(
    fc.asyncProperty(session, async (transactions) => {
      const opened = await open('database')
      for (const actions of transactions) {
        const before = await snapshot(opened.raw)
        if (!(await apply(opened, actions))) continue
        const after = await snapshot(opened.raw)
        const undone = await opened.history.undo()
        await opened.history.undo(undone.id)
        expect(await snapshot(opened.raw)).toEqual(after)
        await opened.history.undo()
        expect(await snapshot(opened.raw)).toEqual(before)
      }
    }),
    { ...runs, numRuns: runs.numRuns / 2 },
  )
})

test('restoring a checkpoint restores the tree in one change, which can itself be undone', async () => {
  await fc.assert(
    fc.asyncProperty(session, session, place, async (first, second, stored) => {
      const opened = await open(stored)
      for (const actions of first) await apply(opened, actions)
      await opened.changes.checkpoint('here')
      const here = await snapshot(opened.raw)
      for (const actions of second) await apply(opened, actions)
      const later = await snapshot(opened.raw)
      const record = await opened.history.restore('here')
      expect(await snapshot(opened.raw)).toEqual(here)
      if (record !== undefined) await opened.history.undo(record.id)
      expect(await snapshot(opened.raw)).toEqual(later)
    }),
    runs,
  )
})

test('restoring one path leaves the rest alone', async () => {
  await fc.assert(
    fc.asyncProperty(session, session, path, async (first, second, at) => {
      const opened = await open('memory')
      for (const actions of first) await apply(opened, actions)
      await opened.changes.checkpoint('here')
      const here = await snapshot(opened.raw)
      for (const actions of second) await apply(opened, actions)
      const later = await snapshot(opened.raw)
      const isRefused = await opened.history.restore('here', { path: at }).then(
        () => false,
        (error) => {
          if (!isFsError(error, 'CONFLICT')) throw error
          return true
        },
      )
      const now = await snapshot(opened.raw)
      // Where something else has taken the place of a directory above it, it has nowhere to be.
      if (isRefused) {
        expect(now).toEqual(later)
        return
      }
      const only = (tree: Snapshot, isMeant: (one: string) => boolean) =>
        Object.fromEntries(Object.entries(tree).filter(([one]) => isMeant(one)))
      expect(only(now, (one) => isWithin(at, one))).toEqual(only(here, (one) => isWithin(at, one)))
      const isRest = (one: string) => !isWithin(at, one) && !isWithin(one, at)
      expect(only(now, isRest)).toEqual(only(later, isRest))
    }),
    runs,
  )
})

test('differences between two points are those between the trees at them', async () => {
  await fc.assert(
    fc.asyncProperty(session, session, session, async (first, second, third) => {
      const opened = await open('memory')
      for (const actions of first) await apply(opened, actions)
      await opened.changes.checkpoint('from')
      const from = await snapshot(opened.raw)
      const records: (ChangeRecord | undefined)[] = []
      for (const actions of second) records.push(await apply(opened, actions))
      await opened.changes.checkpoint('to')
      const to = await snapshot(opened.raw)
      for (const actions of third) await apply(opened, actions)

      const reported = await opened.history.differences('from', { to: 'to' })
      for (const { path: at, before, after, bytesBefore, bytesAfter } of reported) {
        expect([at, shown(before, bytesBefore, from[at])]).toEqual([at, from[at]])
        expect([at, shown(after, bytesAfter, to[at])]).toEqual([at, to[at]])
      }
      // What only moved with its directory is reported by the directory.
      const moves = records.flatMap((record) => record?.steps ?? []).filter((step) => step.do === 'rename')
      const wentAlong = (at: string) =>
        moves.some((step) => [step.path, step.to].some((directory) => at !== directory && isWithin(directory, at)))
      const paths = reported.map(({ path: at }) => at)
      const expected = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((at) => from[at] !== to[at])
      expect(paths.filter((at) => !expected.includes(at))).toEqual([])
      // The mode that the file system gave to something new is not known, and so no difference.
      const certain = expected.filter((at) => withoutMode(from[at]) !== withoutMode(to[at]) && !wentAlong(at))
      expect(certain.filter((at) => !paths.includes(at))).toEqual([])
    }),
    runs,
  )
})

function withoutMode(entry: Snapshot[string] | undefined): string | undefined {
  return entry?.replace(/^(file|directory) \d+/, '$1')
}

/** An image in the words of a snapshot; a mode that the record does not know is taken from there. */
function shown(image: Image, bytes: Uint8Array | undefined, like: Snapshot[string] | undefined): string | undefined {
  if (image.kind === 'absent') return undefined
  if (image.kind === 'symlink') return `link to ${image.target}`
  const known = image.mode?.toString(8) ?? like?.split(' ')[1]
  return image.kind === 'directory' ? `directory ${known}` : `file ${known} ${decode(bytes)}`
}
