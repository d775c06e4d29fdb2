import * as z from 'zod'
import { FsError } from '../errors.js'
import { isWithin, join, relative } from '../fs/path.js'
import { walk } from '../fs/walk/walk.js'
import { onUnreadable, operation } from './operation.js'
import { twoPhaseProgress } from './shared/two-phase-progress.js'

export interface CopiedEntry {
  from: string
  to: string
  /** How many entries were created, the named one included. */
  entries: number
}

/** Copies a file, a link, or a directory with everything in it, to a path where nothing exists. Links are copied as links. */
export const copyEntry = operation({
  mutates: true,
  input: z.object({
    from: z.string(),
    to: z.string(),
    /** Create missing parent directories of `to`. */
    makeParents: z.boolean().default(false),
  }),

  async run(input, { fs, root, changes }, context): Promise<CopiedEntry> {
    const [from, to] = [fs.resolve(input.from, root), fs.resolve(input.to, root)]
    const scopes = [from, to].map((path) => ({ path, tree: true, last: 'keep' as const }))
    const { signal } = context
    const { prepared, changeOptions } = twoPhaseProgress(context)
    const request = { label: 'copy', scopes, ...changeOptions }
    const { result } = await changes.run(request, async (draft, paths) => {
      const [source, target] = paths as [string, string]
      const { kind } = (await draft.look(source)).image
      if (kind === 'absent') throw new FsError('NOT_FOUND', { path: source })
      if (kind === 'directory' && source !== target && isWithin(source, target)) {
        throw new FsError('INTO_ITSELF', { path: source, to: target })
      }
      if ((await draft.look(target)).image.kind !== 'absent') throw new FsError('EXISTS', { path: target })
      if (input.makeParents) await draft.makeParents(target)

      async function copy(path: string, copied: string): Promise<void> {
        const { image } = await draft.look(path)
        const mode = 'mode' in image && image.mode !== undefined ? { mode: image.mode } : {}
        if (image.kind === 'directory') await draft.makeDirectory(copied, mode)
        else if (image.kind === 'symlink') await draft.link(copied, image)
        else await draft.copy(path, copied, mode)
        prepared()
      }

      let entries = 1
      await copy(source, target)
      if (kind === 'directory') {
        for await (const { path } of walk(fs, source, { onUnreadable, ...(signal && { signal }) })) {
          await copy(path, join(target, relative(source, path)))
          entries += 1
        }
      }
      return { from, to, entries }
    })
    return result
  },
})
