/** `git reset`. */
import type { Draft } from '../../../src/change/draft.js'
import { join } from '../../../src/fs/path.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { blobsOf, conflictsIn, headFiles } from '../../../src/git/commands/status.js'
import { comparePaths } from '../../../src/git/objects/object-id.js'
import type { Blob } from '../../../src/git/objects/tree.js'
import { endOperation, operationInProgress } from '../../../src/git/operation-in-progress.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Index, type Repository, readIndex } from '../../../src/git/repository.js'
import { type IndexEntry, indexEntry } from '../../../src/git/work-tree/index-file.js'
import { sameBlob } from '../../../src/git/work-tree/work-tree.js'
import { writeFiles } from '../../../src/git/work-tree/write-files.js'
import { writeIndex } from '../../../src/git/work-tree/write-index.js'
import { change, type GitContext, open, prefixOf } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { workTreePairs } from '../diff/pairs.js'
import { failure, fatal } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { abbreviate } from '../objects.js'
import { flag, parseGit } from '../options.js'
import { resetHunks } from '../patch-mode/choose.js'
import { type Pathspecs, pathspecsOf } from '../pathspec.js'
import { updateRef } from '../reflog.js'
import { findCommit, previousBranch, unknownRevision } from '../revisions.js'
import { isFile } from '../revisions-and-paths.js'
import { identityOrNobody, revisionOf } from './checkout.js'
import { dirtyPaths, sourceFiles } from './restore.js'

const resetSpecs = {
  soft: flag('--soft'),
  mixed: flag('--mixed'),
  hard: flag('--hard'),
  keep: flag('--keep'),
  merge: flag('--merge'),
  quiet: flag('-q', '--quiet'),
  noRefresh: flag('--no-refresh'),
  refresh: flag('--refresh'),
  patch: flag('-p', '--patch'),
} as const

