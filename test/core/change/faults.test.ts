import { describe, expect, test } from 'vitest'
import {
  type FaultCode,
  type FaultyOptions,
  failAt,
  faultCodes,
  faulty,
  type OperationName,
} from '../../../harness/faults.js'
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { storedJournal } from '../../../src/change/journal/journal.js'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { basename } from '../../../src/fs/path.js'
import { isStagedName } from '../../../src/fs/staged-name.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { isFull, stride } from '../../scale.js'
import {
  decode,
  encode,
  openEngine,
  type Scenario,
  type Snapshot,
  scenarios,
  snapshot,
  stage,
  write,
} from './faulty-disk.js'
import { respellings } from './respellings.js'

/** What is made to fail: the tree, the journal's store, or both as one disk. */
type Target = 'tree' | 'store' | 'both'
type Effect = NonNullable<FaultyOptions['effect']>

interface Fault {
  at: number
  code: FaultCode
  sticky: boolean
  effect: Effect
}

async function openFaulty(scenario: Scenario, target: Target, { at, code, sticky, effect }: Fault) {
  const { tree, store } = await stage(scenario)
  const plan = failAt(at, code, { sticky })
  const wrap = (fs: typeof tree) =>
    faulty(fs, { fail: (operation) => (broken ? plan.fail(operation) : undefined), effect })
  let broken = false
  const engine = await openEngine(
    target === 'store' ? tree : wrap(tree),
    target === 'tree' ? store : wrap(store),
    scenario.options,
  )
  broken = true
  const repair = () => {
    broken = false
  }
  return { tree, store, engine, plan, repair }
}

const never: Fault = { at: Infinity, code: 'IO', sticky: false, effect: 'none' }
const mutations = ['writeFile', 'makeDir', 'remove', 'rename', 'symlink', 'setMode', 'setModified']

/** What there is without faults; `records` are those of the history before the change. */
interface Ends {
  before: Snapshot
  after: Snapshot
  records: number
}

async function tryFault(scenario: Scenario, target: Target, fault: Fault, { before, after, records }: Ends) {
  const { tree, store, engine, repair } = await openFaulty(scenario, target, fault)
  const failure = await scenario.act(engine).then(
    () => undefined,
    (error: unknown) => error,
  )
  repair()

  const left = await snapshot(tree)
  const pending = await engine.changes.journal.pending()
  // What a file too large to be read replaced may still have to go.
  if (failure === undefined) expect(pending.length > 0 ? listed(left) : left).toEqual(after)
  else if (!fault.sticky || pending.length === 0) expect(left).toEqual(before)

  // The same server goes on, or another starts; neither leaves anything half done.
  const next = fault.at % 2 === 0 ? engine : await openEngine(tree, store, scenario.options)
  await (next === engine ? next.changes.settle() : next.changes.recover())
  const settled = await snapshot(tree)
  const landed = failure === undefined || isSame(settled, after)
  expect(settled).toEqual(landed ? after : before)
  // Only when neither could be written to any more may a change that was reported as failed still be finished.
  if (failure !== undefined && !(fault.sticky && target === 'both')) expect(landed).toBe(false)
  expect(await next.changes.recover()).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [] })
  expect(await next.changes.journal.pending()).toEqual([])
  expect(await store.readDir('/pending')).toEqual([])

  // Later calls work, and the history tells what happened.
  await write(next, '/probe/probe.txt', 'probe')
  await next.history.undo()
  expect(await snapshot(tree)).toEqual(settled)
  const [newest, ...older] = (await next.history.list()).slice(2)
  expect(older.length + (newest ? 1 : 0)).toBe(records + (landed ? 1 : 0))
  if (landed && newest?.undoable === false) {
    await expect(next.history.undo(newest.id)).rejects.toMatchObject({ code: 'NOT_UNDOABLE' })
  } else if (landed) {
    await next.history.undo(newest?.id)
    expect(await snapshot(tree)).toEqual(before)
  }
  return failure === undefined ? 'done' : landed ? 'finished later' : 'as before'
}

/** Without what no listing shows. */
function listed(tree: Snapshot): Snapshot {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !isStagedName(basename(path))))
}

function isSame(a: Snapshot, b: Snapshot): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** In a full run every code is tried on this one; on the others the codes take turns. */
/** Every fourth operation fails by default, in one way each. */
const { first, step } = stride(4)
const withEveryCode = isFull ? ['a write over a file'] : []

