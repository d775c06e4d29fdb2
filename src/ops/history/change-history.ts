import * as z from 'zod'
import type { Undone } from '../../change/history/history.js'
import type { ChangeRecord } from '../../change/journal/record.js'
import { isWithin } from '../../fs/path.js'
import { operation } from '../operation.js'
import { twoPhaseProgress } from '../shared/two-phase-progress.js'

/** Undoes a change, and keeps what others changed since. Default: the newest one that is not undone. This is itself a change, and can be undone. */
export const undoChange = operation({
  mutates: true,
  input: z.object({
    id: z.string().exactOptional(),
    /** By default, skip changes that lie entirely below these paths. */
    passOver: z.array(z.string()).default([]),
  }),

  async run({ id, passOver }, { fs, root, history }, context): Promise<ChangeRecord> {
    const { changeOptions } = twoPhaseProgress(context)
    const own = passOver.map((path) => fs.resolve(path, root))
    const isPassedOver = ({ steps }: ChangeRecord) =>
      own.length > 0 && steps.every(({ path }) => own.some((directory) => isWithin(directory, path)))
    return history.undo(id, { isPassedOver, ...changeOptions })
  },
})

/**
 * Undoes several changes as one, and does others again that were undone. What others changed since stays; where that was the same lines, or can't
 * be merged, `overlaps` decides: `refuse` changes nothing, `skip` leaves those files as they are, `discard` gives up what was changed since.
 */
export const undoChanges = operation({
  mutates: true,
  input: z.object({
    ids: z.array(z.string()),
    redo: z.array(z.string()).default([]),
    overlaps: z.enum(['refuse', 'skip', 'discard']).default('refuse'),
  }),

  run: ({ ids, redo, overlaps }, { history }, context): Promise<Undone> =>
    history.undoAll(ids, { redo, overlaps, ...twoPhaseProgress(context).changeOptions }),
})

/** Names the current state as a checkpoint. */
export const setCheckpoint = operation({
  mutates: true,
  input: z.object({ name: z.string().min(1) }),

  run: ({ name }, { changes }): Promise<ChangeRecord> => changes.checkpoint(name),
})

/** Restores everything, or one path with everything below it, to its state at a point. Returns undefined when nothing differs. */
export const restorePoint = operation({
  mutates: true,
  input: z.object({ point: z.string(), path: z.string().exactOptional() }),

  async run({ point, path }, { fs, root, history }, context): Promise<ChangeRecord | undefined> {
    const at = path === undefined ? {} : { path: await fs.locate(fs.resolve(path, root), 'keep') }
    return history.restore(point, { ...at, ...twoPhaseProgress(context).changeOptions })
  },
})
