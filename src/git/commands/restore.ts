/** Restores files in the working tree and the index. */
import type { Draft } from '../../change/draft.js'
import { FsError } from '../../errors.js'
import { comparePaths } from '../objects/object-id.js'
import { readHead, resolveRevision } from '../refs/refs.js'
import { type Repository, readIndex } from '../repository.js'
import { fileAndDirectoryConflicts, indexEntry } from '../work-tree/index-file.js'
import { changedInWorkTree, isAtOrBelow, sameBlob, scanWorkTree } from '../work-tree/work-tree.js'
import { writeFiles } from '../work-tree/write-files.js'
import { writeIndex } from '../work-tree/write-index.js'
import { blobsOf, type ChangedPath, compareBlobs, conflictsIn, headFiles, stagedBlobs } from './status.js'

export interface RestoreOptions {
  /** Relative to the repository; `''` is all of it. */
  paths: readonly string[]
  /** The source. Default: the index, or `HEAD` when only the index is restored. */
  revision?: string
  /** What is restored. Default: the working tree. With a revision, git restores both. */
  workTree?: boolean
  staged?: boolean
}

/**
 * Restores files. Their content is overwritten; the change can be undone like any other. An entry that was not named
 * and is in the way is never overwritten: then it fails.
 */
export async function gitRestore(
  repository: Repository,
  draft: Draft,
  options: RestoreOptions,
): Promise<ChangedPath[]> {
  const { paths, revision, staged = false, workTree = !staged } = options
  const isWanted = (path: string) => paths.some((each) => isAtOrBelow(each, path))
  const index = await readIndex(repository)
  const fromIndex = revision === undefined && !staged
  const head = (await readHead(repository)).oid
  const commit = revision === undefined ? head : await resolveRevision(repository, revision)
  const conflicted = fromIndex ? conflictsIn(index).filter(({ path }) => isWanted(path)) : []
  if (conflicted.length > 0) {
    throw new FsError('GIT_REFUSED', { reason: 'unmerged', paths: conflicted.map(({ path }) => path) })
  }
  const source = fromIndex ? blobsOf(index) : await headFiles(repository, commit)
  const wanted = new Map([...source].filter(([path]) => isWanted(path)))
  refuseUnmatched(paths, [...wanted.keys(), ...index.entries.map(({ path }) => path)])

  const entries = new Map(index.entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]))
  const before = stagedBlobs(index)
  const changes: ChangedPath[] = []
  if (workTree) {
    const scan = await scanWorkTree(repository, index, { paths, untracked: 'none' })
    const changed = new Set(
      (await changedInWorkTree(repository, index, scan.present, { isWanted, evenAssumedValid: true })).map(
        ({ entry }) => entry.path,
      ),
    )
    // A conflicted path is always restored.
    const gone = [...before].filter(([path, blob]) => isWanted(path) && !wanted.has(path) && blob !== 'conflicted')
    const differs = [...wanted].filter(([path, blob]) => {
      const old = before.get(path)
      return old === undefined || old === 'conflicted' || changed.has(path) || !sameBlob(old, blob)
    })
    await writeFiles(repository, draft, differs, fromIndex ? [] : gone.map(([path]) => path))
    changes.push(...differs.map(([path]) => ({ path, change: 'modified' as const })))
    if (!fromIndex) changes.push(...gone.map(([path]) => ({ path, change: 'deleted' as const })))
  }
  if (staged || !fromIndex) {
    const next = [...wanted].map(([path, blob]) => {
      const known = entries.get(path)
      return known !== undefined && sameBlob(known, blob) ? known : indexEntry(path, blob.mode, blob.oid, undefined)
    })
    const unaffected = index.entries.filter(({ path }) => !isWanted(path))
    const inTheWay = fileAndDirectoryConflicts([...unaffected, ...next]).filter((entry) => unaffected.includes(entry))
    if (inTheWay.length > 0) {
      throw new FsError('GIT_REFUSED', { reason: 'in-the-way', paths: inTheWay.map(({ path }) => path) })
    }
    if (!workTree)
      changes.push(...compareBlobs(before, new Map([...unaffected, ...next].map((entry) => [entry.path, entry]))))
    await writeIndex(repository, [...unaffected, ...next])
  }
  return changes.sort((a, b) => comparePaths(a.path, b.path))
}

function refuseUnmatched(paths: readonly string[], known: readonly string[]): void {
  const unmatched = paths.filter((path) => !known.some((each) => isAtOrBelow(path, each)))
  if (unmatched.length > 0) throw new FsError('GIT_REFUSED', { reason: 'unmatched-path', paths: unmatched })
}
