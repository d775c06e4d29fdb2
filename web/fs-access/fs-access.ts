/** A file system over the File System Access API: OPFS, a picked folder, a dropped folder; in a page or in a worker. */
import { FsError } from '../../src/errors.js'
import { basename, dirname, isWithin, join } from '../../src/fs/path.js'
import { posixRules } from '../../src/fs/path-rules.js'
import type { ByteRange, Bytes, Entry, FileSystem, Stat, WriteOptions } from '../../src/fs/types.js'
import { byteSource } from './byte-source.js'
import { copyDirectory } from './copy-directory.js'
import { directoryHandles } from './directory-handles.js'
import { fromDomException, isDomException } from './fs-access-errors.js'
import { observe, observerAvailable } from './observe.js'
import { pathLocks } from './path-locks.js'
import { canMove, createWhole, isLeftover, leftoverOf, move, namesOfWrite, replaceWhole } from './whole-file.js'

export interface DirectoryHandleOptions {
  /** False for a folder on a system that ignores case in names (Windows, macOS). Default: true, which is right for OPFS. */
  caseSensitive?: boolean
}

/**
 * The directory becomes `/`. Files are replaced whole or not at all; in OPFS a new file appears with all its bytes, in a
 * local folder it is empty for a moment. Directories, and files in a local folder, are renamed by copying and then deleting:
 * times are lost, the space is needed twice, and a crash leaves both.
 *
 * Symbolic links in a local folder are invisible. Names that end in `.crswap` or `.polyfs-new` are reserved: they belong to
 * writes in progress, and to writes that a crash interrupted.
 */
