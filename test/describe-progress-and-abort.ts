/** Calls that change many files: which progress they report, and what an abort does at each of these reports. */
import { afterEach, describe, expect, test } from 'vitest'
import { writeArchive } from '../src/archive/write-archive.js'
import { walk } from '../src/fs/walk/walk.js'
import { applyPatch } from '../src/ops/apply-patch.js'
import { extractArchive } from '../src/ops/archive/extract-archive.js'
import { copyEntry } from '../src/ops/copy-entry.js'
import { deleteEntry } from '../src/ops/delete-entry.js'
import { restorePoint, undoChange } from '../src/ops/history/change-history.js'
import type { CallContext } from '../src/ops/operation.js'
import { writeFiles } from '../src/ops/write-files.js'
import type { Workspace } from '../src/workspace/workspace.js'
import { sample } from './scale.js'

export interface FollowedPlace {
  workspace: Workspace
  /** Everything on the backend itself, with staged files that are not renamed into place yet. */
  names(): Promise<string[]>
  dispose?(): void | Promise<void>
}

const count = 5
const names = Array.from({ length: count }, (_, at) => `d/f${at}.txt`)
const text = (name: string) => new TextEncoder().encode(`${name}\n`)
const archive = await writeArchive(names.map((name) => ({ path: name, kind: 'file', bytes: text(`new ${name}`) })))
const patch = names.map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-${name}\n+patched\n`).join('')

const calls: ReadonlyArray<[string, (workspace: Workspace, context: CallContext) => Promise<unknown>]> = [
  ['an extraction', (...given) => run(extractArchive, { path: 'a.zip', to: 'out' }, ...given)],
  ['a copy', (...given) => run(copyEntry, { from: 'd', to: 'e' }, ...given)],
  ['a deletion', (...given) => run(deleteEntry, { path: 'd', recursive: true }, ...given)],
  ['a patch', (...given) => run(applyPatch, { patch }, ...given)],
  [
    'several files written',
    (...given) => run(writeFiles, { files: names.map((path) => ({ path, content: 'written' })) }, ...given),
  ],
  ['an undo', (...given) => run(undoChange, {}, ...given)],
  ['a restoration', (...given) => run(restorePoint, { point: 'empty' }, ...given)],
]

/** `open` makes an empty workspace. */
export function describeFollowing(name: string, open: () => Promise<FollowedPlace>): void {
  describe(name, () => {
    const opened: FollowedPlace[] = []
    afterEach(async () => {
      for (const { dispose } of opened.splice(0)) await dispose?.()
    })

    async function plant(): Promise<FollowedPlace> {
      const place = await open()
      const { workspace } = place
      opened.push(place)
      await workspace.ready
      await workspace.changes.checkpoint('empty')
      const files = [...names.map((path) => ({ path, content: text(path) })), { path: 'a.zip', content: archive }]
      await run(writeFiles, { files, makeParents: true }, workspace, {})
      return place
    }

    test.each(calls)(
      '%s grows to its total, and is made whole or not at all whenever it is aborted',
      async (_, call) => {
        const whole = await plant()
        const reports: Array<{ done: number; total?: number }> = []
        await call(whole.workspace, { onProgress: (progress) => reports.push(progress) })
        const totals = reports.flatMap(({ total }) => total ?? [])
        const final = totals.at(-1) ?? Number.NaN
        expect(reports.at(-1)).toEqual({ done: final, total: final })
        expect(new Set(totals)).toEqual(new Set([final]))
        const done = reports.map(({ done }) => done)
        expect(done).toEqual([...new Set(done)].sort((a, b) => a - b))
        const after = await state(whole)

        const outcomes: string[] = []
        // An aborted call leaves everything as it was, so the next call uses the same place.
        let place = await plant()
        const before = await state(place)
        for (const at of new Set([...sample(done, { every: 4 }), final])) {
          if (outcomes.at(-1) === 'made') {
            place = await plant()
            expect(await state(place)).toEqual(before)
          }
          const stopper = new AbortController()
          const onProgress = ({ done }: { done: number }) => done === at && stopper.abort()
          const outcome = await call(place.workspace, { onProgress, signal: stopper.signal }).then(
            () => 'made',
            (error: Error & { code?: unknown }) => `${error.name} ${error.code}`,
          )
          outcomes.push(outcome === 'made' ? 'made' : 'aborted')
          expect({ at, outcome: outcome === 'made' || /abort/i.test(outcome) }).toEqual({ at, outcome: true })
          expect({ at, state: await state(place) }).toEqual({ at, state: outcome === 'made' ? after : before })
        }
        // Up to one report an abort undoes everything, from then on the change is made.
        expect(outcomes).toEqual([...outcomes].sort())
        expect(outcomes.at(-1)).toBe('made')
      },
    )

    test('a call that is aborted before it begins does nothing', async () => {
      const place = await plant()
      const before = await state(place)
      for (const [, call] of calls) {
        await expect(call(place.workspace, { signal: AbortSignal.abort() })).rejects.toThrow()
        expect(await state(place)).toEqual(before)
      }
    })
  })
}

interface Runnable {
  input: { parse(given: unknown): unknown }
  run(input: never, workspace: Workspace, context: CallContext): Promise<unknown>
}

function run(operation: Runnable, input: unknown, workspace: Workspace, context: CallContext): Promise<unknown> {
  return operation.run(operation.input.parse(input) as never, workspace, context)
}

/** Every entry with its text, leftover files, the length of the history, and pending changes. */
async function state({ workspace, names }: FollowedPlace): Promise<unknown> {
  const { fs, root, history, changes } = workspace
  const tree: Record<string, string> = {}
  for await (const { path, kind } of walk(fs, root)) {
    tree[path.slice(root.length)] = kind === 'file' ? new TextDecoder().decode(await fs.readFile(path)) : kind
  }
  const pending = await changes.journal.pending(new Set())
  return { tree, names: (await names()).sort(), changes: (await history.list()).length, pending }
}
