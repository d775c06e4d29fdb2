/** Brings the result of a merge into the index and the working tree. */
import type { Draft } from '../../change/draft.js'
import { moveFiles } from '../commands/checkout.js'
import type { ChangedPath } from '../commands/status.js'
import type { Blob } from '../objects/tree.js'
import { type Repository, readIndex } from '../repository.js'
import { type IndexEntry, indexEntry } from '../work-tree/index-file.js'
import { writeIndex } from '../work-tree/write-index.js'
import type { MergeResult } from './merge-trees.js'

/** Moves from the tree of `HEAD` to the result, and returns what has changed. Conflicts are recorded in the index. */
export async function applyMerge(
  repository: Repository,
  draft: Draft,
  from: string | undefined,
  { files, conflicts }: Pick<MergeResult, 'files' | 'conflicts'>,
): Promise<ChangedPath[]> {
  const old = from === undefined ? new Map<string, Blob>() : await repository.objects.flatten(from)
  const changes = await moveFiles(repository, draft, { old, next: files }, false)
  if (conflicts.length === 0) return changes
  const paths = new Set(conflicts.map(({ path }) => path))
  const { entries } = await readIndex(repository)
  const stages = conflicts.flatMap(({ path, stages: [base, ours, theirs] }) =>
    [base, ours, theirs].flatMap((blob, i): IndexEntry[] =>
      blob === undefined ? [] : [{ ...indexEntry(path, blob.mode, blob.oid, undefined), stage: (i + 1) as 1 | 2 | 3 }],
    ),
  )
  await writeIndex(repository, [...entries.filter(({ path }) => !paths.has(path)), ...stages])
  return changes
}
