import { orWouldBlock, wouldBlock } from '../../fs/sync.js'
import type { Bytes } from '../../fs/types.js'
import type { Workspace } from '../../workspace/workspace.js'

/** A larger file is not read synchronously: it would hold up other calls. */
const maxSyncBytes = 64 * 1024

/** A whole small file, read synchronously; undefined where the backend would block, or the file is larger than `maxBytes`. */
export function readSmallFile({ fs, limits }: Workspace, path: string, maxBytes = Infinity): Bytes | undefined {
  const most = Math.min(maxSyncBytes, limits.maxFileBytes, maxBytes)
  const { sync } = fs
  if (sync === undefined) return undefined
  // A failure is reported by the asynchronous call.
  const bytes = orWouldBlock(() => sync.readFile(path, { start: 0, end: most + 1 }))
  return bytes === wouldBlock || bytes.length > most ? undefined : bytes
}
