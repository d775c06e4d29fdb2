/** Any sequence of operations has the same result on every backend, and can be undone step by step. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { processLocks } from '../../../src/change/locks/locks.js'
import { isFsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { applyPatch } from '../../../src/ops/apply-patch.js'
import { copyEntry } from '../../../src/ops/copy-entry.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { editText } from '../../../src/ops/edit-text.js'
import { compareVersions } from '../../../src/ops/history/read-history.js'
import { makeDirectory } from '../../../src/ops/make-directory.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import type { CallContext } from '../../../src/ops/operation.js'
import { setMode } from '../../../src/ops/set-mode.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { scaled } from '../../scale.js'
import { backends, type Stage, type Tree } from './stage.js'

const start: Tree = {
  'a/x': 'one\n',
  'a/b/y': { text: 'two\r\n', mode: '755' },
  'a/b/bin': new Uint8Array([0, 0xff, 0xfe]),
  'd/': '',
  z: 'one\n',
  to: { link: 'a/b' },
}

/** Few names, so that calls conflict. */
const path = fc.constantFrom('a', 'a/x', 'a/b', 'a/b/y', 'a/b/n', 'd', 'd/e', 'd/e/f', 'z', 'to', 'to/y', 'n')
const flag = fc.boolean()

type Act = (stage: Stage) => Promise<unknown>

const act: fc.Arbitrary<[name: string, act: Act]> = fc.oneof(
  fc.tuple(path, path, fc.constantFrom('', 'one\n', 'new\r\n'), flag).map(([one, other, content, makeParents]) => {
    const files = [one, other].map((at) => ({ path: at, content }))
    return named(`write ${one} ${other} ${makeParents}`, ({ run }) => run(writeFiles, { files, makeParents }))
  }),
  path.map((at) =>
    named(`edit ${at}`, ({ run }) =>
      run(editText, { path: at, edits: [{ kind: 'literal', find: 'one', replace: 'uno\ndue' }] }),
    ),
  ),
  fc.tuple(path, path).map(([from, to]) => {
    const patch = `--- /dev/null\n+++ b/${to}\n@@ -0,0 +1 @@\n+patched\n--- a/${from}\n+++ b/d/g/h\n`
    return named(`patch ${from} ${to}`, ({ run }) => run(applyPatch, { patch }))
  }),
  path.map((at) => named(`make ${at}`, ({ run }) => run(makeDirectory, { path: at }))),
  fc
    .tuple(path, path, flag, flag)
    .map(([from, to, replace, makeParents]) =>
      named(`move ${from} ${to} ${replace}`, ({ run }) => run(moveEntry, { from, to, replace, makeParents })),
    ),
  fc
    .tuple(path, path, flag)
    .map(([from, to, makeParents]) =>
      named(`copy ${from} ${to}`, ({ run }) => run(copyEntry, { from, to, makeParents })),
    ),
  fc
    .tuple(path, flag)
    .map(([at, recursive]) => named(`delete ${at}`, ({ run }) => run(deleteEntry, { path: at, recursive }))),
  fc
    .tuple(path, fc.constantFrom(0o700, 0o755))
    .map(([at, mode]) => named(`mode ${at}`, ({ run }) => run(setMode, { path: at, mode }))),
)

function named(name: string, run: Act): [string, Act] {
  return [name, run]
}

/** The result of a call, or the code of its failure. */
function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error) => {
    if (isFsError(error)) return { refused: error.code }
    throw error
  })
}

const acts = fc.array(act, { minLength: 1, maxLength: 12 })

test('memory and a real directory agree on every result, refusal and tree', async () => {
  const property = fc.asyncProperty(acts, async (sequence) => {
    const [one, other] = await Promise.all(backends.map(([, open]) => open(start)))
    for (const [, run] of sequence) {
      expect(await outcome(run(one as Stage))).toEqual(await outcome(run(other as Stage)))
      expect(await one?.tree()).toEqual(await other?.tree())
    }
    expect([await one?.leftovers(), await other?.leftovers()]).toEqual([[], []])
  })
  await fc.assert(property, { numRuns: scaled(30) })
})

