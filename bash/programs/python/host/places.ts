/** Where a path leads, as the kernel walks it: every name before the last is a directory, and what the last name is matters to some calls. */
import { isFsError } from '../../../../src/errors.js'
import { dirname, join } from '../../../../src/fs/path.js'
import type { Stat } from '../../../../src/fs/types.js'
import type { ShellFiles } from '../../../io/program.js'
import { lstatIfThere, statIfThere } from '../../files/shared/facts.js'

/** A failure by the name that Python knows. */
export class Failed extends Error {}

export interface Place {
  /** The directory without links, and the name in it. */
  readonly path: string
  readonly last: 'name' | 'dot' | 'dots' | 'root'
  /** It was written with a slash at its end. */
  readonly slash: boolean
}

/** Absolute paths only. */
export async function placeOf(fs: ShellFiles, given: string): Promise<Place> {
  const bare = given.replace(/\/+$/, '')
  if (bare === '') return { path: '/', last: 'root', slash: true }
  const name = bare.slice(bare.lastIndexOf('/') + 1)
  const directory = await directoryOf(fs, bare.slice(0, bare.lastIndexOf('/')))
  const last = name === '.' ? 'dot' : name === '..' ? 'dots' : 'name'
  return { path: last === 'name' ? join(directory, name) : directory, last, slash: given.endsWith('/') }
}

/** A directory without links. */
async function directoryOf(fs: ShellFiles, path: string): Promise<string> {
  if (path === '') return '/'
  await requireWalkable(fs, path)
  const stat = await fs.stat(path)
  if (stat.kind !== 'directory') throw new Failed('ENOTDIR')
  return fs.realPath(path)
}

/** What `.` and `..` follow is a directory. */
export async function requireWalkable(fs: ShellFiles, path: string): Promise<void> {
  if (!path.includes('/.')) return
  for (const { index } of path.matchAll(/\/\.\.?(?=\/|$)/g)) {
    const before = path.slice(0, index)
    if (before !== '' && (await fs.stat(before)).kind !== 'directory') throw new Failed('ENOTDIR')
  }
}

/** What is at a place itself, if anything is. A trailing slash asks for a directory, through a link. */
export async function entryAt(fs: ShellFiles, { path, slash }: Place): Promise<Stat | undefined> {
  const entry = await lstatIfThere(fs, path)
  if (!slash || entry?.kind !== 'symlink') return entry
  try {
    return await fs.stat(path)
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) return entry
    throw error
  }
}

/** Whether what is missing would be below what is no directory. */
export async function isBelowFile(fs: ShellFiles, paths: readonly string[]): Promise<boolean> {
  for (const given of paths) {
    const path = given.replace(/\/+$/, '')
    if ((await lstatIfThere(fs, path)) !== undefined) continue
    for (let above = dirname(path); above !== '/'; above = dirname(above)) {
      const stat = await statIfThere(fs, above)
      if (stat !== undefined && stat.kind !== 'directory') return true
      if (stat !== undefined) return false
    }
  }
  return false
}
