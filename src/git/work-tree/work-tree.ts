/** The files around `.git`: which are tracked, which are not, and whether a tracked one has changed. */
import { isFsError } from '../../errors.js'
import { protectedName } from '../../fs/gate/protected-names.js'
import { inBatches } from '../../fs/in-batches.js'
import { encodeTarget } from '../../fs/link-target.js'
import { join } from '../../fs/path.js'
import type { Bytes, Entry, Stat } from '../../fs/types.js'
import { createIgnoreStack, type IgnoreLevel } from '../../search/patterns/ignore-stack.js'
import { isTrue } from '../config.js'
import { comparePaths, objectId } from '../objects/object-id.js'
import { type Blob, modes } from '../objects/tree.js'
import type { Index, Repository } from '../repository.js'
import { contentForGit, idForGit, isConverted } from './convert.js'
import { isSettled, looksTheSame } from './file-times.js'
import { type IndexEntry, lower32Bits } from './index-file.js'

export interface ScanOptions {
  /** Only what lies at or below these; everything unless given. */
  paths?: readonly string[]
  /** A directory that holds nothing tracked is told as one, with a slash at its end (`normal`), file by file (`all`), or not at all. */
  untracked: 'none' | 'normal' | 'all'
  /** Tell what is ignored too. */
  ignored?: boolean
}

export interface Scan {
  /** Tracked entries that are there, of whatever kind. */
  present: ReadonlyMap<string, Stat>
  untracked: string[]
  ignored: string[]
  /** Directories that are repositories of their own. */
  nested: string[]
  /** Untracked names that the file system can't tell as they are, because they are not UTF-8: nothing can be read there. */
  unreadable: string[]
  /** Directories whose path is longer than the system takes: what they hold is not known. */
  tooDeep: string[]
}

/** Backends with a round trip per call answer many at once about as fast as one. */
const atOnce = 32

/** What stands in a name for bytes that are not UTF-8. */
const replacement = '\ufffd'

/** Goes through the working tree once. Paths are relative to the repository. */
export async function scanWorkTree(
  repository: Repository,
  { entries }: Index,
  { paths, untracked: wanted, ignored: wantsIgnored = false }: ScanOptions,
): Promise<Scan> {
  const { fs, root, globalIgnoreRules } = repository
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
      if (name.includes(replacement) && (await isNotThere(path))) {
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
    const stats = await inBatches(files, atOnce, (path) => fs.stat(join(root, path)).catch(ifThere))
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
      // As git does: all else is told of.
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
    // Git does not tell of a directory where a tracked file was.
    if (scan.untracked.length > before)
      scan.untracked.splice(before, Infinity, ...(tracked.has(path) ? [] : [`${path}/`]))
  }

  async function isNotThere(path: string): Promise<boolean> {
    return (await fs.stat(join(root, path)).catch(ifThere)) === undefined
  }

  async function list(path: string): Promise<Entry[]> {
    try {
      return await fs.readDir(join(root, path))
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'DENIED', 'IS_LINK', 'NOT_A_DIRECTORY')) return []
      throw error
    }
  }

  const listing = await list('')
  const stack = createIgnoreStack(fs, {
    top: root,
    ...(globalIgnoreRules !== undefined && { globalRules: globalIgnoreRules }),
    ...(isTrue(repository.config, 'core.ignorecase') && { ignoreCase: true }),
  })
  await visit('', listing, await stack.open(root, listing), false)
  scan.untracked.sort(comparePaths)
  scan.ignored.sort(comparePaths)
  return scan
}

/** How a tracked file differs from what is staged: `type` is a file that became a link, or the other way round. */
export type WorkTreeChange = 'modified' | 'deleted' | 'type-changed'

