import type { Draft } from '../../change/draft.js'
import { blobsOf, conflictsIn, headFiles } from '../commands/status.js'
import { endOperation } from '../operation-in-progress.js'
import { readHead } from '../refs/refs.js'
import { type Repository, readIndex } from '../repository.js'
import { indexEntry } from '../work-tree/index-file.js'
import { sameBlob } from '../work-tree/work-tree.js'
import { writeFiles } from '../work-tree/write-files.js'
import { writeIndex } from '../work-tree/write-index.js'

/** Puts the files of `HEAD` back where a merge has changed them; other changes stay. */
export async function abandon(repository: Repository, draft: Draft): Promise<void> {
  const head = await readHead(repository)
  const files = await headFiles(repository, head.oid)
  const index = await readIndex(repository)
  const staged = blobsOf(index)
  const conflicted = conflictsIn(index).map(({ path }) => path)
  const touched = [...new Set([...staged.keys(), ...files.keys(), ...conflicted])].filter(
    (path) => !sameBlob(staged.get(path), files.get(path)),
  )
  const written = touched.flatMap((path) =>
    files.has(path)
      ? [[path, files.get(path) as { mode: number; oid: string }] as [string, { mode: number; oid: string }]]
      : [],
  )
  await writeFiles(
    repository,
    draft,
    written,
    touched.filter((path) => !files.has(path)),
  )
  await writeIndex(
    repository,
    [...files].map(([path, blob]) => {
      const known = staged.get(path)
      return known !== undefined && sameBlob(known, blob) ? known : indexEntry(path, blob.mode, blob.oid, undefined)
    }),
  )
  await endOperation(repository, draft)
}
