/** The object id of a file, computed without holding the file in memory. */

import { FsError } from '../../errors.js'
import { createSha1 } from '../../fs/digests/sha1.js'
import { openFile } from '../../fs/open.js'
import type { FileSystem } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { toHex } from '../../text/hex.js'
import { objectId } from './object-id.js'

const pieceBytes = 1024 * 1024

export async function fileId(fs: FileSystem, path: string, checkAborted?: () => void): Promise<string> {
  const source = await openFile(fs, path)
  try {
    const { size } = source
    if (size <= pieceBytes) return objectId('blob', await source.read({ start: 0, end: size }))
    const turn = yieldBetweenSteps(checkAborted)
    const hash = createSha1()
    hash.update(new TextEncoder().encode(`blob ${size}\0`))
    for (let start = 0; start < size; start += pieceBytes) {
      const end = Math.min(start + pieceBytes, size)
      const piece = await source.read({ start, end })
      // The file was truncated in the meantime.
      if (piece.length !== end - start) throw new FsError('CONFLICT', { path })
      hash.update(piece)
      await turn()
    }
    return toHex(hash.digest())
  } finally {
    await source.close()
  }
}