describe.each(backends)('%s', (name, open) => {
  const numRuns = scaled(name === 'in memory' ? 100 : 20)

  test('undo reverts one change after the other', async () => {
    const property = fc.asyncProperty(acts, async (sequence) => {
      const stage = await open(start)
      const { history } = stage.workspace
      const passed = [await stage.tree()]
      for (const [, run] of sequence) {
        const known = (await history.list()).length
        await outcome(run(stage))
        if ((await history.list()).length > known) passed.push(await stage.tree())
      }
      for (const tree of passed.slice(0, -1).reverse()) {
        await history.undo()
        expect(await stage.tree()).toEqual(tree)
      }
      await expect(history.undo()).rejects.toMatchObject({ code: 'UNKNOWN_POINT' })
      expect(await stage.leftovers()).toEqual([])
    })
    await fc.assert(property, { numRuns })
  })

  test('restore returns to a checkpoint in one change, which can itself be undone', async () => {
    const property = fc.asyncProperty(acts, acts, async (before, after) => {
      const stage = await open(start)
      const { changes, history } = stage.workspace
      for (const [, run] of before) await outcome(run(stage))
      const tree = await stage.tree()
      await changes.checkpoint('here')
      for (const [, run] of after) await outcome(run(stage))
      const last = await stage.tree()
      const record = await history.restore('here')
      expect(await stage.tree()).toEqual(tree)
      if (record === undefined) return
      await history.undo(record.id)
      expect(await stage.tree()).toEqual(last)
      expect(await stage.leftovers()).toEqual([])
    })
    await fc.assert(property, { numRuns })
  })
})

test('a part of a workspace has the history of that part, and neither shows nor undoes changes of the rest', async () => {
  const workspace = createWorkspace({ fs: memory({ '/in/': '', '/out/': '' }) })
  const write = (path: string, content: string) =>
    writeFiles.run(writeFiles.input.parse({ files: [{ path, content }] }), workspace, {})
  await write('/in/a', 'one')
  await write('/out/secret', 'first')
  await write('/in/a', 'two')
  await write('/out/secret', 'second')
  await moveEntry.run(moveEntry.input.parse({ from: '/in/a', to: '/out/a' }), workspace, {})
  await workspace.history.undo()
  const everything = await workspace.history.list()
  const part = await workspace.narrow(['/in'])
  const own = await part.history.list()
  expect(own.map(({ steps }) => steps.map(({ path }) => path))).toEqual([['/in/a'], ['/in/a']])
  expect(await part.history.list({ limit: 1 })).toEqual(own.slice(0, 1))
  for (const { id } of everything.filter((one) => !own.some(({ id: known }) => known === one.id))) {
    const unknown = { code: 'UNKNOWN_POINT', facts: { point: id } }
    await expect(part.history.find(id)).rejects.toMatchObject(unknown)
    await expect(compareVersions.run({ only: id }, part, {})).rejects.toMatchObject(unknown)
    await expect(part.history.undo(id)).rejects.toMatchObject(unknown)
  }
  expect((await part.history.differences(undefined)).map(({ path }) => path)).toEqual(['/in/a'])
  await part.history.undo()
  expect(new TextDecoder().decode(await workspace.fs.readFile('/in/a'))).toBe('one')
  expect(new TextDecoder().decode(await workspace.fs.readFile('/out/secret'))).toBe('second')
})

test.each([
  ['make directory', (context: CallContext, on: Workspace) => makeDirectory.run({ path: 'n' }, on, context)],
  ['set mode', (context: CallContext, on: Workspace) => setMode.run({ path: 'a', mode: 0o600 }, on, context)],
  [
    'edit',
    (context: CallContext, on: Workspace) => {
      const edits = [{ kind: 'literal' as const, find: 'A', replace: 'B' }]
      return editText.run(editText.input.parse({ path: 'a', edits }), on, context)
    },
  ],
])('aborted while others keep it waiting, it is not made: %s', async (_what, run) => {
  const locks = processLocks()
  const workspace = createWorkspace({ fs: memory({ '/a': 'A' }), locks })
  await workspace.ready
  const abort = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  await locks.hold([{ path: '/', tree: true }], async () => {
    running = run({ signal: abort.signal }, workspace).catch((error) => error)
    abort.abort()
  })
  expect(await running).toMatchObject({ code: 'ABORTED' })
  expect(await workspace.history.list()).toEqual([])
})
