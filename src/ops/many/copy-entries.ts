import * as z from 'zod'
import { FsError } from '../../errors.js'
import { isWithin, join, relative } from '../../fs/path.js'
import type { Workspace } from '../../workspace/workspace.js'
import { type CallContext, operation } from '../operation.js'
import { twoPhaseProgress } from '../shared/two-phase-progress.js'
import { draftTree } from './draft-tree.js'
import { type PlacedPair, pairsInput, pairsOf, placed, refuseSameTargets, shallowFirst } from './pairs.js'

export interface CopiedEntry {
  from: string
  to: string
  /** How many entries were created, the named one included. */
  entries: number
}

/**
 * Copies files, links, and directories with everything in them, to paths where nothing exists: all or none. Copies are made of the tree as
 * it was before the call. Links are copied as links.
 */
export const copyEntries = operation({
  mutates: true,
  input: z.intersection(
    pairsInput,
    z.object({
      /** Create missing parent directories. */
      makeParents: z.boolean().default(false),
    }),
  ),
  run: copyAll,
})

export async function copyAll(
  input: z.output<typeof pairsInput> & { makeParents: boolean },
  workspace: Workspace,
  context: CallContext,
): Promise<CopiedEntry[]> {
  const { changes } = workspace
  const { signal } = context
  const { pairs, scopes } = await pairsOf(input, workspace)
  const { prepared, changeOptions } = twoPhaseProgress(context)
  const { result } = await changes.run({ label: 'copy', scopes, ...changeOptions }, async (draft, located) => {
    const copies = placed(workspace, pairs, located)
    // All are looked at before the first is copied: what another pair makes is not a source.
    for (const { source, target } of copies) {
      const { kind } = (await draft.entry(source)).image
      if (kind === 'absent') throw new FsError('NOT_FOUND', { path: source })
      if (kind === 'directory' && source !== target && isWithin(source, target)) {
        throw new FsError('INTO_ITSELF', { path: source, to: target })
      }
    }
    refuseSameTargets(workspace, copies)
    const entries = new Map<PlacedPair, number>()
    for (const pair of [...copies].sort((a, b) => shallowFirst(a.target, b.target))) {
      entries.set(pair, await copyTree(pair))
    }
    return copies.map((pair) => ({ from: pair.from, to: pair.to, entries: entries.get(pair) as number }))

    async function copyTree({ source, target }: PlacedPair): Promise<number> {
      if ((await draft.entry(target)).image.kind !== 'absent') throw new FsError('EXISTS', { path: target })
      if (input.makeParents) await draft.makeParents(target)
      let count = 1
      await copy(source, target)
      if ((await draft.entry(source)).image.kind === 'directory') {
        for await (const part of draftTree(workspace, draft, source, signal ? { signal } : {})) {
          for (const { path } of part) await copy(path, join(target, relative(source, path)))
          count += part.length
        }
      }
      return count
    }

    async function copy(path: string, copied: string): Promise<void> {
      const { image } = await draft.entry(path)
      const mode = 'mode' in image && image.mode !== undefined ? { mode: image.mode } : {}
      if (image.kind === 'directory') await draft.makeDirectory(copied, mode)
      else if (image.kind === 'symlink') await draft.link(copied, image)
      else await draft.copy(path, copied, mode)
      prepared()
    }
  })
  return result
}
