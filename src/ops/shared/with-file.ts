import { openFile } from '../../fs/open.js'
import type { ByteSource } from '../../fs/types.js'
import type { Workspace } from '../../workspace/workspace.js'

/** Holds a file open while `use` runs. The path is a resolved one. */
export async function withFile<Result>(
  { fs }: Workspace,
  path: string,
  use: (source: ByteSource) => Promise<Result>,
): Promise<Result> {
  const source = await openFile(fs, path)
  try {
    return await use(source)
  } finally {
    await source.close()
  }
}
