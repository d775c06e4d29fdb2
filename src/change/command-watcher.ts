/** Records what a command changes past the engine: compares the tree before and after, and adds the difference to the history. */
import { isFsError } from '../errors.js'
import { statIfThere } from '../fs/if-there.js'
import { basename, dirname, isWithin, join, relative } from '../fs/path.js'
import { isPromise, syncOrAsync, wouldBlock } from '../fs/sync.js'
import type { Bytes, Entry, FileSystem, Stat } from '../fs/types.js'
import type { ListedEntries } from '../fs/walk/walk.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'
import type { Changes } from './changes.js'
import { entryStateAt } from './entry-image.js'
import { contentHash } from './hash.js'
import { type ChangeRecord, type ClientInfo, type Image, pathsOf, type Step, sameImage } from './journal/record.js'
import { PathMap } from './path-map.js'
import { runConcurrently } from './run-concurrently.js'

export interface CommandWatcher {
  /** Runs something that may change any file, and records its changes in the history as one change. */
  watch<Result>(
    label: string,
    run: () => Promise<Result>,
    by?: ClientInfo,
  ): Promise<{ result: Result; commandChanges: CommandChanges }>
  /** Marks the engine's own change as already recorded. */
  noteOwnChange(record: ChangeRecord): Promise<void>
  /** Frees the cached content of files. */
  forget(): void
}

export type CommandChanges =
  /** The record is absent when nothing changed. The paths in `unkept` changed too, but their old content is not known. */
  | { watched: true; record?: ChangeRecord; unkept: string[] }
  | { watched: false; reason: 'too-many' | 'unreadable' | 'failed' }

/** Why a tree can't be compared. */
type Incomplete = 'too-many' | 'unreadable'

export interface CommandWatcherOptions {
  /** Follows no links. */
  fs: FileSystem
  changes: Changes
  /** Stats several entries of a directory in one call, where that is faster. */
  statsOf?: StatsOf
  /** Reads several files of a directory in one call, where that is faster. */
  readsOf?: ReadsOf
  /** Lists the entries that may be compared. A directory may come in several listings. */
  list: () => Promise<{ listings: readonly ListedEntries[]; incomplete?: Incomplete }>
  /** Whether a listed entry is compared. */
  isWatched?: (path: string) => boolean
  limits?: Partial<CommandWatcherLimits>
  now?: () => number
}

/** Returns a stat for each of these entries of a directory, undefined for one that does not exist; may fail as listing it would. */
export type StatsOf = (directory: string, entries: readonly Pick<Entry, 'name'>[]) => readonly (Stat | undefined)[]

/** Returns the bytes of each of these files of a directory, undefined for one that can't be read; may fail as listing it would. */
export type ReadsOf = (directory: string, names: readonly string[]) => readonly (Bytes | undefined)[]

export interface CommandWatcherLimits {
  /** The content of a larger file is not cached. */
  maxFileBytes: number
  /** The most content that is cached in memory. */
  maxTotalBytes: number
}

/** An entry as it was last seen. */
interface Seen {
  stat: Stat
  bytes?: Uint8Array
  link?: Image
  /** Seen within one clock tick of its last change, so a later one may not show in its times. */
  fresh: boolean
  /** The number of the last scan that found it. */
  scan: number
}

type SeenAt = [path: string, seen: Seen]

/** What a scan has found to differ from what was known. */
interface Scanned {
  /** Undefined for an entry that is gone since it was listed. */
  changed: [path: string, seen: Seen | undefined][]
  /** Known before, and not listed. */
  vanished: string[]
}

const defaults: CommandWatcherLimits = { maxFileBytes: 4 * 1024 * 1024, maxTotalBytes: 64 * 1024 * 1024 }

/** Files up to this size are read synchronously where possible, and so many at once. */
const quickBytes = 64 * 1024
const filesAtOnce = 64

/** One tick of the coarsest file system clock. */
const clockMs = 20

const ignoreFiles = /(^|\/)\.(gitignore|ignore)$/

