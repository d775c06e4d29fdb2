/** What the search pool and its workers tell each other. */
import type { Glob } from '../../src/search/patterns/glob.js'
import type { SearchRequest } from '../../src/search/run/records.js'
import type { FileWalkOptions } from '../../src/search/run/walk-files.js'
import type { SharedAnchor } from '../disk/anchor.js'
import type { Packed } from './search-packing.js'
import type { PackedPart, PackedRest } from './walk-packing.js'

/** Tells the module that a worker starts from what it is there for: it may be the whole command. */
export interface WorkerSetup {
  polyfs: 'search-worker'
  roots: readonly SharedAnchor[]
  /** What the worker has in hand: the number of a job, 0 for none, and of a batch. */
  inHand: Int32Array
}

export type ToWorker =
  | { kind: 'start'; job: number; request: SearchRequest; deadlineMs: number; control: Int32Array }
  | { kind: 'batch'; job: number; batch: number; groups: string }
  | { kind: 'walk'; job: number; walk: SentWalk; control: Int32Array }
  | { kind: 'rests'; job: number; batch: number; rests: readonly PackedRest[] }
  | { kind: 'end'; job: number }

/** Files of one directory. */
export interface FileGroup {
  /** Which root, and where in it. */
  root: number
  directory: string
  /** With slashes between them. */
  names: string
  /** Listings have said of all of them that they are files. */
  listed: boolean
}

/** As one text, which is sent sooner than many: every thread gets all batches, and looks into those it claims. */
export function packGroups(groups: readonly FileGroup[]): string {
  return groups
    .map(({ root, directory, names, listed }) => [root, listed ? 1 : 0, directory, names].join('\0'))
    .join('\0')
}

/** Whether it can stand in such a text. */
export function isPlain(part: string): boolean {
  return !part.includes('\0')
}

export function* unpackGroups(packed: string): Generator<FileGroup> {
  const parts = packed.split('\0')
  for (let i = 0; i < parts.length; i += 4) {
    const [root, listed, directory, names] = parts.slice(i, i + 4) as [string, string, string, string]
    yield { root: Number(root), directory, names, listed: listed === '1' }
  }
}

/** A walk as plain data. */
export interface SentWalk {
  /** Which root, and the paths that all of them have in this. */
  root: number
  points: readonly string[]
  /** That of the gate. */
  hidden: readonly string[]
  directory: string
  options: Pick<FileWalkOptions, 'order' | 'maxDepth' | 'excludePrunes' | 'globBase' | 'hidden' | 'ignore' | 'tellOf'>
  include?: Glob['source']
  exclude?: Glob['source']
}

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'found'; job: number; batch: number; found: Packed | 'nothing' }
  | { kind: 'listed'; job: number; batch: number; listed: PackedPart }

/**
 * Where things stand in `control`: whether the job is over, whether all of a search that may be told is, so that the rest is only counted,
 * and whether a thread has nothing to do for a walk.
 */
export const stopAt = 0
export const toldAt = 1
export const idleAt = 2
/** Then which batch each slot was last claimed for. Posted to all threads, a batch is taken by one. */
const firstSlot = 3
export const claimSlots = 1024

export function createControl(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * (firstSlot + claimSlots)))
}

/** True for the one worker that may take a batch. Slots are used again, but never for a batch while an older one is open. */
export function claim(control: Int32Array, batch: number): boolean {
  const slot = firstSlot + (batch % claimSlots)
  const last = Atomics.load(control, slot)
  return last < batch + 1 && Atomics.compareExchange(control, slot, last, batch + 1) === last
}
