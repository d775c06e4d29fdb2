/** A folder of a task, read once: environment, tests or solution. */
import { FsError, isFsError } from '../../src/errors.js'
import { type MemoryFileSystem, type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import { dirname, fromComponents, join, split } from '../../src/fs/path.js'
import type { Bytes, FileSystem, Kind } from '../../src/fs/types.js'

export type FolderEntry =
  | { kind: 'directory' }
  | { kind: 'symlink'; target: string }
  /** Of its mode only the right to be executed: the rest depends on who checked the folder out. */
  | { kind: 'file'; bytes: Bytes; executable: boolean }

/** By paths relative to the folder, without a leading slash; parents first. */
export type Folder = ReadonlyMap<string, FolderEntry>

const anyoneExecutes = 0o111

/** Undefined where there is no such directory. Fails with `UNSUPPORTED` for a device or a socket. */
export async function readFolder(fs: FileSystem, directory: string): Promise<Folder | undefined> {
  if ((await kindOf(fs, directory)) !== 'directory') return undefined
  const entries = new Map<string, FolderEntry>()

  async function read(path: string, prefix: string): Promise<void> {
    const listed = await fs.readDir(path)
    for (const { name, kind } of listed.sort(byName)) {
      const at = join(path, name)
      const key = `${prefix}${name}`
      if (kind === 'other') throw new FsError('UNSUPPORTED', { path: at, operation: 'readFile' })
      if (kind === 'symlink') entries.set(key, { kind, target: await linkTarget(fs, at) })
      else if (kind === 'file') entries.set(key, { kind, ...(await fileAt(fs, at)) })
      else {
        entries.set(key, { kind })
        await read(at, `${key}/`)
      }
    }
  }

  await read(directory, '')
  return entries
}

export async function kindOf(fs: Pick<FileSystem, 'stat'>, path: string): Promise<Kind | undefined> {
  try {
    return (await fs.stat(path)).kind
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) return undefined
    throw error
  }
}

/** The same for files that are given as texts or bytes. */
export async function folderOf(files: MemoryTree | Folder): Promise<Folder> {
  if (files instanceof Map) return files
  return (await readFolder(memory(files as MemoryTree), '/')) ?? new Map()
}

/** Puts an entry into a tree, with the directories above it. An existing file is replaced. */
export async function placeEntry(
  tree: MemoryFileSystem | FileSystem,
  path: string,
  entry: FolderEntry,
  mode?: number,
): Promise<void> {
  await makeDirectories(tree, entry.kind === 'directory' ? path : dirname(path))
  if (entry.kind === 'directory') return
  const there = await kindOf(tree, path)
  if (there !== undefined && there !== 'directory') await tree.remove(path)
  if (entry.kind === 'symlink') await tree.symlink?.(entry.target, path)
  else await tree.writeFile(path, entry.bytes, { mode: mode ?? (entry.executable ? 0o755 : 0o644) })
}

export async function makeDirectories(tree: FileSystem, path: string): Promise<void> {
  const names = split(path)
  for (let depth = 1; depth <= names.length; depth += 1) {
    const at = fromComponents(names.slice(0, depth))
    if ((await kindOf(tree, at)) === undefined) await tree.makeDir(at)
  }
}

/** The text of a file of a folder; undefined if it is missing. */
export function textIn(folder: Folder, path: string): string | undefined {
  const entry = folder.get(path)
  return entry?.kind === 'file' ? new TextDecoder().decode(entry.bytes) : undefined
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}

async function fileAt(fs: FileSystem, path: string): Promise<{ bytes: Bytes; executable: boolean }> {
  const { mode = 0 } = await fs.stat(path)
  return { bytes: await fs.readFile(path), executable: (mode & anyoneExecutes) !== 0 }
}

async function linkTarget(fs: FileSystem, path: string): Promise<string> {
  if (fs.readLink === undefined) throw new FsError('UNSUPPORTED', { path, operation: 'readLink' })
  return fs.readLink(path, { verbatim: true })
}