describe.each([...scenarios, ...respellings].map((scenario) => [scenario.name, scenario] as const))(
  '%s',
  (name, scenario) => {
    test.for(['tree', 'store', 'both'] as const)(
      'is all or nothing, whichever operation fails: %s',
      async (target, { annotate }) => {
        const reference = await openFaulty(scenario, target, never)
        const before = await snapshot(reference.tree)
        const records = (await (await openEngine(reference.tree, reference.store)).history.list()).length
        await scenario.act(reference.engine)
        const after = await snapshot(reference.tree)
        const { operations } = reference.plan
        const outcomes = { done: 0, 'as before': 0, 'finished later': 0 }

        for (const [index, operation] of operations.entries()) {
          if ((index - first) % step !== 0) continue
          const round = (index - first) / step
          const effects: Effect[] = ['none']
          if (mutations.includes(operation.name)) effects.push('all')
          if (operation.staged) effects.push('part')
          const turn = faultCodes[round % faultCodes.length] as FaultCode
          for (const code of withEveryCode.includes(name) ? faultCodes : [turn]) {
            for (const effect of isFull ? effects : [effects[round % effects.length] as Effect]) {
              for (const sticky of isFull ? [false, true] : [Math.floor(round / 2) % 2 === 0]) {
                const fault = { at: index + 1, code, sticky, effect }
                outcomes[await tryFault(scenario, target, fault, { before, after, records })] += 1
              }
            }
          }
        }
        const runs = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
        expect(runs).toBeGreaterThanOrEqual(isFull ? 2 * operations.length : Math.floor(operations.length / step))
        await annotate(`${operations.length} operations, ${runs} faults: ${JSON.stringify(outcomes)}`)
      },
    )
  },
)

