import * as z from 'zod'
import { type AddResult, gitAdd as add } from '../../git/commands/add.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths } from './repository-paths.js'

/**
 * Stages files as they are, and the removal of deleted ones. Returns the `changes` now staged, nested repositories that were `skipped`, and
 * names that are not UTF-8 (`unreadable`).
 */
export const gitAdd = operation({
  mutates: true,
  input: z.object({
    directory,
    /** Files, or directories with everything in them. */
    paths: z.array(z.string()).default([]),
    /** The whole repository. */
    all: z.boolean().default(false),
    /** Only tracked files. */
    update: z.boolean().default(false),
    /** Also ignored files, where they are named. */
    force: z.boolean().default(false),
  }),

  async run({ all, update, force, ...input }, workspace, context): Promise<AddResult> {
    const at = resolveDirectory(workspace, input.directory)
    const paths = await resolvePaths(workspace, at, input.paths)
    if (all) paths.push('')
    return changeRepository(workspace, at, 'git add', context, (repository) =>
      add(repository, { paths, update, force }),
    )
  },
})
