/** Unpacks entries of a tar stream. Names that lead out of the directory are skipped and reported. */
import { isFsError } from '../../../../errors.js'
import { dirname, isWithin, resolve } from '../../../../fs/path.js'
import type { ByteCursor } from '../../../io/byte-cursor.js'
import { describeError } from '../../describe-error.js'
import type { ProgramIo } from '../../program.js'
import { ProgramError } from '../../program-error.js'
import { isThere, makeDirectories } from '../replace-file.js'
import type { TarHeader } from './tar-format.js'

export interface ExtractOptions {
  directory: string
  existing: 'replace' | 'keep' | 'skip'
  setsTimes: boolean
}

export interface Extractor {
  /** Reads the content of a file from the cursor. Returns false when the entry failed; it has been reported. */
  extract(header: TarHeader, cursor: ByteCursor): Promise<boolean>
  /** Sets the times of directories, which change while entries are added. */
  finish(): Promise<void>
}

export function extractor(io: ProgramIo, { directory, existing, setsTimes }: ExtractOptions): Extractor {
  const root = io.path(directory)
  const times: Array<{ path: string; modifiedMs: number }> = []
  const canSetTimes = setsTimes && io.fs.capabilities.modified === 'write'

  async function content(
    header: TarHeader,
    cursor: ByteCursor,
    write: (bytes: Uint8Array) => Promise<void> | undefined,
  ) {
    let missing = header.size
    while (missing > 0) {
      const piece = await cursor.some(missing)
      if (piece === undefined) {
        throw new ProgramError('Unexpected EOF in archive\ntar: Error is not recoverable: exiting now', 2)
      }
      missing -= piece.length
      await write(piece.slice())
    }
  }

  async function refuse(header: TarHeader, cursor: ByteCursor, message: string): Promise<boolean> {
    await cursor.skip(header.size)
    await io.error(message)
    return false
  }

  async function put(header: TarHeader, path: string, cursor: ByteCursor): Promise<void> {
    if (header.kind === 'directory') {
      await makeDirectories(io, path)
      if (io.fs.capabilities.modeBits) await io.fs.setMode(path, header.mode & ~io.umask)
      times.push({ path, modifiedMs: header.modifiedMs })
      return
    }
    await makeDirectories(io, dirname(path))
    await removeIfThere(io, path)
    if (header.kind === 'symlink') return io.fs.symlink(header.target ?? '', path)
    if (header.kind === 'hardlink') {
      const from = resolve(root, header.target ?? '')
      await io.fs.writeFile(path, await io.fs.readFile(from), { mode: (await io.fs.stat(from)).mode ?? 0o644 })
      return
    }
    const writer = await io.fs.openWrite(path)
    await content(header, cursor, (bytes) => writer.write(bytes))
    await writer.close()
    if (io.fs.capabilities.modeBits) await io.fs.setMode(path, header.mode & ~io.umask)
    if (canSetTimes) await io.fs.setModified(path, header.modifiedMs)
  }

  return {
    async extract(header, cursor) {
      const path = resolve(root, header.name.replace(/^\/+/, ''))
      if (header.name.split('/').includes('..') || !isWithin(root, path)) {
        return refuse(header, cursor, `${header.name}: Member name contains '..'`)
      }
      if (header.kind === 'symlink' && !isWithin(root, resolve(dirname(path), header.target ?? ''))) {
        return refuse(header, cursor, `${header.name}: Cannot create symlink to '${header.target}': it leads outside`)
      }
      if (existing !== 'replace' && header.kind !== 'directory' && (await isThere(io, path))) {
        if (existing === 'keep') return refuse(header, cursor, `${header.name}: Cannot open: File exists`)
        await cursor.skip(header.size)
        return true
      }
      try {
        await put(header, path, cursor)
        return true
      } catch (error) {
        if (!isFsError(error)) throw error
        return refuse(header, cursor, `${header.name}: Cannot open: ${describeError(error)}`)
      }
    },
    async finish() {
      if (!canSetTimes) return
      for (const { path, modifiedMs } of times.reverse()) await io.fs.setModified(path, modifiedMs)
    },
  }
}

/** An existing link is replaced instead of written through. */
async function removeIfThere(io: ProgramIo, path: string): Promise<void> {
  try {
    await io.fs.remove(path)
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
  }
}
