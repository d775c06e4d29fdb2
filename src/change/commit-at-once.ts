/** Commits a change on a file system that can do all its steps in one transaction: nothing is staged, and nothing rolled back. */
import { FsError, isFsError } from '../errors.js'
import { statIfThere } from '../fs/if-there.js'
import { isPromise } from '../fs/sync.js'
import type { AtomicAction, AtomicChanges } from '../fs/transactional-types.js'
import type { Stat } from '../fs/types.js'
import type { CommitContext, CommitOptions } from './commit-context.js'
import { isUnread } from './content-hash.js'
import { isUntouched } from './entry-image.js'
import type { Landed } from './journal/journal.js'
import { type ChangeRecord, type Image, pathsOf, type Step } from './journal/record.js'
import type { Planned } from './plan.js'

/** Streamed content takes turns of the event loop, which no transaction may. A name that is spelled otherwise is renamed twice. */
export function canBeAtomic({ staged, steps }: Planned): boolean {
  if (steps.some((step) => step.do === 'rename' && step.via !== undefined)) return false
  for (const { content } of staged.values()) if (!(content instanceof Uint8Array)) return false
  return true
}

export async function commitAtOnce(
  atomic: AtomicChanges,
  { gate, journal }: CommitContext,
  record: ChangeRecord,
  planned: Planned,
  { signal, onProgress, replacesProtected = false }: CommitOptions,
): Promise<Landed | 'finished'> {
  const { staged, seen, replaced } = planned
  const actions = record.steps.flatMap((step) => actionsOf(step, planned, !replacesProtected))
  const isTogether = journal.atomic?.unit === atomic.unit

  function before(): void | Promise<void> {
    const looking: Promise<void>[] = []
    for (const path of new Set(record.steps.flatMap(pathsOf))) {
      if (!seen.has(path)) continue
      const compare = (now: Stat | undefined) => {
        if (!isUntouched(seen.get(path), now)) throw new FsError('CONFLICT', { path })
      }
      const now = statIfThere(gate.exact, path)
      if (isPromise(now)) looking.push(now.then(compare))
      else compare(now)
    }
    return looking.length === 0 ? undefined : Promise.all(looking).then(() => {})
  }

  if (signal?.aborted) throw new FsError('ABORTED', {})
  if (!isTogether) await writtenDown(record, journal.begin(record, replaced))
  try {
    if (signal?.aborted) throw new FsError('ABORTED', {})
    const after = isTogether ? () => journal.atomic?.add(record, record.undoable ? replaced : new Map()) : () => {}
    const applied = atomic.apply(actions, { before, after })
    if (isPromise(applied)) await applied
  } catch (error) {
    // If this fails too, recovery finds that nothing was done.
    if (!isTogether) await journal.abandon(record.id).catch(() => {})
    // An entry that appeared, vanished or became a link meanwhile is a foreign change.
    throw isFsError(error, 'IS_LINK') ? new FsError('CONFLICT', error.facts) : error
  }
  const total = staged.size + record.steps.length
  onProgress?.({ done: total, total })
  // The tree shows that the change was made, so the journal has no commit point.
  return isTogether ? 'finished' : 'begun'
}

function actionsOf(step: Step, { staged }: Planned, ifWritable: boolean): AtomicAction[] {
  const { path } = step
  if (step.do === 'rename') {
    const move: AtomicAction = { do: 'rename', path, to: step.to }
    return step.parked === undefined ? [move] : [{ do: 'remove', path: step.to }, move]
  }
  const { before, after } = step
  const mode = 'mode' in after && after.mode !== undefined ? { mode: after.mode } : {}
  if (after.kind === 'file') {
    const content = step.staged === undefined ? undefined : staged.get(step.staged)
    if (content === undefined || !(content.content instanceof Uint8Array)) {
      return after.mode === undefined ? [] : [{ do: 'setMode', path, mode: after.mode }]
    }
    const { modifiedMs } = content
    const write: AtomicAction = {
      do: 'write',
      path,
      bytes: content.content,
      hash: after.hash,
      ifWritable,
      ...mode,
      ...(modifiedMs !== undefined && { modifiedMs }),
      ...expected(before),
    }
    return before.kind === 'directory' || before.kind === 'symlink' ? [{ do: 'remove', path }, write] : [write]
  }
  if (after.kind === 'directory' && before.kind === 'directory') {
    return after.mode === undefined ? [] : [{ do: 'setMode', path, mode: after.mode }]
  }
  const actions: AtomicAction[] = before.kind === 'absent' ? [] : [{ do: 'remove', path, ...expected(before) }]
  if (after.kind === 'directory') actions.push({ do: 'makeDir', path, ...mode })
  if (after.kind === 'symlink') {
    const { target, verbatim } = after
    actions.push({ do: 'symlink', path, target, ...(verbatim && { verbatim }) })
  }
  return actions
}

/** The content that a step replaces, if it was read. */
function expected(before: Image): { expects?: string } {
  return before.kind === 'file' && !isUnread(before.hash) ? { expects: before.hash } : {}
}

/** Reports a full disk with a path of the change: callers do not know the journal's files. */
export async function writtenDown(record: ChangeRecord, writing: Promise<void>): Promise<void> {
  try {
    await writing
  } catch (error) {
    throw isFsError(error, 'NO_SPACE') ? new FsError('NO_SPACE', { path: record.steps[0]?.path ?? '/' }) : error
  }
}
