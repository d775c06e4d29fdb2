/** Which differences `-p` of a command is about, and where the chosen ones go. */
import type { Draft } from '../../../src/change/draft.js'
import type { Repository } from '../../../src/git/repository.js'
import { type GitContext, prefixOf } from '../context.js'
import { type FilePair, indexPairs, reversed, treeToWorkTreePairs, workTreePairs } from '../diff/pairs.js'
import { fatal } from '../git-error.js'
import { pathspecsOf } from '../pathspec.js'
import { findObject, treeOf, unknownRevision } from '../revisions.js'
import { type Mode, modes } from './modes.js'
import { choosePatches, targetsOf } from './patch-mode.js'

/** Stages the hunks that the input chooses. */
export async function addHunks(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  paths: readonly string[],
): Promise<void> {
  const specs = pathspecsOf(paths, await prefixOf(context, repository), repository.root)
  const pairs = await workTreePairs(repository, specs)
  await choosePatches(context, repository, pairs, modes.add, targetsOf(repository, draft))
}

/** Takes the hunks that the input chooses out of the index, or into it from another commit. */
export async function resetHunks(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  revision: string,
  paths: readonly string[],
): Promise<number> {
  const specs = pathspecsOf(paths, await prefixOf(context, repository), repository.root)
  const found = await findObject(repository, revision)
  const tree = found && (await treeOf(repository, found.oid))
  if (tree === undefined && revision !== 'HEAD') throw unknownRevision(revision)
  const pairs = await indexPairs(repository, tree, specs)
  const targets = targetsOf(repository, draft)
  if (revision === 'HEAD') await choosePatches(context, repository, pairs, modes.unstage, targets)
  else await choosePatches(context, repository, reversed(pairs), modes.toIndex, targets)
  return 0
}

/** Restores the hunks that the input chooses. */
export async function restoreHunks(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  { source, paths, isBoth }: { source: string | undefined; paths: readonly string[]; isBoth: boolean },
): Promise<number> {
  const specs = pathspecsOf(paths, await prefixOf(context, repository), repository.root)
  const targets = targetsOf(repository, draft)
  const choose = (pairs: readonly FilePair[], mode: Mode) => choosePatches(context, repository, pairs, mode, targets)
  if (source === undefined) await choose(await workTreePairs(repository, specs), modes.discard)
  else {
    const found = await findObject(repository, source)
    const tree = found && (await treeOf(repository, found.oid))
    if (tree === undefined) throw fatal(`could not resolve ${source}`)
    const pairs = await treeToWorkTreePairs(repository, tree, specs)
    const { discardBoth, discard, toBoth, toWorktree } = modes
    if (source === 'HEAD') await choose(pairs, isBoth ? discardBoth : discard)
    else await choose(reversed(pairs), isBoth ? toBoth : toWorktree)
  }
  return 0
}
