/** Merges of generated forks, compared with a model in which every line is another one, so that the right merge is obvious. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { sqlJs } from '../../core/fs/sqlite-database.js'
import { scaled } from '../../scale.js'

const database = await sqlJs()

const backends: Record<string, () => Promise<FileSystem>> = {
  memory: async () => memory(),
  overlay: async () => overlay(memory(), memory()),
  sqlite: async () => sqlite(database()),
  async disk() {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-forks-'))
    const disk = nodeFs(directory)
    onTestFinished(() => {
      disk.close()
      fs.rmSync(directory, { recursive: true, force: true })
    })
    return disk
  },
}

/** Of the slower ones fewer. */
const runs: Record<string, number> = { sqlite: 300, disk: 300 }

/** What a side does with a file. `same`: to a place to which the other side may move it too. */
const fate = fc.constantFrom('keep', 'keep', 'keep', 'remove', 'move', 'same')
/** What a side makes of each place of a file; `both` is the same on both sides. */
const slot = fc.constantFrom('none', 'none', 'ours', 'theirs', 'both', 'clash')
const file = fc.record({
  ours: fate,
  theirs: fate,
  slots: fc.array(slot, { minLength: 1, maxLength: 6 }),
  movesFirst: fc.boolean(),
})
const files = fc.array(file, { maxLength: 12 })
type File = typeof file extends fc.Arbitrary<infer One> ? One : never
type Side = 'ours' | 'theirs'

/** A file as a side leaves it; undefined if it is gone. */
interface Left {
  path: string
  text: string
}

function basePath(at: number): string {
  return `/d${at % 3}/f${at}.txt`
}

function textOf({ slots }: File, at: number, line: (slot: File['slots'][number], index: number) => string): string {
  return slots.map((kind, index) => `${line(kind, index)}\nbetween ${at} ${index}\n`).join('')
}

function baseText(one: File, at: number): string {
  return textOf(one, at, (_, index) => `old ${at} ${index}`)
}

function sideOf(one: File, at: number, side: Side): Left | undefined {
  if (one[side] === 'remove') return undefined
  const places = { keep: basePath(at), move: `/${side}/f${at}.txt`, same: `/same/f${at}.txt` }
  const text = textOf(one, at, (kind, index) => {
    if (kind === side) return `${side} ${at} ${index}`
    if (kind === 'both') return `both ${at} ${index}`
    return kind === 'clash' ? `${side} ${at} ${index}` : `old ${at} ${index}`
  })
  return { path: places[one[side]], text }
}

function merged(one: File, at: number, favor: Side): { left?: Left; conflicts: string[] } {
  const [ours, theirs] = [sideOf(one, at, 'ours'), sideOf(one, at, 'theirs')]
  const isAsBase = (side: Left) => side.path === basePath(at) && side.text === baseText(one, at)
  if (ours === undefined && theirs === undefined) return { conflicts: [] }
  if (ours === undefined || theirs === undefined) {
    const left = (ours ?? theirs) as Left
    if (isAsBase(left)) return { conflicts: [] }
    const taken = favor === 'ours' ? ours : theirs
    const reason = ours === undefined ? 'removed-in-ours' : 'removed-in-theirs'
    return { conflicts: [`${left.path} ${reason}`], ...(taken && { left: taken }) }
  }
  const areBothMoved = ours.path !== basePath(at) && theirs.path !== basePath(at) && ours.path !== theirs.path
  const favored = favor === 'ours' ? ours.path : theirs.path
  const place = areBothMoved ? favored : ours.path === basePath(at) ? theirs.path : ours.path
  const text = textOf(one, at, (kind, index) => {
    if (kind === 'none') return `old ${at} ${index}`
    return kind === 'clash' ? `${favor} ${at} ${index}` : `${kind} ${at} ${index}`
  })
  const conflicts = [...(areBothMoved ? [`${ours.path} moved`] : [])]
  for (const kind of one.slots) if (kind === 'clash') conflicts.push(`${ours.path} lines`)
  return { left: { path: place, text }, conflicts }
}

async function make(workspace: Workspace, given: readonly File[], side: Side): Promise<void> {
  for (const [at, one] of given.entries()) {
    const [from, left] = [basePath(at), sideOf(one, at, side)]
    if (left === undefined) {
      await workspace.run(deleteEntry, { path: from })
      continue
    }
    const move = async () => {
      if (left.path !== from) await workspace.run(moveEntry, { from, to: left.path, makeParents: true })
    }
    if (one.movesFirst) await move()
    const path = one.movesFirst ? left.path : from
    if (left.text !== baseText(one, at)) await workspace.run(writeFiles, { files: [{ path, content: left.text }] })
    if (!one.movesFirst) await move()
  }
}

async function contents({ fs: tree }: Workspace): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { path: at, kind } of walk(tree, '/')) {
    if (kind === 'file') found[at] = new TextDecoder().decode(await tree.readFile(at))
  }
  return found
}

for (const [name, open] of Object.entries(backends)) {
  test(`merges on ${name} are those of the model`, { timeout: 600_000 }, async () => {
    const property = fc.asyncProperty(files, fc.constantFrom<Side>('ours', 'theirs'), async (given, favor) => {
      const base = createWorkspace({ fs: await open() })
      const all = given.map((one, at) => ({ path: basePath(at), content: baseText(one, at) }))
      if (all.length > 0) await base.run(writeFiles, { files: all, makeParents: true })
      const fork = await base.fork()
      await make(fork, given, 'theirs')
      await make(base, given, 'ours')
      const before = await contents(base)

      const expected = given.map((one, at) => merged(one, at, favor))
      const found = await base.merge(fork)
      const listed = found.conflicts.map(({ path: at, reason }) => `${at} ${reason}`)
      expect(listed.sort()).toEqual(expected.flatMap(({ conflicts }) => conflicts).sort())
      if (listed.length > 0) expect(await contents(base)).toEqual(before)
      const { record } = listed.length === 0 ? found : await base.merge(fork, { favor })
      const left = expected.flatMap((one) => (one.left === undefined ? [] : [one.left]))
      expect(await contents(base)).toEqual(Object.fromEntries(left.map((one) => [one.path, one.text])))
      expect((await base.merge(fork)).merged).toEqual([])
      if (record !== undefined) await base.history.undo(record.id)
      expect(await contents(base)).toEqual(before)
      await fork.discard()
    })
    await fc.assert(property, { numRuns: scaled(runs[name] ?? 1000) })
  })
}
