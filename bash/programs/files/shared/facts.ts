/** What `ls`, `stat`, `du` and `find` say about a file, with values for what the tree does not know. */
import { join } from '../../../../src/fs/path.js'
import type { Kind, Stat } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import { isPipe } from '../../../io/named-pipes.js'
import type { ProgramIo, ShellFiles } from '../../../io/program.js'

export const userName = 'user'
export const userId = 1000
export const blockBytes = 4096
const directoryBytes = 4096

const usualModes: Readonly<Record<Kind, number>> = { file: 0o644, directory: 0o755, symlink: 0o777, other: 0o666 }

export function modeOf({ kind, mode }: Stat): number {
  return kind === 'symlink' ? 0o777 : (mode ?? usualModes[kind])
}

/** Bytes as `st_size` has them; for a link pass its target. */
export function sizeOf({ kind, size = 0 }: Stat, target = ''): number {
  if (kind === 'directory') return directoryBytes
  return kind === 'symlink' ? encodeText(target).length : size
}

/** Allocated bytes: whole blocks. Short links take none. */
export function allocatedOf({ kind, size = 0 }: Stat): number {
  if (kind === 'directory') return directoryBytes
  return kind === 'file' ? Math.ceil(size / blockBytes) * blockBytes : 0
}

export const modifiedOf = ({ modifiedMs = 0 }: Stat) => modifiedMs
export const accessedOf = (stat: Stat) => stat.accessedMs ?? modifiedOf(stat)
export const changedOf = (stat: Stat) => stat.changedMs ?? modifiedOf(stat)

/** A directory counts itself, its name and each subdirectory. Trees have no hard links, so all else counts once. */
export async function linkCount(fs: ShellFiles, path: string, { kind }: Stat): Promise<number> {
  if (kind !== 'directory') return 1
  try {
    return 2 + (await fs.readDir(path)).filter((entry) => entry.kind === 'directory').length
  } catch {
    return 2
  }
}

/** The tree's number, or one made from the path, so that the same path always has the same. */
export function inodeOf(io: ProgramIo, path: string, { inode }: Stat): number {
  if (inode !== undefined) return inode
  let hash = 0x811c9dc5
  for (const unit of io.path(path)) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0) + 16
}

/** `regular file`, `directory` and so on, as `stat` and prompts say it. */
export function kindText(stat: Stat): string {
  const { kind, size } = stat
  if (kind === 'file') return size === 0 ? 'regular empty file' : 'regular file'
  if (kind === 'directory') return 'directory'
  if (kind === 'symlink') return 'symbolic link'
  return isPipe(stat) ? 'fifo' : 'character special file'
}

const kindLetters: Readonly<Record<Kind, string>> = { file: '-', directory: 'd', symlink: 'l', other: 'c' }

/** For example `-rwxr-xr-x`. */
export function modeText(stat: Stat): string {
  const mode = modeOf(stat)
  const bits = [6, 3, 0].map((shift) => {
    const three = (mode >> shift) & 7
    const special = shift === 6 ? mode & 0o4000 : shift === 3 ? mode & 0o2000 : mode & 0o1000
    const letter = shift === 0 ? 't' : 's'
    const last = special ? (three & 1 ? letter : letter.toUpperCase()) : three & 1 ? 'x' : '-'
    return `${three & 4 ? 'r' : '-'}${three & 2 ? 'w' : '-'}${last}`
  })
  return (isPipe(stat) ? 'p' : kindLetters[stat.kind]) + bits.join('')
}

const pipeType = 0o10000

/** The type and permission bits, as `st_mode`. */
export function rawMode(stat: Stat): number {
  const types: Readonly<Record<Kind, number>> = {
    file: 0o100000,
    directory: 0o40000,
    symlink: 0o120000,
    other: 0o20000,
  }
  return (isPipe(stat) ? pipeType : types[stat.kind]) | modeOf(stat)
}

/** A directory and a name, as the programs write it: `a/` and `b` make `a/b`. */
export function below(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`
}

/** Two spellings of one entry; neither needs to exist. */
export async function isSameEntry(io: ProgramIo, a: string, b: string): Promise<boolean> {
  return (await entryPath(io, a)) === (await entryPath(io, b))
}

/** The real path of the directory with the last name, which is not followed. */
export async function entryPath(io: ProgramIo, path: string): Promise<string> {
  const absolute = io.path(path)
  const slash = absolute.lastIndexOf('/')
  if (absolute === '/') return '/'
  const directory = absolute.slice(0, slash) || '/'
  try {
    return join(await io.fs.realPath(directory), absolute.slice(slash + 1))
  } catch {
    return absolute
  }
}

export async function lstatIfThere(fs: ShellFiles, path: string): Promise<Stat | undefined> {
  return fs.lstat(path).catch(() => undefined)
}

export async function statIfThere(fs: ShellFiles, path: string): Promise<Stat | undefined> {
  return fs.stat(path).catch(() => undefined)
}
