/** Commits a planned change. The journal is written before each action that could not be rolled back without it. */
import { FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { statIfThere } from '../fs/if-there.js'
import { isPromise, wouldBlock } from '../fs/sync.js'
import { transactional } from '../fs/transactional.js'
import type { AtomicChanges, StageOptions } from '../fs/transactional-types.js'
import type { Bytes, FileSystem } from '../fs/types.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'
import { canBeAtomic, commitAtOnce, writtenDown } from './commit-at-once.js'
import type { CommitContext, CommitOptions } from './commit-context.js'
import { hashOfPieces } from './content-hash.js'
import { isUntouched } from './entry-image.js'
import type { Landed, Pending } from './journal/journal.js'
import { keptContent } from './journal/kept-content.js'
import { bytesIn, type ChangeRecord, type Image, isOneRename, pathsOf } from './journal/record.js'
import type { Planned, Staged } from './plan.js'
import { runConcurrently } from './run-concurrently.js'
import {
  areDone,
  doStep,
  dropStaged,
  finishSteps,
  makeDurable,
  makeNamesDurable,
  makeNewDirectory,
  rollBackSteps,
} from './steps.js'
import { notYetHashed, type Streamed, writeStreamed } from './streamed-content.js'

/** Does every step, or rolls back those done and fails. Returns the state in which the journal has the change. */
export async function commitChange(
  means: CommitContext,
  record: ChangeRecord,
  planned: Planned,
  options: CommitOptions,
): Promise<Landed | 'finished'> {
  const { staged, seen, replaced } = planned
  const { signal, onProgress, replacesProtected = false } = options
  const { gate, journal, storeWhileStagingBytes } = means
  const atomic = atomicOf(means)
  if (atomic !== undefined && canBeAtomic(planned)) return commitAtOnce(atomic, means, record, planned, options)
  const unchecked = new Map(seen)
  const total = staged.size + record.steps.length
  const needsCommit = !isOneRename(record, gate.exact)
  const tell = (done: number) => onProgress?.({ done, total })
  const streamed = [...staged.values()].filter(isStreamed)
  // A change that is not committed is dropped, for which the journal needs neither the replaced content nor the new hashes.
  const keep = streamed.length > 0 || bytesIn(replaced) >= storeWhileStagingBytes ? journal.keep : undefined
  let begun = 0
  try {
    if (keep === undefined) await hashFirst(streamed, gate)
    await writtenDown(record, journal.begin(record, keep === undefined ? replaced : new Map()))
    const ifWritable = !replacesProtected
    const staging = namingTargets(
      staged,
      stage(staged, gate, { tell, namesToo: needsCommit, ifWritable, ...(signal && { signal }) }),
    )
    if (keep === undefined || streamed.length > 0) await staging
    if (keep !== undefined) await bothDone(staging, writtenDown(record, keep(record, replaced)))
    if (signal?.aborted) throw new FsError('ABORTED', {})
    if (needsCommit) await journal.commit(record.id)
    const turn = yieldBetweenSteps()
    /** Directories whose names are not durable yet. Nothing may be moved into one before it is. */
    let made: string[] = []
    for (const step of record.steps) {
      const pause = turn()
      if (pause !== undefined) await pause
      for (const path of pathsOf(step)) {
        if (!unchecked.has(path)) continue
        const looked = statIfThere(gate.exact, path)
        const now = isPromise(looked) ? await looked : looked
        if (!isUntouched(unchecked.get(path), now)) throw new FsError('CONFLICT', { path })
        unchecked.delete(path)
      }
      begun += 1
      const making = makeNewDirectory(gate.exact, step)
      if (making !== undefined) {
        await making
        made.push(step.path)
      } else {
        if (made.length > 0) await makeNamesDurable(gate.exact, made)
        made = []
        const done = doStep(gate.exact, step)
        if (isPromise(done)) await done
      }
      tell(staged.size + begun)
    }
    await makeDurable(gate.exact, record.steps)
  } catch (error) {
    // If this fails, the change stays pending and is recovered before the next one.
    await rollBack(means, record, begun, async (hash) => replaced.get(hash)).catch(() => {})
    // A link that appeared on the path is a foreign change.
    throw isFsError(error, 'IS_LINK') ? new FsError('CONFLICT', error.facts) : error
  }
  return needsCommit ? 'committed' : 'begun'
}

/** Waits for both, also when one fails. */
async function bothDone(one: Promise<void>, other: Promise<void>): Promise<void> {
  const ended = await Promise.allSettled([one, other])
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}

/** Reports a change to the journal as done. Deletes rollback copies first, so that a crash in between is recoverable. */
export async function finishChange(
  { gate, journal }: CommitContext,
  record: ChangeRecord,
  state: Landed | 'finished',
): Promise<void> {
  if (state === 'finished') return
  if (record.steps.some(({ parked }) => parked !== undefined)) await dropStaged(gate.exact, record.steps)
  await journal.finish(record, state)
}

/** The pending state of a change whose steps are all done. */
function landed(record: ChangeRecord, { exact }: ConfinedFileSystem): Landed {
  return isOneRename(record, exact) ? 'begun' : 'committed'
}

/** True where the tree shows whether the change was made: it has all of it or nothing. */
function landsAtOnce(record: ChangeRecord, means: CommitContext): boolean {
  return atomicOf(means) !== undefined || isOneRename(record, means.gate.exact)
}

function atomicOf({ gate, journal }: CommitContext): AtomicChanges | undefined {
  const { atomic } = transactional(gate.exact)
  return atomic?.onlyTogether && atomic.unit !== journal.atomic?.unit ? undefined : atomic
}

/** Finishes a change that a crash interrupted, or rolls it back. Returns which, and the paths that others changed in between. */
export async function recoverPending(
  means: CommitContext,
  { record, state }: Pending,
): Promise<{ finished: boolean; conflicts: string[] }> {
  const { gate, journal } = means
  const { id, steps } = record
  const isMade =
    state === 'committed' || (state === 'begun' && landsAtOnce(record, means) && (await areDone(gate.exact, steps)))
  if (isMade) {
    const { finished, conflicts } = await finishSteps(gate.exact, steps)
    if (finished) {
      await dropStaged(gate.exact, steps)
      await journal.finish(record, state)
      return { finished, conflicts }
    }
  }
  const begun = state === 'begun' ? 0 : steps.length
  return { finished: false, conflicts: await rollBack(means, record, begun, (hash) => keptContent(journal, id, hash)) }
}

interface StagingOptions {
  tell(done: number): void
  namesToo: boolean
  ifWritable: boolean
  signal?: AbortSignal
}

async function stage(
  staged: Planned['staged'],
  gate: ConfinedFileSystem,
  { tell, namesToo, ifWritable, signal }: StagingOptions,
): Promise<void> {
  const { exact } = gate
  let done = 0
  const onStaged = () => {
    done += 1
    // No progress is reported after an abort.
    if (!signal?.aborted) tell(done)
  }
  await runConcurrently(staged, ([path, file]) => {
    if (signal?.aborted) return
    const { content, modifiedMs } = file
    const options = stageOptions(file, ifWritable)
    const written =
      content instanceof Uint8Array
        ? stageBytes(exact, path, content, options)
        : stageStreamed(exact, path, { ...file, content }, { ...options, ...(signal && { signal }) })
    if (!isPromise(written) && modifiedMs === undefined) return onStaged()
    return Promise.resolve(written)
      .then(() => (modifiedMs === undefined ? undefined : exact.setModified?.(path, modifiedMs)))
      .then(onStaged)
  })
  if (namesToo) await makeNamesDurable(exact, staged.keys())
}

/** Reports a full disk with the path that was to be written: callers do not know the names of staged files. */
async function namingTargets(staged: Planned['staged'], staging: Promise<void>): Promise<void> {
  try {
    await staging
  } catch (error) {
    const target = isFsError(error, 'NO_SPACE') ? staged.get(error.facts.path ?? '') : undefined
    throw target === undefined ? error : new FsError('NO_SPACE', { path: target.step.path })
  }
}

function stageBytes(fs: FileSystem, path: string, bytes: Bytes, options: StageOptions): void | Promise<void> {
  const { sync, stageFile } = transactional(fs)
  const staged = sync?.stageFile === undefined ? wouldBlock : sync.stageFile(path, bytes, options)
  if (staged === wouldBlock) return stageFile(path, bytes, options)
}

interface StagedStream extends Staged {
  content: Streamed
}

function isStreamed(staged: Staged): staged is StagedStream {
  return !(staged.content instanceof Uint8Array)
}

async function stageStreamed(
  fs: FileSystem,
  path: string,
  { step, content }: StagedStream,
  options: StageOptions & { signal?: AbortSignal },
): Promise<void> {
  const { hash, size } = await writeStreamed(fs, path, content, options)
  const { after } = step
  const isExpected = after.kind === 'file' && (after.hash === notYetHashed || after.hash === hash)
  if (!isExpected) throw new FsError('CONFLICT', { path: step.path })
  step.after = { ...after, hash, size }
}

/** A record that can be written only once needs all hashes before the change begins. */
async function hashFirst(streamed: readonly StagedStream[], { exact }: ConfinedFileSystem): Promise<void> {
  for (const { step, content } of streamed) {
    step.after = { ...(step.after as Image & { kind: 'file' }), ...(await hashOfPieces(content.pieces, exact)) }
  }
}

function stageOptions({ replaces, owner, mode, step, content }: Staged, ifWritable: boolean): StageOptions {
  const options: StageOptions = { ifWritable }
  if (step.after.kind === 'file' && content instanceof Uint8Array) options.hash = step.after.hash
  if (replaces !== undefined) options.replaces = replaces
  if (owner !== undefined) options.owner = owner
  if (mode !== undefined) options.mode = mode
  return options
}

/** Rolls back the first `begun` steps, and removes the change from the journal. */
async function rollBack(
  { gate, journal }: CommitContext,
  record: ChangeRecord,
  begun: number,
  content: (hash: string) => Promise<Bytes | undefined>,
): Promise<string[]> {
  const { id, steps } = record
  const from = landed(record, gate)
  // A change without a commit point has nothing in the tree before its only step.
  if (from === 'committed' || begun > 0) await journal.withdraw(id, from)
  const conflicts = await rollBackSteps(gate.exact, steps.slice(0, begun), content)
  await dropStaged(gate.exact, steps)
  await journal.abandon(id)
  return conflicts
}
