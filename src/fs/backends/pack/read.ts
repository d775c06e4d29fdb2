/** Reads the segments of a pack: the newest whole snapshot, and the logs after it. */
import { FsError } from '../../../errors.js'
import { decodeTarget } from '../../link-target.js'
import type { Bytes } from '../../types.js'
import { fromNodes, type MemoryFileSystem } from '../memory.js'
import { decodeFrames, type ReadFrame } from './frames.js'
import type { Segments } from './segments.js'
import { treesOf } from './snapshot.js'

/** The format that this version writes, and the only one that it reads. */
export const formatVersion = 1

export interface Loaded {
  trees: MemoryFileSystem[]
  /** Applies a change of a log. */
  apply(frame: ReadFrame): Promise<void>
  /** The number of changes since the pack was made. */
  changes: number
  /** The highest number of any segment. */
  newest: number
  /** Segments that are in use, and how much they have. */
  snapshot: { number: number; bytes: number }
  logs: { count: number; bytes: number }
  /** Segments that a newer snapshot replaces. */
  outdated: number[]
}

/** The clock of trees whose changes may be repeated from a log. */
export interface Clock {
  now(): number
  /** Runs with this time. */
  at<Result>(time: number, run: () => Result): Result
}

/** Undefined if there is no pack: no segments, or only a first snapshot that was never finished. */
export async function load(segments: Segments, treeCount: number, clock: Clock): Promise<Loaded | undefined> {
  const numbers = (await segments.list()).sort((a, b) => b - a)
  const logs: LogSegment[] = []
  for (const number of numbers) {
    const bytes = (await segments.read(number)) ?? new Uint8Array()
    const snapshot = readSnapshot(bytes, treeCount)
    if (snapshot === undefined) {
      const log = readLog(bytes, number)
      if (log !== undefined) logs.push(log)
      continue
    }
    const trees = snapshot.roots.map((root) => fromNodes(root, clock))
    const apply = (frame: ReadFrame) => applyFrame(trees, frame, clock)
    const changes = await replay(logs.reverse(), snapshot.changes, apply)
    const logBytes = logs.reduce((sum, log) => sum + log.bytes, 0)
    return {
      trees,
      apply,
      changes,
      newest: numbers[0] ?? number,
      snapshot: { number, bytes: bytes.length },
      logs: { count: logs.length, bytes: logBytes },
      outdated: numbers.filter((other) => other < number),
    }
  }
  // A pack is made with a snapshot, so logs without one are damaged, not new.
  if (logs.length > 0) throw damaged(logs[0] as LogSegment)
  // The first segment is number 1. It is removed only when a later snapshot is whole, so one was.
  const oldest = numbers.at(-1) ?? 1
  if (oldest > 1) {
    const detail = `segment ${oldest} of the pack is damaged, and nothing older is left: restore a copy of the files`
    throw new FsError('IO', { path: '/', detail })
  }
  return undefined
}

function readSnapshot(bytes: Bytes, treeCount: number) {
  const frames = decodeFrames(bytes)
  const first = frames.next()
  if (first.done || first.value.kind !== 'snapshot') return undefined
  checkVersion(first.value)
  const trees = treesOf(treeCount)
  let count = 0
  for (const frame of frames) {
    // A snapshot without its end is one whose writer was killed.
    if (frame.kind === 'end') {
      return frame.modifiedMs === count ? { changes: first.value.modifiedMs, roots: trees.roots() } : undefined
    }
    trees.add(frame)
    count += 1
  }
  return undefined
}

export interface LogSegment {
  number: number
  bytes: number
  /** How many changes were made before it. */
  before: number
  frames: Iterable<ReadFrame>
}

/** Undefined if not even its beginning was written. */
export function readLog(bytes: Bytes, number: number): LogSegment | undefined {
  const frames = decodeFrames(bytes)
  const first = frames.next()
  if (first.done || first.value.kind !== 'log') return undefined
  checkVersion(first.value)
  return { number, bytes: bytes.length, before: first.value.modifiedMs, frames }
}

/**
 * The next log says how many changes were valid before it. A log may have more, of an append that failed and was repeated
 * in the next one. It never has fewer, because the next one is begun only after a flush, or by who found no more.
 */
async function replay(
  logs: readonly LogSegment[],
  before: number,
  apply: (frame: ReadFrame) => Promise<void>,
): Promise<number> {
  let changes = before
  for (const [index, log] of logs.entries()) {
    if (log.before !== changes) throw damaged(log)
    const next = logs[index + 1]?.before ?? Number.POSITIVE_INFINITY
    for (const frame of log.frames) {
      if (changes === next) break
      await apply(frame)
      changes += 1
    }
  }
  return changes
}

async function applyFrame(trees: readonly MemoryFileSystem[], frame: ReadFrame, clock: Clock): Promise<void> {
  const { kind, tree, path, other, mode, content, at, modifiedMs } = frame
  const fs = trees[tree]
  if (fs === undefined) return
  // A change runs at once, and its promise is only for its result.
  await clock.at(at, async () => {
    if (kind === 'write') return fs.writeFile(path, content, { mode })
    if (kind === 'makeDir') return fs.makeDir(path)
    if (kind === 'remove') return fs.remove(path)
    if (kind === 'rename') return fs.rename(path, decodeTarget(other))
    if (kind === 'symlink') return fs.symlink?.(decodeTarget(other), path)
    if (kind === 'setMode') return fs.setMode?.(path, mode)
    if (kind === 'setModified') return fs.setModified?.(path, modifiedMs)
  })
}

function checkVersion({ createdMs }: ReadFrame): void {
  if (createdMs === formatVersion) return
  throw new FsError('IO', { path: '/', detail: `the pack has format ${createdMs}, which this version does not know` })
}

function damaged({ number }: LogSegment): FsError {
  return new FsError('IO', { path: '/', detail: `the pack is damaged before segment ${number}` })
}
