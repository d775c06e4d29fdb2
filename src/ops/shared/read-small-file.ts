import type { Bytes } from '../../fs/types.js'
import type { Workspace } from '../../workspace.js'

/** A larger file is not read synchronously: it would hold up other calls. */
const maxSyncBytes = 64 * 1024

/** A whole small file, read synchronously; undefined where the backend would block, or the file is larger than `maxBytes`. */
export function readSmallFile({ fs, limits }: Workspace, path: string, maxBytes = Infinity): Bytes | undefined {
  const most = Math.min(maxSyncBytes, limits.maxFileBytes, maxBytes)
  const bytes = fs.readFile.now?.(path, { start: 0, end: most + 1 })
  return bytes === undefined || bytes.length > most ? undefined : bytes
}
