import * as z from 'zod'
import type { Draft } from '../../change/draft.js'
import { FsError } from '../../errors.js'
import { outputBounds } from '../../fs/output-directory.js'
import { dirname, join } from '../../fs/path.js'
import type { Workspace } from '../../workspace/workspace.js'
import { operation } from '../operation.js'

const label = 'keep output'
const allIgnored = '*\n'

/** How many recent changes are searched for files that were stored in the tree. */
const recentChanges = 1000

/**
 * Stores output that does not fit into an answer in a file: in the workspace's own place for it, otherwise in a directory of the tree that
 * git ignores. That directory is one that was created here, and is never reached through a link; anything else at its path fails. Removes
 * old files when they are too old or too many, but only those that the history knows to be written here and that are unchanged since.
 */
export const spillOutput = operation({
  mutates: true,
  input: z.object({
    /** In the tree, relative to the root of the workspace. */
    directory: z.string(),
    name: z.string(),
    content: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
    /** Store it in the tree even where the workspace has its own place. */
    inTree: z.boolean().default(false),
    maxAgeMs: z.number().default(outputBounds.maxAgeMs),
    maxBytes: z.number().default(outputBounds.maxBytes),
  }),

  async run({ directory, name, content, inTree, maxAgeMs, maxBytes }, workspace): Promise<{ path: string }> {
    const { fs, root, changes, output, now } = workspace
    if (output !== undefined && !inTree) return { path: await output.keep(name, content) }
    const place = fs.resolve(directory, root)
    const known = await writtenHere(place, workspace)
    const scopes = [{ path: place, tree: true, exact: true }]
    await changes.run({ label, scopes }, async (draft) => {
      await prepareDirectory(draft, place)
      const path = join(place, name)
      await draft.write(path, content)
      for (const old of await outOfBounds(
        draft,
        known.filter((one) => one.path !== path),
        content.length,
        { oldestMs: now() - maxAgeMs, maxBytes },
      )) {
        await draft.remove(old)
      }
    })
    return { path: join(directory, name) }
  },
})

/** Removes the output stored in a directory of the tree, except files that were changed since. */
export async function removeOutput(place: string, workspace: Workspace): Promise<void> {
  const known = await writtenHere(place, workspace)
  if (known.length === 0) return
  const scopes = [{ path: place, tree: true, exact: true }]
  await workspace.changes.run({ label, scopes }, async (draft) => {
    for (const path of await outOfBounds(draft, known, 0, { oldestMs: 0, maxBytes: -1 })) await draft.remove(path)
  })
}

/** Creates the directory with a rule that makes git ignore it, or checks that it is one that was created here. */
async function prepareDirectory(draft: Draft, place: string): Promise<void> {
  const { image } = await draft.entry(place)
  const rules = join(place, '.gitignore')
  if (image.kind === 'absent') {
    await draft.makeDirectory(place)
    await draft.write(rules, new TextEncoder().encode(allIgnored))
    return
  }
  if (image.kind === 'symlink') throw new FsError('IS_LINK', { path: place })
  if (image.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path: place })
  const { bytes } = await draft.entry(rules)
  if (bytes === undefined || new TextDecoder().decode(bytes) !== allIgnored)
    throw new FsError('EXISTS', { path: place })
}

interface Written {
  path: string
  hash: string
  size: number
  atMs: number
}

/** The files that this operation wrote into a directory, according to the history: newest first, without repetitions. */
async function writtenHere(place: string, { changes }: Workspace): Promise<Written[]> {
  const found = new Map<string, Written>()
  for (const record of (await changes.journal.history(recentChanges)).reverse()) {
    if (record.label !== label) continue
    for (const step of record.steps) {
      if (step.do !== 'set' || step.after.kind !== 'file' || dirname(step.path) !== place || found.has(step.path))
        continue
      const { hash, size } = step.after
      found.set(step.path, { path: step.path, hash, size, atMs: record.atMs })
    }
  }
  return [...found.values()].filter(({ path }) => path !== join(place, '.gitignore'))
}

/** The files that are unchanged since they were written, and too old or, counted from the newest, too many. */
async function outOfBounds(
  draft: Draft,
  written: readonly Written[],
  newBytes: number,
  { oldestMs, maxBytes }: { oldestMs: number; maxBytes: number },
): Promise<string[]> {
  const removed: string[] = []
  let total = newBytes
  for (const { path, hash, size, atMs } of written) {
    const { image, stat } = await draft.entry(path)
    if (image.kind !== 'file' || image.hash !== hash) continue
    total += size
    const sinceMs = Math.min(atMs, stat?.modifiedMs ?? atMs)
    if (sinceMs < oldestMs || total > maxBytes) removed.push(path)
  }
  return removed
}
