/** The files of a command, over the file operations that the host answers. */
import { FsError, isFsError } from '../../errors.js'
import type { Bytes, FileSystem, Stat } from '../../fs/types.js'
import type { CommandTree } from '../language/host.js'
import { restrictedDirectories } from './restricted-directories.js'
import { type ByteReader, type ByteWriter, concat } from './streams.js'

export interface AppendableFiles extends FileSystem {
  realPath(path: string): Promise<string>
  append(path: string, data: Bytes): Promise<void>
  /** The stat of an entry, and the first bytes of a file: one request instead of two. */
  readStart?(path: string, length: number): Promise<FileStart>
}

export interface FileStart {
  stat: Stat
  bytes?: Bytes
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

/** A file that is open for writing, shared by all its writers. */
interface WrittenFile {
  /** Where it is by now; undefined if it was removed, and what is written to it gets lost. */
  path: string | undefined
  writers: number
  /** Its size, with what is still buffered. */
  size: number
  /** Bytes to append. */
  chunks: Bytes[]
  bytes: number
  /** What was handed over, so that larger files are handed over in larger pieces. */
  written: number
}

/** Writes are buffered until something else looks at the files: a loop that appends lines makes few calls. */
export function commandTree(files: AppendableFiles): BufferedTree {
  const open = new Map<string, WrittenFile>()
  /** Those with something buffered, in the order of their first write. */
  const pending = new Set<WrittenFile>()
  let inFlight: Promise<void> | undefined
  const restricted = restrictedDirectories()

  async function flush(file: WrittenFile): Promise<void> {
    const data = concat(file.chunks)
    file.chunks = []
    file.bytes = 0
    file.written += data.length
    if (file.path !== undefined) await files.append(file.path, data)
  }

  /** Hands over what is buffered, in order, without waiting for it. A failure is that of the next `settle`. */
  function flushSoon(): void {
    if (pending.size === 0) return
    const all = [...pending]
    const before = inFlight
    pending.clear()
    inFlight = (async () => {
      await before
      for (const file of all) await flush(file)
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
    const start = await startOf(path)
    if (start.stat.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    requireRight(path, start.stat, ownerReads)
    return fileReader(path, start.bytes)
  }

  async function startOf(path: string): Promise<FileStart> {
    if (files.readStart === undefined) return { stat: await stat(path) }
    restricted.requireReach(path)
    const start = await files.readStart(path, chunkBytes)
    restricted.noteStat(path, start.stat)
    return start.stat.kind === 'symlink' ? { stat: await stat(path) } : start
  }

  function fileReader(path: string, start: Bytes | undefined): ByteReader {
    const back: Bytes[] = start === undefined || start.length === 0 ? [] : [start]
    let at = start?.length ?? 0
    let closed = start !== undefined && start.length < chunkBytes
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
    const writing = open.get(path)
    if (writing !== undefined && options.append && pending.has(writing)) return fileWriter(writing, true)
    await settle()
    const size = options.append ? await openForAppend(path, options) : 0
    if (!options.append) await replace(path, new Uint8Array(), options)
    const file = open.get(path) ?? { path, writers: 0, size, chunks: [], bytes: 0, written: 0 }
    file.size = size
    open.set(path, file)
    return fileWriter(file, options.append === true)
  }

  /** Resolves to the size of the file. */
  async function openForAppend(path: string, options: { mode?: number }): Promise<number> {
    const found = await statIfThere(path)
    if (found === undefined) {
      await replace(path, new Uint8Array(), options)
      return 0
    }
    if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    requireRight(path, found, ownerWrites)
    await files.append(path, new Uint8Array())
    return found.size ?? 0
  }

  /** A writer that does not append writes at its own offset, whatever others have written to the file meanwhile. */
  function fileWriter(file: WrittenFile, appends: boolean): ByteWriter {
    let offset = 0
    let closed = false
    file.writers += 1
    return {
      write(bytes) {
        if (bytes.length === 0) return undefined
        const start = appends ? file.size : offset
        offset = start + bytes.length
        if (start !== file.size) return overwrite(file, start, bytes)
        pending.add(file)
        file.chunks.push(bytes)
        file.bytes += bytes.length
        file.size = offset
        return file.bytes < Math.max(minFlushBytes, file.written >> 1) ? undefined : settle()
      },
      async close() {
        if (closed) return
        closed = true
        file.writers -= 1
        if (file.writers === 0 && file.path !== undefined) open.delete(file.path)
      },
      get path() {
        return file.path
      },
    }
  }

  /** A gap before the offset is filled with zeros. */
  async function overwrite(file: WrittenFile, offset: number, bytes: Bytes): Promise<void> {
    await settle()
    if (file.path === undefined) return
    const before = await files.readFile(file.path)
    const after = new Uint8Array(Math.max(before.length, offset + bytes.length))
    after.set(before)
    after.set(bytes, offset)
    await files.writeFile(file.path, after)
    file.size = after.length
  }

  function noteMoved(from: string, to: string | undefined): void {
    const replaced = to === undefined ? undefined : open.get(to)
    if (replaced?.path !== undefined) open.delete(replaced.path)
    if (replaced !== undefined) replaced.path = undefined
    for (const [path, file] of [...open]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue
      open.delete(path)
      file.path = to === undefined ? undefined : to + path.slice(from.length)
      if (file.path !== undefined) open.set(file.path, file)
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
    writeFile: settled(async (path: string, data: Bytes, options: { mode?: number; exclusive?: boolean } = {}) => {
      await replace(path, data, options)
      const writing = open.get(path)
      if (writing !== undefined) writing.size = data.length
    }),
    makeDir: settled(async (path: string, { mode }: { mode?: number } = {}) => {
      restricted.requireChange(path)
      await files.makeDir(path)
      if (mode !== undefined && mode !== 0o755) await setMode(path, mode)
    }),
    remove: settled(async (path: string) => {
      restricted.requireChange(path)
      await files.remove(path)
      noteMoved(path, undefined)
      restricted.removed(path)
    }),
    rename: settled(async (from: string, to: string) => {
      restricted.requireChange(from)
      restricted.requireChange(to)
      await files.rename(from, to)
      noteMoved(from, to)
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
