import * as z from 'zod'
import type { ChangeRecord } from '../../change/journal/record.js'
import { isWithin } from '../../fs/path.js'
import { operation } from '../operation.js'
import { inTwoParts } from '../shared/two-phase-progress.js'

/** Takes a change back, the newest that stands unless named; itself a change that can be taken back. */
export const undoChange = operation({
  mutates: true,
  input: z.object({
    id: z.string().exactOptional(),
    /** Unless named, no change that is all below one of these is meant. */
    passOver: z.array(z.string()).default([]),
  }),

  async run({ id, passOver }, { fs, root, history }, context): Promise<ChangeRecord> {
    const { following } = inTwoParts(context)
    const own = passOver.map((path) => fs.resolve(path, root))
    const isPassedOver = ({ steps }: ChangeRecord) =>
      own.length > 0 && steps.every(({ path }) => own.some((directory) => isWithin(directory, path)))
    return history.undo(id, { isPassedOver, ...following })
  },
})

/** Names the present state, to come back to. */
export const setCheckpoint = operation({
  mutates: true,
  input: z.object({ name: z.string().min(1) }),

  run: ({ name }, { changes }): Promise<ChangeRecord> => changes.checkpoint(name),
})

/** Puts everything, or one path and what is below it, to how it was at a point; undefined when it is so already. */
export const restorePoint = operation({
  mutates: true,
  input: z.object({ point: z.string(), path: z.string().exactOptional() }),

  async run({ point, path }, { fs, root, history }, context): Promise<ChangeRecord | undefined> {
    const at = path === undefined ? {} : { path: await fs.locate(fs.resolve(path, root), 'keep') }
    return history.restore(point, { ...at, ...inTwoParts(context).following })
  },
})
