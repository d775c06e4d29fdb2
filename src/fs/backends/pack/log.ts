/** Appends changes to a pack a little after they were made, in order, and replaces long logs by snapshots. */
import { joinBytes } from '../../../text/join-bytes.js'
import type { Bytes } from '../../types.js'
import { createDrain } from '../drain.js'
import { encodeFrame, type Frame } from './frames.js'
import { formatVersion, type Loaded } from './read.js'
import type { Segments, SegmentWriter } from './segments.js'

export interface LogOptions {
  /** The frames of all trees as they are now. They are read later, so the trees must not change what they consist of. */
  snapshot(): Iterable<Frame>
  /** Called when a write fails. Nothing is lost, and the next `flush` retries. */
  onFault?: (fault: unknown) => void
  /** A log with more bytes, and more than the last snapshot has, is replaced by a snapshot. */
  minLogBytes?: number
  maxWaitingBytes?: number
  /** How long changes are collected before they are written together. */
  delayMs?: number
  /** Others have the pack open too, so nothing is removed. */
  isShared?: boolean
}

export interface Log {
  /** Adds a change that was made, or is being made; a change that fails is left out. */
  add(frame: Bytes, made: Promise<unknown>): void
  /** Writes a segment of its own with these changes, which is whole or was never acknowledged. */
  addSegment(frames: readonly Bytes[]): Promise<void>
  /** Waits while too much is waiting; rejects while nothing can be written. */
  room(): Promise<void>
  /** Resolves when all changes so far survive a crash. Rejects with the error of a failed write; the next call retries. */
  flush(): Promise<void>
  /** Flushes and ends the current segment, after a replacement of the log that is under way. */
  end(): Promise<void>
  /** How many changes there are, and the highest number of a segment. Whoever reads segments of others counts on. */
  readonly position: { changes: number; newest: number }
  readonly waiting: number
}

/** Appended in one call. */
const batchBytes = 1_000_000
/** More logs than this are replaced by a snapshot, however short they are. */
const maxLogs = 64

