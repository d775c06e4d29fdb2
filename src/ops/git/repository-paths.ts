/** Input that git operations have in common. */
import * as z from 'zod'
import { FsError } from '../../errors.js'
import { isWithin, relative } from '../../fs/path.js'
import { findRepository } from '../../git/git-directory.js'
import { openRepository, readIndex } from '../../git/repository.js'
import { trackedSpellings } from '../../git/work-tree/tracked-spellings.js'
import type { Workspace } from '../../workspace/workspace.js'

/** A directory in the repository. */
export const directory = z.string().default('.')

/** A branch or revision; checked where it is used. */
export const revision = z.string().min(1)

/** The directory as an absolute path, checked by the gate. */
export function resolveDirectory(workspace: Workspace, given: string): string {
  refuseOption(given)
  return workspace.fs.resolve(given, workspace.root)
}

/** Paths checked by the gate, relative to the repository: `''` is all of it. */
export async function resolvePaths(workspace: Workspace, at: string, given: readonly string[]): Promise<string[]> {
  const root = await findRepository(workspace.fs, at)
  const asTracked = await spellingsIn(workspace, at)
  const paths: string[] = []
  for (const path of given) {
    refuseOption(path)
    const real = await workspace.fs.locate(workspace.fs.resolve(path, workspace.root), 'keep')
    if (!isWithin(root, real)) throw new FsError('GIT_REFUSED', { reason: 'other-repository', paths: [path] })
    const inside = relative(root, real)
    if (/^\.git(\/|$)/i.test(inside)) throw new FsError('PROTECTED', { path: real, name: '.git' })
    paths.push(await asTracked(inside))
  }
  return paths
}

async function spellingsIn(workspace: Workspace, at: string): Promise<(path: string) => Promise<string>> {
  if (workspace.fs.capabilities.caseSensitive) return async (path) => path
  const repository = await openRepository(workspace, at)
  return trackedSpellings(repository, (await readIndex(repository)).entries)
}

/** Refuses what a command line would parse as an option. */
function refuseOption(given: string): void {
  if (given.startsWith('-')) throw new FsError('GIT_REFUSED', { reason: 'invalid-name', subject: given })
}
