/** The working tree: which files are tracked, which are not, and which tracked ones have changed. */
import { isFsError } from '../../errors.js'
import { protectedName } from '../../fs/gate/protected-names.js'
import { inBatches } from '../../fs/in-batches.js'
import { encodeTarget } from '../../fs/link-target.js'
import { basename, join } from '../../fs/path.js'
import type { Bytes, Entry, Stat } from '../../fs/types.js'
import { createIgnoreStack, type IgnoreLevel } from '../../search/patterns/ignore-stack.js'
import { isTrue } from '../config.js'
import { comparePaths, objectId } from '../objects/object-id.js'
import { type Blob, modes } from '../objects/tree.js'
import type { Index, Repository } from '../repository.js'
import { contentForGit, idForGit, isConverted } from './convert.js'
import { hasSameStat, isSettled } from './file-times.js'
import { ignoreOptionsOf } from './ignore-options.js'
import { type IndexEntry, lower32Bits } from './index-file.js'
import { trackedSpellings } from './tracked-spellings.js'

export interface ScanOptions {
  /** Only entries at or below these paths. Default: everything. */
  paths?: readonly string[]
  /**
   * How a directory without tracked files is reported: as one entry with a trailing slash (`normal`), file by file
   * (`all`), or not at all.
   */
  untracked: 'none' | 'normal' | 'all'
  /** Also report ignored entries. */
  ignored?: boolean
}

export interface Scan {
  /** Tracked entries that exist, of any kind. */
  present: ReadonlyMap<string, Stat>
  untracked: string[]
  ignored: string[]
  /** Directories that are separate repositories. */
  nested: string[]
  /** Untracked names that are not UTF-8; the file system can't represent them, so they can't be read. */
  unreadable: string[]
  /** Directories whose path is too long for the system; their content is unknown. */
  tooDeep: string[]
}

/** Backends with a round trip per call answer many concurrent calls about as fast as one. */
const concurrency = 32

/** Replaces bytes in a name that are not UTF-8. */
const replacement = '\ufffd'

