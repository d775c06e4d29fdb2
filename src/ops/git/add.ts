import * as z from 'zod'
import { type Added, gitAdd as add } from '../../git/commands/add.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths } from './repository-paths.js'

/** Stages files as they are, and the removal of those that are gone: the `changes` staged now, and nested repositories `skipped`, and names that are not UTF-8 (`unreadable`). */
export const gitAdd = operation({
  mutates: true,
  input: z.object({
    directory,
    /** Files, or directories with all below them. */
    paths: z.array(z.string()).default([]),
    /** The whole repository. */
    all: z.boolean().default(false),
    /** Only what is tracked already. */
    update: z.boolean().default(false),
    /** Also ignored files that are named. */
    force: z.boolean().default(false),
  }),

  async run({ all, update, force, ...input }, workspace, context): Promise<Added> {
    const at = resolveDirectory(workspace, input.directory)
    const paths = await resolvePaths(workspace, at, input.paths)
    if (all) paths.push('')
    return changeRepository(workspace, at, 'git add', context, (repository) =>
      add(repository, { paths, update, force }),
    )
  },
})
