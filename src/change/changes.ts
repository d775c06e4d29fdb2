/** The change engine: a change lands whole or not at all, and the journal stores what it replaced. */
import { FsError } from '../errors.js'
import type { Grant } from '../fs/gate/access-rules.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { statIfThere } from '../fs/if-there.js'
import { dirname } from '../fs/path.js'
import { walk } from '../fs/walk/walk.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'
import { randomHex } from '../text/random-hex.js'
import { changeId } from './change-id.js'
import { commitChange, finishChange, recoverPending } from './commit.js'
import type { CommitContext, ProgressOptions } from './commit-context.js'
import { createDraft, type Draft, type EngineDraft } from './draft.js'
import { purgedRecords } from './history/purge.js'
import { isWithinReach } from './history/visible-records.js'
import { type Journal, memoryJournal, type Pending } from './journal/journal.js'
import {
  bytesIn,
  type ChangeRecord,
  type ClientInfo,
  type Contents,
  pathsOf,
  type Step,
  scopesOf,
} from './journal/record.js'
import { type DirectoryLocks, directoriesOf, expectUnchanged, noDirectoryLocks } from './locks/directory-locks.js'
import { areCovered, keyed, scopesToHold } from './locks/lock-scopes.js'
import { type Locks, overlap, processLocks, type Scope } from './locks/locks.js'
import type { Planned } from './plan.js'
import { spellingDraft } from './spelling-draft.js'

export interface ChangesOptions {
  fs: ConfinedFileSystem
  /** In memory unless given. */
  journal?: Journal
  /** Local to this engine by default; engines that share a journal must share the locks. */
  locks?: Locks
  /** None by default, for a tree that no other engine changes. */
  directoryLocks?: DirectoryLocks
  now?: () => number
  /** Ids for changes, in ascending order. By default they contain the time, a count and something random, since engines may share a journal. */
  newId?: (atMs: number) => string
  limits?: Partial<HistoryLimits>
  /** From this size on, replaced content is stored while the new files are staged, not before; 1 MiB by default. */
  storeWhileStagingBytes?: number
}

export interface HistoryLimits {
  /** The most replaced content that is stored in all; the oldest is dropped first. */
  maxHistoryBytes: number
  /** How long replaced content is stored. */
  maxHistoryMs: number
  /** A change that replaces more than this, or than the history may hold, is made but can't be undone. */
  maxUndoBytes: number
}

export interface ChangeRequest extends ProgressOptions {
  /** What the history calls the change. */
  label: string
  /** Everything the change may touch, as absolute paths. Links are followed, except a final one where the scope says `keep`. */
  scopes: readonly Scope[]
  /**
   * The change is one of every directory below its scopes. Their locks are taken before it is drafted: what is drafted without a lock has to
   * be read again under it.
   */
  everyDirectory?: boolean
  /** The changes that this one undoes, whole and in part. Read when the change is drafted. */
  undoes?: readonly string[]
  undoesPartly?: readonly string[]
  /** Who makes the change. */
  by?: ClientInfo
  /** `.git` directories in which the change may write; they are protected otherwise. */
  gitDirectories?: readonly string[]
  /** What the user has allowed for it. */
  granted?: readonly Grant[]
  /** The change may replace files that the process may not write to. A rename can do that, but a file is protected for a reason. */
  replacesProtected?: boolean
}

export interface Recovery {
  /** Interrupted changes that are finished now. */
  finished: ChangeRecord[]
  /** Changes that were not committed, or that conflicted with a foreign change, and were rolled back. */
  dropped: ChangeRecord[]
  /** Paths that were changed by others in between; their version was left in place. */
  conflicts: string[]
  /** Journal records that can't be read. They are in quarantine, and their paths were left as they are. */
  corrupt: string[]
}

export interface Changes {
  readonly journal: Journal
  readonly limits: HistoryLimits
  /**
   * Runs `body` while holding its scopes, then commits what it drafted. The paths are those of the scopes with links followed,
   * in the same order. Returns the result of `body` and the record of the change, if there was any.
   */
  run<Result>(
    request: ChangeRequest,
    body: (draft: Draft, paths: string[]) => Promise<Result>,
  ): Promise<ChangeResult<Result>>
  /**
   * Finishes or drops what a crash left behind. Runs before anything else; safe to run at any time and any number of times. A change
   * that can't be recovered does not stop the others; the failure is thrown at the end.
   */
  recover(): Promise<Recovery>
  /** Recovers if there is anything to recover. Never from within `run`. */
  settle(): Promise<void>
  /** Adds a checkpoint; changes in progress finish before it. */
  checkpoint(name: string, by?: ClientInfo): Promise<ChangeRecord>
  /** Records changes that were made past the engine. No other change runs meanwhile. */
  note(label: string, find: () => Promise<Noted>, by?: ClientInfo): Promise<ChangeRecord | undefined>
  /** Runs while no change is made. Must not make one itself. */
  quietly<Result>(run: () => Promise<Result>): Promise<Result>
  /** Deletes the stored content of paths and of all below them, or of everything. Returns the changes it was stored for. */
  purge(options?: { paths?: readonly string[]; dryRun?: boolean }): Promise<ChangeRecord[]>
  /** Reports every change from now on, checkpoints too, until the returned function is called. */
  subscribe(onMade: (record: ChangeRecord) => void): () => void
}