describe('after a failure or a crash, a change', () => {
  /** A server that lost its disks at an operation of the tree, in the middle of a change of two files. */
  async function half(files: Record<string, string>, act: Scenario['act'], step: OperationName, turn: number) {
    const { tree, store } = await stage({ name: '', files, act })
    let [seen, gone] = [0, false]
    const fail: FaultyOptions['fail'] = ({ name, path }) => {
      if (name === step) seen += 1
      if (seen >= turn) gone = true
      return gone ? new FsError('IO', { path, detail: 'EIO' }) : undefined
    }
    const whenGone: FaultyOptions['fail'] = ({ path }) =>
      gone ? new FsError('IO', { path, detail: 'EIO' }) : undefined
    const engine = await openEngine(faulty(tree, { fail }), faulty(store, { fail: whenGone }))
    await expect(act(engine)).rejects.toMatchObject({ code: 'IO' })
    return { tree, store }
  }

  const editBoth: Scenario['act'] = ({ changes }) =>
    changes.run({ label: 'both', scopes: [{ path: '/a' }, { path: '/b' }] }, async (draft) => {
      await draft.write('/a', encode('A'))
      await draft.write('/b', encode('B'))
    })

  async function contents(fs: FileSystem): Promise<Record<string, string>> {
    const found = Object.entries(await snapshot(fs)).map(([at, entry]) => [at, entry.replace(/^file \d+ /, '')])
    return Object.fromEntries(found)
  }

  test('is finished by the next server', async () => {
    const { tree, store } = await half({ a: 'a', b: 'b' }, editBoth, 'rename', 2)
    expect(await contents(tree)).toMatchObject({ '/a': 'A', '/b': 'b' })
    const { changes } = await openEngine(tree, store)
    expect(await changes.recover()).toMatchObject({ finished: [{ label: 'both' }], dropped: [], conflicts: [] })
    expect(await contents(tree)).toEqual({ '/a': 'A', '/b': 'B' })
  })

  test('is rolled back if someone else edited the rest of its files; their edit stays', async () => {
    const { tree, store } = await half({ a: 'a', b: 'b' }, editBoth, 'rename', 2)
    await tree.writeFile('/b', encode('theirs'))
    const { changes } = await openEngine(tree, store)
    expect(await changes.recover()).toMatchObject({ finished: [], dropped: [{ label: 'both' }], conflicts: ['/b'] })
    expect(await contents(tree)).toEqual({ '/a': 'a', '/b': 'theirs' })
  })

  test('has failed with the path of its file, not of the journal that had no space', async () => {
    const { tree, store } = await stage({ name: '', files: { a: 'a', b: 'b' }, act: editBoth })
    const full: FaultyOptions['fail'] = ({ name, path }) =>
      name === 'writeFile' ? new FsError('NO_SPACE', { path }) : undefined
    const failing = editBoth(await openEngine(tree, faulty(store, { fail: full })))
    await expect(failing).rejects.toMatchObject({ code: 'NO_SPACE', facts: { path: '/a' } })
    expect(await contents(tree)).toEqual({ '/a': 'a', '/b': 'b' })
  })

  test('stays done even if someone edited the file before the journal recorded it', async () => {
    const { tree, store } = await stage({ name: '', files: { a: 'a', b: 'b' }, act: editBoth })
    const toHistory: FaultyOptions['fail'] = ({ to, path }) =>
      to?.startsWith('/history') ? new FsError('NO_SPACE', { path }) : undefined
    await editBoth(await openEngine(tree, faulty(store, { fail: toHistory })))
    await tree.writeFile('/b', encode('theirs'))
    const { changes } = await openEngine(tree, store)
    expect(await changes.recover()).toMatchObject({ finished: [{ label: 'both' }], dropped: [], conflicts: ['/b'] })
    expect(await contents(tree)).toEqual({ '/a': 'A', '/b': 'theirs' })
  })

  test('is recovered before another running server changes the same files', async () => {
    const { tree, store } = await half({ a: 'a', b: 'b' }, editBoth, 'rename', 2)
    // It was not asked to recover.
    const running = await openEngine(tree, store)
    await running.changes.run({ label: 'append', scopes: [{ path: '/b' }] }, async (draft) => {
      const { bytes } = await draft.entry('/b')
      await draft.write('/b', encode(`${decode(bytes)}!`))
    })
    expect(await contents(tree)).toEqual({ '/a': 'A', '/b': 'B!' })
  })

  test('does not block changes of other files while it can not be recovered', async () => {
    const { tree, store } = await half({ a: 'a', b: 'b', c: 'c' }, editBoth, 'rename', 2)
    const denied: FaultyOptions['fail'] = ({ name, path, to }) =>
      name === 'rename' && to === '/b' ? new FsError('DENIED', { path }) : undefined
    const engine = await openEngine(faulty(tree, { fail: denied }), store)
    await write(engine, '/c', 'C')
    await expect(write(engine, '/a', 'mine')).rejects.toMatchObject({ code: 'DENIED' })
    expect(await contents(tree)).toMatchObject({ '/a': 'A', '/b': 'b', '/c': 'C' })
    expect((await (await openEngine(tree, store)).changes.recover()).finished).toMatchObject([{ label: 'both' }])
    expect(await contents(tree)).toEqual({ '/a': 'A', '/b': 'B', '/c': 'C' })
  })

  test('a directory that is closed to its owner is filled before it is closed, and opened before it is undone', async () => {
    const { tree, store } = await stage({ name: '', files: { 'd/a': 'a' }, act: editBoth })
    const { changes, history } = await openEngine(tree, store)
    const before = await snapshot(tree)
    await changes.run(
      {
        label: 'close',
        scopes: [
          { path: '/d', tree: true },
          { path: '/n', tree: true },
        ],
      },
      async (draft) => {
        await draft.setMode('/d', 0o555)
        await draft.write('/d/a', encode('A'))
        await draft.makeDirectory('/n', { mode: 0o555 })
        await draft.write('/n/b', encode('B'))
      },
    )
    expect([(await tree.stat('/d')).mode, (await tree.stat('/n')).mode]).toEqual([0o555, 0o555])
    await history.undo()
    expect(await snapshot(tree)).toEqual(before)
  })

  test('a record that can not be read is set aside and reported, and changes continue', async () => {
    for (const damage of ['', 'not a record', '{"record":{}}\n', 'cut'] as const) {
      const { tree, store } = await half({ a: 'a', b: 'b' }, editBoth, 'rename', 2)
      const name = (await store.readDir('/pending'))[0]?.name as string
      const whole = await store.readFile(`/pending/${name}`)
      await store.writeFile(`/pending/${name}`, damage === 'cut' ? whole.slice(0, -1) : encode(damage))
      const running = await openEngine(tree, store)
      const left = await contents(tree)
      await write(running, '/c', 'c')
      expect(await contents(tree)).toEqual({ ...left, '/c': 'c' })
      const { changes, history } = await openEngine(tree, store)
      expect(await changes.recover()).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [name] })
      expect(await store.readDir('/pending')).toEqual([])
      await history.undo()
      expect(await contents(tree)).toEqual(left)
    }
  })

  test('a change too large to undo is still all or nothing', async () => {
    const tree = memory({ a: 'a', b: 'b' })
    let faults = 0
    const failing: FaultyOptions['fail'] = ({ name, path, to }) => {
      if (name !== 'rename' || to !== '/b' || faults > 0) return undefined
      faults += 1
      return new FsError('DENIED', { path })
    }
    const fs = confine(faulty(tree, { fail: failing }), { roots: [{ path: '/', access: 'read-write' }] })
    const changes = createChanges({ fs, journal: await storedJournal(memory()), limits: { maxUndoBytes: 1 } })
    await expect(editBoth({ fs, changes, history: createHistory(fs, changes) })).rejects.toMatchObject({
      code: 'DENIED',
    })
    expect(await contents(tree)).toEqual({ '/a': 'a', '/b': 'b' })
  })
})
