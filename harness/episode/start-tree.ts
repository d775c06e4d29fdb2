/** The tree that episodes start with. It is built once for all episodes on the same files. */
import { FsError } from '../../src/errors.js'
import { type MemoryFileSystem, type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import { inBatches } from '../../src/fs/in-batches.js'
import { join } from '../../src/fs/path.js'
import type { Entry, FileSystem } from '../../src/fs/types.js'

const readAtOnce = 32

/** By the files, then by the time that they start with. */
const trees = new WeakMap<object, Map<number, Promise<MemoryFileSystem>>>()

/**
 * A tree that is never changed: episodes fork it. The files must not be changed after the first call. All of them are as old as the episode,
 * and only the owner's rights count, so that the same task is the same tree on every machine.
 */
export function startTree(files: MemoryTree | FileSystem, startMs: number): Promise<MemoryFileSystem> {
  const known = trees.get(files) ?? new Map<number, Promise<MemoryFileSystem>>()
  trees.set(files, known)
  const tree = known.get(startMs) ?? built(files, startMs)
  known.set(startMs, tree)
  // A directory that could not be read may be readable the next time.
  tree.catch(() => known.delete(startMs))
  return tree
}

async function built(files: MemoryTree | FileSystem, startMs: number): Promise<MemoryFileSystem> {
  const now = () => startMs
  if (!isFileSystem(files)) return memory(files, { now })
  const tree = memory({}, { now })
  await copyDirectory(files, tree, '/')
  return tree
}

export function isFileSystem(files: MemoryTree | FileSystem): files is FileSystem {
  return typeof files.readFile === 'function'
}

async function copyDirectory(from: FileSystem, to: MemoryFileSystem, directory: string): Promise<void> {
  const entries = await from.readDir(directory)
  await inBatches(entries, readAtOnce, (entry) => copyEntry(from, to, join(directory, entry.name), entry))
}

async function copyEntry(from: FileSystem, to: MemoryFileSystem, path: string, { kind }: Entry): Promise<void> {
  if (kind === 'symlink') {
    if (from.readLink === undefined) throw new FsError('UNSUPPORTED', { path, operation: 'readLink' })
    await to.symlink?.(await from.readLink(path), path)
    return
  }
  if (kind !== 'file' && kind !== 'directory') throw new FsError('SPECIAL_FILE', { path })
  const { mode } = await from.stat(path)
  if (kind === 'directory') {
    await to.makeDir(path)
    await copyDirectory(from, to, path)
  } else await to.writeFile(path, await from.readFile(path))
  if (mode !== undefined) await to.setMode?.(path, portableMode(mode))
}

/** Others have the owner's rights but for writing. What they have on a machine depends on the umask of whoever made the file. */
function portableMode(mode: number): number {
  const owner = mode & 0o700
  const others = owner & 0o500
  return owner | (others >> 3) | (others >> 6)
}
