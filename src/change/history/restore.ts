import { FsError } from '../../errors.js'
import type { ProgressOptions } from '../commit-context.js'
import { type ChangeRecord, type Step, scopesOf } from '../journal/record.js'
import { required } from '../steps.js'
import { contentsAt } from './contents-at.js'
import { touches } from './history-records.js'
import { restorePath } from './restore-path.js'
import { timeline } from './timeline.js'
import { notUndoable, type Undoing, type UndoingOptions } from './undo.js'

export interface RestoreOptions extends ProgressOptions {
  path?: string
}

/** Restores everything, or one path and all below it, to the state right after a point. */
export async function restore(
  point: string,
  { path, ...following }: RestoreOptions,
  { fs, records, content, merged, goBack }: Omit<UndoingOptions, 'changes'> & Pick<Undoing, 'merged' | 'goBack'>,
): Promise<ChangeRecord | undefined> {
  const since = await records.after(point)
  const undo = path === undefined ? since : since.filter((record) => touches(record, path))
  const blocked = undo.find(({ undoable, checkpoint }) => !undoable && checkpoint === undefined)
  if (blocked !== undefined) throw notUndoable(blocked)
  if (undo.length === 0) return undefined
  const gitDirectories = [...new Set(undo.flatMap((record) => record.gitDirectories ?? []))]
  const request = { label: `restore ${point}`, gitDirectories, ...following }
  if (path !== undefined) {
    const isMove = (step: Step) => step.do === 'rename'
    const moves = since.flatMap((record) => scopesOf({ ...record, steps: record.steps.filter(isMove) }))
    const scopes = [{ path, exact: true, tree: true }, ...moves]
    const contentOf = contentsAt(since, { fs, content })
    const { record } = await goBack({ ...request, scopes }, (draft) =>
      restorePath(path, {
        fs: fs.exact,
        draft,
        timeline: timeline(since),
        bytesOf: async (at, image) => required(await contentOf(image, at), at),
      }),
    )
    return record
  }
  const { record, kept } = await merged(undo.reverse(), {
    label: `restore ${point}`,
    overlaps: 'refuse',
    isRestored: true,
    ...following,
  })
  const [used] = kept
  if (record === undefined && used !== undefined) throw new FsError('CONFLICT', { path: used })
  return record
}
