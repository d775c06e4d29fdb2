/** Segments of a pack in memory, whose writer can be killed, and whose machine can crash, at any of its calls. */
import { FsError } from '../../../src/errors.js'
import type { Segments, SegmentWriter } from '../../../src/fs/backends/pack/segments.js'

interface StoredSegment {
  /** What a reader sees. */
  bytes: number[]
  /** Appends that were never flushed: where each begins. */
  unflushed: Array<{ start: number; end: number }>
  /** Whether a crash may forget the segment itself. */
  isNew: boolean
}

export interface Disk {
  files: Map<number, StoredSegment>
  /** Removed, but not yet for certain. */
  removed: Map<number, StoredSegment>
}

export function emptyDisk(): Disk {
  return { files: new Map(), removed: new Map() }
}

export interface SegmentCalls {
  /** Counts calls that change something. */
  calls: number
  /** The writer is killed in this call, which is done in part. */
  killAt: number
  /** An error for a call, which is then done in part. */
  fail?: (call: number) => boolean
  random: () => number
  /** As in a page: a segment is written whole by its flush. */
  onlyWhole?: boolean
}

/** A call that never returns, because whoever made it is dead. */
const never = new Promise<never>(() => {})

export function segmentsOn(disk: Disk, state: SegmentCalls): Segments & { dead: Promise<void>; isDead(): boolean } {
  let die = () => {}
  const dead = new Promise<void>((resolve) => {
    die = resolve
  })

  /** Does all of it, or a part and then fails or never returns. */
  async function call(all: () => void, part: () => void): Promise<void> {
    if (state.calls >= state.killAt) return never
    state.calls += 1
    if (state.calls === state.killAt) {
      part()
      die()
      return never
    }
    if (state.fail?.(state.calls)) {
      part()
      throw new FsError('NO_SPACE', { path: '/' })
    }
    all()
  }

  const sometimes = (run: () => void) => () => {
    if (state.random() < 0.5) run()
  }

  function settle(number: number): void {
    const file = disk.files.get(number)
    if (file === undefined) return
    file.unflushed = []
    file.isNew = false
  }

  function whole(append: (bytes: Uint8Array) => void, settled: () => void): SegmentWriter {
    const pieces: Uint8Array[] = []
    const write = () => {
      for (const piece of pieces.splice(0)) append(piece)
      settled()
    }
    return {
      append: async (bytes) => void pieces.push(bytes),
      flush: () => call(write, sometimes(write)),
      close: async () => {},
    }
  }

  return {
    dead,
    isDead: () => state.calls >= state.killAt,
    ...(state.onlyWhole && { onlyWhole: true }),
    list: async () => [...disk.files.keys()].sort(() => state.random() - 0.5),
    async read(number) {
      const file = disk.files.get(number)
      return file && Uint8Array.from(file.bytes)
    },
    settle: (number) =>
      call(
        () => settle(number),
        sometimes(() => settle(number)),
      ),
    remove: (number) => {
      const remove = () => {
        const file = disk.files.get(number)
        if (file === undefined) return
        disk.removed.set(number, file)
        disk.files.delete(number)
      }
      return call(remove, sometimes(remove))
    },
    async create(number) {
      if (disk.files.has(number)) throw new Error(`segment ${number} exists`)
      const file: StoredSegment = { bytes: [], unflushed: [], isNew: true }
      const create = () => void disk.files.set(number, file)
      await call(create, sometimes(create))
      const append = (bytes: Uint8Array) => {
        const start = file.bytes.length
        for (const byte of bytes) file.bytes.push(byte)
        file.unflushed.push({ start, end: file.bytes.length })
      }
      if (state.onlyWhole) return whole(append, () => settle(number))
      return {
        append: (bytes) =>
          call(
            () => append(bytes),
            () => append(bytes.subarray(0, Math.floor(state.random() * (bytes.length + 1)))),
          ),
        flush: () =>
          call(
            () => settle(number),
            sometimes(() => settle(number)),
          ),
        close: () =>
          call(
            () => {},
            () => {},
          ),
      }
    },
  }
}

/** What is left when the machine crashes: of what was not flushed, any part, in any order. */
export function crashed(disk: Disk, random: () => number): Disk {
  const files = new Map<number, StoredSegment>()
  for (const [number, { bytes, unflushed, isNew }] of disk.files) {
    if (isNew && random() < 0.3) continue
    const left = [...bytes]
    const flushed = unflushed[0]?.start ?? bytes.length
    let end = flushed
    for (const part of unflushed) {
      const fate = random()
      const cut = part.start + Math.floor(random() * (part.end - part.start + 1))
      if (fate < 0.4) end = part.end
      // Lost: zeros, if something after it was written.
      else if (fate < 0.7) left.fill(0, part.start, part.end)
      else {
        left.fill(0, cut, part.end)
        end = cut
      }
    }
    files.set(number, { bytes: left.slice(0, end), unflushed: [], isNew: false })
  }
  for (const [number, file] of disk.removed) {
    if (random() < 0.5) files.set(number, { ...file, unflushed: [], isNew: false })
  }
  return { files, removed: new Map() }
}
