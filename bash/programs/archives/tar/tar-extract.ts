/** Unpacks entries of a tar stream. Names that lead out of the directory are skipped and reported. */
import { isFsError } from '../../../../src/errors.js'
import { dirname, isWithin, resolve } from '../../../../src/fs/path.js'
import type { Bytes } from '../../../../src/fs/types.js'
import type { ByteCursor } from '../../../io/byte-cursor.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { kindAt, neededDirectories, writeUnpacked } from '../replace-file.js'
import type { TarHeader } from './tar-format.js'

export interface ExtractOptions {
  directory: string
  existing: 'replace' | 'keep' | 'skip'
  setsTimes: boolean
  /** All bits of modes as they were stored, whatever the mask. */
  keepsModes: boolean
}

export interface Extractor {
  /** Reads the content of a file from the cursor. Returns false when the entry failed; it has been reported. */
  extract(header: TarHeader, cursor: ByteCursor): Promise<boolean>
  /** Sets modes and times of directories: entries are added to them before, which needs rights and changes their times. */
  finish(): Promise<void>
}

/** What is left of the content of an entry. */
interface Entry {
  cursor: ByteCursor
  unread: number
}

export function extractor(io: ProgramIo, { directory, existing, setsTimes, keepsModes }: ExtractOptions): Extractor {
  const root = io.path(directory)
  const directories = neededDirectories(io)
  const made = new Map<string, TarHeader>()
  const canSetTimes = setsTimes && io.fs.capabilities.modified === 'write'

  async function* content(entry: Entry): AsyncGenerator<Bytes> {
    while (entry.unread > 0) {
      const piece = await entry.cursor.some(entry.unread)
      if (piece === undefined) {
        throw new ProgramError('Unexpected EOF in archive\ntar: Error is not recoverable: exiting now', 2)
      }
      entry.unread -= piece.length
      yield piece.slice()
    }
  }

  const modeOf = ({ mode }: TarHeader) => (keepsModes ? mode : mode & 0o777 & ~io.umask)

  async function refuse({ cursor, unread }: Entry, message: string): Promise<boolean> {
    await cursor.skip(unread)
    await io.error(message)
    return false
  }

  async function put(header: TarHeader, path: string, entry: Entry): Promise<void> {
    if (header.kind === 'directory') {
      await directories.make(path)
      made.set(path, header)
      return
    }
    await directories.make(dirname(path))
    if (header.kind === 'symlink') return io.fs.symlink(header.target ?? '', path)
    if (header.kind === 'hardlink') {
      const from = resolve(root, header.target ?? '')
      await io.fs.writeFile(path, await io.fs.readFile(from), { mode: (await io.fs.stat(from)).mode ?? 0o644 })
      return
    }
    const { size, modifiedMs } = header
    await writeUnpacked(io, path, content(entry), {
      size,
      mode: modeOf(header),
      isNew: true,
      ...(setsTimes && { modifiedMs }),
    })
  }

  return {
    async extract(header, cursor) {
      const entry = { cursor, unread: header.size }
      const path = resolve(root, header.name.replace(/^\/+/, ''))
      if (header.name.split('/').includes('..') || !isWithin(root, path)) {
        return refuse(entry, `${header.name}: Member name contains '..'`)
      }
      if (header.kind === 'symlink' && !isWithin(root, resolve(dirname(path), header.target ?? ''))) {
        return refuse(entry, `${header.name}: Cannot create symlink to '${header.target}': it leads outside`)
      }
      const there = await kindAt(io, path)
      // A file that was packed twice is a link to itself.
      if (header.kind === 'hardlink' && there === 'file' && resolve(root, header.target ?? '') === path) return true
      const isInTheWay = there !== undefined && (there !== 'directory' || header.kind !== 'directory')
      if (existing !== 'replace' && isInTheWay) {
        if (existing === 'keep') return refuse(entry, `${header.name}: Cannot open: File exists`)
        await cursor.skip(header.size)
        return true
      }
      try {
        // An existing link is replaced instead of written through.
        if (isInTheWay) {
          await io.fs.remove(path)
          directories.forget(path)
        }
        await put(header, path, entry)
        return true
      } catch (error) {
        if (!isFsError(error)) throw error
        return refuse(entry, `${header.name}: Cannot open: ${describeError(error)}`)
      }
    },
    async finish() {
      for (const [path, header] of [...made].reverse()) {
        if (io.fs.capabilities.modeBits) await io.fs.setMode(path, modeOf(header))
        if (canSetTimes) await io.fs.setModified(path, header.modifiedMs)
      }
    },
  }
}
