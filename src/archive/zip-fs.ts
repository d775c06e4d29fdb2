import { memory } from '../fs/backends/memory.js'
import { readonly } from '../fs/backends/readonly.js'
import { dirname, join } from '../fs/path.js'
import type { FileSystem } from '../fs/types.js'
import { type ArchiveSource, openArchive, type ReadArchiveOptions } from './read-archive.js'

/**
 * A read-only file system of an archive, unpacked into memory after every check. Any relative name is allowed unless the options say
 * otherwise, `.git` too: nothing is written to a disk.
 */
export async function zipFs(source: ArchiveSource, options: ReadArchiveOptions = {}): Promise<FileSystem> {
  return readonly(await unpacked(source, options))
}

/** The same, but writable; the archive is not changed. */
export async function unpacked(source: ArchiveSource, options: ReadArchiveOptions = {}): Promise<FileSystem> {
  return unpackedInSteps(source, options, () => {})
}

/** The same. Calls `onEntry` after each entry. */
export async function unpackedInSteps(
  source: ArchiveSource,
  options: ReadArchiveOptions,
  onEntry: (progress: { done: number; total: number }) => void,
): Promise<FileSystem> {
  const archive = await openArchive(source, { names: 'relative', ...options })
  let done = 0
  const fs = memory()
  const made = new Set(['/'])
  /** Modes of directories, set last: a directory may become read-only. */
  const directories: Array<{ path: string; mode?: number; modifiedMs?: number }> = []

  async function makeDirectory(path: string): Promise<void> {
    if (made.has(path)) return
    await makeDirectory(dirname(path))
    await fs.makeDir(path)
    made.add(path)
  }

  for await (const { path: name, kind, bytes, mode, modifiedMs } of archive.read()) {
    const path = join('/', name)
    await makeDirectory(kind === 'directory' ? path : dirname(path))
    const known = { path, ...(mode !== undefined && { mode }), ...(modifiedMs !== undefined && { modifiedMs }) }
    if (kind === 'directory') directories.push(known)
    else {
      await fs.writeFile(path, bytes ?? new Uint8Array())
      await describe(known)
    }
    done += 1
    onEntry({ done, total: archive.entries.length })
  }
  for (const directory of directories.reverse()) await describe(directory)
  return fs

  async function describe({ path, mode, modifiedMs }: { path: string; mode?: number; modifiedMs?: number }) {
    if (mode !== undefined) await fs.setMode?.(path, mode)
    if (modifiedMs !== undefined) await fs.setModified?.(path, modifiedMs)
  }
}
