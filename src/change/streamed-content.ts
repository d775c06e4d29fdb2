/** Content that a change writes without holding all of it in memory: it is read and hashed while its file is staged. */
import { FsError } from '../errors.js'
import { statIfThere } from '../fs/if-there.js'
import { gather, piecesOfFile } from '../fs/pieces.js'
import { transactional } from '../fs/transactional.js'
import type { StageOptions } from '../fs/transactional-types.js'
import type { Bytes, FileSystem, Pieces, Stat } from '../fs/types.js'
import { type Hashed, hashInPieces } from './content-hash.js'
import { isUntouched } from './entry-image.js'

export interface Streamed {
  pieces: Pieces
  /** If known in advance. Small content is then written in one call. */
  size?: number
}

/** The hash in an image until its streamed content is staged. */
export const notYetHashed = 'streamed'

/** Content up to this size is gathered rather than streamed. */
const smallBytes = 256 * 1024

/** Streams a file. Fails with `CONFLICT` where it has changed since its stat `seen`, or changes while it is read. */
export function streamedFile(fs: FileSystem, path: string, seen: Stat): Streamed {
  const { size = 0 } = seen

  function check(now: Stat | undefined): void {
    if (!isUntouched(seen, now)) throw new FsError('CONFLICT', { path })
  }

  return {
    size,
    async *pieces() {
      const found = size <= smallBytes ? await transactional(fs).statAndRead(path, size) : undefined
      check(found?.stat ?? (await statIfThere(fs, path)))
      if (found?.bytes !== undefined) return yield found.bytes
      yield* piecesOfFile(fs, path)()
      check(await statIfThere(fs, path))
    },
  }
}

/** Writes a staged file. */
export async function writeStreamed(
  fs: FileSystem,
  path: string,
  { pieces, size: known = Infinity }: Streamed,
  options: StageOptions & { signal?: AbortSignal },
): Promise<Hashed> {
  const { signal, ...stageOptions } = options
  let failed: { error: unknown } | undefined
  let written: Hashed | undefined

  async function* hashed(): AsyncGenerator<Bytes> {
    const running = hashInPieces(fs)
    let size = 0
    try {
      for await (const piece of pieces()) {
        if (signal?.aborted) throw new FsError('ABORTED', {})
        running.add(piece)
        size += piece.length
        yield piece
      }
      written = { hash: running.end(), size }
    } catch (error) {
      failed = { error }
      throw error
    }
  }

  try {
    await transactional(fs).stageFile(path, known > smallBytes ? hashed : await gather(hashed), stageOptions)
  } catch (error) {
    // A read error has the path of the source, so it is thrown unchanged.
    throw failed === undefined ? error : failed.error
  }
  return written as Hashed
}
