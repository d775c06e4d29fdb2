/** `git restore`, and `git checkout` of paths. */
import type { Draft } from '../../../src/change/draft.js'
import { blobsOf, conflictsIn } from '../../../src/git/commands/status.js'
import { mergeTexts } from '../../../src/git/merge/merge-with-markers.js'
import { comparePaths, objectId } from '../../../src/git/objects/object-id.js'
import { type Blob, modes } from '../../../src/git/objects/tree.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Index, type Repository, readIndex } from '../../../src/git/repository.js'
import { fileAndDirectoryConflicts, type IndexEntry, indexEntry } from '../../../src/git/work-tree/index-file.js'
import { changedInWorkTree, sameBlob, scanWorkTree } from '../../../src/git/work-tree/work-tree.js'
import { writeFiles } from '../../../src/git/work-tree/write-files.js'
import { writeIndex } from '../../../src/git/work-tree/write-index.js'
import { decodeText, encodeText } from '../../io/byte-text.js'
import { change, type GitContext, prefixOf } from '../context.js'
import { failure, fatal } from '../git-error.js'
import { abbreviate } from '../objects.js'
import { flag, parseGit, value } from '../options.js'
import { resetHunks, restoreHunks } from '../patch-mode/choose.js'
import { pathspecsOf } from '../pathspec.js'
import { findCommit, findObject, previousBranch, treeOf } from '../revisions.js'

/** Options of `checkout`, `switch` and `restore` that are missing here. */
export const unsupported = [
  '--recurse-submodules',
  '--pathspec-from-file',
  '--pathspec-file-nul',
  '--ignore-skip-worktree-bits',
  '--overwrite-ignore',
  '--no-overwrite-ignore',
]

const restoreSpecs = {
  source: value('-s', '--source'),
  staged: flag('-S', '--staged'),
  worktree: flag('-W', '--worktree'),
  quiet: flag('-q', '--quiet'),
  progress: flag('--progress', '--no-progress'),
  ours: flag('--ours'),
  theirs: flag('--theirs'),
  merge: flag('-m', '--merge'),
  conflict: value('--conflict'),
  overlay: flag('--overlay'),
  noOverlay: flag('--no-overlay'),
  ignoreUnmerged: flag('--ignore-unmerged'),
  patch: flag('-p', '--patch'),
} as const

export async function restore(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('restore', args, restoreSpecs, { unsupported: [...unsupported, '--ignore-unmerged'] })
  const staged = given.has('staged')
  const source = given.value('source') ?? (staged ? 'HEAD' : undefined)
  if (given.has('patch')) {
    const isBoth = staged && given.has('worktree')
    return change(context, 'restore', (repository, draft) =>
      staged && !isBoth
        ? resetHunks(context, repository, draft, source ?? 'HEAD', given.all)
        : restoreHunks(context, repository, draft, { source, paths: given.all, isBoth }),
    )
  }
  if (given.all.length === 0) throw fatal('you must specify path(s) to restore')
  return restorePaths(context, given.all, {
    quiet: true,
    stage: given.has('ours') ? 2 : given.has('theirs') ? 3 : undefined,
    isMerge: given.has('merge') || given.value('conflict') !== undefined,
    style: given.value('conflict') ?? 'merge',
    staged,
    workTree: given.has('worktree') || !staged,
    overlay: given.last('overlay', 'noOverlay') === 'overlay',
    ...(source !== undefined && { source }),
  })
}

interface RestoreHow {
  source?: string
  staged: boolean
  workTree: boolean
  /** Files that the source does not have stay. */
  overlay: boolean
  quiet: boolean
  stage: 2 | 3 | undefined
  isMerge: boolean
  style: string
}

export async function restorePaths(context: GitContext, paths: readonly string[], how: RestoreHow): Promise<number> {
  return change(context, 'restore', async (repository, draft) => {
    const prefix = await prefixOf(context, repository)
    const specs = pathspecsOf(paths, prefix, repository.root)
    const index = await readIndex(repository)
    const source = how.source === undefined ? undefined : await sourceFiles(repository, how.source)
    const known = [
      ...new Set([
        ...(source?.keys() ?? []),
        ...(source === undefined || !how.overlay ? index.entries.map(({ path }) => path) : []),
      ]),
    ]
    const [unmatched] = specs.unmatched(known)
    if (unmatched !== undefined) throw failure(`pathspec '${unmatched}' did not match any file(s) known to git`)
    const wanted = known.filter((path) => specs.matches(path))
    const count =
      source === undefined
        ? await restoreFromIndex(repository, draft, index, new Set(wanted), how)
        : await restoreFrom(repository, draft, index, source, wanted, how)
    if (!how.quiet) {
      const what =
        how.source === undefined
          ? 'the index'
          : await abbreviate(repository, (await sourceTree(repository, how.source)) ?? '')
      context.err.write(`Updated ${count} path${count === 1 ? '' : 's'} from ${what}\n`)
    }
    return 0
  })
}

