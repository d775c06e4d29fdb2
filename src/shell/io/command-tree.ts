/** The files of a command, over the file operations that the host answers. */
import { FsError, isFsError } from '../../errors.js'
import type { Bytes, FileSystem, Stat } from '../../fs/types.js'
import type { CommandTree } from '../language/host.js'
import { restrictedDirectories } from './restricted-directories.js'
import { type ByteReader, type ByteWriter, concat } from './streams.js'

export interface AppendableFiles extends FileSystem {
  realPath(path: string): Promise<string>
  append(path: string, data: Bytes): Promise<void>
}

export interface BufferedTree extends CommandTree {
  /** Hands over what is still buffered. */
  settle(): Promise<void>
  /** The same without waiting, before something that may take long. */
  flushSoon(): void
}

const chunkBytes = 256 * 1024
const minFlushBytes = 32 * 1024
const ownerReads = 0o400
const ownerWrites = 0o200

/** Bytes to append to one file. */
interface Pending {
  chunks: Bytes[]
  bytes: number
  /** What was handed over, so that larger files are handed over in larger pieces. */
  written: number
}

/** Writes are buffered until something else looks at the files: a loop that appends lines makes few calls. */
export function commandTree(files: AppendableFiles): BufferedTree {
  const pending = new Map<string, Pending>()
  let inFlight: Promise<void> | undefined
  const restricted = restrictedDirectories()

  async function flush(path: string, one: Pending): Promise<void> {
    if (one.bytes === 0) return
    const data = concat(one.chunks)
    one.chunks = []
    one.bytes = 0
    one.written += data.length
    await files.append(path, data)
  }

  /** Hands over what is buffered, in order, without waiting for it. A failure is that of the next `settle`. */
  function flushSoon(): void {
    if (pending.size === 0) return
    const all = [...pending]
    const before = inFlight
    pending.clear()
    inFlight = (async () => {
      await before
      for (const [path, one] of all) await flush(path, one)
    })()
    inFlight.catch(() => {})
  }

  async function settle(): Promise<void> {
    flushSoon()
    const waiting = inFlight
    if (waiting === undefined) return
    try {
      await waiting
    } finally {
      if (inFlight === waiting) inFlight = undefined
    }
  }

  /** The operation sees everything that was written before. */
  function settled<Given extends unknown[], Result>(operation: (...given: Given) => Promise<Result>) {
    return async (...given: Given): Promise<Result> => {
      if (pending.size > 0 || inFlight !== undefined) await settle()
      return operation(...given)
    }
  }

  async function lstat(path: string): Promise<Stat> {
    restricted.requireReach(path)
    const found = await files.stat(path)
    restricted.noteStat(path, found)
    return found
  }

  async function stat(path: string): Promise<Stat> {
    const found = await lstat(path)
    return found.kind === 'symlink' ? lstat(await files.realPath(path)) : found
  }

  function requireRight(path: string, { mode }: Stat, right: number): void {
    if (mode !== undefined && (mode & right) === 0) throw new FsError('DENIED', { path })
  }

  async function statIfThere(path: string): Promise<Stat | undefined> {
    try {
      return await stat(path)
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND')) return undefined
      throw error
    }
  }

  async function openRead(path: string): Promise<ByteReader> {
    const found = await stat(path)
    if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    requireRight(path, found, ownerReads)
    return fileReader(path)
  }

  function fileReader(path: string): ByteReader {
    const back: Bytes[] = []
    let at = 0
    let closed = false
    return {
      async read() {
        const given = back.shift()
        if (given !== undefined) return given
        if (closed) return undefined
        if (pending.size > 0 || inFlight !== undefined) await settle()
        const bytes = await files.readFile(path, { start: at, end: at + chunkBytes })
        at += bytes.length
        if (bytes.length < chunkBytes) closed = true
        return bytes.length > 0 ? bytes : undefined
      },
      unread(bytes) {
        if (bytes.length > 0) back.unshift(bytes)
      },
      close() {
        closed = true
        back.length = 0
      },
      stat: () => stat(path),
      path,
    }
  }

  /** A new file gets the mode; an existing one keeps its own. */
  async function replace(path: string, data: Bytes, { mode, exclusive }: { mode?: number; exclusive?: boolean }) {
    const found = await statIfThere(path)
    if (found?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (found === undefined) restricted.requireChange(path)
    else requireRight(path, found, ownerWrites)
    if (found !== undefined && exclusive) throw new FsError('EXISTS', { path })
    await files.writeFile(path, data, { ...(mode !== undefined && { mode }), ...(exclusive && { exclusive }) })
  }

  async function openWrite(
    path: string,
    options: { append?: boolean; exclusive?: boolean; mode?: number } = {},
  ): Promise<ByteWriter> {
    const open = options.append ? pending.get(path) : undefined
    if (open !== undefined) return fileWriter(path, open)
    await settle()
    if (options.append) {
      const found = await statIfThere(path)
      if (found === undefined) await replace(path, new Uint8Array(), options)
      else {
        if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
        requireRight(path, found, ownerWrites)
        await files.append(path, new Uint8Array())
      }
    } else await replace(path, new Uint8Array(), options)
    return fileWriter(path, { chunks: [], bytes: 0, written: 0 })
  }

  function fileWriter(path: string, one: Pending): ByteWriter {
    return {
      write(bytes) {
        if (bytes.length === 0) return undefined
        if (pending.get(path) !== one) pending.set(path, one)
        one.chunks.push(bytes)
        one.bytes += bytes.length
        return one.bytes < Math.max(minFlushBytes, one.written >> 1) ? undefined : settle()
      },
      close: async () => {},
      path,
    }
  }

  async function setMode(path: string, mode: number): Promise<void> {
    restricted.requireReach(path)
    await files.setMode?.(path, mode)
    restricted.note(path, mode)
  }

  const missing = (operation: string) => async (path: string) => {
    throw new FsError('UNSUPPORTED', { path, operation })
  }

  return {
    capabilities: files.capabilities,
    settle,
    flushSoon,
    stat: settled(stat),
    lstat: settled(lstat),
    readDir: settled(async (path: string) => {
      restricted.requireList(path)
      return files.readDir(path)
    }),
    openRead: settled(openRead),
    openWrite,
    readFile: settled(async (path: string, range?: { start: number; end: number }) => {
      const found = await stat(path)
      if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
      requireRight(path, found, ownerReads)
      return files.readFile(path, range)
    }),
    writeFile: settled((path: string, data: Bytes, options: { mode?: number; exclusive?: boolean } = {}) =>
      replace(path, data, options),
    ),
    makeDir: settled(async (path: string, { mode }: { mode?: number } = {}) => {
      restricted.requireChange(path)
      await files.makeDir(path)
      if (mode !== undefined && mode !== 0o755) await setMode(path, mode)
    }),
    remove: settled(async (path: string) => {
      restricted.requireChange(path)
      await files.remove(path)
      restricted.removed(path)
    }),
    rename: settled(async (from: string, to: string) => {
      restricted.requireChange(from)
      restricted.requireChange(to)
      await files.rename(from, to)
      restricted.moved(from, to)
    }),
    symlink: settled(async (target: string, path: string) => {
      restricted.requireChange(path)
      await (files.symlink ?? missing('symlink'))(target, path)
    }),
    readLink: settled(files.readLink ?? (missing('readlink') as (path: string) => Promise<string>)),
    realPath: settled(files.realPath),
    setMode: settled(async (path: string, mode: number) => {
      if (files.setMode === undefined) throw new FsError('UNSUPPORTED', { path, operation: 'chmod' })
      await setMode(path, mode)
    }),
    setModified: settled(files.setModified ?? missing('utime')),
  }
}
