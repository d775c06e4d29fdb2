/** Forks of workspaces, and how they are merged. */

import type { EntryState } from '../change/entry-image.js'
import { historyRecords } from '../change/history/history-records.js'
import { standing } from '../change/history/standing.js'
import { memoryJournal } from '../change/journal/journal.js'
import type { ChangeRecord } from '../change/journal/record.js'
import { processLocks } from '../change/locks/locks.js'
import { branchEntries, movedEntries } from '../change/merge/branch-entries.js'
import { mergeEntries } from '../change/merge/merge-entries.js'
import type { MergeOptions, MergeOutcome } from '../change/merge/types.js'
import { FsError } from '../errors.js'
import type { OverlayChange } from '../fs/backends/overlay.js'
import { branchOf } from '../fs/branch/branch-of.js'
import type { Branch, Kind } from '../fs/types.js'
import type { Fork, ForkOptions, Lineage, PastMerge, Workspace } from './workspace.js'
import type { Parts } from './workspace-options.js'

const defaultMaxBytes = 1 << 30

export async function forkOf(
  workspace: Workspace,
  options: Parts,
  { forkOptions, assemble }: { forkOptions: ForkOptions; assemble: (parts: Parts) => Workspace },
): Promise<Fork> {
  const { name, maxBytes = defaultMaxBytes, shell } = forkOptions
  if (workspace.readOnly) throw new FsError('READ_ONLY', { path: workspace.root })
  const { lineage: origin } = options.internals
  requireKept(origin)
  await workspace.ready.catch(() => {})
  const { branch, newest } = await workspace.changes.quietly(async () => {
    const [last] = await workspace.changes.journal.history(1)
    return { newest: last?.id, branch: branchOf(options.fs, { name, maxBytes }) }
  })
  const { family } = origin
  family.forks += 1
  const lineage: Lineage = {
    family,
    branch,
    origin: { lineage: origin, newest },
    merges: new WeakMap(),
    discarded: false,
  }
  const { shell: given, openWorkspace: _, ...rest } = options
  const shellOfFork = shell ?? (typeof given === 'function' ? given : undefined)
  const { searches, changeIds, moveClock, scratch, compiledRules } = options.internals
  const forked = assemble({
    ...rest,
    ...(shellOfFork && { shell: shellOfFork }),
    fs: branch.fs,
    journal: memoryJournal(),
    // A branch that shows the original must not change an entry while that does.
    locks: branch.isApart ? processLocks() : options.locks,
    internals: {
      searches,
      lineage,
      ...(changeIds && { changeIds }),
      ...(moveClock && { moveClock }),
      ...(scratch && { scratch }),
      ...(workspace.shell && { shellBefore: new WeakRef(workspace.shell) }),
      ...(compiledRules && { compiledRules }),
      recovered: Promise.resolve({ finished: [], dropped: [], conflicts: [], corrupt: [] }),
    },
  })
  return {
    ...forked,
    name: name ?? `fork-${family.forks}`,
    differences: () => forked.changes.quietly(() => differences(forked, branch)),
    async discard() {
      if (lineage.discarded) return
      await forked.shell?.close()
      await forked.changes.quietly(async () => {
        lineage.discarded = true
        branch.drop()
      })
    },
  }
}

async function differences(fork: Workspace, branch: Branch): Promise<OverlayChange[]> {
  const entries = await branchEntries(branch, { ...entryOptions(fork), starts: new Map() })
  return entries.map(({ path, start, now }) => {
    const change = start.image.kind === 'absent' ? 'added' : now.image.kind === 'absent' ? 'deleted' : 'modified'
    // One of both is there.
    const kind = (change === 'deleted' ? start : now).image.kind as Kind
    return { path, kind, change }
  })
}

export async function mergeFork(target: Workspace, fork: Fork, options: MergeOptions): Promise<MergeOutcome> {
  const ours = target.internals.lineage
  const theirs = fork.internals.lineage
  const { branch } = theirs
  if (branch === undefined || theirs === ours || theirs.family !== ours.family) throw notAFork(fork.name)
  requireKept(theirs)
  requireKept(ours)
  if (target.readOnly) throw new FsError('READ_ONLY', { path: target.root })
  await target.ready.catch(() => {})
  const past = theirs.merges.get(ours) ?? []
  const starts = await startsAfter(past, target)
  const toMerge = await fork.changes.quietly(async () => {
    const entries = await branchEntries(branch, { ...entryOptions(target), starts, leaveOut: options.leaveOut ?? [] })
    const history = async () => (await historyRecords(fork.fs, fork.changes.journal).list()).reverse()
    return { entries, moved: await movedEntries(entries, history) }
  })
  const history = () => changesSince(forkPoint(theirs, ours), target)
  const outcome = await mergeEntries(
    toMerge,
    { fs: target.fs, changes: target.changes, history },
    { label: `merge ${fork.name}`, ...options },
  )
  if (options.dryRun || outcome.conflicts.length > 0) return outcome
  const states = new Map(toMerge.entries.map(({ path, now }) => [path, now]))
  theirs.merges.set(ours, [...past, { states, ...(outcome.record && { id: outcome.record.id }) }])
  return outcome
}

function entryOptions({ fs, limits }: Workspace) {
  return { gate: fs, maxBytes: limits.maxUndoBytes, leaveOut: [] as readonly string[] }
}

/** What was merged is the base of the next merge, unless that merge was undone. */
async function startsAfter(past: readonly PastMerge[], target: Workspace): Promise<Map<string, EntryState>> {
  const starts = new Map<string, EntryState>()
  if (past.length === 0) return starts
  const first = past.find(({ id }) => id !== undefined)?.id
  const records = first === undefined ? [] : await historyRecords(target.fs, target.changes.journal).from(first)
  const stands = standing()
  const undone = new Set(
    records
      .reverse()
      .filter((record) => !stands(record))
      .map(({ id }) => id),
  )
  for (const { id, states } of past) {
    if (id !== undefined && undone.has(id)) continue
    for (const [path, state] of states) starts.set(path, state)
  }
  return starts
}

/** The newest change of ours that the fork, or what it was forked from, has started with; undefined where that is not ours. */
function forkPoint(theirs: Lineage, ours: Lineage): string | undefined {
  for (let at = theirs.origin; at !== undefined; at = at.lineage.origin) if (at.lineage === ours) return at.newest
  return undefined
}

/** Oldest first. */
async function changesSince(point: string | undefined, { fs, changes }: Workspace): Promise<ChangeRecord[]> {
  const records = await historyRecords(fs, changes.journal).from(point ?? '')
  return records.filter(({ id }) => point === undefined || id > point)
}

function requireKept({ discarded }: Lineage): void {
  if (discarded) throw invalidFork('the fork was discarded')
}

function notAFork(name: string | undefined): FsError {
  return invalidFork(`${name ?? 'it'} is no fork of this workspace, nor of one that it was forked from`)
}

function invalidFork(message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: ['fork'], kind: 'other', message }] })
}
