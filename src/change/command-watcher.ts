/** Records what a command changes past the engine: compares the tree before and after, and adds the difference to the history. */
import { isFsError } from '../errors.js'
import type { FileSystem } from '../fs/types.js'
import type { ListedEntries } from '../fs/walk/walk.js'
import type { Changes } from './changes.js'
import { contentHash } from './content-hash.js'
import { type ChangeRecord, type ClientInfo, type Image, pathsOf } from './journal/record.js'
import { differences } from './watch/command-steps.js'
import { type CommandWatcherLimits, knownEntries, type ReadsOf } from './watch/known-entries.js'
import { type Incomplete, type StatsOf, treeScanner } from './watch/scan.js'
import type { Seen } from './watch/seen.js'

export type { CommandWatcherLimits, ReadsOf, StatsOf }

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
  /** Reads several files of a directory in one call, where that is faster. */
  readsOf?: ReadsOf
  /** Lists the entries that may be compared. A directory may come in several listings. */
  list: () => Promise<{ listings: readonly ListedEntries[]; incomplete?: Incomplete }>
  /** Whether a listed entry is compared. */
  isWatched?: (path: string) => boolean
  limits?: Partial<CommandWatcherLimits>
  now?: () => number
}

const defaults: CommandWatcherLimits = { maxFileBytes: 4 * 1024 * 1024, maxTotalBytes: 64 * 1024 * 1024 }

export function createCommandWatcher(options: CommandWatcherOptions): CommandWatcher {
  const { fs, changes, list, statsOf, readsOf, isWatched = () => true, limits, now = Date.now } = options
  /** Commands in progress. A change of one may be found by another, but is recorded only once. */
  let running = 0
  /** The engine's own changes that are being noted. */
  const notings = new Set<Promise<void>>()
  const known = knownEntries({ fs, readsOf, limits: { ...defaults, ...limits } })
  const scanner = treeScanner({
    fs,
    known,
    list,
    statsOf,
    isWatched,
    ownChangesNoted: () => Promise.allSettled(notings),
    now,
  })

  /** Notes an entry that the engine has just written; a command may have changed it again already. */
  async function after(path: string, image: Image | undefined): Promise<Seen | undefined> {
    known.remember(path, undefined)
    const seen = await scanner.look(path).catch(() => undefined)
    const kept = seen && (await known.withContent(path, seen))
    if (image?.kind !== 'file') return kept
    if (kept?.bytes !== undefined && (await contentHash(kept.bytes)) === image.hash) return kept
    return scanner.unsure({ kind: 'file', size: image.size })
  }

  async function noteSteps({ steps }: ChangeRecord): Promise<void> {
    if (known.isEmpty) return
    for (const step of steps) if (step.do === 'rename') known.follow(step.path, step.to)
    const images = new Map(steps.map((step) => [step.path, step.do === 'set' ? step.after : undefined]))
    for (const path of new Set(steps.flatMap(pathsOf))) known.remember(path, await after(path, images.get(path)))
  }

  /** Stats everything again, and reads only what is new or changed. */
  async function refresh(): Promise<Incomplete | undefined> {
    const scanned = await scanner.scan()
    if ('incomplete' in scanned) {
      known.clear()
      return scanned.incomplete
    }
    const { changed, vanished } = scanned
    for (const path of vanished) known.remember(path, undefined)
    await known.rememberAll(changed)
    return undefined
  }

  async function recordChanges(label: string, startedMs: number, by: ClientInfo | undefined): Promise<CommandChanges> {
    let incomplete: Incomplete | undefined
    let unkept: string[] = []
    const find = async () => {
      const found = await differences(startedMs, { fs, known, scanner })
      if ('incomplete' in found) {
        incomplete = found.incomplete
        return { steps: [], contents: new Map() }
      }
      unkept = found.unkept
      return found
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

    forget: known.clear,

    async noteOwnChange(record) {
      const noting = noteSteps(record)
      notings.add(noting)
      await noting.finally(() => notings.delete(noting))
    },
  }
}

/** The command has run: a failure to record its changes must not replace its result. */
function asFailure(error: unknown): 'failed' {
  if (isFsError(error)) return 'failed'
  throw error
}
