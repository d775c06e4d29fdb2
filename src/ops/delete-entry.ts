import * as z from 'zod'
import { FsError } from '../errors.js'
import { walk } from '../fs/walk/walk.js'
import { onUnreadable, operation } from './operation.js'
import { twoPhaseProgress } from './shared/two-phase-progress.js'

export interface DeletedEntry {
  path: string
  kind: 'file' | 'directory' | 'symlink'
  /** How many entries were deleted, the named one included. */
  entries: number
  /** False when the deleted content is too large for the history. */
  undoable: boolean
}

/** Deletes a file, a link (not its target), or a directory with everything in it. Never a root. */
export const deleteEntry = operation({
  mutates: true,
  input: z.object({
    path: z.string(),
    /** Without it, a directory that is not empty is refused. */
    recursive: z.boolean().default(false),
  }),

  async run({ path: input, recursive }, { fs, root, changes }, context): Promise<DeletedEntry> {
    const given = fs.resolve(input, root)
    if (fs.isRoot(given)) throw new FsError('IS_ROOT', { path: given })
    const { signal } = context
    const { prepared, changeOptions } = twoPhaseProgress(context)
    const request = { label: 'delete', scopes: [{ path: given, tree: true, last: 'keep' as const }], ...changeOptions }
    const { result, record } = await changes.run(request, async (draft, [at]) => {
      const path = at as string
      const { image } = await draft.look(path)
      if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path })
      let entries = 1
      if (image.kind === 'directory') {
        for await (const entry of walk(fs, path, { onUnreadable, ...(signal && { signal }) })) {
          if (!recursive) throw new FsError('NOT_EMPTY', { path })
          await draft.remove(entry.path)
          entries += 1
          prepared()
        }
      }
      await draft.remove(path)
      return { path: given, kind: image.kind, entries }
    })
    return { ...result, undoable: record?.undoable ?? true }
  },
})
