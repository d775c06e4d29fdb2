import * as z from 'zod'
import { type Branch, createBranch, deleteBranch, listBranches, renameBranch } from '../../git/commands/branch.js'
import { changeRepository, openRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, revision } from './repository-paths.js'

/** Lists the branches by name: local ones, then remote ones if requested. For `printBranches`. */
export const gitBranches = operation({
  mutates: false,
  input: z.object({ directory, remotes: z.boolean().default(false) }),

  async run({ remotes, ...input }, workspace, context): Promise<Branch[]> {
    const repository = await openRepository(workspace, resolveDirectory(workspace, input.directory), context)
    return listBranches(repository, { remotes })
  },
})

/** Creates a branch at a revision without checking it out, deletes one, or renames one. Returns the branch. */
export const gitBranch = operation({
  mutates: true,
  input: z.discriminatedUnion('action', [
    z.object({
      action: z.literal('create'),
      directory,
      name: revision,
      at: revision.default('HEAD'),
      /** Move an existing branch of that name. */
      force: z.boolean().default(false),
    }),
    z.object({
      action: z.literal('delete'),
      directory,
      name: revision,
      /** Delete it even if its commits are on no other branch that is checked out. */
      force: z.boolean().default(false),
    }),
    z.object({ action: z.literal('rename'), directory, name: revision, to: revision }),
  ]),

  async run(input, workspace, context): Promise<Branch> {
    const at = resolveDirectory(workspace, input.directory)
    return changeRepository(workspace, at, `git branch ${input.action}`, context, async (repository) => {
      if (input.action === 'create') return createBranch(repository, input)
      return input.action === 'delete' ? deleteBranch(repository, input) : renameBranch(repository, input)
    })
  },
})
