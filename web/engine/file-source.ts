import type { MemoryTree } from '../../src/fs/backends/memory.js'
import type { DirectoryNode } from '../../src/fs/backends/memory-nodes.js'
import type { FileSystem } from '../../src/fs/types.js'

/** Describes a file system as data, so that a worker can open it. */
export type FileSource =
  /** A tree in memory, lost with the page. */
  | { memory: MemoryTree }
  /** The same with modes, links and times: a `snapshot` of a tree in memory. */
  | { snapshot: DirectoryNode }
  /** The content of a zip archive, unpacked into memory; the archive is not changed. */
  | { zip: Uint8Array<ArrayBuffer> }
  /**
   * A directory of the origin's private file system, created when missing; an empty one is filled with `seed`. With `packed` it is
   * stored as a few files, see `openOpfs`.
   */
  | { opfs: string; seed?: MemoryTree; packed?: boolean }
  /** A folder the user picked or dropped. */
  | { directory: FileSystemDirectoryHandle; readOnly?: boolean; caseSensitive?: boolean }

const sources = new WeakMap<FileSystem, FileSource>()

/** Records how a worker can open the same file system. */
export function withSource<Files extends FileSystem>(fs: Files, source: FileSource): Files {
  sources.set(fs, source)
  return fs
}

/** Undefined for a file system that only this thread can use, such as a wrapper. */
export function sourceOf(fs: FileSystem): FileSource | undefined {
  return sources.get(fs)
}
