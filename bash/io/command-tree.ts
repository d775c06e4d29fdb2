/** The files of a command, over the file operations that the host answers. */
import { FsError, isFsError } from '../../src/errors.js'
import { join } from '../../src/fs/path.js'
import { isPromise } from '../../src/fs/sync.js'
import type { Bytes, Capabilities, Entry, FileSystem, Stat } from '../../src/fs/types.js'
import { countingChanges, readAhead } from './read-ahead.js'
import { restrictedDirectories } from './restricted-directories.js'
import type { ByteReader, ByteWriter } from './streams.js'
import { type WrittenFiles, writtenFiles } from './written-files.js'

/** The files of a command, by absolute paths. Links are followed, except by `lstat`, `remove`, `rename` and `readLink`. */
export interface CommandTree {
  readonly capabilities: Capabilities
  stat(path: string): Promise<Stat>
  lstat(path: string): Promise<Stat>
  readDir(path: string): Promise<Entry[]>
  readFile(path: string, range?: { start: number; end: number }): Promise<Bytes>
  writeFile(path: string, data: Bytes, options?: { mode?: number; exclusive?: boolean }): Promise<void>
  openRead(path: string): Promise<ByteReader>
  /** The same for files of a directory, by their names: of the first ones, and at least one. A failure is that of its file. */
  openAll(directory: string, names: readonly string[]): Promise<Array<ByteReader | FsError>>
  openWrite(path: string, options?: { append?: boolean; exclusive?: boolean; mode?: number }): Promise<ByteWriter>
  /** Makes a FIFO; absent where there are none. */
  makePipe?(path: string, mode: number): Promise<void>
  /** Opens a FIFO for reading and writing, and waits for nobody. Undefined for anything else. */
  openPipe?(path: string): Promise<{ reader: ByteReader; writer: ByteWriter } | undefined>
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
  /** The same of many entries of a directory, or of the first ones, and at least one. */
  readStarts?(directory: string, names: readonly string[], wanted: WantedStart): Promise<Array<FileStart | FsError>>
}

export interface WantedStart {
  /** How many bytes; none for the stat alone. */
  length: number
  /** Of a larger file, only the stat. */
  maxSize?: number | undefined
}

export interface FileStart {
  stat: Stat
  bytes?: Bytes
}

export interface BufferedTree extends CommandTree, Pick<WrittenFiles, 'settle' | 'flushSoon' | 'flushMost'> {}

const chunkBytes = 256 * 1024
const ownerReads = 0o400
const ownerWrites = 0o200

export function commandTree(host: AppendableFiles): BufferedTree {
  const { files, changed, revision } = countingChanges(host)
  const written = writtenFiles(files)
  const { settle, mayBeSeen } = written
  const restricted = restrictedDirectories()

  /** The operation sees everything that was written before. */
  function settled<Given extends unknown[], Result>(operation: (...given: Given) => Promise<Result>) {
    return async (...given: Given): Promise<Result> => {
      if (!written.isSettled()) await settle()
      return operation(...given)
    }
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

  function hasRight({ mode }: Stat, right: number): boolean {
    return mode === undefined || (mode & right) !== 0
  }

  function requireRight(path: string, stat: Stat, right: number): void {
    if (!hasRight(stat, right)) throw new FsError('DENIED', { path })
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

  async function openAll(directory: string, names: readonly string[]): Promise<Array<ByteReader | FsError>> {
    const paths = names.map((name) => join(directory, name))
    if (files.readStarts === undefined) return Promise.all(paths.map((path) => orFailure(openRead(path))))
    restricted.requireReach(join(directory, 'any'))
    const starts = await files.readStarts(directory, names, { length: chunkBytes })
    const opened = starts.map((start, index) => {
      const path = paths[index] as string
      if (isFsError(start)) return start
      if (start.stat.kind !== 'file') return orFailure(openRead(path))
      if (!hasRight(start.stat, ownerReads)) return new FsError('DENIED', { path })
      return fileReader(path, start)
    })
    return opened.some(isPromise) ? Promise.all(opened) : (opened as Array<ByteReader | FsError>)
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
    const chunks = readAhead((from) => files.readFile(path, { start: from, end: from + chunkBytes }), revision)
    return {
      async read() {
        const given = back.shift()
        if (given !== undefined) return given
        if (closed) return undefined
        if (isLink || mayBeSeen(path)) await settle()
        const bytes = await chunks.from(at)
        at += bytes.length
        if (bytes.length < chunkBytes) closed = true
        else chunks.askFor(at)
        return bytes.length > 0 ? bytes : undefined
      },
      takeRest: () => (closed && back.length === 1 ? back.shift() : undefined),
      unread(bytes) {
        if (bytes.length > 0) back.unshift(bytes)
      },
      close() {
        closed = true
        back.length = 0
        chunks.forget()
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
    const more = options.append ? written.appendMore(path) : undefined
    if (more !== undefined) return more
    await settle()
    const { size, isLink } = await (options.append ? openForAppend : replace)(path, new Uint8Array(), options)
    return written.open(path, { size, isLink, appends: options.append === true })
  }

  async function openForAppend(path: string, nothing: Bytes, options: { mode?: number }) {
    const { found, isLink } = await target(path)
    if (found === undefined) return replace(path, nothing, options)
    if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    requireRight(path, found, ownerWrites)
    await files.append(path, nothing)
    return { size: found.size ?? 0, isLink }
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
    settle() {
      // Before someone else changes the files.
      changed()
      return settle()
    },
    flushSoon: written.flushSoon,
    flushMost: written.flushMost,
    stat: settledFor(stat),
    lstat: settledFor(lstat),
    // What is buffered changes no names and no links.
    async readDir(path) {
      restricted.requireList(path)
      return files.readDir(path)
    },
    openRead: settledFor(openRead),
    openAll: settled(openAll),
    openWrite,
    readFile: settledFor(async (path: string, range?: { start: number; end: number }) => {
      const found = await stat(path)
      if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
      requireRight(path, found, ownerReads)
      return files.readFile(path, range)
    }),
    writeFile: settled(async (path: string, data: Bytes, options: { mode?: number; exclusive?: boolean } = {}) => {
      await replace(path, data, options)
      written.resized(path, data.length)
    }),
    makeDir: settled(async (path: string, { mode }: { mode?: number } = {}) => {
      restricted.requireChange(path)
      await files.makeDir(path)
      if (mode !== undefined && mode !== 0o755) await setMode(path, mode)
    }),
    remove: settled(async (path: string) => {
      restricted.requireChange(path)
      await files.remove(path)
      written.moved(path, undefined)
      restricted.removed(path)
    }),
    rename: settled(async (from: string, to: string) => {
      restricted.requireChange(from)
      restricted.requireChange(to)
      await files.rename(from, to)
      written.moved(from, to)
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

async function orFailure<Opened>(opening: Promise<Opened>): Promise<Opened | FsError> {
  try {
    return await opening
  } catch (error) {
    if (!isFsError(error)) throw error
    return error
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
