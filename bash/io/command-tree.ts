/** The files of a command, over the file operations that the host answers. */
import { FsError, isFsError } from '../../src/errors.js'
import { basename } from '../../src/fs/path.js'
import type { Bytes, Capabilities, Entry, FileSystem, Stat } from '../../src/fs/types.js'
import { hasOneSpelling } from './one-spelling.js'
import { restrictedDirectories } from './restricted-directories.js'
import { type ByteReader, type ByteWriter, concat } from './streams.js'

/** The files of a command, by absolute paths. Links are followed, except by `lstat`, `remove`, `rename` and `readLink`. */
export interface CommandTree {
  readonly capabilities: Capabilities
  stat(path: string): Promise<Stat>
  lstat(path: string): Promise<Stat>
  readDir(path: string): Promise<Entry[]>
  readFile(path: string, range?: { start: number; end: number }): Promise<Bytes>
  writeFile(path: string, data: Bytes, options?: { mode?: number; exclusive?: boolean }): Promise<void>
  openRead(path: string): Promise<ByteReader>
  openWrite(path: string, options?: { append?: boolean; exclusive?: boolean; mode?: number }): Promise<ByteWriter>
  makeDir(path: string, options?: { mode?: number }): Promise<void>
  remove(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  readLink(path: string): Promise<string>
  realPath(path: string): Promise<string>
  setMode(path: string, mode: number): Promise<void>
  setModified(path: string, modifiedMs: number): Promise<void>
}

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
  /** The same without waiting, before something that takes long. */
  flushSoon(): void
  /** The same before what may take long, except for files of which little is buffered: each time all of a file is copied. */
  flushMost(): void
}

const chunkBytes = 256 * 1024
const minFlushBytes = 32 * 1024
/** Less than one part in so many of a file is little. */
const littleShare = 8
const ownerReads = 0o400
const ownerWrites = 0o200

/** A file that is open for writing, shared by all its writers. */
interface WrittenFile {
  /** Where it is by now; undefined if it was removed, and what is written to it gets lost. */
  path: string | undefined
  /** That is a link, and the file has another name. */
  isLink: boolean
  writers: number
  /** Its size, with what is still buffered. */
  size: number
  /** Bytes to append. */
  chunks: Bytes[]
  bytes: number
  /** What was handed over, so that larger files are handed over in larger pieces. */
  written: number
}

/**
 * Writes are buffered until something else changes the files, or looks at those that were written: a loop that appends lines makes few
 * calls, and so does one that appends file after file.
 */
