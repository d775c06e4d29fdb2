/** Finding and opening a repository, and changing one as a single transaction. */
import type { Draft } from '../change/draft.js'
import { FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/confine.js'
import { dirname, join } from '../fs/path.js'
import type { Workspace } from '../workspace.js'
import { cacheOf, type GitCache } from './cache.js'
import { type GitConfig, isTrue, lastValue, parseGitConfig } from './config.js'
import { type IndexEntry, parseIndex } from './index-file.js'
import { type IsomorphicGit, loadIsomorphicGit } from './isomorphic.js'
import { type Objects, openObjects } from './objects.js'
import { type StagedFiles, stageFiles } from './staged-files.js'

export interface Repository {
  /** The directory that holds `.git`. */
  readonly root: string
  readonly gitDirectory: string
  readonly fs: ConfinedFileSystem
  readonly config: GitConfig
  readonly objects: Objects
  readonly git: IsomorphicGit
  /** What has been written so far, and is not in the tree yet. */
  readonly staged: StagedFiles
  readonly cache: GitCache
  /** Before any of its files was looked at, also by clocks of file systems, which may be a little late. */
  readonly openedAtMs: number
  /** The user's own ignore rules for all repositories. */
  readonly globalIgnoreRules?: string
  /** Told how far a long call is. */
  readonly progress: (done: number, total?: number) => void
  /** Throws `ABORTED` once the call has been cancelled. */
  readonly checkAborted: () => void
}

export interface RepositoryCall {
  signal?: AbortSignal
  onProgress?: (progress: { done: number; total?: number }) => void
}

/** The directory that holds `.git`: `directory`, which must exist, or the nearest one above it. */
export async function findRepository(fs: ConfinedFileSystem, directory: string): Promise<string> {
  let at = await fs.realPath(directory)
  if ((await fs.stat(at)).kind !== 'directory') at = dirname(at)
  for (; ; at = dirname(at)) {
    const kind = await kindAt(fs, join(at, '.git'))
    if (kind === 'directory' && (await kindAt(fs, join(at, '.git/HEAD'))) !== undefined) return at
    if (kind === 'file') throw unsupported('a .git file, as linked worktrees and submodules have')
    if (kind === 'symlink') throw unsupported('a .git that is a link')
    if (at === dirname(at) || kind === 'outside') throw new FsError('NOT_A_REPOSITORY', { path: directory })
  }
}

/** The repository that holds a directory, to be read. */
export async function openRepository(
  workspace: Workspace,
  directory: string,
  call: RepositoryCall = {},
): Promise<Repository> {
  await workspace.ready
  return openAt(workspace, await findRepository(workspace.fs, directory), call)
}

/**
 * Changes the repository that holds a directory: all that `body` drafts and all that git writes lands as one change, or none of it
 * does. Nobody else who goes through the same locks changes the working tree meanwhile.
 */
export async function changeRepository<Result>(
  workspace: Workspace,
  directory: string,
  label: string,
  call: RepositoryCall,
  body: (repository: Repository, draft: Draft) => Promise<Result>,
): Promise<Result> {
  await workspace.ready
  const root = await findRepository(workspace.fs, directory)
  const gitDirectory = join(root, '.git')
  const scopes = [{ path: root, tree: true }]
  const { signal, onProgress } = call
  const following = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
  const request = { label, scopes, gitDirectories: [gitDirectory], ...following }
  const { result } = await workspace.changes.run(request, async (draft) => {
    const repository = await openAt(workspace, root, call)
    for (const lock of ['index.lock', 'HEAD.lock']) {
      const path = join(gitDirectory, lock)
      if ((await kindAt(workspace.fs, path)) !== undefined) throw new FsError('BUSY', { path })
    }
    const result = await body(repository, draft)
    await repository.objects.flush(repository.checkAborted)
    repository.checkAborted()
    await repository.staged.draftInto(draft)
    return result
  })
  return result
}

/** What is staged. */
export async function readIndex({ fs, gitDirectory, staged }: Repository): Promise<Index> {
  const path = join(gitDirectory, 'index')
  const written = staged.written(path)
  if (written !== undefined) return { entries: await parseIndex(written) }
  try {
    const { modifiedMs } = await fs.stat(path)
    return { entries: await parseIndex(await fs.readFile(path)), ...(modifiedMs !== undefined && { modifiedMs }) }
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    return { entries: [] }
  }
}

export interface Index {
  entries: readonly IndexEntry[]
  /** When the file was written; what was staged at the same time may have changed since. */
  modifiedMs?: number
}

/** A small file inside `.git`, as text without the space around it. */
export async function readGitFile({ fs, gitDirectory, staged }: Repository, name: string): Promise<string | undefined> {
  const path = join(gitDirectory, name)
  try {
    return new TextDecoder().decode(staged.written(path) ?? (await fs.readFile(path))).trim()
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    return undefined
  }
}

/** Opens the repository of a directory; what is read of it may have been written to `staged` only. */
export async function openAt(
  workspace: Workspace,
  root: string,
  { signal, onProgress }: RepositoryCall,
  staged: StagedFiles = stageFiles(workspace.fs),
): Promise<Repository> {
  const { fs, globalIgnoreRules } = workspace
  const openedAtMs = Date.now() - 20
  const gitDirectory = join(root, '.git')
  const config = parseGitConfig(new TextDecoder().decode(await readIfThere(fs, join(gitDirectory, 'config'))))
  await refuseUnsupported(fs, gitDirectory, config)
  const git = await loadIsomorphicGit()
  const cache = cacheOf(workspace, gitDirectory)
  return {
    root,
    gitDirectory,
    fs,
    config,
    git,
    staged,
    cache,
    openedAtMs,
    objects: openObjects(git, staged, gitDirectory, cache),
    progress: (done, total) => onProgress?.({ done, ...(total !== undefined && { total }) }),
    checkAborted() {
      if (signal?.aborted) throw new FsError('ABORTED', {})
    },
    ...(globalIgnoreRules !== undefined && { globalIgnoreRules }),
  }
}

/** What would be read or written wrongly, or would lead elsewhere, is refused at once. */
async function refuseUnsupported(fs: ConfinedFileSystem, gitDirectory: string, config: GitConfig): Promise<void> {
  const version = Number(lastValue(config, 'core.repositoryformatversion') ?? 0)
  if (!(version === 0 || version === 1)) throw unsupported(`repository format ${version}`)
  const format = lastValue(config, 'extensions.objectformat')?.toLowerCase()
  if (format !== undefined && format !== 'sha1') throw unsupported(`${format} object names`)
  for (const key of version === 1 ? config.keys() : []) {
    if (!key.startsWith('extensions.') || harmlessExtensions.has(key)) continue
    throw unsupported(key)
  }
  if (isTrue(config, 'core.bare')) throw unsupported('a bare repository')
  if (config.has('core.worktree')) throw unsupported('core.worktree')
  for (const [name, what] of [
    ['commondir', 'a linked worktree'],
    ['objects/info/alternates', 'objects of another repository (alternates)'],
  ] as const) {
    if ((await kindAt(fs, join(gitDirectory, name))) !== undefined) throw unsupported(what)
  }
}

const harmlessExtensions = new Set(['extensions.noop', 'extensions.preciousobjects', 'extensions.objectformat'])

async function readIfThere(fs: ConfinedFileSystem, path: string) {
  try {
    return await fs.readFile(path)
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    return new Uint8Array()
  }
}

async function kindAt(fs: ConfinedFileSystem, path: string) {
  try {
    return (await fs.stat(path)).kind
  } catch (error) {
    if (isFsError(error, 'OUTSIDE')) return 'outside'
    if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) throw error
    return undefined
  }
}

function unsupported(subject: string): FsError {
  return new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject })
}
