/** Locates a repository and its files: in `.git`, or for a linked worktree in the `.git` of its main repository. */
import { FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { basename, dirname, join } from '../fs/path.js'
import type { Kind } from '../fs/types.js'
import { limits } from './limits.js'

export interface GitDirectories {
  /** Files of this worktree alone: `HEAD` and the index. */
  readonly gitDirectory: string
  /** Files shared by all worktrees: objects, refs and configuration. The same directory, except for a linked worktree. */
  readonly commonDirectory: string
}

/** The directory that contains `.git`: `directory`, which must exist, or its nearest ancestor. A bare repository is such a directory itself. */
export async function findRepository(
  fs: ConfinedFileSystem,
  directory: string,
  { allowsBare = false }: { allowsBare?: boolean } = {},
): Promise<string> {
  let at = await fs.realPath(directory)
  if ((await fs.stat(at)).kind !== 'directory') at = dirname(at)
  for (; ; at = dirname(at)) {
    const kind = await kindAt(fs, join(at, '.git'))
    if (kind === 'directory' && (await kindAt(fs, join(at, '.git/HEAD'))) !== undefined) return at
    if (kind === 'file') return at
    if (kind === 'symlink') throw unsupported('a .git that is a link')
    if (allowsBare && kind === undefined && (await isGitDirectory(fs, at))) return at
    if (at === dirname(at) || kind === 'outside') throw new FsError('NOT_A_REPOSITORY', { path: directory })
  }
}

/** Whether a directory has the files of a repository in it. */
export async function isGitDirectory(fs: ConfinedFileSystem, directory: string): Promise<boolean> {
  const kinds = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => kindAt(fs, join(directory, name))))
  return kinds[0] === 'file' && kinds[1] === 'directory' && kinds[2] === 'directory'
}

/** Locates the files of the repository at `root`. */
export async function locateGit(fs: ConfinedFileSystem, root: string): Promise<GitDirectories> {
  const own = join(root, '.git')
  const kind = await kindAt(fs, own)
  if (kind === undefined && (await isGitDirectory(fs, root))) return { gitDirectory: root, commonDirectory: root }
  if (kind !== 'file') return { gitDirectory: own, commonDirectory: own }
  const [, target] = /^gitdir: (.+?)\s*$/.exec(await readText(fs, own)) ?? []
  if (target === undefined) throw unsupported('a .git file that names no directory')
  const gitDirectory = await follow(fs, root, target)
  if (gitDirectory === undefined) throw unsupported(`a .git file that leads out of this workspace, to ${target}`)
  if ((await kindAt(fs, join(gitDirectory, 'commondir'))) === undefined) {
    throw unsupported('a .git file, as submodules and separate git directories have')
  }
  const common = await follow(fs, gitDirectory, await readText(fs, join(gitDirectory, 'commondir')))
  if (common === undefined) throw unsupported('a linked worktree of a repository outside this workspace')
  if (basename(common) !== '.git' || join(common, 'worktrees') !== dirname(gitDirectory)) {
    throw unsupported('a linked worktree of a repository without a .git directory')
  }
  const back = await follow(fs, gitDirectory, await readText(fs, join(gitDirectory, 'gitdir')))
  if (back !== own) throw unsupported('a linked worktree that was moved: run git worktree repair in it')
  return { gitDirectory, commonDirectory: common }
}

export async function kindAt(fs: ConfinedFileSystem, path: string): Promise<Kind | 'outside' | undefined> {
  try {
    return (await fs.stat(path)).kind
  } catch (error) {
    if (isFsError(error, 'OUTSIDE')) return 'outside'
    if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) throw error
    return undefined
  }
}

export function unsupported(subject: string): FsError {
  return new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject })
}

async function readText(fs: ConfinedFileSystem, path: string): Promise<string> {
  const bytes = await fs.readFile(path, { start: 0, end: limits.smallFileBytes })
  return new TextDecoder().decode(bytes).trim()
}

/** Resolves a path found in a file, relative to a directory; undefined when it is missing or outside the roots. */
async function follow(fs: ConfinedFileSystem, from: string, target: string): Promise<string | undefined> {
  try {
    return await fs.realPath(fs.resolve(target, from))
  } catch (error) {
    if (isFsError(error, 'OUTSIDE', 'NOT_FOUND', 'NOT_A_DIRECTORY', 'INVALID_PATH')) return undefined
    throw error
  }
}
