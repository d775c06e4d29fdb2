import * as z from 'zod'
import { FsError } from '../errors.js'
import { isWithin } from '../fs/path.js'
import { operation } from './operation.js'
import { twoPhaseProgress } from './shared/two-phase-progress.js'

export interface MovedEntry {
  from: string
  to: string
  kind: 'file' | 'directory' | 'symlink'
  replaced: boolean
}

/** Moves or renames a file, a link, or a directory with everything in it. A directory is never replaced. */
export const moveEntry = operation({
  mutates: true,
  input: z.object({
    from: z.string(),
    to: z.string(),
    /** Replace an existing file. */
    replace: z.boolean().default(false),
    /** Create missing parent directories of `to`. */
    makeParents: z.boolean().default(false),
  }),

  async run(input, { fs, root, changes }, context): Promise<MovedEntry> {
    const [from, to] = [fs.resolve(input.from, root), fs.resolve(input.to, root)]
    for (const path of [from, to]) if (fs.isRoot(path)) throw new FsError('IS_ROOT', { path })
    const scopes = [from, to].map((path) => ({ path, tree: true, last: 'keep' as const }))
    const { result } = await changes.run(
      { label: 'move', scopes, ...twoPhaseProgress(context).changeOptions },
      async (draft, paths) => {
        const [source, target] = paths as [string, string]
        const { image } = await draft.look(source)
        if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path: source })
        if (source === target) return { from, to, kind: image.kind, replaced: false }
        if (image.kind === 'directory' && isWithin(source, target)) {
          throw new FsError('INTO_ITSELF', { path: source, to: target })
        }
        if (input.makeParents) await draft.makeParents(target)
        const there = (await draft.look(target)).image.kind
        if (there === 'directory') throw new FsError('IS_A_DIRECTORY', { path: target })
        if (there !== 'absent') {
          if (!input.replace || image.kind === 'directory') throw new FsError('EXISTS', { path: target, from: source })
          await draft.remove(target)
        }
        await draft.move(source, target)
        return { from, to, kind: image.kind, replaced: there !== 'absent' }
      },
    )
    return result
  },
})