export function createCommandWatcher(options: CommandWatcherOptions): CommandWatcher {
  const { fs, changes, list, statsOf, readsOf, isWatched = () => true, limits: given, now = Date.now } = options
  const limits = { ...defaults, ...given }
  const known = new PathMap<Seen>()
  let cachedBytes = 0
  /** Of files that are being read for the cache. */
  let readingBytes = 0
  /** Commands in progress. A change of one may be found by another, but is recorded only once. */
  let running = 0
  let lastScan = 0
  /** The engine's own changes that are being noted. */
  const notings = new Set<Promise<void>>()

  async function look(path: string): Promise<Seen | undefined> {
    const stat = await statIfThere(fs, path)
    return stat && seenAs(path, stat)
  }

  /** A promise only for a link. */
  function seenAs(path: string, stat: Stat): Seen | undefined | Promise<Seen | undefined> {
    if (stat.kind === 'other') return undefined
    const { modifiedMs, changedMs = modifiedMs } = stat
    const fresh = modifiedMs === undefined || Math.max(modifiedMs, changedMs ?? 0) > now() - clockMs
    if (stat.kind !== 'symlink') return { stat, fresh, scan: lastScan }
    return entryStateAt(fs, path).then(({ image }) =>
      image.kind === 'symlink' ? { stat, link: image, fresh, scan: lastScan } : undefined,
    )
  }

  /** Stats all entries, those of a directory in one call where possible, and compares them with the known ones. */
  async function scan(): Promise<Scanned | { incomplete: Incomplete }> {
    lastScan += 1
    // What the engine changes from now on is newer than what this scan finds, and has its number. Another scan may begin meanwhile.
    const number = lastScan
    const { listings, incomplete } = await list()
    if (incomplete !== undefined) return { incomplete }
    await Promise.allSettled(notings)
    const changed: Scanned['changed'] = []
    const turn = yieldBetweenSteps()
    for (const { directory, entries, stats = statsIn(directory, entries) } of listings) {
      const pause = turn()
      if (pause !== undefined) await pause
      const within = known.in(directory)
      for (let at = 0; at < entries.length; at += 1) {
        const { name } = entries[at] as Entry
        const before = within?.get(name)
        const isOutdated = before !== undefined && before.scan >= number
        const stat = isOutdated ? undefined : stats?.[at]
        if (before !== undefined) before.scan = Math.max(before.scan, number)
        if (before !== undefined && stat !== undefined && isSameFile(before, stat)) continue
        const path = join(directory, name)
        if (before === undefined && !isWatched(path)) continue
        const looked = stat === undefined ? look(path) : seenAs(path, stat)
        const seen = isPromise(looked) ? await looked : looked
        if (!isSame(before, seen)) changed.push([path, seen])
      }
    }
    return { changed, vanished: known.pathsWhere((seen) => seen.scan < number) }
  }

  function statsIn(directory: string, entries: readonly Entry[]): ListedEntries['stats'] {
    try {
      return statsOf?.(directory, entries)
    } catch (error) {
      if (isFsError(error)) return undefined
      throw error
    }
  }

  /** Remembers what is new or has changed, with its content; small files first, so that as many as possible fit. */
  async function keepAll(changed: Scanned['changed']): Promise<void> {
    const small = new Map<string, SeenAt[]>()
    const others: SeenAt[] = []
    for (const [path, seen] of changed) {
      remember(path, undefined)
      if (seen === undefined) continue
      const isSmall = seen.stat.kind === 'file' && (seen.stat.size ?? 0) <= Math.min(quickBytes, limits.maxFileBytes)
      const directory = dirname(path)
      const within = small.get(directory)
      if (!isSmall || readsOf === undefined) others.push([path, seen])
      else if (within === undefined) small.set(directory, [[path, seen]])
      else within.push([path, seen])
    }
    const turn = yieldBetweenSteps()
    for (const [directory, files] of small) {
      for (let at = 0; at < files.length; at += filesAtOnce) {
        others.push(...keepTogether(directory, files.slice(at, at + filesAtOnce)))
        const pause = turn()
        if (pause !== undefined) await pause
      }
    }
    await runConcurrently(others, async ([path, seen]) => remember(path, await keep(path, seen)))
  }

  /** Remembers files of one directory; returns those that have to be read one by one. */
  function keepTogether(directory: string, files: SeenAt[]): SeenAt[] {
    const size = files.reduce((sum, [, { stat }]) => sum + (stat.size ?? 0), 0)
    const contents = fits(size) ? readsIn(directory, files) : undefined
    return files.filter(([path, seen], at) => {
      const bytes = contents?.[at]
      if (bytes !== undefined) remember(path, { ...seen, bytes })
      return bytes === undefined
    })
  }

  function fits(bytes: number): boolean {
    return cachedBytes + readingBytes + bytes <= limits.maxTotalBytes
  }

  function readsIn(directory: string, files: readonly SeenAt[]): ReturnType<ReadsOf> | undefined {
    try {
      return readsOf?.(
        directory,
        files.map(([path]) => basename(path)),
      )
    } catch (error) {
      if (isFsError(error)) return undefined
      throw error
    }
  }

  /** Adds the content of a file if it fits into the cache. */
  async function keep(path: string, seen: Seen): Promise<Seen> {
    const { kind, size = 0 } = seen.stat
    if (kind !== 'file' || size > limits.maxFileBytes || !fits(size)) return seen
    readingBytes += size
    try {
      const read = syncOrAsync(size <= quickBytes ? fs.sync?.readFile(path) : wouldBlock, () => fs.readFile(path))
      const bytes = isPromise(read) ? await read : read
      return { ...seen, bytes }
    } catch (error) {
      if (!isFsError(error)) throw error
      return seen
    } finally {
      readingBytes -= size
    }
  }

  function remember(path: string, seen: Seen | undefined): void {
    cachedBytes -= known.get(path)?.bytes?.length ?? 0
    if (seen === undefined) known.delete(path)
    else {
      known.set(path, seen)
      cachedBytes += seen.bytes?.length ?? 0
    }
  }

  function forget(): void {
    known.clear()
    cachedBytes = 0
  }

  /** Notes an entry that the engine has just written; a command may have changed it again already. */
  async function after(path: string, image: Image | undefined): Promise<Seen | undefined> {
    remember(path, undefined)
    const seen = await look(path).catch(() => undefined)
    const kept = seen && (await keep(path, seen))
    if (image?.kind !== 'file') return kept
    if (kept?.bytes !== undefined && (await contentHash(kept.bytes)) === image.hash) return kept
    return { stat: { kind: 'file', size: image.size }, fresh: true, scan: lastScan }
  }

  /** Renames the known entries of a moved directory. */
  function follow(from: string, to: string): void {
    for (const path of known.pathsWhere(() => true)) {
      if (path === from || !isWithin(from, path)) continue
      const seen = known.get(path)
      remember(path, undefined)
      remember(join(to, relative(from, path)), seen)
    }
  }

  async function noteSteps({ steps }: ChangeRecord): Promise<void> {
    if (known.isEmpty) return
    for (const step of steps) if (step.do === 'rename') follow(step.path, step.to)
    const images = new Map(steps.map((step) => [step.path, step.do === 'set' ? step.after : undefined]))
    for (const path of new Set(steps.flatMap(pathsOf))) remember(path, await after(path, images.get(path)))
  }

  /** Stats everything again, and reads only what is new or changed. */
  async function refresh(): Promise<Incomplete | undefined> {
    const scanned = await scan()
    if ('incomplete' in scanned) {
      forget()
      return scanned.incomplete
    }
    const { changed, vanished } = scanned
    for (const path of vanished) remember(path, undefined)
    await keepAll(changed)
    return undefined
  }

  /** Every difference as steps, with the replaced content. The current tree becomes the known state. */
  async function differences(startedMs: number) {
    const scanned = await scan()
    if ('incomplete' in scanned) return { incomplete: scanned.incomplete }
    const { changed, vanished } = scanned
    const removed: Step[] = []
    const others: Step[] = []
    const contents = new Map<string, Uint8Array>()
    const unkept: string[] = []
    const rulesChanged = [...vanished, ...changed.map(([path]) => path)].some((path) => ignoreFiles.test(path))
    const isListed = new Set(changed.map(([path]) => path))
    // An entry that is not listed is gone, or ignored by now.
    for (const path of vanished) changed.push([path, await look(path)])

    for (const [path, seen] of changed) {
      const before = known.get(path)
      if (before !== undefined && seen !== undefined && isSame(before, seen)) continue
      // An entry that an ignore file excluded until now is not new.
      if (before === undefined && rulesChanged && seen !== undefined && isOlder(seen.stat, startedMs)) {
        if (isListed.has(path)) remember(path, await keep(path, seen))
        continue
      }
      remember(path, undefined)
      const after = seen && (await keep(path, seen))
      if (isListed.has(path) && after !== undefined) remember(path, after)
      const step = await stepFrom(path, before, after, contents)
      if (step === 'unkept') unkept.push(path)
      else if (step !== undefined) (step.after.kind === 'absent' ? removed : others).push(step)
    }
    // Entries are removed before their directory, and made after it.
    removed.sort((a, b) => (a.path < b.path ? 1 : -1))
    others.sort((a, b) => (a.path < b.path ? -1 : 1))
    return { steps: [...removed, ...others], contents, unkept }
  }

  /** Reads content for its hash even where it is not stored: a new file can be undone by removing it. */
  async function stepFrom(
    path: string,
    before: Seen | undefined,
    after: Seen | undefined,
    contents: Map<string, Uint8Array>,
  ): Promise<(Step & { do: 'set' }) | 'unkept' | undefined> {
    if (before?.stat.kind === 'file' && before.bytes === undefined) return 'unkept'
    const was = await imageOf(before)
    const is = await imageOf(
      after?.stat.kind === 'file' && after.bytes === undefined ? await reread(path, after) : after,
    )
    if (was === undefined || is === undefined) return 'unkept'
    if (sameImage(was, is)) return undefined
    if (was.kind === 'file' && before?.bytes !== undefined) contents.set(was.hash, before.bytes)
    return { do: 'set', path, before: was, after: is }
  }

  async function reread(path: string, seen: Seen): Promise<Seen> {
    if ((seen.stat.size ?? 0) > maxHashedBytes) return seen
    try {
      return { ...seen, bytes: await fs.readFile(path) }
    } catch (error) {
      if (!isFsError(error)) throw error
      return seen
    }
  }

  async function recordChanges(label: string, startedMs: number, by: ClientInfo | undefined): Promise<CommandChanges> {
    let incomplete: Incomplete | undefined
    let unkept: string[] = []
    const find = async () => {
      const found = await differences(startedMs)
      incomplete = found.incomplete
      unkept = found.unkept ?? []
      return { steps: found.steps ?? [], contents: found.contents ?? new Map() }
    }
    const record = await changes.note(label, find, by)
    if (incomplete !== undefined) return { watched: false, reason: incomplete }
    return { watched: true, unkept, ...(record && { record }) }
  }

  return {
    async watch(label, run, by) {
      // While another command runs, its changes are not recorded yet.
      const unseen = running > 0 ? undefined : await refresh().catch(asFailure)
      const startedMs = now()
      running += 1
      let result: Awaited<ReturnType<typeof run>>
      try {
        result = await run()
      } finally {
        running -= 1
      }
      if (unseen !== undefined) return { result, commandChanges: { watched: false, reason: unseen } }
      const commandChanges = await recordChanges(label, startedMs, by).catch(
        (error): CommandChanges => ({
          watched: false,
          reason: asFailure(error),
        }),
      )
      return { result, commandChanges }
    },

    forget,

    async noteOwnChange(record) {
      const noting = noteSteps(record)
      notings.add(noting)
      await noting.finally(() => notings.delete(noting))
    },
  }
}