/** Compares a file with what is staged, by its looks where they can be trusted, else by its content. */
export async function compareWithIndex(
  repository: Repository,
  entry: IndexEntry,
  stat: Stat | undefined,
  index: Index,
  { evenAssumedValid = false }: { evenAssumedValid?: boolean } = {},
): Promise<WorkTreeChange | undefined> {
  if (entry.assumeValid && !evenAssumedValid) return undefined
  if (stat === undefined) return 'deleted'
  if (entry.mode === modes.submodule) return stat.kind === 'directory' ? undefined : 'type-changed'
  if (stat.kind === 'directory' || stat.kind === 'other') return 'deleted'
  const isLink = stat.kind === 'symlink'
  // Where there are no links, a file holds what the link would say.
  const couldBeLink = repository.fs.capabilities.symlinks && isTrue(repository.config, 'core.symlinks') !== false
  if (isLink !== (entry.mode === modes.link) && (isLink || couldBeLink)) return 'type-changed'
  if (entry.mode !== modes.link && entry.mode !== modeOf(repository, stat, entry.mode)) return 'modified'
  // As git does, which so tells of a file that has other line endings and the same content; a diff shows nothing then.
  if (!isLink && entry.size !== 0 && stat.size !== undefined && lower32Bits(stat.size) !== entry.size) return 'modified'
  if (looksTheSame(repository, entry, stat, index)) return undefined
  return (await contentId(repository, entry.path, stat)) === entry.oid ? undefined : 'modified'
}

/** The mode that staging the file would give it; where modes are not known, the one it has. */
export function modeOf(repository: Repository, stat: Stat, known: number = modes.file): number {
  if (stat.kind === 'symlink') return modes.link
  const { symlinks, modeBits } = repository.fs.capabilities
  if (known === modes.link && !symlinks) return modes.link
  const regular = known === modes.executable ? known : modes.file
  if (!modeBits || stat.mode === undefined || isTrue(repository.config, 'core.filemode') === false) return regular
  return (stat.mode & 0o100) === 0 ? modes.file : modes.executable
}

/** The bytes git would keep: of a link, where it says it leads. Absent when the link may not be told of. */
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

/** The same where it is only compared, and told to nobody. */
async function idForComparison(repository: Repository, path: string, { kind }: Stat): Promise<string> {
  const { fs, root } = repository
  const full = join(root, path)
  if (kind !== 'symlink') return idForGit(repository, fs.exact, path)
  return objectId('blob', encodeTarget((await fs.exact.readLink?.(full, { verbatim: true })) ?? ''))
}

/** The name of a file's content; read only when it is not known from an earlier look. */
export async function contentId(repository: Repository, path: string, stat: Stat): Promise<string> {
  const { contents } = repository.cache
  const known = contents.get(path)
  if (known !== undefined && isSameStat(known.stat, stat)) return known.oid
  const readAtMs = Date.now()
  const oid = await idForComparison(repository, path, stat)
  if (contents.size > maxContents) contents.clear()
  // What git keeps of a file that is converted depends on more than the file.
  const isKnown = stat.modifiedMs !== undefined && isSettled(stat, readAtMs) && !(await isConverted(repository, path))
  if (isKnown) contents.set(path, { stat, oid })
  return oid
}

export interface ChangedOptions {
  /** All unless given. */
  isWanted?: (path: string) => boolean
  /** Also look at files that the user has told git not to look at: nothing of theirs may be overwritten for that. */
  evenAssumedValid?: boolean
}

/** Which tracked paths have changed, in order. */
export async function changedInWorkTree(
  repository: Repository,
  index: Index,
  present: ReadonlyMap<string, Stat>,
  { isWanted = () => true, evenAssumedValid = false }: ChangedOptions = {},
): Promise<Array<{ entry: IndexEntry; stat?: Stat; change: WorkTreeChange }>> {
  const entries = index.entries.filter(({ path, stage }) => stage === 0 && isWanted(path))
  const found = await inBatches(entries, atOnce, async (entry) => {
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

function ifThere(error: unknown): undefined {
  if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) return undefined
  throw error
}