export function openLog(segments: Segments, loaded: Loaded, options: LogOptions): Log {
  const { snapshot, onFault, minLogBytes = 4_000_000, maxWaitingBytes = 64_000_000, delayMs = 5 } = options
  const queue: Array<{ frame: Bytes; made: Promise<unknown> }> = []
  const position = { changes: loaded.changes, newest: loaded.newest }
  let waitingBytes = 0
  let current: { number: number; writer: SegmentWriter; changes: number; isFlushed: boolean } | undefined
  /** The last segment, while it may have bytes that were never flushed, by whoever wrote them. */
  let unsettled: number | undefined = loaded.newest
  const inUse = { ...loaded.logs, snapshotBytes: loaded.snapshot.bytes }
  let timer: unknown
  let compacting: Promise<void> | undefined = forgetOutdated()
    .catch(() => {})
    .finally(() => {
      compacting = undefined
    })
  const writing = createDrain({
    run: drain,
    isEmpty: () => queue.length === 0,
    onFault,
    onEnd() {
      // Added since the last look at the queue.
      if (queue.length > 0 && !writing.hasFault) startSoon()
    },
  })

  /** What a crash left between a snapshot and the removal of what it replaces. */
  async function forgetOutdated(): Promise<void> {
    if (loaded.outdated.length > 0 && !options.isShared) {
      await segments.settle(loaded.snapshot.number)
      for (const number of loaded.outdated) await segments.remove(number)
    }
  }

  async function begin(number: number): Promise<SegmentWriter> {
    // The next segment says how many changes come before it, so they have to survive what it survives.
    await settleLast()
    const writer = await segments.create(number)
    try {
      await writer.append(encodeFrame({ kind: 'log', modifiedMs: position.changes, createdMs: formatVersion }))
      return writer
    } catch (error) {
      await abandon(segments, number, writer)
      throw error
    }
  }

  async function settleLast(): Promise<void> {
    if (unsettled !== undefined) await segments.settle(unsettled)
    unsettled = undefined
  }

  async function append(frames: readonly Bytes[]): Promise<void> {
    if (current === undefined) {
      position.newest += 1
      const number = position.newest
      current = { number, writer: await begin(number), changes: 0, isFlushed: true }
      unsettled = number
      inUse.count += 1
    }
    const { number, writer, changes } = current
    const bytes = frames.length === 1 ? (frames[0] as Bytes) : joinBytes(frames)
    current.isFlushed = false
    try {
      await writer.append(bytes)
      if (segments.onlyWhole) await writer.flush()
    } catch (error) {
      // A part of it may be there. The next segment begins with the number of changes that count.
      current = undefined
      if (changes === 0) await abandon(segments, number, writer)
      else await writer.close().catch(() => {})
      throw error
    }
    current.changes += frames.length
    position.changes += frames.length
    inUse.bytes += bytes.length
    if (segments.onlyWhole) await endWhole(writer)
  }

  async function endWhole(writer: SegmentWriter): Promise<void> {
    current = undefined
    unsettled = undefined
    await writer.close()
  }

  async function drain(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    while (queue.length > 0) {
      const { taken, frames } = await nextBatch()
      if (frames.length > 0) await append(frames)
      for (const { frame } of queue.splice(0, taken)) waitingBytes -= frame.length
      if (queue.length > 0 || compacting !== undefined || !isLong()) continue
      // Nothing is waiting at this moment, so the snapshot has exactly what the log has.
      const whole = snapshot()
      await endSegment()
      position.newest += 1
      compacting = compact(position.newest, whole).finally(() => {
        compacting = undefined
      })
    }
  }

  async function nextBatch(): Promise<{ taken: number; frames: Bytes[] }> {
    const frames: Bytes[] = []
    let taken = 0
    for (let bytes = 0; taken < queue.length && bytes < batchBytes; taken += 1) {
      const { frame, made } = queue[taken] as (typeof queue)[number]
      const isMade = await made.then(
        () => true,
        () => false,
      )
      if (!isMade) continue
      frames.push(frame)
      bytes += frame.length
    }
    return { taken, frames }
  }

  function isLong(): boolean {
    return inUse.count > maxLogs || inUse.bytes > Math.max(minLogBytes, inUse.snapshotBytes)
  }

  async function endSegment(): Promise<void> {
    await current?.writer.flush()
    const ended = current
    current = undefined
    unsettled = undefined
    await ended?.writer.close()
  }

  /** Changes go on meanwhile, into a log of their own after the snapshot. */
  async function compact(number: number, frames: Iterable<Frame>): Promise<void> {
    const { changes } = position
    const replaced = inUse.bytes
    Object.assign(inUse, { count: 0, bytes: 0 })
    try {
      inUse.snapshotBytes = await writeSnapshot(segments, number, frames, changes)
      for (const old of await segments.list()) if (old < number) await segments.remove(old)
    } catch (error) {
      // The logs are still there. The next attempt comes when as much again has been written.
      inUse.snapshotBytes = Math.max(inUse.snapshotBytes, replaced)
      onFault?.(error)
    }
  }

  /** One write of many changes takes as long as a write of one. */
  function startSoon(): void {
    if (delayMs === 0 || waitingBytes > batchBytes) void writing.start()
    else timer ??= setTimeout(() => void writing.start(), delayMs)
  }

  async function flush(): Promise<void> {
    await writing.drained()
    const flushed = current
    if (flushed === undefined) return settleLast()
    if (flushed.isFlushed) return
    const { changes } = flushed
    await flushed.writer.flush()
    flushed.isFlushed = flushed.changes === changes
  }

  return {
    position,
    add(frame, made) {
      made.catch(() => {})
      queue.push({ frame, made })
      waitingBytes += frame.length
      if (!writing.hasFault && writing.running === undefined) startSoon()
    },
    async addSegment(frames) {
      const number = position.newest + 1
      const writer = await begin(number)
      try {
        await writer.append(joinBytes(frames))
        await writer.flush()
      } catch (error) {
        await abandon(segments, number, writer)
        throw error
      }
      await writer.close()
      position.newest = number
      position.changes += frames.length
    },
    async room() {
      if (writing.hasFault || waitingBytes > maxWaitingBytes) await writing.drained()
    },
    flush,
    async end() {
      await flush()
      await compacting
      await writing.running
      await endSegment()
    },
    get waiting() {
      return queue.length
    },
  }
}

/** Removes what could not be written. Errors are not news: the write before failed. */
async function abandon(segments: Segments, number: number, writer: SegmentWriter): Promise<void> {
  await writer.close().catch(() => {})
  await segments.remove(number).catch(() => {})
}

/** Writes a whole snapshot, and returns its size. A part of one, left by a failure, is removed. */
export async function writeSnapshot(
  segments: Segments,
  number: number,
  frames: Iterable<Frame>,
  changes: number,
): Promise<number> {
  const writer = await segments.create(number)
  let batch: Bytes[] = []
  let waiting = 0
  let written = 0
  let count = 0

  async function put(frame: Frame): Promise<void> {
    const bytes = encodeFrame(frame)
    batch.push(bytes)
    waiting += bytes.length
    if (waiting >= batchBytes) await send()
  }

  async function send(): Promise<void> {
    await writer.append(joinBytes(batch))
    written += waiting
    batch = []
    waiting = 0
  }

  try {
    await put({ kind: 'snapshot', modifiedMs: changes, createdMs: formatVersion })
    for (const frame of frames) {
      await put(frame)
      count += 1
    }
    await put({ kind: 'end', modifiedMs: count })
    await send()
    await writer.flush()
  } catch (error) {
    await abandon(segments, number, writer)
    throw error
  }
  await writer.close()
  return written
}
