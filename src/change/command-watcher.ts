/** Records what a command changes past the engine: compares the tree before and after, and adds the difference to the history. */
import { isFsError } from '../errors.js'
import { basename, dirname, isWithin, join, relative } from '../fs/path.js'
import { isPromise, syncOrAsync, wouldBlock } from '../fs/sync.js'
import type { FileSystem, Stat } from '../fs/types.js'
import type { WalkEntry } from '../fs/walk/walk.js'
import type { Changes } from './changes.js'
import { entryStateAt, statIfThere } from './entry-image.js'
import { contentHash } from './hash.js'
import { type ChangeRecord, type ClientInfo, type Image, pathsOf, type Step, sameImage } from './journal/record.js'

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

export interface CommandWatcherOptions {
  /** Follows no links. */
  fs: FileSystem
  changes: Changes
  /** Stats several entries of a directory in one call, where that is faster. */
  statsOf?: StatsOf
  /** The entries to compare, directories before their entries. */
  list: () => Promise<{ entries: readonly WalkEntry[]; incomplete?: 'too-many' | 'unreadable' }>
  limits?: Partial<CommandWatcherLimits>
  now?: () => number
}

/** Returns the stats of the named entries of a directory that exist; may fail as listing it would. */
export type StatsOf = (directory: string, names: readonly string[]) => ReadonlyMap<string, Stat>

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
  /** Seen within one clock tick of its modification time, so a later change may not show in that time. */
  fresh: boolean
}

const defaults: CommandWatcherLimits = { maxFileBytes: 4 * 1024 * 1024, maxTotalBytes: 64 * 1024 * 1024 }

/** Files up to this size are read synchronously where possible. */
const quickBytes = 64 * 1024

/** One tick of the coarsest file system clock. */
const clockMs = 20

const ignoreFiles = /(^|\/)\.(gitignore|ignore)$/