/** Walks the working tree once. Paths are relative to the repository. */
export async function scanWorkTree(
  repository: Repository,
  { entries }: Index,
  { paths, untracked: wanted, ignored: wantsIgnored = false }: ScanOptions,
): Promise<Scan> {
  const { fs, root } = repository
  const tracked = new Map(entries.map((entry) => [entry.path, entry]))
  const trackedDirectories = new Set(entries.flatMap(({ path }) => parentsOf(path)))
  const present = new Map<string, Stat>()
  const scan = {
    present,
    untracked: [] as string[],
    ignored: [] as string[],
    nested: [] as string[],
    unreadable: [] as string[],
    tooDeep: [] as string[],
  }
  let done = 0

  const isWanted = (path: string) => paths === undefined || paths.some((each) => isAtOrBelow(each, path))
  const leadsToWanted = (path: string) => paths === undefined || paths.some((each) => isAtOrBelow(path, each))

  async function visit(directory: string, listing: readonly Entry[], level: IgnoreLevel, isIgnored: boolean) {
    repository.checkAborted()
    const files: string[] = []
    for (const { name, kind } of listing) {
      if (protectedName([name], {}) !== undefined) continue
      const path = directory === '' ? name : `${directory}/${name}`
      if (!isWanted(path) && !leadsToWanted(path)) continue
      if (name.includes(replacement) && (await isMissing(path))) {
        const hidden = isIgnored || level.ignores(name, kind === 'directory')
        if (hidden || wanted === 'none') continue
        scan.unreadable.push(path)
        scan.untracked.push(kind === 'directory' ? `${path}/` : path)
        continue
      }
      if (tracked.has(path)) files.push(path)
      if (kind === 'directory') await visitDirectory(path, name, level, isIgnored)
      else if (!tracked.has(path) && kind !== 'other' && wanted !== 'none' && isWanted(path)) {
        if (!isIgnored && !level.ignores(name, false)) scan.untracked.push(path)
        else if (wantsIgnored) scan.ignored.push(path)
      }
    }
    const stats = await inBatches(files, concurrency, (path) => fs.stat(join(root, path)).catch(undefinedIfMissing))
    for (const [i, stat] of stats.entries()) if (stat !== undefined) present.set(files[i] as string, stat)
    done += files.length
    repository.progress(done, entries.length)
  }

  async function visitDirectory(path: string, name: string, level: IgnoreLevel, isIgnored: boolean): Promise<void> {
    if (tracked.get(path)?.mode === modes.submodule) return
    const holdsTracked = trackedDirectories.has(path)
    if (!holdsTracked && wanted === 'none') return
    const ignored = isIgnored || level.ignores(name, true)
    const collapses = !holdsTracked && isWanted(path)
    if (ignored && collapses) {
      if (wantsIgnored) scan.ignored.push(`${path}/`)
      return
    }
    const listing = await list(path).catch((error) => {
      if (!isFsError(error, 'INVALID_PATH')) throw error
      // Like git, continues with the rest.
      scan.tooDeep.push(path)
      return []
    })
    if (!holdsTracked && listing.some((entry) => entry.name === '.git')) {
      scan.nested.push(`${path}/`)
      if (isWanted(path)) scan.untracked.push(`${path}/`)
      return
    }
    const inner = await level.enter(name, listing)
    if (!collapses || wanted === 'all') return visit(path, listing, inner, ignored)
    const before = scan.untracked.length
    await visit(path, listing, inner, ignored)
    // Git does not report a directory that replaced a tracked file.
    if (scan.untracked.length > before)
      scan.untracked.splice(before, Infinity, ...(tracked.has(path) ? [] : [`${path}/`]))
  }

  async function isMissing(path: string): Promise<boolean> {
    return (await fs.stat(join(root, path)).catch(undefinedIfMissing)) === undefined
  }

  async function list(path: string): Promise<Entry[]> {
    try {
      const listing = await fs.readDir(join(root, path))
      return fs.capabilities.caseSensitive ? listing : await spelledAsTracked(path, listing)
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'DENIED', 'IS_LINK', 'NOT_A_DIRECTORY')) return []
      throw error
    }
  }

  const asTracked = trackedSpellings(repository, entries)

  async function spelledAsTracked(directory: string, listing: readonly Entry[]): Promise<Entry[]> {
    const names = new Set(listing.map(({ name }) => name))
    return inBatches(listing, concurrency, async (entry) => {
      const spelled = basename(await asTracked(directory === '' ? entry.name : `${directory}/${entry.name}`))
      return names.has(spelled) ? entry : { ...entry, name: spelled }
    })
  }

  const listing = await list('')
  const stack = createIgnoreStack(fs, await ignoreOptionsOf(repository))
  await visit('', listing, await stack.open(root, listing), false)
  scan.untracked.sort(comparePaths)
  scan.ignored.sort(comparePaths)
  return scan
}

/** How a tracked file differs from the index; `type-changed` is a file that became a link, or the reverse. */
export type WorkTreeChange = 'modified' | 'deleted' | 'type-changed'

/** Compares a file with the index: by its stat where that is reliable, else by its content. */
export async function compareWithIndex(
  repository: Repository,
  entry: IndexEntry,
  stat: Stat | undefined,
  index: Index,
  { evenAssumedValid = false }: { evenAssumedValid?: boolean } = {},
): Promise<WorkTreeChange | undefined> {
  if (entry.assumeValid && !evenAssumedValid) return undefined
  // What may not be read is not known to differ, and is neither staged nor replaced.
  if (repository.fs.decide(join(repository.root, entry.path), 'read') !== undefined) return undefined
  if (stat === undefined) return 'deleted'
  if (entry.mode === modes.submodule) return stat.kind === 'directory' ? undefined : 'type-changed'
  if (stat.kind === 'directory' || stat.kind === 'other') return 'deleted'
  const isLink = stat.kind === 'symlink'
  // Without links, a regular file holds the link's target.
  const couldBeLink = repository.fs.capabilities.symlinks && isTrue(repository.config, 'core.symlinks') !== false
  if (isLink !== (entry.mode === modes.link) && (isLink || couldBeLink)) return 'type-changed'
  if (entry.mode !== modes.link && entry.mode !== modeOf(repository, stat, entry.mode)) return 'modified'
  // Like git, which reports a file that has other line endings and the same content; its diff is empty.
  if (!isLink && entry.size !== 0 && stat.size !== undefined && lower32Bits(stat.size) !== entry.size) return 'modified'
  if (hasSameStat(repository, entry, stat, index)) return undefined
  return (await contentId(repository, entry.path, stat)) === entry.oid ? undefined : 'modified'
}