/** Steps that were done already, and the bytes they replaced. */
export interface Noted {
  steps: Step[]
  contents: Contents
}

export interface ChangeResult<Result> {
  result: Result
  /** Absent when nothing had to change. */
  record?: ChangeRecord
}

const defaultLimits: HistoryLimits = {
  maxHistoryBytes: 256 * 1024 * 1024,
  maxHistoryMs: 30 * 24 * 60 * 60 * 1000,
  maxUndoBytes: 64 * 1024 * 1024,
}

/** The history is pruned after this many changes, or after a tenth of the records it holds. */
const leastPruned = 100

/** True where a directory goes: one that can't has to be found before anything below it is gone. */
function movesDirectory(step: Step): boolean {
  return step.before.kind === 'directory' && (step.do === 'rename' || step.after.kind !== 'directory')
}

/** What a change may do beyond what the gate allows. */
type ChangedThrough = Pick<ChangeRequest, 'gitDirectories' | 'granted'>

/** How often a path may come to lead elsewhere before a call fails. */
const maxAttempts = 5

export function createChanges(options: ChangesOptions): Changes {
  const { fs, journal = memoryJournal(), locks = processLocks(), now = Date.now } = options
  const { storeWhileStagingBytes = 1024 * 1024, directoryLocks = noDirectoryLocks } = options
  const { exact } = fs
  const limits = withinHistory({ ...defaultLimits, ...options.limits })
  const nextId = options.newId ?? ids(journal)
  /** Changes in progress. Whatever else is pending was left by a crash or a failure. */
  const underWay = new Set<string>()
  const listeners = new Set<(record: ChangeRecord) => void>()
  let sincePrune = { changes: 0, bytes: 0 }
  let pruneAfter = leastPruned

  async function run<Result>(
    request: ChangeRequest,
    body: (draft: Draft, paths: string[]) => Promise<Result>,
  ): Promise<ChangeResult<Result>> {
    const { scopes, signal } = request
    let failedRecovery: { error: unknown } | undefined
    for (let attempt = 0; ; attempt += 1) {
      // Most paths lead through no link, so the scopes are locked as given and resolved under the lock.
      const likely = attempt === 0 ? scopes.map(({ path }) => path) : await locateAll(scopes)
      const held = await scopesToHold(fs, likely, scopes)
      const outcome = await locks.hold(held, async (): Promise<ChangeResult<Result> | 'left over' | 'moved'> => {
        const atMs = now()
        if ((await leftOver()).some(({ record }) => overlap(scopesOf(record).map(asKeyed), held))) return 'left over'
        const directories = new Set([...held.map(({ path }) => dirname(path)), ...(request.gitDirectories ?? [])])
        const made = await directoryLocks.hold([...directories], async (holding) => {
          // While this call waited for the lock, a link or a missing directory may have changed what has to be locked.
          const draft = newDraft(request)
          const paths = await locateFor(draft, scopes)
          if (!areCovered(await scopesToHold(fs, paths, scopes), held)) return 'moved'
          if (request.everyDirectory) await holding.cover(await directoriesIn(paths, signal))
          const result = await body(draft, paths)
          const planned = await draft.plan()
          const late = await holding.cover(await directoriesOf(planned.steps))
          if (late.length > 0) await expectUnchanged(exact, planned, late)
          return { result, times: planned.times, record: await make(request, atMs, planned) }
        })
        if (made === 'moved') return made
        const { result, times, record } = made
        // Set after the lock files are removed, which changes directory times. A failure to set times does not fail a change that was made.
        const timesSet = setTimes(times, gateFor(request))
        await (record === undefined ? timesSet : timesSet.catch(() => {}))
        return { result, ...(record && { record }) }
      })
      if (typeof outcome === 'object') return outcome
      if (failedRecovery !== undefined && outcome === 'left over') throw failedRecovery.error
      if (attempt === maxAttempts) throw new FsError('CONFLICT', { path: scopes[0]?.path ?? '/' })
      if (outcome === 'left over') {
        await recover().catch((error) => {
          failedRecovery = { error }
        })
      }
    }
  }

  function newDraft(request: ChangeRequest): EngineDraft {
    const { signal } = request
    const draft = createDraft(gateFor(request), { maxBytes: limits.maxUndoBytes, ...(signal && { signal }) })
    return fs.capabilities.caseSensitive ? draft : spellingDraft(draft, fs)
  }

  function asKeyed(scope: Scope): Scope {
    return keyed(fs, scope)
  }

  function meansFor(change: ChangedThrough): CommitContext {
    return { gate: gateFor(change), journal, storeWhileStagingBytes }
  }

  /** A change that was begun is finished or rolled back whatever rules there are now: it shows nothing to anybody. */
  function meansToRecover(change: ChangedThrough): CommitContext {
    return { ...meansFor(change), gate: gateFor(change).withoutRules }
  }

  /** The gate, opened for the `.git` directories of the change. */
  function gateFor({ gitDirectories = [], granted = [] }: ChangedThrough): ConfinedFileSystem {
    const granting = fs.granting(granted)
    return gitDirectories.length === 0 ? granting : granting.withGit(gitDirectories)
  }

  function locateAll(scopes: readonly Scope[]): Promise<string[]> {
    return Promise.all(scopes.map(locate))
  }

  async function locate({ path, last, exact }: Scope): Promise<string> {
    return exact ? path : fs.locate(path, last)
  }

  /** The same under the lock. A file that the draft can read synchronously has no link on its path. */
  async function locateFor(draft: EngineDraft, scopes: readonly Scope[]): Promise<string[]> {
    if (exact.transactional?.sync === undefined) return locateAll(scopes)
    const paths: string[] = []
    for (const scope of scopes) {
      const isSeen = !scope.exact && !scope.tree && draft.seesFile(scope.path)
      paths.push(isSeen ? scope.path : await locate(scope))
    }
    return paths
  }

  /** The directories among these paths, and all below them. */
  async function directoriesIn(paths: readonly string[], signal: AbortSignal | undefined): Promise<string[]> {
    const directories: string[] = []
    if (signal?.aborted) throw new FsError('ABORTED', {})
    if (directoryLocks === noDirectoryLocks) return directories
    for (const path of paths) {
      if ((await statIfThere(exact, path))?.kind !== 'directory') continue
      directories.push(path)
      for await (const entry of walk(fs, path)) {
        if (signal?.aborted) throw new FsError('ABORTED', {})
        if (entry.kind === 'directory') directories.push(entry.path)
      }
    }
    return directories
  }

  async function leftOver(): Promise<Pending[]> {
    return (await journal.pending(underWay)).filter(({ record }) => isWithinReach(fs.withoutRules, record, 'write'))
  }

  async function make(request: ChangeRequest, atMs: number, planned: Planned): Promise<ChangeRecord | undefined> {
    const { steps, replaced } = planned
    const means = meansFor(request)
    if (steps.length === 0) {
      request.onProgress?.({ done: 0, total: 0 })
      return undefined
    }
    const turn = yieldBetweenSteps()
    for (const step of steps) {
      for (const path of pathsOf(step)) means.gate.authorize(path, 'write')
      if (movesDirectory(step)) {
        if (fs.isRoot(step.path)) throw new FsError('IS_ROOT', { path: step.path })
        await means.gate.requireTree(step.path, step.do === 'rename' ? step.to : undefined)
      }
      const pause = turn()
      if (pause !== undefined) await pause
    }
    const kept = bytesIn(replaced)
    const { label, undoes = [], undoesPartly = [], gitDirectories = [] } = request
    const [undone, ...others] = undoes
    const record: ChangeRecord = {
      id: await nextId(atMs),
      label,
      atMs,
      steps,
      undoable: kept <= limits.maxUndoBytes && steps.every(({ parked }) => parked === undefined),
      ...(undone !== undefined && { undoes: others.length > 0 ? [...undoes] : undone }),
      ...(undoesPartly.length > 0 && { undoesPartly: [...undoesPartly] }),
      ...(gitDirectories.length > 0 && { gitDirectories }),
      ...(request.by && { by: request.by }),
    }
    underWay.add(record.id)
    try {
      const state = await commitChange(means, record, planned, request)
      // The change is made. If the journal can't be written now, recovery before the next change updates it.
      await finishChange(means, record, state).catch(() => {})
      await pruneNowAndThen(kept).catch(() => {})
    } finally {
      underWay.delete(record.id)
    }
    for (const onMade of listeners) onMade(record)
    return record
  }

  async function setTimes(times: ReadonlyMap<string, number>, gate: ConfinedFileSystem): Promise<void> {
    for (const [path, modifiedMs] of times) {
      gate.authorize(path, 'write')
      await gate.exact.setModified?.(path, modifiedMs)
    }
  }

  /** Pruning costs more than a change, so it is done once in a while. */
  async function pruneNowAndThen(keptBytes: number): Promise<void> {
    sincePrune.changes += 1
    sincePrune.bytes += keptBytes
    if (sincePrune.changes < pruneAfter && sincePrune.bytes < limits.maxHistoryBytes / 8) return
    sincePrune = { changes: 0, bytes: 0 }
    const left = await journal.prune({ maxBytes: limits.maxHistoryBytes, oldestMs: now() - limits.maxHistoryMs })
    pruneAfter = Math.max(leastPruned, left / 10)
  }

  function recover(): Promise<Recovery> {
    return locks.hold(wholeTree(fs).map(asKeyed), async () => {
      const recovery: Recovery = { finished: [], dropped: [], conflicts: [], corrupt: [] }
      const failures: unknown[] = []
      await journal.clean()
      for (const pending of await leftOver()) {
        try {
          const { finished, conflicts } = await directoryLocks.hold(await directoriesOf(pending.record.steps), () =>
            recoverPending(meansToRecover(pending.record), pending),
          )
          recovery[finished ? 'finished' : 'dropped'].push(pending.record)
          recovery.conflicts.push(...conflicts)
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
      recovery.corrupt = await journal.corrupt()
      return recovery
    })
  }

  return {
    journal,
    limits,
    run,
    recover,
    async settle() {
      if ((await leftOver()).length > 0) await recover()
    },
    checkpoint: (name, by) =>
      locks.hold(wholeTree(fs).map(asKeyed), async () => {
        const atMs = now()
        const own = { label: name, atMs, steps: [], undoable: false, checkpoint: name }
        const record = { id: await nextId(atMs), ...own, ...(by && { by }) }
        await journal.add(record, new Map())
        for (const onMade of listeners) onMade(record)
        return record
      }),
    quietly: (run) => locks.hold(wholeTree(fs).map(asKeyed), run),
    note: (label, find, by) =>
      locks.hold(wholeTree(fs).map(asKeyed), async () => {
        const { steps, contents } = await find()
        if (steps.length === 0) return undefined
        const atMs = now()
        const kept = bytesIn(contents)
        const undoable = kept <= limits.maxUndoBytes
        const record = { id: await nextId(atMs), label, atMs, steps, undoable, ...(by && { by }) }
        await journal.add(record, undoable ? contents : new Map())
        await pruneNowAndThen(kept).catch(() => {})
        for (const onMade of listeners) onMade(record)
        return record
      }),
    async purge({ paths, dryRun = false } = {}) {
      // A pending change still needs its stored content, so it is recovered first.
      if ((await leftOver()).length > 0) await recover()
      return locks.hold(wholeTree(fs).map(asKeyed), async () => {
        const records = await journal.history()
        const left = paths === undefined ? undefined : purgedRecords(records, paths)
        if (!dryRun) {
          await journal.purge((record) => (left === undefined ? undefined : (left.get(record.id) ?? record)))
        }
        return left === undefined ? records : records.filter(({ id }) => left.has(id))
      })
    },
    subscribe(onMade) {
      listeners.add(onMade)
      return () => listeners.delete(onMade)
    },
  }
}

/** The same changes, recorded as made by `by`. */
export function attributed(changes: Changes, by: ClientInfo): Changes {
  return {
    ...changes,
    run: (request, body) => changes.run({ by, ...request }, body),
    checkpoint: (name) => changes.checkpoint(name, by),
    note: (label, find) => changes.note(label, find, by),
  }
}

/** Content that does not fit into the history would push everything else out of it. */
function withinHistory(limits: HistoryLimits): HistoryLimits {
  return { ...limits, maxUndoBytes: Math.min(limits.maxUndoBytes, limits.maxHistoryBytes) }
}

function wholeTree({ roots }: ConfinedFileSystem): Scope[] {
  return roots.map(({ path }) => ({ path, tree: true }))
}

/** Ids that sort by time and are unique among processes, even if the clock is set back. */
function ids(journal: Journal): (atMs: number) => Promise<string> {
  const engineId = randomHex(4)
  let count = 0
  let newestMs = Infinity

  /** Continues from the newest id in the journal, which another engine may have made. */
  function goOnFrom(newest = ''): void {
    const [, ms = '0', counted = '0'] = /^(\d{15})-(\d{8})-/.exec(newest) ?? []
    newestMs = Math.max(newestMs === Infinity ? 0 : newestMs, Number(ms))
    if (newestMs === Number(ms)) count = Math.max(count, Number(counted))
  }

  return async (atMs) => {
    const newest = journal.newestId?.()
    if (newest !== undefined) goOnFrom(newest)
    else if (atMs < newestMs) goOnFrom((await journal.history(1))[0]?.id)
    count += 1
    newestMs = Math.max(newestMs, atMs)
    return changeId(newestMs, count, engineId)
  }
}