export async function sourceFiles(repository: Repository, revision: string): Promise<ReadonlyMap<string, Blob>> {
  const tree = await sourceTree(repository, revision)
  return tree === undefined ? new Map() : repository.objects.flatten(tree)
}

/** Undefined for `HEAD` before the first commit. */
async function sourceTree(repository: Repository, revision: string): Promise<string | undefined> {
  const found =
    revision === '-'
      ? { oid: (await findCommit(repository, (await previousBranch(repository, 1)) ?? 'HEAD')) ?? '' }
      : await findObject(repository, revision)
  if (found === undefined) {
    if (revision === 'HEAD' && (await readHead(repository)).oid === undefined) return undefined
    throw fatal(`could not resolve ${revision}`)
  }
  const tree = await treeOf(repository, found.oid)
  if (tree === undefined) throw fatal(`reference is not a tree: ${revision}`)
  return tree
}

export async function dirtyPaths(
  repository: Repository,
  index: Index,
  isWanted: (path: string) => boolean,
): Promise<Set<string>> {
  const scan = await scanWorkTree(repository, index, { untracked: 'none' })
  return new Set(
    (await changedInWorkTree(repository, index, scan.present, { isWanted, evenAssumedValid: true })).map(
      ({ entry }) => entry.path,
    ),
  )
}

async function restoreFromIndex(
  repository: Repository,
  draft: Draft,
  index: Index,
  wanted: ReadonlySet<string>,
  how: RestoreHow,
): Promise<number> {
  const conflicted = conflictsIn(index)
    .filter(({ path }) => wanted.has(path))
    .map(({ path }) => path)
  const stageOf = (path: string, stage: number) =>
    index.entries.find((entry) => entry.path === path && entry.stage === stage)
  const written: [string, Blob][] = []
  for (const path of conflicted) {
    if (how.isMerge)
      written.push([
        path,
        await conflictBlob(
          repository,
          path,
          how.style,
          [1, 2, 3].map((stage) => stageOf(path, stage)),
        ),
      ])
    else if (how.stage !== undefined) {
      const entry = stageOf(path, how.stage)
      if (entry === undefined)
        throw failure(`path '${path}' does not have ${how.stage === 2 ? 'our' : 'their'} version`)
      written.push([path, entry])
    } else throw failure(`path '${path}' is unmerged`)
  }
  const dirty = await dirtyPaths(repository, index, (path) => wanted.has(path))
  for (const [path, entry] of blobsOf(index)) if (dirty.has(path)) written.push([path, entry])
  await writeFiles(repository, draft, written, [])
  return written.length
}

async function conflictBlob(
  repository: Repository,
  _path: string,
  style: string,
  [base, ours, theirs]: (Blob | undefined)[],
): Promise<Blob> {
  const read = async (blob: Blob | undefined) =>
    blob === undefined ? '' : decodeText(await repository.objects.readBlob(blob.oid))
  const merged = mergeTexts(await read(base), await read(ours), await read(theirs), {
    labels: { ours: 'ours', base: 'base', theirs: 'theirs' },
    style: style === 'diff3' || style === 'zdiff3' ? style : 'merge',
  })
  const bytes = encodeText(merged.text)
  const oid = await objectId('blob', bytes)
  repository.objects.writeBlob(bytes, oid)
  return { mode: ours?.mode ?? modes.file, oid }
}

async function restoreFrom(
  repository: Repository,
  draft: Draft,
  index: Index,
  source: ReadonlyMap<string, Blob>,
  wanted: readonly string[],
  how: RestoreHow,
): Promise<number> {
  const staged = blobsOf(index)
  const isWanted = new Set(wanted)
  let count = 0
  const gone = how.overlay ? [] : wanted.filter((path) => !source.has(path))
  if (how.workTree) {
    const dirty = await dirtyPaths(repository, index, (path) => isWanted.has(path))
    const differs = wanted.flatMap((path): [string, Blob][] => {
      const blob = source.get(path)
      return blob !== undefined && (dirty.has(path) || !sameBlob(staged.get(path), blob)) ? [[path, blob]] : []
    })
    count = differs.length
    await writeFiles(repository, draft, differs, gone)
  }
  if (how.staged) {
    const removed = new Set(gone)
    const kept = index.entries.filter(({ path }) => !removed.has(path) && !(isWanted.has(path) && source.has(path)))
    const next = wanted.flatMap((path): IndexEntry[] => {
      const blob = source.get(path)
      if (blob === undefined) return []
      const known = staged.get(path)
      return [known !== undefined && sameBlob(known, blob) ? known : indexEntry(path, blob.mode, blob.oid, undefined)]
    })
    const entries = [...kept, ...next].sort((a, b) => comparePaths(a.path, b.path))
    const inTheWay = new Set(fileAndDirectoryConflicts(entries).filter((entry) => kept.includes(entry)))
    await writeIndex(
      repository,
      entries.filter((entry) => !inTheWay.has(entry)),
    )
  }
  return count
}
