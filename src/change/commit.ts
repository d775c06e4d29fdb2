/** Doing what was planned, with the journal told before each thing that could not be taken back without it. */
import { FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { isPromise, wouldBlock } from '../fs/sync.js'
import { transactional } from '../fs/transactional.js'
import type { StageOptions } from '../fs/transactional-types.js'
import type { Bytes, FileSystem } from '../fs/types.js'
import { takeTurns } from '../fs/yield-between-steps.js'
import { isUntouched, statIfThere } from './entry-image.js'
import { hashOfPieces } from './hash.js'
import type { Journal, Landed, Pending } from './journal/journal.js'
import { bytesIn, type ChangeRecord, type Image, isOneRename, pathsOf } from './journal/record.js'
import type { Planned, Staged } from './plan.js'
import { severalAtOnce } from './run-concurrently.js'
import { areDone, doStep, dropStaged, finishSteps, makeDurable, makeNamesDurable, takeBackSteps } from './steps.js'
import { notYetHashed, type Streamed, writeStreamed } from './streamed-content.js'

/** What a change is made with: the gate as wide as it needs it, and where it is written down. */
export interface Means {
  gate: ConfinedFileSystem
  journal: Journal
  /** So many bytes are kept while the new files are written, where the journal can, and not before. */
  keptMeanwhileBytes: number
}

/** How whoever waits for a change follows it. */
export interface Following {
  /** Aborted before every new file waits to be renamed into place, the change is not made, and fails with `ABORTED`. Later it is made. */
  signal?: AbortSignal
  /** Told of every new file that waits and of every step that is done, out of all there are; `done` is `total` at the end. */
  onProgress?: (progress: { done: number; total: number }) => void
}

/** Does every step, or takes back those done and fails. */
export async function carryOut(
  means: Means,
  record: ChangeRecord,
  { staged, seen, replaced }: Planned,
  { signal, onProgress }: Following,
): Promise<void> {
  const { gate, journal, keptMeanwhileBytes } = means
  const unchecked = new Map(seen)
  const total = staged.size + record.steps.length
  const needsCommit = !isOneRename(record, gate.exact)
  const tell = (done: number) => onProgress?.({ done, total })
  const streamed = [...staged.values()].filter(isStreamed)
  // A change that is not committed is dropped, and what it was to replace is not needed for that, nor the hashes of what it writes.
  const keep = streamed.length > 0 || bytesIn(replaced) >= keptMeanwhileBytes ? journal.keep : undefined
  const writtenDown = (writing: Promise<void>) =>
    writing.catch((error) => {
      // Nobody who changes a file knows the journal's.
      throw isFsError(error, 'NO_SPACE') ? new FsError('NO_SPACE', { path: record.steps[0]?.path ?? '/' }) : error
    })
  let begun = 0
  try {
    if (keep === undefined) await hashFirst(streamed, gate)
    await writtenDown(journal.begin(record, keep === undefined ? replaced : new Map()))
    const staging = stage(staged, gate, { tell, namesToo: needsCommit, ...(signal && { signal }) })
    if (keep === undefined || streamed.length > 0) await staging
    if (keep !== undefined) await bothDone(staging, writtenDown(keep(record, replaced)))
    if (signal?.aborted) throw new FsError('ABORTED', {})
    if (needsCommit) await journal.commit(record.id)
    const turn = takeTurns()
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
      const done = doStep(gate.exact, step)
      if (isPromise(done)) await done
      tell(staged.size + begun)
    }
    await makeDurable(gate.exact, record.steps)
  } catch (error) {
    // What fails here stays pending, and is dealt with before the next change.
    await takeBack(means, record, begun, async (hash) => replaced.get(hash)).catch(() => {})
    // A link that someone put on the way would have led us somewhere else.
    throw isFsError(error, 'IS_LINK') ? new FsError('CONFLICT', error.facts) : error
  }
}

