/** What an episode holds in memory: files beyond those it began with, its history, and its trace. Counted, so that a repetition ends at the same point. */
import type { Room } from '../../src/fs/backends/limit-bytes.js'

export interface EpisodeMemory {
  /** For files and temporary files. */
  readonly files: Room
  /** What the history may keep. */
  readonly historyBytes: number
  /** A call could not be recorded any more. */
  readonly isFull: boolean
  /** Counts what is recorded. False if there is no room: then nothing further is recorded. */
  record(bytes: number): boolean
  /** That of a fork, which holds all that this one holds. */
  fork(onSharedFull?: () => void): EpisodeMemory
  /** Gives back what no fork holds too. */
  release(): void
}

export interface EpisodeMemoryOptions {
  maxBytes: number
  /** What several episodes have together. */
  shared?: Room | undefined
  /** Called when something was refused because of others: that depends on more than this episode. */
  onSharedFull?: (() => void) | undefined
}

/** Of all trees with a byte budget: the approximate cost of an entry without content. */
const entryBytes = 1024
/** An eighth is for the history, which drops its oldest records, and another one for the trace alone, so that a full tree can still be cleared. */
const part = 8

/** What an episode and its forks have in common; given back when the last of them is closed. */
interface Base {
  bytes: number
  holders: number
  below: Base | undefined
}

export function episodeMemory(options: EpisodeMemoryOptions): EpisodeMemory {
  return memoryOn(options, { used: 0, isFull: false, base: undefined })
}

function memoryOn(
  options: EpisodeMemoryOptions,
  { used: begun, isFull: wasFull, base: given }: { used: number; isFull: boolean; base: Base | undefined },
): EpisodeMemory {
  const { maxBytes, shared, onSharedFull } = options
  const share = Math.floor(maxBytes / part)
  let used = begun
  let isFull = wasFull
  let base = given
  /** Of `used`, what no fork holds. May be below 0: then the shared room keeps what others still hold. */
  let own = 0
  let isReleased = false

  function take(bytes: number, most: number): boolean {
    if (bytes > 0 && used + bytes > most) return false
    const more = Math.max(0, own + bytes) - Math.max(0, own)
    if (!isReleased && shared?.take(more) === false) {
      onSharedFull?.()
      return false
    }
    own += bytes
    used += bytes
    return true
  }

  return {
    files: {
      entryBytes,
      get usedBytes() {
        return used
      },
      take: (bytes) => take(bytes, maxBytes - 2 * share),
    },
    historyBytes: share,
    get isFull() {
      return isFull
    },
    record(bytes) {
      if (!isFull && !take(bytes, maxBytes - share)) isFull = true
      return !isFull
    },
    fork(onForkSharedFull) {
      const common: Base = { bytes: Math.max(0, own), holders: 2, below: base }
      base = common
      own = 0
      const more = onForkSharedFull && { onSharedFull: onForkSharedFull }
      return memoryOn({ maxBytes, shared, ...more }, { used, isFull, base: common })
    },
    release() {
      if (isReleased) return
      isReleased = true
      shared?.take(-Math.max(0, own))
      for (let held = base; held !== undefined; held = held.below) {
        held.holders -= 1
        if (held.holders > 0) return
        shared?.take(-held.bytes)
      }
    },
  }
}

/** About what a recorded value holds: characters, and something for every value. */
export function heldBytes(value: unknown): number {
  let bytes = 0
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    bytes += 16
    if (typeof next === 'string') bytes += next.length
    else if (Array.isArray(next)) for (const each of next) waiting.push(each)
    else if (typeof next === 'object' && next !== null) {
      for (const [key, each] of Object.entries(next)) {
        bytes += key.length
        waiting.push(each)
      }
    }
  }
  return bytes
}