export function createCommandWatcher(options: CommandWatcherOptions): CommandWatcher {
  const { fs, changes, list, statsOf, limits: given, now = Date.now } = options
  const limits = { ...defaults, ...given }
  let known = new Map<string, Seen>()
  let cachedBytes = 0
  /** Commands in progress. A change of one may be found by another, but is recorded only once. */
  let running = 0

  async function look(path: string): Promise<Seen | undefined> {
    const stat = await statIfThere(fs, path)
    return stat && seenAs(path, stat)
  }

  /** A promise only for a link. */
  function seenAs(path: string, stat: Stat): Seen | undefined | Promise<Seen | undefined> {
    if (stat.kind === 'other') return undefined
    const fresh = stat.modifiedMs === undefined || stat.modifiedMs > now() - clockMs
    if (stat.kind !== 'symlink') return { stat, fresh }
    return entryStateAt(fs, path).then(({ image }) =>
      image.kind === 'symlink' ? { stat, link: image, fresh } : undefined,
    )
  }

  /** Stats all paths, those of a directory in one call where possible. */
  async function lookAll(paths: readonly string[]): Promise<Map<string, Seen | undefined>> {
    const met = new Map<string, Seen | undefined>()
    for (const [directory, within] of byDirectory(paths)) {
      const stats = statsIn(directory, within)
      for (const { path, name } of within) {
        const stat = stats?.get(name)
        const seen = stat === undefined ? look(path) : seenAs(path, stat)
        met.set(path, seen instanceof Promise ? await seen : seen)
      }
    }
    return met
  }

  function statsIn(directory: string, within: readonly { name: string }[]): ReadonlyMap<string, Stat> | undefined {
    try {
      return statsOf?.(
        directory,
        within.map(({ name }) => name),
      )
    } catch (error) {
      if (isFsError(error)) return undefined
      throw error
    }
  }

  /** Adds the content of a file if it fits into the cache. */
  async function keep(path: string, seen: Seen): Promise<Seen> {
    const { kind, size = 0 } = seen.stat
    if (kind !== 'file' || size > limits.maxFileBytes || cachedBytes + size > limits.maxTotalBytes) return seen
    try {
      const read = syncOrAsync(size <= quickBytes ? fs.sync?.readFile(path) : wouldBlock, () => fs.readFile(path))
      const bytes = isPromise(read) ? await read : read
      return { ...seen, bytes }
    } catch (error) {
      if (!isFsError(error)) throw error
      return seen
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

  /** Notes an entry that the engine has just written; a command may have changed it again already. */
  async function after(path: string, image: Image | undefined): Promise<Seen | undefined> {
    remember(path, undefined)
    const seen = await look(path).catch(() => undefined)
    const kept = seen && (await keep(path, seen))
    if (image?.kind !== 'file') return kept
    if (kept?.bytes !== undefined && (await contentHash(kept.bytes)) === image.hash) return kept
    return { stat: { kind: 'file', size: image.size }, fresh: true }
  }

  /** Renames the known entries of a moved directory. */
  function follow(from: string, to: string): void {
    for (const [path, seen] of [...known]) {
      if (path === from || !isWithin(from, path)) continue
      remember(path, undefined)
      remember(join(to, relative(from, path)), seen)
    }
  }

  /** Stats everything again, and reads only what is new or changed. */
  async function refresh(): Promise<'too-many' | 'unreadable' | undefined> {
    const { entries, incomplete } = await list()
    if (incomplete !== undefined) {
      known = new Map()
      cachedBytes = 0
      return incomplete
    }
    const there = new Set(entries.map(({ path }) => path))
    for (const path of [...known.keys()]) if (!there.has(path)) remember(path, undefined)
    for (const [path, seen] of await lookAll([...there])) {
      const before = known.get(path)
      if (seen === undefined || before === undefined || !isSame(before, seen)) {
        remember(path, undefined)
        if (seen !== undefined) remember(path, await keep(path, seen))
      }
    }
    return undefined
  }

  /** Every difference as steps, with the replaced content. The current tree becomes the known state. */
  async function differences(startedMs: number) {
    const { entries, incomplete } = await list()
    if (incomplete !== undefined) return { incomplete }
    const removed: Step[] = []
    const others: Step[] = []
    const contents = new Map<string, Uint8Array>()
    const unkept: string[] = []
    const there = new Set(entries.map(({ path }) => path))
    const vanished = [...known.keys()].filter((path) => !there.has(path))
    const met = await lookAll([...there, ...vanished])
    const rulesChanged = [...met].some(([path, seen]) => ignoreFiles.test(path) && !isSame(known.get(path), seen))

    for (const [path, seen] of met) {
      const before = known.get(path)
      if (before !== undefined && seen !== undefined && isSame(before, seen)) continue
      // An entry that an ignore file excluded until now is not new.
      if (before === undefined && rulesChanged && seen !== undefined && isOlder(seen.stat, startedMs)) {
        if (there.has(path)) remember(path, await keep(path, seen))
        continue
      }
      remember(path, undefined)
      const after = seen && (await keep(path, seen))
      if (there.has(path) && after !== undefined) remember(path, after)
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
    let incomplete: 'too-many' | 'unreadable' | undefined
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

    forget() {
      known = new Map()
      cachedBytes = 0
    },

    async noteOwnChange({ steps }) {
      if (known.size === 0) return
      for (const step of steps) if (step.do === 'rename') follow(step.path, step.to)
      const images = new Map(steps.map((step) => [step.path, step.do === 'set' ? step.after : undefined]))
      for (const path of new Set(steps.flatMap(pathsOf))) remember(path, await after(path, images.get(path)))
    },
  }
}

function byDirectory(paths: readonly string[]): Map<string, { path: string; name: string }[]> {
  const directories = new Map<string, { path: string; name: string }[]>()
  for (const path of paths) {
    const directory = dirname(path)
    const within = directories.get(directory)
    const entry = { path, name: basename(path) }
    if (within === undefined) directories.set(directory, [entry])
    else within.push(entry)
  }
  return directories
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
  const { stat } = before
  if (stat.kind !== now.stat.kind || stat.mode !== now.stat.mode || !sameLink(before, now)) return false
  if (stat.kind === 'directory') return true
  return !before.fresh && stat.size === now.stat.size && stat.modifiedMs === now.stat.modifiedMs
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
