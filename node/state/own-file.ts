/** Reads small files of ours from places in which somebody may have put something else. */
import fs from 'node:fs'

/** The entry is not a file that this user alone may read and write, or it is larger than we would write it. */
export class ForeignFile extends Error {}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants

/** Undefined for a file that is missing. Follows no link, and waits for no FIFO. Not checked on Windows: who owns it. */
export function readOwnFile(file: string, { maxBytes }: { maxBytes: number }): Buffer | undefined {
  const descriptor = open(file)
  if (descriptor === undefined) return undefined
  try {
    const stats = fs.fstatSync(descriptor)
    const user = process.geteuid?.()
    const isOwn = user === undefined || (stats.uid === user && (stats.mode & 0o077) === 0)
    if (!isOwn || !stats.isFile() || stats.size > maxBytes) throw new ForeignFile(file)
    return fs.readFileSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

function open(file: string): number | undefined {
  try {
    return fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    // A link, and a socket.
    if (code === 'ELOOP' || code === 'ENXIO') throw new ForeignFile(file)
    throw error
  }
}
