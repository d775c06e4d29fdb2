/** Hands out the rest of a walk to threads: each part is listed by one thread, which may leave some of it to others. */
import type { Rest } from '../../src/fs/walk/walk.js'
import { createControl, idleAt, type SentWalk, stopAt, type ToWorker } from './thread-messages.js'
import type { Answer } from './thread-pool.js'
import { type PackedPart, packRest, unpackRest } from './walk-packing.js'

/** A part that was handed out. */
export interface Part {
  readonly batch: number
  /** In walk order. */
  readonly rests: readonly Rest[]
  /** The listings; `lost` if no thread will send them. Absent until then. */
  found?: PackedPart | 'lost'
}

export type WalkParts = ReturnType<typeof walkParts>

/** Enough to keep every thread busy while this one processes their listings. */
const maxHanded = 8
/** How many parts the threads may be ahead of the caller of `next`. */
const maxAhead = 64
/** Known directories of a new part at most: enough that handing it out costs little. */
const mostDirectories = 64

/** A job for the threads. */
export function walkParts(
  number: number,
  post: (message: ToWorker) => void,
  { walk, rests, threads }: { walk: SentWalk; rests: readonly Rest[]; threads: number },
) {
  const control = createControl()
  const start: ToWorker = { kind: 'walk', job: number, walk, control }
  /** In walk order: the parts handed out, and the rests that are not. */
  let all: (Part | Rest)[] = [...rests]
  let lastBatch = -1
  let wake = () => {}
  post(start)
  handOut()

  /** Hands out the first rests first, because `next` waits for them. */
  function handOut(): void {
    let handed = all.filter(isHanded).length
    for (let at = 0; at < all.length && at < maxAhead && handed < maxHanded; at += 1) {
      if (isPart(all[at] as Part | Rest)) continue
      lastBatch += 1
      handed += 1
      const part: Part = { batch: lastBatch, rests: cut(at) }
      all.splice(at, 0, part)
      post(messageOf(part))
    }
    Atomics.store(control, idleAt, handed < threads ? 1 : 0)
  }

  /** Removes enough rests for one part. Parts get smaller when few known directories are left, so that every thread gets one. */
  function cut(at: number): Rest[] {
    const known = all.reduce((sum, each) => sum + (isPart(each) ? 0 : directoriesIn(each)), 0)
    let room = Math.max(1, Math.min(mostDirectories, Math.ceil(known / maxHanded)))
    const taken: Rest[] = []
    for (let next = all[at]; room > 0 && next !== undefined && !isPart(next); next = all[at]) {
      const [first, then] = divided(next, room)
      all.splice(at, 1, ...(then ? [then] : []))
      taken.push(first)
      if (then !== undefined) break
      room -= directoriesIn(first)
    }
    return taken
  }

  function messageOf({ batch, rests: handed }: Part): ToWorker {
    return { kind: 'rests', job: number, batch, rests: handed.map(packRest) }
  }

  function lose(): void {
    for (const each of all) if (isHanded(each)) each.found = 'lost'
    handOut()
    wake()
  }

  return {
    number,
    answered(answer: Answer): void {
      const at = all.findIndex((each) => isPart(each) && each.batch === answer.batch)
      const part = all[at] as Part | undefined
      if (answer.kind !== 'listed' || part === undefined || part.found !== undefined) return
      part.found = answer.listed
      all.splice(at + 1, 0, ...answer.listed.rests.map(unpackRest))
      handOut()
      if (at === 0) wake()
    },
    unanswered: (): ToWorker[] => [start, ...all.filter(isHanded).map(messageOf)],
    /** Loses all open parts, because the thread's own is unknown: while it reads through a link, it may work on other jobs. */
    threadLost: lose,
    abandoned(): void {
      all = all.map((each) => (isPart(each) ? each : { batch: -1, rests: [each] }))
      lose()
    },
    /** The next part in walk order, when it is listed or lost; undefined at the end. */
    async next(): Promise<Part | undefined> {
      while (all.length > 0 && isOpen(all[0] as Part | Rest)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const part = all.shift() as Part | undefined
      handOut()
      return part
    },
    /** Stops the threads, and drops all parts. */
    stop(): void {
      Atomics.store(control, stopAt, 1)
      all = []
    },
  }
}

function isPart(each: Part | Rest): each is Part {
  return 'batch' in each
}

function isHanded(each: Part | Rest): each is Part {
  return isPart(each) && each.found === undefined
}

function isOpen(each: Part | Rest): boolean {
  return !isPart(each) || each.found === undefined
}

function directoriesIn({ entries }: Rest): number {
  return entries.reduce((sum, { kind }) => sum + Number(kind === 'directory'), 0)
}

/** Splits a rest after this many directories; one part if nothing comes after them. */
function divided({ directory, entries, depth }: Rest, directories: number): [Rest, Rest?] {
  let left = directories
  const last = entries.findIndex(({ kind }) => {
    if (kind === 'directory') left -= 1
    return left === 0
  })
  if (last === -1 || last === entries.length - 1) return [{ directory, entries, depth }]
  return [
    { directory, entries: entries.slice(0, last + 1), depth },
    { directory, entries: entries.slice(last + 1), depth },
  ]
}