/** The mode the file would get when staged; where modes are unknown, the one in the index. */
export function modeOf(repository: Repository, stat: Stat, known: number = modes.file): number {
  if (stat.kind === 'symlink') return modes.link
  const { symlinks, modeBits } = repository.fs.capabilities
  if (known === modes.link && !symlinks) return modes.link
  const regular = known === modes.executable ? known : modes.file
  if (!modeBits || stat.mode === undefined || isTrue(repository.config, 'core.filemode') === false) return regular
  return (stat.mode & 0o100) === 0 ? modes.file : modes.executable
}

/** The bytes git would store: for a link, its target. Undefined when the target may not be revealed. */
export async function readContent(repository: Repository, path: string, { kind }: Stat): Promise<Bytes | undefined> {
  const full = join(repository.root, path)
  if (kind !== 'symlink') return contentForGit(repository, path, await repository.fs.readFile(full))
  try {
    return encodeTarget((await repository.fs.readLink?.(full)) ?? '')
  } catch (error) {
    if (!isFsError(error, 'OUTSIDE')) throw error
    return undefined
  }
}

/** The object id for a comparison only, so it may use what must not be revealed. */
async function idForComparison(repository: Repository, path: string, { kind }: Stat): Promise<string> {
  const { fs, root } = repository
  const full = join(root, path)
  if (kind !== 'symlink') return idForGit(repository, fs.exact, path)
  return objectId('blob', encodeTarget((await fs.exact.readLink?.(full, { verbatim: true })) ?? ''))
}

/** The object id of a file's content, cached by the file's stat. */
export async function contentId(repository: Repository, path: string, stat: Stat): Promise<string> {
  const { contents } = repository.cache
  const known = contents.get(path)
  if (known !== undefined && isSameStat(known.stat, stat)) return known.oid
  const readAtMs = repository.now()
  const oid = await idForComparison(repository, path, stat)
  if (contents.size > maxContents) contents.clear()
  // Not cached for converted files, whose stored bytes depend on more than the file.
  const isCacheable =
    stat.modifiedMs !== undefined && isSettled(repository, stat, readAtMs) && !(await isConverted(repository, path))
  if (isCacheable) contents.set(path, { stat, oid })
  return oid
}

export interface ChangedOptions {
  /** Default: all. */
  isWanted?: (path: string) => boolean
  /** Also compare files that are marked "assume unchanged": they must not be overwritten unnoticed. */
  evenAssumedValid?: boolean
}

/** The tracked paths that have changed, in order. */
export async function changedInWorkTree(
  repository: Repository,
  index: Index,
  present: ReadonlyMap<string, Stat>,
  { isWanted = () => true, evenAssumedValid = false }: ChangedOptions = {},
): Promise<Array<{ entry: IndexEntry; stat?: Stat; change: WorkTreeChange }>> {
  const entries = index.entries.filter(({ path, stage }) => stage === 0 && isWanted(path))
  const found = await inBatches(entries, concurrency, async (entry) => {
    repository.checkAborted()
    const stat = present.get(entry.path)
    const change = await compareWithIndex(repository, entry, stat, index, { evenAssumedValid })
    return change && { entry, change, ...(stat && { stat }) }
  })
  return found.filter((each) => each !== undefined)
}

export function isAtOrBelow(directory: string, path: string): boolean {
  return directory === '' || path === directory || path.startsWith(`${directory}/`)
}

export function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    parents.push(path.slice(0, slash))
  }
  return parents
}

export function sameBlob(a: Blob | undefined, b: Blob | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode
}

const maxContents = 200_000

function isSameStat(a: Stat, b: Stat): boolean {
  return a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs && a.inode === b.inode && a.size === b.size
}

function undefinedIfMissing(error: unknown): undefined {
  if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) return undefined
  throw error
}
