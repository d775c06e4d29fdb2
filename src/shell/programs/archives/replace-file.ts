/** Writes the packed or unpacked form of a file beside it. */
import { isFsError } from '../../../errors.js'
import { dirname } from '../../../fs/path.js'
import type { ByteReader } from '../../io/streams.js'
import type { ProgramIo } from '../program.js'

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

export async function isThere(io: ProgramIo, path: string): Promise<boolean> {
  try {
    await io.fs.lstat(path)
    return true
  } catch (error) {
    if (isFsError(error)) return false
    throw error
  }
}

export async function makeDirectories(io: ProgramIo, path: string): Promise<void> {
  try {
    await io.fs.makeDir(path)
  } catch (error) {
    if (isFsError(error, 'EXISTS')) return
    if (!isFsError(error, 'NOT_FOUND')) throw error
    await makeDirectories(io, dirname(path))
    await io.fs.makeDir(path)
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