export async function reset(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('reset', args, resetSpecs, {
    unsupported: ['-N', '--intent-to-add', '--pathspec-from-file', '--recurse-submodules', '--pathspec-file-nul'],
  })
  const mode = given.last('soft', 'mixed', 'hard', 'keep', 'merge') ?? 'mixed'
  const reading = await open(context)
  const operands = [...given.operands]
  const [first] = operands
  const isRevision = first !== undefined && (await revisionOf(reading, first)) !== undefined
  const revision = isRevision ? (operands.shift() as string) : 'HEAD'
  if (!isRevision && first !== undefined && given.paths !== undefined)
    throw fatal(`Failed to resolve '${first}' as a valid revision.`)
  if (
    first !== undefined &&
    !isRevision &&
    !(await isFile(context, first)) &&
    !(await isTracked(context, reading, first)) &&
    !/[*?[:]/.test(first)
  )
    throw unknownRevision(first)
  const paths = [...operands, ...(given.paths ?? [])]
  if (reading.isBare && mode !== 'soft') throw fatal(`${mode} reset is not allowed in a bare repository`)
  if (given.has('patch')) {
    if (given.last('soft', 'mixed', 'hard', 'keep', 'merge') !== undefined)
      throw fatal("options '--patch' and '--{hard,mixed,soft}' cannot be used together")
    return change(context, 'reset', (repository, draft) => resetHunks(context, repository, draft, revision, paths))
  }
  if (paths.length > 0) {
    if (given.last('soft', 'hard', 'keep', 'merge') !== undefined) throw fatal(`Cannot do ${mode} reset with paths.`)
    return resetPaths(context, revision, paths, given.has('quiet'))
  }
  return change(context, 'reset', (repository, draft) =>
    resetTo(context, repository, draft, { revision, mode, quiet: given.has('quiet') }),
  )
}

async function isTracked(context: GitContext, repository: Repository, path: string): Promise<boolean> {
  const specs = pathspecsOf([path], await prefixOf(context, repository), repository.root)
  return (await readIndex(repository)).entries.some((entry) => specs.matches(entry.path))
}

async function resetPaths(
  context: GitContext,
  revision: string,
  paths: readonly string[],
  quiet: boolean,
): Promise<number> {
  await change(context, 'reset', async (repository) => {
    const specs = pathspecsOf(paths, await prefixOf(context, repository), repository.root)
    const source = await sourceFiles(repository, revision)
    const index = await readIndex(repository)
    await writeIndex(repository, withTree(index, source, specs))
  })
  if (!quiet) await printUnstaged(context)
  return 0
}

/** The index with these files; what has not changed keeps its entry. */
function withTree(index: Index, files: ReadonlyMap<string, Blob>, specs?: Pathspecs): IndexEntry[] {
  const isWanted = (path: string) => specs === undefined || specs.matches(path)
  const staged = blobsOf(index)
  const kept = index.entries.filter(({ path }) => !isWanted(path))
  const next = [...files]
    .filter(([path]) => isWanted(path))
    .map(([path, blob]): IndexEntry => {
      const known = staged.get(path)
      return known !== undefined && sameBlob(known, blob) ? known : indexEntry(path, blob.mode, blob.oid, undefined)
    })
  return [...kept, ...next].sort((a, b) => comparePaths(a.path, b.path))
}

async function printUnstaged(context: GitContext): Promise<void> {
  const repository = await open(context)
  const pairs = await workTreePairs(repository)
  if (pairs.length === 0) return
  context.out.write(
    `Unstaged changes after reset:\n${pairs.map(({ status, path }) => `${status}\t${quoter(repository)(path)}\n`).join('')}`,
  )
}

async function resetTo(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  { revision, mode, quiet }: { revision: string; mode: string; quiet: boolean },
): Promise<number> {
  const head = await readHead(repository)
  const given = revision === '-' ? ((await previousBranch(repository, 1)) ?? '-') : revision
  const oid = await findCommit(repository, given)
  if (oid === undefined && !(revision === 'HEAD' && head.oid === undefined))
    throw fatal(`Failed to resolve '${revision}' as a valid revision.`)
  const [old, next] = [await headFiles(repository, head.oid), await headFiles(repository, oid)]
  const index = await readIndex(repository)
  if (mode === 'soft' && ((await operationInProgress(repository)) === 'merge' || conflictsIn(index).length > 0))
    throw fatal('Cannot do a soft reset in the middle of a merge.')
  if (mode === 'keep') await keepReset(repository, draft, old, next)
  if (mode === 'merge') await mergeReset(repository, draft, index, next)
  if (mode === 'hard') await moveFiles(repository, draft, { old, next }, true)
  if (mode === 'mixed') await writeIndex(repository, withTree(index, next))
  await endOperation(repository, draft)
  if (oid !== undefined) {
    if (head.oid !== undefined)
      await repository.staged.write(
        join(repository.gitDirectory, 'ORIG_HEAD'),
        new TextEncoder().encode(`${head.oid}\n`),
      )
    await updateRef(repository, 'HEAD', oid, {
      by: identityOrNobody(context, repository),
      message: `reset: moving to ${revision}`,
    })
  }
  if (mode === 'hard' && !quiet && oid !== undefined) {
    const { message } = await repository.objects.readCommit(oid)
    context.out.write(`HEAD is now at ${await abbreviate(repository, oid)} ${subjectOf(message)}\n`)
  }
  if (mode !== 'mixed' || quiet) return 0
  // The new index is only staged, and is what the files are compared with.
  const pairs = await workTreePairs(repository)
  if (pairs.length > 0)
    context.out.write(
      `Unstaged changes after reset:\n${pairs.map(({ status, path }) => `${status}\t${quoter(repository)(path)}\n`).join('')}`,
    )
  return 0
}

async function keepReset(
  repository: Repository,
  draft: Draft,
  old: ReadonlyMap<string, Blob>,
  next: ReadonlyMap<string, Blob>,
): Promise<void> {
  await moveFiles(repository, draft, { old, next }, false)
}

/** Files that are as staged follow the commit; others must be the same in the index and the commit. */
async function mergeReset(
  repository: Repository,
  draft: Draft,
  index: Index,
  next: ReadonlyMap<string, Blob>,
): Promise<void> {
  const dirty = await dirtyPaths(repository, index, () => true)
  const staged = blobsOf(index)
  for (const path of dirty)
    if (!sameBlob(staged.get(path), next.get(path)))
      throw failure(
        `Entry '${path}' not uptodate. Cannot merge.\nfatal: Could not reset index file to revision 'HEAD'.`,
        128,
      )
  const conflicted = conflictsIn(index).map(({ path }) => path)
  const touched = [...new Set([...staged.keys(), ...next.keys(), ...conflicted])].filter(
    (path) => !sameBlob(staged.get(path), next.get(path)),
  )
  await writeFiles(
    repository,
    draft,
    touched.flatMap((path): [string, Blob][] => (next.has(path) ? [[path, next.get(path) as Blob]] : [])),
    touched.filter((path) => !next.has(path)),
  )
  await writeIndex(repository, withTree(index, next))
}