export function directoryHandle(root: FileSystemDirectoryHandle, options: DirectoryHandleOptions = {}): FileSystem {
  const { caseSensitive = true } = options
  const { within, remember, forget } = directoryHandles(root)
  const place = placeOf(root)
  const locks = pathLocks(async (path) => {
    const name = `${(await place()).lockPrefix}${path}`
    return caseSensitive ? name : name.toLowerCase()
  })

  /** The entry at a path. Asking for a file also detects a directory, so either takes one call. */
  async function lookUp(path: string): Promise<Found | undefined> {
    if (path === '/') return { kind: 'directory' }
    return within(dirname(path), (parent) => lookUpIn(parent, basename(path))).catch(absent)
  }

  async function existing(path: string): Promise<Found> {
    const found = await lookUp(path)
    if (found === undefined) throw new FsError('NOT_FOUND', { path })
    return found
  }

  async function existingFile(path: string): Promise<FileSystemFileHandle> {
    const found = await existing(path)
    if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    return found.handle
  }

  async function list(directory: string): Promise<{ entries: Entry[]; leftovers: string[] }> {
    return within(directory, async (handle) => {
      const entries: Entry[] = []
      const leftovers: string[] = []
      for await (const [name, child] of handle.entries()) {
        if (isLeftover(name)) leftovers.push(name)
        else entries.push({ name, kind: child.kind })
        if (child.kind === 'directory') remember(join(directory, name), child as FileSystemDirectoryHandle)
      }
      return { entries, leftovers }
    })
  }

  /** Removes the leftover of a crashed write. Fails quietly for a write in progress, whose swap file the browser locks. */
  async function sweep(directory: string, leftover: string): Promise<void> {
    try {
      await within(directory, (handle) => handle.removeEntry(leftover))
    } catch (error) {
      if (!isDomException(error, 'NoModificationAllowedError', 'NotAllowedError', 'NotFoundError')) throw error
    }
  }

  async function removeEntry(path: string): Promise<void> {
    await within(dirname(path), (parent) => parent.removeEntry(basename(path)))
    forget(path)
  }

  /** Checks the target as `rename(2)` does: a file may replace a file, a directory an empty directory. */
  async function checkReplaceable(kind: Found['kind'], to: string): Promise<void> {
    const replaced = await lookUp(to)
    if (replaced === undefined) return within(dirname(to), async () => {})
    if (kind === 'file' && replaced.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path: to })
    if (kind === 'directory' && replaced.kind === 'file') throw new FsError('NOT_A_DIRECTORY', { path: to })
    if (kind === 'directory' && (await list(to)).entries.length > 0) throw new FsError('NOT_EMPTY', { path: to })
  }

  async function renameFile(file: FileSystemFileHandle, from: string, to: string): Promise<void> {
    const moves = canMove(await place())
    if (moves) return within(dirname(to), (parent) => move(file, parent, basename(to)))
    const content = await file.getFile()
    const replaced = await lookUp(to)
    if (replaced?.kind === 'file') await replaceWhole(replaced.handle, content)
    else await within(dirname(to), (parent) => createWhole(parent, basename(to), content, { moves }))
    await removeEntry(from)
  }

  async function renameDirectory(from: string, to: string): Promise<void> {
    const source = await within(from, async (handle) => handle)
    const target = await within(dirname(to), (parent) => parent.getDirectoryHandle(basename(to), { create: true }))
    let unchanged = false
    try {
      unchanged = await copyDirectory(source, target)
      // Changes made during the copy are not in it, and must not be deleted with the original.
      if (!unchanged) throw new FsError('BUSY', { path: from })
    } finally {
      if (!unchanged) await within(dirname(to), (parent) => parent.removeEntry(basename(to), { recursive: true }))
    }
    await within(dirname(from), (parent) => parent.removeEntry(basename(from), { recursive: true }))
    forget(from)
    forget(to)
  }

  const fs: FileSystem = {
    capabilities: {
      symlinks: false,
      // Renaming is atomic for files in OPFS, never for directories.
      atomicRename: false,
      modeBits: false,
      modified: 'read',
      watch: observerAvailable(),
      caseSensitive,
      writable: true,
      sync: false,
    },

    stat: (path) =>
      operation(path, () =>
        retried(async (): Promise<Stat> => {
          const found = await existing(path)
          if (found.kind === 'directory') return { kind: 'directory' }
          const { size, lastModified } = await found.handle.getFile()
          return { kind: 'file', size, modifiedMs: lastModified }
        }),
      ),

    readFile: (path, range) =>
      operation(path, () =>
        retried(async () => {
          const handle = await existingFile(path)
          return readPart(await handle.getFile(), range)
        }),
      ),

    open: (path) => operation(path, () => retried(async () => byteSource(await existingFile(path), path))),

    writeFile: (path, data, { exclusive = false }: WriteOptions = {}) =>
      operation(path, () => {
        refuseLeftoverName(path)
        // Copied now, because the caller may reuse its buffer before the lock is granted.
        const content = data.slice()
        const needed = namesOfWrite(basename(path)).map((name) => join(dirname(path), name))
        return locks.hold(needed, async () => {
          if (path === '/') throw new FsError(exclusive ? 'EXISTS' : 'IS_A_DIRECTORY', { path })
          const moves = canMove(await place())
          await within(dirname(path), async (parent) => {
            const found = await lookUpIn(parent, basename(path)).catch(absent)
            if (found === undefined) return createWhole(parent, basename(path), content, { moves })
            if (exclusive) throw new FsError('EXISTS', { path })
            if (found.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
            await replaceWhole(found.handle, content)
          })
        })
      }),

    readDir: (path) =>
      operation(path, async () => {
        const { entries, leftovers } = await list(path)
        for (const name of leftovers) {
          await locks.holdIfFree(join(path, leftoverOf(name)), () => sweep(path, name))
        }
        return entries
      }),

    makeDir: (path) =>
      operation(path, () => {
        refuseLeftoverName(path)
        return locks.hold([path], async () => {
          if (path === '/') throw new FsError('EXISTS', { path })
          await within(dirname(path), async (parent) => {
            const found = await lookUpIn(parent, basename(path)).catch(absent)
            if (found !== undefined) throw new FsError('EXISTS', { path })
            await parent.getDirectoryHandle(basename(path), { create: true })
          })
        })
      }),

    remove: (path) =>
      operation(path, async () => {
        if (path === '/') throw new FsError('IS_ROOT', { path })
        await locks.hold([path], async () => {
          try {
            await removeEntry(path)
          } catch (error) {
            // WebKit has no error of its own for a directory with something in it.
            if (!isDomException(error, 'InvalidModificationError', 'UnknownError')) throw error
            const { entries, leftovers } = await list(path).catch(() => {
              throw error
            })
            if (entries.length > 0) throw new FsError('NOT_EMPTY', { path })
            for (const name of leftovers) await sweep(path, name)
            await removeEntry(path)
          }
        })
      }),

    rename: (from, to) =>
      operation(from, async () => {
        if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
        await operation(to, async () => refuseLeftoverName(to))
        await locks.hold([from, to], async () => {
          const source = await existing(from)
          if (from === to) return
          if (source.kind === 'directory' && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
          await operation(to, () => checkReplaceable(source.kind, to))
          if (source.kind === 'file') return renameFile(source.handle, from, to)
          if (!caseSensitive && from.toLowerCase() === to.toLowerCase()) {
            // The copy would overwrite the original.
            throw new FsError('UNSUPPORTED', { path: from, operation: 'rename' })
          }
          await renameDirectory(from, to)
        })
      }),
  }
  if (observerAvailable()) {
    fs.watch = (path, onChange) =>
      operation(path, async () => {
        const { kind } = await existing(path)
        const directory = kind === 'directory' ? path : dirname(path)
        return within(directory, (handle) =>
          observe(handle, (components) => {
            const changed = components.reduce(join, directory)
            if (isLeftover(basename(changed))) return
            if (kind === 'directory' || changed === path) onChange({ path: changed })
          }),
        )
      })
  }
  return fs
}

type Found = { kind: 'directory' } | { kind: 'file'; handle: FileSystemFileHandle }

async function lookUpIn(parent: FileSystemDirectoryHandle, name: string): Promise<Found> {
  try {
    return { kind: 'file', handle: await parent.getFileHandle(name) }
  } catch (error) {
    if (isDomException(error, 'TypeMismatchError')) return { kind: 'directory' }
    throw error
  }
}

function absent(error: unknown): undefined {
  if (!isDomException(error, 'NotFoundError')) throw error
}

async function operation<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  try {
    // The API accepts NUL, unpaired surrogates and names too long for any disk.
    posixRules.parse(path)
    return await run()
  } catch (error) {
    throw fromDomException(error, path)
  }
}