/** When it ends both have, whichever of them failed. */
async function bothDone(one: Promise<void>, other: Promise<void>): Promise<void> {
  const ended = await Promise.allSettled([one, other])
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}

/** Tells the journal that a change is done. What waited to be taken back goes first: while the change is pending, a crash in between is made good. */
export async function end({ gate, journal }: Means, record: ChangeRecord): Promise<void> {
  if (record.steps.some(({ parked }) => parked !== undefined)) await dropStaged(gate.exact, record.steps)
  await journal.finish(record, landed(record, gate))
}

/** The state in which a change that is done is pending. */
function landed(record: ChangeRecord, { exact }: ConfinedFileSystem): Landed {
  return isOneRename(record, exact) ? 'begun' : 'committed'
}

/** Finishes what a crash left behind, or takes it back; tells which, and the paths that someone else changed in between. */
export async function settlePending(
  means: Means,
  { record, state }: Pending,
): Promise<{ finished: boolean; conflicts: string[] }> {
  const { gate, journal } = means
  const { id, steps } = record
  const isMade =
    state === 'committed' ||
    (state === 'begun' && landed(record, gate) === 'begun' && (await areDone(gate.exact, steps)))
  if (isMade) {
    const { finished, conflicts } = await finishSteps(gate.exact, steps)
    if (finished) {
      await dropStaged(gate.exact, steps)
      await journal.finish(record, state)
      return { finished, conflicts }
    }
  }
  const begun = state === 'begun' ? 0 : steps.length
  return { finished: false, conflicts: await takeBack(means, record, begun, (hash) => journal.content(id, hash)) }
}

async function stage(
  staged: Planned['staged'],
  gate: ConfinedFileSystem,
  { tell, namesToo, signal }: { tell(done: number): void; namesToo: boolean; signal?: AbortSignal },
): Promise<void> {
  const { exact } = gate
  let waiting = 0
  const isThere = () => {
    waiting += 1
    // Of those that were under way when it was aborted nobody wants to hear.
    if (!signal?.aborted) tell(waiting)
  }
  await severalAtOnce(staged, ([path, file]) => {
    if (signal?.aborted) return
    const { content, modifiedMs } = file
    const options = stageOptions(file)
    const written =
      content instanceof Uint8Array
        ? stageBytes(exact, path, content, options)
        : stageStreamed(exact, path, { ...file, content }, { ...options, ...(signal && { signal }) })
    if (!isPromise(written) && modifiedMs === undefined) return isThere()
    return Promise.resolve(written)
      .then(() => (modifiedMs === undefined ? undefined : exact.setModified?.(path, modifiedMs)))
      .then(isThere)
  })
  if (namesToo) await makeNamesDurable(exact, staged.keys())
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

/** Where a record can't be written twice it has to know before it is begun what will be written. */
async function hashFirst(streamed: readonly StagedStream[], { exact }: ConfinedFileSystem): Promise<void> {
  for (const { step, content } of streamed) {
    step.after = { ...(step.after as Image & { kind: 'file' }), ...(await hashOfPieces(content.pieces, exact)) }
  }
}

function stageOptions({ replaces, owner, mode }: Staged): StageOptions {
  const options: StageOptions = {}
  if (replaces !== undefined) options.replaces = replaces
  if (owner !== undefined) options.owner = owner
  if (mode !== undefined) options.mode = mode
  return options
}

/** The first of the steps are taken back; then nothing is left of the change. */
async function takeBack(
  { gate, journal }: Means,
  record: ChangeRecord,
  begun: number,
  content: (hash: string) => Promise<Bytes | undefined>,
): Promise<string[]> {
  const { id, steps } = record
  const from = landed(record, gate)
  // Of one without a commit point nothing is in the tree before its only step.
  if (from === 'committed' || begun > 0) await journal.withdraw(id, from)
  const conflicts = await takeBackSteps(gate.exact, steps.slice(0, begun), content)
  await dropStaged(gate.exact, steps)
  await journal.abandon(id)
  return conflicts
}
