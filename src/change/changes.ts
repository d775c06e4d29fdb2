/** Every mutation goes through here: all of a call's changes land, or none does, and what was there is kept. */
import { FsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { dirname } from '../fs/path.js'
import { takeTurns } from '../fs/yield-between-steps.js'
import { carryOut, end, type Following, type Means, settlePending } from './commit.js'
import { createDraft, type Draft, type EngineDraft } from './draft.js'
import { purgedRecords } from './history/purge.js'
import { isWithinReach } from './history/visible-records.js'
import { type Journal, memoryJournal, type Pending } from './journal/journal.js'
import { bytesIn, type ChangeRecord, type Contents, pathsOf, type Step, scopesOf } from './journal/record.js'
import { type DirectoryLocks, directoriesOf, expectUnchanged, noDirectoryLocks } from './locks/directory-locks.js'
import { areCovered, keyed, scopesToHold } from './locks/lock-scopes.js'
import { type Locks, overlap, processLocks, type Scope } from './locks/locks.js'
import type { Planned } from './plan.js'

export interface ChangesOptions {
  fs: ConfinedFileSystem
  /** In memory unless given. */
  journal?: Journal
  /** Within this engine unless given; whoever shares the journal must share them. */
  locks?: Locks
  /** None unless given: then nobody else changes the tree in the same way. */
  directoryLocks?: DirectoryLocks
  now?: () => number
  limits?: Partial<HistoryLimits>
  /** So many bytes are kept while the new files are written, not before; 1 MiB unless given. */
  keptMeanwhileBytes?: number
}

export interface HistoryLimits {
  /** What was there before is kept up to this much in all; the oldest goes first. */
  maxHistoryBytes: number
  /** And for this long. */
  maxHistoryMs: number
  /** A change that replaces more than this, or than the history may hold, is made, and can't be taken back. */
  maxUndoBytes: number
}

export interface ChangeRequest extends Following {
  /** What the history calls the change. */
  label: string
  /** All that the change may touch, as absolute paths; links are followed, but for a last one that is to be kept. */
  scopes: readonly Scope[]
  /** The change that this one takes back. */
  undoes?: string
  /** Directories called `.git` whose inside is changed too, which is otherwise protected. */
  gitDirectories?: readonly string[]
}

export interface Recovery {
  /** Changes that a crash had left half done, and that are done now. */
  finished: ChangeRecord[]
  /** Changes that had not got as far, or that someone else got in the way of, and that are as if they had never been. */
  dropped: ChangeRecord[]
  /** Paths that someone else changed in between; theirs was kept. */
  conflicts: string[]
  /** Records of the journal that can't be read. They were set aside; what they were about is as it is. */
  corrupt: string[]
}

export interface Changes {
  readonly journal: Journal
  readonly limits: HistoryLimits
  /**
   * Runs `body` alone among all that touch its scopes, then makes what it drafted. Its paths are the scopes' with links followed,
   * in the same order. Returns what `body` returned and the record of the change, if there was any.
   */
  run<Result>(request: ChangeRequest, body: (draft: Draft, paths: string[]) => Promise<Result>): Promise<Made<Result>>
  /**
   * Finishes or drops what a crash left behind. Runs before anything else; safe to run at any time and any number of times. A change
   * that can't be dealt with does not keep the others from it; the failure is told at the end.
   */
  recover(): Promise<Recovery>
  /** Recovers if there is anything to recover. Never from within `run`. */
  settle(): Promise<void>
  /** A point to come back to; changes under way end before it. */
  checkpoint(name: string): Promise<ChangeRecord>
  /** Keeps what someone else has done to the tree already; nobody changes anything while it is found out. */
  note(label: string, find: () => Promise<Noted>): Promise<ChangeRecord | undefined>
  /** Removes for good what is kept of paths and of what is below them, or of everything; tells the changes that were about them. */
  purge(options?: { paths?: readonly string[]; dryRun?: boolean }): Promise<ChangeRecord[]>
  /** Tells of every change that is made from now on, checkpoints too, until the returned function is called. */
  subscribe(onMade: (record: ChangeRecord) => void): () => void
}

/** Steps that were done already, and the bytes they replaced. */
export interface Noted {
  steps: Step[]
  contents: Contents
}

export interface Made<Result> {
  result: Result
  /** Absent when nothing had to change. */
  record?: ChangeRecord
}

const defaultLimits: HistoryLimits = {
  maxHistoryBytes: 256 * 1024 * 1024,
  maxHistoryMs: 30 * 24 * 60 * 60 * 1000,
  maxUndoBytes: 64 * 1024 * 1024,
}

/** Changes from one look through the history to the next: at least so many, and a tenth of what it holds. */
const leastPruned = 100

/** How often a path may come to lead elsewhere before a call gives up. */
const maxAttempts = 5

export function createChanges(options: ChangesOptions): Changes {
  const { fs, journal = memoryJournal(), locks = processLocks(), now = Date.now } = options
  const { keptMeanwhileBytes = 1024 * 1024, directoryLocks = noDirectoryLocks } = options
  const { exact } = fs
  const limits = withinHistory({ ...defaultLimits, ...options.limits })
  const nextId = ids(journal)
  /** Changes being made right now; whatever else is pending was left over by a crash or a failure. */
  const underWay = new Set<string>()
  const listeners = new Set<(record: ChangeRecord) => void>()
  let sincePrune = { changes: 0, bytes: 0 }
  let pruneAfter = leastPruned

  async function run<Result>(
    request: ChangeRequest,
    body: (draft: Draft, paths: string[]) => Promise<Result>,
  ): Promise<Made<Result>> {
    const { scopes, signal } = request
    let failedRecovery: { error: unknown } | undefined
    for (let attempt = 0; ; attempt += 1) {
      // Mostly no link is in the way, and what has to be held is what was asked for; it is found out while it is held.
      const likely = attempt === 0 ? scopes.map(({ path }) => path) : await locateAll(scopes)
      const held = await scopesToHold(fs, likely, scopes)
      const outcome = await locks.hold(held, async (): Promise<Made<Result> | 'left over' | 'moved'> => {
        const atMs = now()
        if ((await leftOver()).some(({ record }) => overlap(scopesOf(record).map(asKeyed), held))) return 'left over'
        const directories = new Set([...held.map(({ path }) => dirname(path)), ...(request.gitDirectories ?? [])])
        const made = await directoryLocks.hold([...directories], async (holding) => {
          // Someone may have put a link in the way, or taken a directory away, while we waited.
          const draft = createDraft(fs, { maxBytes: limits.maxUndoBytes, ...(signal && { signal }) })
          const paths = await locateFor(draft, scopes)
          if (!areCovered(await scopesToHold(fs, paths, scopes), held)) return 'moved'
          const result = await body(draft, paths)
          const planned = await draft.plan()
          const late = await holding.cover(await directoriesOf(planned.steps))
          if (late.length > 0) await expectUnchanged(exact, planned, late)
          return { result, times: planned.times, record: await make(request, atMs, planned) }
        })
        if (made === 'moved') return made
        const { result, times, record } = made
        // After the locks have gone, whose names were entries too. Done is done, times or not.
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

  function asKeyed(scope: Scope): Scope {
    return keyed(fs, scope)
  }

  function meansFor(change: { gitDirectories?: readonly string[] }): Means {
    return { gate: gateFor(change), journal, keptMeanwhileBytes }
  }

  /** The gate as wide as the change needs it. */
  function gateFor({ gitDirectories = [] }: { gitDirectories?: readonly string[] }): ConfinedFileSystem {
    return gitDirectories.length === 0 ? fs : fs.withGit(gitDirectories)
  }

  function locateAll(scopes: readonly Scope[]): Promise<string[]> {
    return Promise.all(scopes.map(locate))
  }

  async function locate({ path, last, exact }: Scope): Promise<string> {
    return exact ? path : fs.locate(path, last)
  }

  /** The same, now that nobody else is there. Mostly a file is, and no link leads to it: then the draft knows it already. */
  async function locateFor(draft: EngineDraft, scopes: readonly Scope[]): Promise<string[]> {
    if (exact.transactional?.sync === undefined) return locateAll(scopes)
    const paths: string[] = []
    for (const scope of scopes) {
      const isSeen = !scope.exact && !scope.tree && draft.seesFile(scope.path)
      paths.push(isSeen ? scope.path : await locate(scope))
    }
    return paths
  }

  async function leftOver(): Promise<Pending[]> {
    return (await journal.pending(underWay)).filter(({ record }) => isWithinReach(fs, record, 'write'))
  }

  async function make(request: ChangeRequest, atMs: number, planned: Planned): Promise<ChangeRecord | undefined> {
    const { steps, replaced } = planned
    const means = meansFor(request)
    if (steps.length === 0) {
      request.onProgress?.({ done: 0, total: 0 })
      return undefined
    }
    const turn = takeTurns()
    for (const step of steps) {
      for (const path of pathsOf(step)) means.gate.authorize(path, 'write')
      const pause = turn()
      if (pause !== undefined) await pause
    }
    const kept = bytesIn(replaced)
    const { label, undoes, gitDirectories = [] } = request
    const record: ChangeRecord = {
      id: await nextId(atMs),
      label,
      atMs,
      steps,
      undoable: kept <= limits.maxUndoBytes && steps.every(({ parked }) => parked === undefined),
      ...(undoes !== undefined && { undoes }),
      ...(gitDirectories.length > 0 && { gitDirectories }),
    }
    underWay.add(record.id)
    try {
      await carryOut(means, record, planned, request)
      // Done is done: what the journal can't be told now it is told before the next change.
      await end(means, record).catch(() => {})
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

  /** Looking through the history costs more than a change does. */
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
            settlePending(meansFor(pending.record), pending),
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
    checkpoint: (name) =>
      locks.hold(wholeTree(fs).map(asKeyed), async () => {
        const atMs = now()
        const record = { id: await nextId(atMs), label: name, atMs, steps: [], undoable: false, checkpoint: name }
        await journal.add(record, new Map())
        for (const onMade of listeners) onMade(record)
        return record
      }),
    note: (label, find) =>
      locks.hold(wholeTree(fs).map(asKeyed), async () => {
        const { steps, contents } = await find()
        if (steps.length === 0) return undefined
        const atMs = now()
        const kept = bytesIn(contents)
        const undoable = kept <= limits.maxUndoBytes
        const record = { id: await nextId(atMs), label, atMs, steps, undoable }
        await journal.add(record, undoable ? contents : new Map())
        await pruneNowAndThen(kept).catch(() => {})
        for (const onMade of listeners) onMade(record)
        return record
      }),
    async purge({ paths, dryRun = false } = {}) {
      // What is half done holds what it replaces, and is done first.
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

/** What does not fit into the history would go from it at once, and take all before it along. */
function withinHistory(limits: HistoryLimits): HistoryLimits {
  return { ...limits, maxUndoBytes: Math.min(limits.maxUndoBytes, limits.maxHistoryBytes) }
}

function wholeTree({ roots }: ConfinedFileSystem): Scope[] {
  return roots.map(({ path }) => ({ path, tree: true }))
}

/** Sortable by time, even when the clock goes back or had gone ahead before the process began, and unique among processes. */
function ids(journal: Journal): (atMs: number) => Promise<string> {
  let count = 0
  let newestMs = Infinity
  const random = Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

  /** Others who share the journal go on from there too. */
  async function goOnFromNewest(): Promise<void> {
    const [newest] = await journal.history(1)
    const [, ms = '0', counted = '0'] = /^(\d{15})-(\d{8})-/.exec(newest?.id ?? '') ?? []
    newestMs = Math.max(newestMs === Infinity ? 0 : newestMs, Number(ms))
    if (newestMs === Number(ms)) count = Math.max(count, Number(counted))
  }

  return async (atMs) => {
    if (atMs < newestMs) await goOnFromNewest()
    count += 1
    newestMs = Math.max(newestMs, atMs)
    return `${String(newestMs).padStart(15, '0')}-${String(count).padStart(8, '0')}-${random}`
  }
}
