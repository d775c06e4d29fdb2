/** Opens a repository, and changes one in a single transaction. */
import type { Draft } from '../change/draft.js'
import { FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { basename, isWithin, join } from '../fs/path.js'
import type { GitDefaults } from '../workspace/git-settings.js'
import { isReproducible } from '../workspace/reproducible.js'
import type { Workspace } from '../workspace/workspace.js'
import { cacheOf, type GitCache } from './cache.js'
import { type GitConfig, isTrue, lastValue, parseGitConfig } from './config.js'
import { findRepository, type GitDirectories, kindAt, locateGit, unsupported } from './git-directory.js'
import { limits, tooLarge } from './limits.js'
import { type Objects, openObjects } from './objects/objects.js'
import { readableInRepository } from './readable-in-repository.js'
import { openRefs, type RefStore } from './refs/ref-store.js'
import { type StagedFiles, stageFiles } from './staged-files.js'
import { type IndexEntry, parseIndex } from './work-tree/index-file.js'

export interface Repository extends GitDirectories {
  /** The directory that contains `.git`, or a bare repository. */
  readonly root: string
  /** It has no working tree. */
  readonly isBare: boolean
  readonly fs: ConfinedFileSystem
  readonly config: GitConfig
  readonly objects: Objects
  readonly refs: RefStore
  /** Writes so far that are not in the tree yet. */
  readonly staged: StagedFiles
  readonly cache: GitCache
  /** The clock, in milliseconds. */
  readonly now: () => number
  /** Nothing that is written depends on the machine. */
  readonly isReproducible: boolean
  /** Files that are changed within so many milliseconds may get the same time. */
  readonly tickMs: number
  /** A time before any of its files was read, with a margin for a file system whose clock lags behind. */
  readonly openedAtMs: number
  /** The user's ignore rules for all repositories. */
  readonly globalIgnoreRules?: string
  /** The text of the attributes file for all repositories. */
  readonly globalAttributes?: string
  /** Reports the progress of a long call. */
  readonly progress: (done: number, total?: number) => void
  /** Throws `ABORTED` once the call has been cancelled. */
  readonly checkAborted: () => void
}

export interface RepositoryCall {
  signal?: AbortSignal
  onProgress?: (progress: { done: number; total?: number }) => void
  /** A repository without a working tree is opened too. */
  allowsBare?: boolean
}

/** Opens the repository that contains a directory, for reading. */
export async function openRepository(
  workspace: Workspace,
  directory: string,
  call: RepositoryCall = {},
): Promise<Repository> {
  await workspace.ready
  return openAt(workspace, await findRepository(workspace.fs, directory, call), call)
}

/**
 * Changes the repository that contains a directory: everything that `body` drafts and git writes is committed as one
 * change, or nothing is. Others who use the same locks can't change the working tree at the same time.
 */
export async function changeRepository<Result>(
  workspace: Workspace,
  directory: string,
  label: string,
  call: RepositoryCall,
  body: (repository: Repository, draft: Draft) => Promise<Result>,
): Promise<Result> {
  await workspace.ready
  const root = await findRepository(workspace.fs, directory, call)
  const { gitDirectory, commonDirectory } = await locateGit(workspace.fs, root)
  const scopes = [root, commonDirectory].filter((path, i) => i === 0 || !isWithin(root, path))
  const { signal, onProgress } = call
  const progressOptions = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
  const request = {
    label,
    scopes: scopes.map((path) => ({ path, tree: true })),
    // The files of a bare repository are not protected.
    gitDirectories: basename(commonDirectory) === '.git' ? [commonDirectory] : [],
    // As git does, which removes a file before it writes another.
    replacesProtected: true,
    ...progressOptions,
  }
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

/** Reads the index. */
export async function readIndex({ fs, gitDirectory, staged }: Repository): Promise<Index> {
  const path = join(gitDirectory, 'index')
  const written = staged.written(path)
  if (written !== undefined) return { entries: await parseIndex(written) }
  try {
    const { modifiedMs, size = 0 } = await fs.stat(path)
    if (size > limits.indexBytes) throw tooLarge('.git/index', limits.indexBytes)
    return { entries: await parseIndex(await fs.readFile(path)), ...(modifiedMs !== undefined && { modifiedMs }) }
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    return { entries: [] }
  }
}

export interface Index {
  entries: readonly IndexEntry[]
  /** When the file was written; files staged at the same time may have changed since. */
  modifiedMs?: number
}

/** A small file in this worktree's `.git`, as trimmed text. */
export async function readGitFile({ gitDirectory, staged }: Repository, name: string): Promise<string | undefined> {
  return readSmall(staged, join(gitDirectory, name))
}

function linesOf(text: string | undefined = ''): ReadonlySet<string> {
  return new Set(text.split('\n'))
}

async function readSmall(staged: StagedFiles, path: string): Promise<string | undefined> {
  const stat = await staged.stat(path)
  if (stat === undefined) return undefined
  if ((stat.size ?? 0) > limits.smallFileBytes) throw tooLarge(path, limits.smallFileBytes)
  return new TextDecoder().decode(await staged.reader(path)()).trim()
}

/** Opens the repository at `root`; its files may exist only in `staged`. */
export async function openAt(
  workspace: Workspace,
  root: string,
  { signal, onProgress }: RepositoryCall,
  staged: StagedFiles = stageFiles(workspace.fs.forObjects),
): Promise<Repository> {
  const { fs } = workspace
  // In memory and in a database, the times of files come from the clock itself.
  const tickMs = fs.capabilities.sync ? 0 : 20
  const openedAtMs = workspace.now() - tickMs
  const directories = await locateGit(fs, root)
  const { gitDirectory, commonDirectory } = directories
  const own = parseGitConfig(new TextDecoder().decode(await readConfig(fs, join(commonDirectory, 'config'))))
  const config = withDefaults(own, workspace.git.defaults)
  const isBare = gitDirectory === root
  await refuseUnsupported(fs, directories, config, isBare)
  const cache = cacheOf(workspace, gitDirectory)
  const checkAborted = () => {
    if (signal?.aborted) throw new FsError('ABORTED', {})
  }
  const readable = readableInRepository({
    ...directories,
    ...{ fs, root, staged, cache, checkAborted, isPartial: isPartial(config) },
  })
  return {
    ...directories,
    root,
    isBare,
    fs,
    config,
    staged,
    cache,
    now: workspace.now,
    isReproducible: isReproducible(workspace),
    tickMs,
    openedAtMs,
    refs: openRefs(staged, directories),
    objects: openObjects(staged, {
      fs,
      directory: join(commonDirectory, 'objects'),
      cache,
      isPartial: isPartial(config),
      isReproducible: isReproducible(workspace),
      readShallow: async () => linesOf(await readSmall(staged, join(commonDirectory, 'shallow'))),
      checkAborted,
      ...(readable && { readable }),
    }),
    progress: (done, total) => onProgress?.({ done, ...(total !== undefined && { total }) }),
    checkAborted,
    ...(await ignoreRulesOf(workspace, root, config)),
    ...(await attributesOf(workspace, root, config)),
  }
}

/** A file named by the repository's own configuration overrides the user's, where tools may read it. */
async function ignoreRulesOf({ fs, git }: Workspace, root: string, config: GitConfig) {
  const named = lastValue(config, 'core.excludesfile')
  const rules = named === undefined ? undefined : await readRules(fs, named.startsWith('/') ? named : join(root, named))
  const found = named === '' ? '' : (rules ?? git.ignoreRules)
  return found === undefined ? {} : { globalIgnoreRules: found }
}

/** The same for attributes. */
async function attributesOf({ fs, git }: Workspace, root: string, config: GitConfig) {
  const named = lastValue(config, 'core.attributesfile')
  const own = named === undefined ? undefined : await readRules(fs, named.startsWith('/') ? named : join(root, named))
  const found = named === '' ? undefined : (own ?? git.defaults?.attributes)
  return found === undefined ? {} : { globalAttributes: found }
}

/** The repository's own configuration counts first. */
function withDefaults(config: GitConfig, { autocrlf, eol }: GitDefaults = {}): GitConfig {
  const all = new Map(config)
  if (autocrlf !== undefined && !all.has('core.autocrlf')) all.set('core.autocrlf', [autocrlf])
  if (eol !== undefined && !all.has('core.eol')) all.set('core.eol', [eol])
  return all
}

/** Empty where there is no such file; undefined where tools may not read it. */
async function readRules(fs: ConfinedFileSystem, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await fs.readFile(fs.resolve(path), { start: 0, end: maxRuleBytes }))
  } catch (error) {
    if (!isFsError(error)) throw error
    return isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY') ? '' : undefined
  }
}