/**
 * Retries a read whose file was replaced after the handle was taken. A fresh lookup finds the new bytes or fails with
 * `NOT_FOUND`.
 */
async function retried<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      const replaced = isDomException(error, 'NotFoundError', 'NotReadableError', 'InvalidStateError')
      if (!replaced || attempt === 10) throw error
    }
  }
}

/** Fails for the same paths as a write through `directoryHandle`. */
export function checkPath(path: string): void {
  posixRules.parse(path)
  if (path.includes('\\')) throw new FsError('INVALID_PATH', { path, reason: 'reserved-character' })
  refuseLeftoverName(path)
}

function refuseLeftoverName(path: string): void {
  if (isLeftover(basename(path))) throw new FsError('INVALID_PATH', { path, reason: 'reserved-name' })
}

async function readPart(file: File, range: ByteRange | undefined): Promise<Bytes> {
  const part = range === undefined ? file : file.slice(range.start, Math.max(range.start, range.end))
  return new Uint8Array(await part.arrayBuffer())
}

interface Place {
  opfs: boolean
  /** Lock names in OPFS start at its top, so that file systems on overlapping directories use the same ones. */
  lockPrefix: string
}

/** Finds out once, on first use, whether a directory is in OPFS. */
function placeOf(root: FileSystemDirectoryHandle): () => Promise<Place> {
  async function find(): Promise<Place> {
    const components = await (await navigator.storage.getDirectory()).resolve(root)
    if (components === null) return { opfs: false, lockPrefix: `polyfs:local:/${root.name}` }
    return { opfs: true, lockPrefix: ['polyfs:opfs:', ...components].join('/') }
  }
  let found: Promise<Place> | undefined
  return () => {
    found ??= find()
    return found
  }
}
