import * as z from 'zod'
import { FsError } from '../../errors.js'
import type { Workspace } from '../../workspace/workspace.js'
import { type CallContext, operation } from '../operation.js'
import { twoPhaseProgress } from '../shared/two-phase-progress.js'
import { draftTree } from './draft-tree.js'
import { shallowFirst } from './pairs.js'

export interface DeletedEntry {
  path: string
  kind: 'file' | 'directory' | 'symlink'
  /** How many entries were deleted, the named one included; each is counted once. */
  entries: number
  /** False when the deleted content is too large for the history. */
  undoable: boolean
}

/** Deletes files, links (not their targets) and directories with everything in them: all or none. Never a root. */
export const deleteEntries = operation({
  mutates: true,
  input: z.object({
    /** A path that occurs twice counts once. */
    paths: z.array(z.string()).min(1),
    /** Without it, a directory is refused that has other entries than those named. */
    recursive: z.boolean().default(false),
  }),
  run: deleteAll,
})

export async function deleteAll(
  { paths, recursive }: { paths: readonly string[]; recursive: boolean },
  workspace: Workspace,
  context: CallContext,
): Promise<DeletedEntry[]> {
  const { fs, root, changes } = workspace
  const given = paths.map((path) => fs.resolve(path, root))
  for (const path of given) if (fs.isRoot(path)) throw new FsError('IS_ROOT', { path })
  const { signal } = context
  const { prepared, changeOptions } = twoPhaseProgress(context)
  const scopes = given.map((path) => ({ path, tree: true, last: 'keep' as const }))
  const { result, record } = await changes.run(
    { label: 'delete', scopes, everyDirectory: recursive, ...changeOptions },
    async (draft, located) => {
      const wanted = new Map(
        located.map((path, index) => [fs.comparable(path), { path, named: given[index] as string }]),
      )
      const kinds = new Map<string, DeletedEntry['kind']>()
      for (const { path } of wanted.values()) {
        const { kind } = (await draft.entry(path)).image
        if (kind === 'absent') throw new FsError('NOT_FOUND', { path })
        kinds.set(path, kind)
      }
      const entries = new Map<string, number>()
      // The innermost first, so that a directory may be empty when its turn comes.
      for (const { path } of [...wanted.values()].sort((a, b) => shallowFirst(b.path, a.path))) {
        entries.set(path, await remove(path))
      }
      return [...wanted.values()].map(({ path, named }) => ({
        path: named,
        kind: kinds.get(path) as DeletedEntry['kind'],
        entries: entries.get(path) as number,
      }))

      async function remove(path: string): Promise<number> {
        let count = 1
        if (kinds.get(path) === 'directory') {
          for await (const part of draftTree(workspace, draft, path, signal ? { signal } : {})) {
            for (const entry of part) {
              if (wanted.size > 1 && (await draft.entry(entry.path)).image.kind === 'absent') continue
              if (!recursive) throw new FsError('NOT_EMPTY', { path })
              await draft.remove(entry.path)
              count += 1
              prepared()
            }
          }
        }
        await draft.remove(path)
        return count
      }
    },
  )
  return result.map((entry) => ({ ...entry, undoable: record?.undoable ?? true }))
}