const maxRuleBytes = 1_048_576

/** Refuses repositories that would be read or written incorrectly, or that refer to files elsewhere. */
async function refuseUnsupported(
  fs: ConfinedFileSystem,
  { gitDirectory, commonDirectory }: GitDirectories,
  config: GitConfig,
  isBare: boolean,
): Promise<void> {
  const version = Number(lastValue(config, 'core.repositoryformatversion') ?? 0)
  if (!(version === 0 || version === 1)) throw unsupported(`repository format ${version}`)
  const format = lastValue(config, 'extensions.objectformat')?.toLowerCase()
  if (format !== undefined && format !== 'sha1') throw unsupported(`${format} object names`)
  const storage = lastValue(config, 'extensions.refstorage')?.toLowerCase()
  if (storage !== undefined && storage !== 'files')
    throw unsupported(`refs stored as ${storage} (extensions.refstorage)`)
  for (const key of version === 1 ? config.keys() : []) {
    if (!key.startsWith('extensions.') || harmlessExtensions.has(key)) continue
    throw unsupported(key)
  }
  const isLinked = gitDirectory !== commonDirectory
  if (isTrue(config, 'core.bare') && !isLinked && !isBare) throw unsupported('a bare repository')
  if (config.has('core.worktree')) throw unsupported('core.worktree')
  if (!isLinked && (await kindAt(fs, join(gitDirectory, 'commondir'))) !== undefined) {
    throw unsupported('a .git directory that shares the files of another (commondir)')
  }
  if ((await kindAt(fs, join(commonDirectory, 'objects/info/alternates'))) !== undefined) {
    throw unsupported('objects of another repository (alternates)')
  }
}

const harmlessExtensions = new Set([
  'extensions.noop',
  'extensions.preciousobjects',
  'extensions.objectformat',
  'extensions.refstorage',
  'extensions.partialclone',
])

/** True for a partial clone, which may lack objects. */
function isPartial(config: GitConfig): boolean {
  return [...config.keys()].some((key) => key === 'extensions.partialclone' || /^remote\..*\.promisor$/.test(key))
}

async function readConfig(fs: ConfinedFileSystem, path: string) {
  try {
    const bytes = await fs.readFile(path, { start: 0, end: limits.configBytes + 1 })
    if (bytes.length > limits.configBytes) throw tooLarge('.git/config', limits.configBytes)
    return bytes
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    return new Uint8Array()
  }
}