export function commandTree(files: AppendableFiles): BufferedTree {
  const open = new Map<string, WrittenFile>()
  /** Those with something buffered, in the order of their first write. */
  const pending = new Set<WrittenFile>()
  /** Those, and the ones whose bytes are being handed over. */
  const unsettled = new Set<WrittenFile>()
  let inFlight: Promise<void> | undefined
  const restricted = restrictedDirectories()

  async function flush(file: WrittenFile): Promise<void> {
    const data = concat(file.chunks)
    file.chunks = []
    file.bytes = 0
    file.written += data.length
    const { path } = file
    if (file.writers === 0 && path !== undefined && open.get(path) === file) open.delete(path)
    try {
      if (path !== undefined) await files.append(path, data)
    } finally {
      if (!pending.has(file)) unsettled.delete(file)
    }
  }

  function flushSoon(): void {
    handOver([...pending])
  }

  function flushMost(): void {
    handOver([...pending].filter(({ bytes, written }) => bytes * littleShare >= written))
  }

  /** Hands over what is buffered, in order, without waiting for it. A failure is that of the next `settle`. */
  function handOver(all: readonly WrittenFile[]): void {
    if (all.length === 0) return
    const before = inFlight
    for (const file of all) pending.delete(file)
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

  /**
   * What was written is seen by a read under the name of the file, whatever directory that is in, or through a link. All other reads need not
   * wait for it, unless they meet a link.
   */
  function mayBeSeen(path: string): boolean {
    if (unsettled.size === 0) return false
    const name = basename(path)
    if (!hasOneSpelling(files, path)) return true
    for (const { path: written, isLink } of unsettled) {
      if (written !== undefined && (isLink || basename(written) === name)) return true
    }
    return false
  }

  /** The operation sees what was written before, if it can be seen under this path. */
  function settledFor<Given extends unknown[], Result>(read: (path: string, ...given: Given) => Promise<Result>) {
    return async (path: string, ...given: Given): Promise<Result> => {
      if (mayBeSeen(path)) await settle()
      return read(path, ...given)
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
    if (found.kind !== 'symlink') return found
    await settle()
    return lstat(await files.realPath(path))
  }

  function requireRight(path: string, { mode }: Stat, right: number): void {
    if (mode !== undefined && (mode & right) === 0) throw new FsError('DENIED', { path })
  }

  /** What a path leads to, if there is something, and whether it is a link. */
  async function target(path: string): Promise<{ found?: Stat | undefined; isLink: boolean }> {
    const entry = await ifThere(lstat(path))
    if (entry?.kind !== 'symlink') return { found: entry, isLink: false }
    return { found: await ifThere(stat(path)), isLink: true }
  }

  async function openRead(path: string): Promise<ByteReader> {
    const start = await startOf(path)
    if (start.stat.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    requireRight(path, start.stat, ownerReads)
    return fileReader(path, start)
  }

  async function startOf(path: string): Promise<FileStart & { isLink?: boolean }> {
    if (files.readStart === undefined) return { stat: await stat(path), isLink: true }
    restricted.requireReach(path)
    const start = await files.readStart(path, chunkBytes)
    restricted.noteStat(path, start.stat)
    return start.stat.kind === 'symlink' ? { stat: await stat(path), isLink: true } : start
  }

  /** `isLink`: it is one, or not known not to be one. */
  function fileReader(path: string, { bytes: start, isLink }: Awaited<ReturnType<typeof startOf>>): ByteReader {
    const back: Bytes[] = start === undefined || start.length === 0 ? [] : [start]
    let at = start?.length ?? 0
    let closed = start !== undefined && start.length < chunkBytes
    return {
      async read() {
        const given = back.shift()
        if (given !== undefined) return given
        if (closed) return undefined
        if (isLink || mayBeSeen(path)) await settle()
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
    const { found, isLink } = await target(path)
    if (found?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (found === undefined) restricted.requireChange(path)
    else requireRight(path, found, ownerWrites)
    if (found !== undefined && exclusive) throw new FsError('EXISTS', { path })
    await files.writeFile(path, data, { ...(mode !== undefined && { mode }), ...(exclusive && { exclusive }) })
    return { size: data.length, isLink }
  }

  async function openWrite(
    path: string,
    options: { append?: boolean; exclusive?: boolean; mode?: number } = {},
  ): Promise<ByteWriter> {
    const writing = open.get(path)
    if (writing !== undefined && options.append && pending.has(writing)) return fileWriter(writing, true)
    await settle()
    const { size, isLink } = await (options.append ? openForAppend : replace)(path, new Uint8Array(), options)
    const file = open.get(path) ?? { path, isLink, writers: 0, size, chunks: [], bytes: 0, written: 0 }
    file.size = size
    open.set(path, file)
    return fileWriter(file, options.append === true)
  }

  async function openForAppend(path: string, nothing: Bytes, options: { mode?: number }) {
    const { found, isLink } = await target(path)
    if (found === undefined) return replace(path, nothing, options)
    if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    requireRight(path, found, ownerWrites)
    await files.append(path, nothing)
    return { size: found.size ?? 0, isLink }
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
        unsettled.add(file)
        file.chunks.push(bytes)
        file.bytes += bytes.length
        file.size = offset
        return file.bytes < Math.max(minFlushBytes, file.written >> 1) ? undefined : settle()
      },
      async close() {
        if (closed) return
        closed = true
        file.writers -= 1
        // Otherwise it is opened again without a call, as by a loop that appends.
        if (file.writers === 0 && file.path !== undefined && !pending.has(file)) open.delete(file.path)
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
    flushMost,
    stat: settledFor(stat),
    lstat: settledFor(lstat),
    // What is buffered changes no names and no links.
    async readDir(path) {
      restricted.requireList(path)
      return files.readDir(path)
    },
    openRead: settledFor(openRead),
    openWrite,
    readFile: settledFor(async (path: string, range?: { start: number; end: number }) => {
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
    readLink: files.readLink ?? (missing('readlink') as (path: string) => Promise<string>),
    realPath: files.realPath,
    setMode: settled(async (path: string, mode: number) => {
      if (files.setMode === undefined) throw new FsError('UNSUPPORTED', { path, operation: 'chmod' })
      await setMode(path, mode)
    }),
    setModified: settled(files.setModified ?? missing('utime')),
  }
}

async function ifThere<Found>(looking: Promise<Found>): Promise<Found | undefined> {
  try {
    return await looking
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) return undefined
    throw error
  }
}
