import * as z from 'zod'
import { gitDiff as diff, type FileDiff, type Side } from '../../git/commands/diff.js'
import { openRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths, revision } from './repository-paths.js'

export type { FileDiff }

const side = z.union([
  z.enum(['work-tree', 'index', 'head']),
  z.object({ revision }),
  /** The merge base of two revisions. */
  z.object({ mergeBase: z.tuple([revision, revision]) }),
])

/** Compares two of: working tree, index, last commit, any revision. Returns `FileDiff`s, for `printDiff` and `printDiffStat`. */
export const gitDiff = operation({
  mutates: false,
  input: z.object({
    directory,
    /** `{ from: 'head', to: 'index' }` is what would be committed. */
    from: side.default('index'),
    to: side.default('work-tree'),
    /** Only at or below these paths. */
    paths: z.array(z.string()).exactOptional(),
  }),

  async run(input, workspace, context): Promise<FileDiff[]> {
    const at = resolveDirectory(workspace, input.directory)
    const repository = await openRepository(workspace, at, context)
    const paths = input.paths && (await resolvePaths(workspace, at, input.paths))
    const { maxFileBytes } = workspace.limits
    const sides: { from: Side; to: Side } = { from: input.from, to: input.to }
    return diff(repository, { ...sides, maxFileBytes, ...(paths && { paths }) })
  },
})
