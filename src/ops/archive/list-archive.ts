import * as z from 'zod'
import type { ArchiveEntry, ArchiveWarning } from '../../archive/entries.js'
import { type ArchiveSource, openArchive, type ReadArchiveOptions } from '../../archive/read-archive.js'
import { isReproducible } from '../../workspace/reproducible.js'
import type { Workspace } from '../../workspace/workspace.js'
import { type CallContext, operation } from '../operation.js'
import { withFile } from '../shared/with-file.js'

export interface ListedArchive {
  path: string
  entries: ArchiveEntry[]
  /** Of all files, uncompressed. */
  totalBytes: number
  warnings: ArchiveWarning[]
}

/** Lists the entries of a zip archive of the workspace. An archive that would not be extracted is refused. */
export const listArchiveFile = operation({
  mutates: false,
  input: z.object({ path: z.string() }),

  async run({ path: input }, workspace, context): Promise<ListedArchive> {
    const path = workspace.fs.resolve(input, workspace.root)
    return withArchive(workspace, path, context, async (source, options) => {
      const { entries, warnings } = await openArchive(source, options)
      return { path, entries, totalBytes: entries.reduce((sum, { size = 0 }) => sum + size, 0), warnings }
    })
  },
})

/** Holds an archive of the workspace open while `run` runs. */
export function withArchive<Result>(
  workspace: Workspace,
  path: string,
  { signal }: CallContext,
  run: (source: ArchiveSource, options: ReadArchiveOptions) => Promise<Result>,
): Promise<Result> {
  const { caseSensitive } = workspace.fs.capabilities
  const options = { path, caseSensitive, isReproducible: isReproducible(workspace), ...(signal && { signal }) }
  return withFile(workspace, path, (source) => run(source, options))
}
