import type { MemoryTree } from '../../src/fs/backends/memory.js'
import type { FileSystem } from '../../src/fs/types.js'

/** What files are opened on, as data that can be sent to a worker. */
export type FileSource =
  /** A tree that is gone with the page. */
  | { memory: MemoryTree }
  /** What is in a zip archive, unpacked into memory; the archive stays as it is. */
  | { zip: Uint8Array<ArrayBuffer> }
  /** A directory of the origin's private file system, made when missing; `seed` is put into it when it is empty. */
  | { opfs: string; seed?: MemoryTree }
  /** A folder that the user has picked or dropped. */
  | { directory: FileSystemDirectoryHandle; readOnly?: boolean; caseSensitive?: boolean }

const sources = new WeakMap<FileSystem, FileSource>()

/** Notes how a file system can be opened again, by a worker. */
export function withSource<Files extends FileSystem>(fs: Files, source: FileSource): Files {
  sources.set(fs, source)
  return fs
}

/** Undefined for a file system that only this thread has, such as a wrapper around others. */
export function sourceOf(fs: FileSystem): FileSource | undefined {
  return sources.get(fs)
}