/** Larger new files are not hashed. */
const maxHashedBytes = 64 * 1024 * 1024

/** The command has run: a failure to record its changes must not replace its result. */
function asFailure(error: unknown): 'failed' {
  if (isFsError(error)) return 'failed'
  throw error
}

function isSame(before: Seen | undefined, now: Seen | undefined): boolean {
  if (before === undefined || now === undefined) return before === now
  return sameStat(before, now.stat) && sameLink(before, now)
}

/** False for a link, whose target has to be compared too. */
function isSameFile(before: Seen, now: Stat): boolean {
  return now.kind !== 'symlink' && sameStat(before, now)
}

/** The time of change too, which no program can set: a file that was moved over another one may have its size and its time of modification. */
function sameStat({ stat, fresh }: Seen, now: Stat): boolean {
  if (stat.kind !== now.kind || stat.mode !== now.mode) return false
  if (stat.kind === 'directory') return true
  return !fresh && stat.size === now.size && stat.modifiedMs === now.modifiedMs && stat.changedMs === now.changedMs
}

function sameLink({ link: a }: Seen, { link: b }: Seen): boolean {
  return a === undefined || b === undefined ? a === b : sameImage(a, b)
}

function isOlder({ createdMs }: Stat, startedMs: number): boolean {
  return createdMs === undefined || createdMs < startedMs
}

/** Undefined for a file whose content is not known. */
async function imageOf(seen: Seen | undefined): Promise<Image | undefined> {
  if (seen === undefined) return { kind: 'absent' }
  const { stat, bytes, link } = seen
  const mode = stat.mode === undefined ? {} : { mode: stat.mode }
  if (stat.kind === 'directory') return { kind: 'directory', ...mode }
  if (stat.kind === 'symlink') return link
  if (bytes === undefined) return undefined
  return { kind: 'file', hash: await contentHash(bytes), size: bytes.length, ...mode }
}
