/** Writes files that come out of archives, and the packed or unpacked form of a file beside it. */
import { FsError, isFsError } from '../../../src/errors.js'
import { dirname } from '../../../src/fs/path.js'
import type { Bytes, Kind } from '../../../src/fs/types.js'
import { joinBytes } from '../../../src/text/join-bytes.js'
import type { ProgramIo } from '../../io/program.js'
import type { ByteReader } from '../../io/streams.js'

/** The new file has the mode and time of the old one. It is removed again when the input is damaged. Returns its size. */
export async function writeBeside(io: ProgramIo, from: string, target: string, content: ByteReader): Promise<number> {
  const stat = await io.fs.stat(from)
  const writer = await io.fs.openWrite(target)
  let size = 0
  try {
    for (let chunk = await content.read(); chunk !== undefined; chunk = await content.read()) {
      io.step()
      size += chunk.length
      await writer.write(chunk)
    }
    await writer.close()
  } catch (error) {
    await writer.close().catch(() => {})
    await io.fs.remove(target).catch(() => {})
    throw error
  }
  if (stat.mode !== undefined && io.fs.capabilities.modeBits) await io.fs.setMode(target, stat.mode)
  if (stat.modifiedMs !== undefined && io.fs.capabilities.modified === 'write') {
    await io.fs.setModified(target, stat.modifiedMs)
  }
  return size
}

/** Up to this size a file is written in one step. */
const wholeFileBytes = 1024 * 1024

export interface Unpacked {
  size: number
  /** As it is to be: the mask has been applied. */
  mode?: number | undefined
  modifiedMs?: number | undefined
  /** False if there may be a file already, whose mode would stay. */
  isNew: boolean
}

/**
 * Writes a file that comes out of an archive. What came before a failure is written, too: of an archive that is cut off, its beginning.
 * Nothing is touched if nothing came, as of an entry with a wrong checksum.
 */
export async function writeUnpacked(
  io: ProgramIo,
  path: string,
  content: AsyncIterable<Bytes>,
  { size, mode, modifiedMs, isNew }: Unpacked,
): Promise<void> {
  const { modeBits, modified } = io.fs.capabilities
  const given = modeBits ? mode : undefined
  if (size <= wholeFileBytes) await writeWhole(io, path, content, given === undefined ? {} : { mode: given })
  else await writePieces(io, path, content)
  const isSet = isNew && size <= wholeFileBytes
  if (given !== undefined && !isSet) await io.fs.setMode(path, given)
  if (modifiedMs !== undefined && modified === 'write') await io.fs.setModified(path, modifiedMs)
}

async function writeWhole(io: ProgramIo, path: string, content: AsyncIterable<Bytes>, options: { mode?: number }) {
  const pieces: Bytes[] = []
  let isWhole = false
  try {
    for await (const piece of content) pieces.push(piece)
    isWhole = true
  } finally {
    if (isWhole || pieces.length > 0) await io.fs.writeFile(path, joinBytes(pieces), options)
  }
}

async function writePieces(io: ProgramIo, path: string, content: AsyncIterable<Bytes>): Promise<void> {
  let writer: Awaited<ReturnType<typeof io.fs.openWrite>> | undefined
  try {
    for await (const piece of content) {
      writer ??= await io.fs.openWrite(path)
      await writer.write(piece)
    }
  } finally {
    await writer?.close()
  }
}

export async function isThere(io: ProgramIo, path: string): Promise<boolean> {
  return (await kindAt(io, path)) !== undefined
}

/** Undefined if nothing exists there, or it can't be reached. */
export async function kindAt(io: ProgramIo, path: string): Promise<Kind | undefined> {
  try {
    return (await io.fs.lstat(path)).kind
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}

export async function makeDirectories(io: ProgramIo, path: string): Promise<void> {
  try {
    await io.fs.makeDir(path)
  } catch (error) {
    if (isFsError(error, 'EXISTS')) {
      if ((await io.fs.stat(path)).kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
      return
    }
    if (!isFsError(error, 'NOT_FOUND')) throw error
    await makeDirectories(io, dirname(path))
    await io.fs.makeDir(path)
  }
}

/** The directories that unpacking needs, each of which is made once. */
export function neededDirectories(io: ProgramIo) {
  const known = new Set<string>()
  return {
    async make(path: string): Promise<void> {
      if (known.has(path)) return
      await makeDirectories(io, path)
      known.add(path)
    },
    /** For an entry that was removed: it may have been an empty one. */
    forget: (path: string) => void known.delete(path),
  }
}

/** Counts what is read. */
export function countedReader(reader: ByteReader): { reader: ByteReader; count(): number } {
  let bytes = 0
  return {
    count: () => bytes,
    reader: {
      ...reader,
      async read() {
        const chunk = await reader.read()
        bytes += chunk?.length ?? 0
        return chunk
      },
    },
  }
}
