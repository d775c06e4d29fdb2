/** Messages between the pools for searches, walks and stats, and their threads. */
import type { Glob } from '../../src/search/patterns/glob.js'
import type { SearchRequest } from '../../src/search/run/records.js'
import type { FileWalkOptions } from '../../src/search/run/walk-files.js'
import type { SharedAnchor } from '../disk/anchor.js'
import type { Packed } from './search-packing.js'
import type { PackedPart, PackedRest } from './walk-packing.js'

/** The data that a thread is started with. `polyfs` identifies its purpose: its module may be the whole command. */
export interface WorkerSetup {
  polyfs: 'search-worker'
  roots: readonly SharedAnchor[]
  /** The job and the batch that the thread works on; job 0 for none. */
  inHand: Int32Array
}

export type ToWorker =
  | { kind: 'start'; job: number; request: SearchRequest; deadlineMs: number; control: Int32Array }
  | { kind: 'batch'; job: number; batch: number; groups: string }
  | { kind: 'stats'; job: number; batch: number; groups: string; control: Int32Array }
  | { kind: 'walk'; job: number; walk: SentWalk; control: Int32Array }
  | { kind: 'rests'; job: number; batch: number; rests: readonly PackedRest[] }
  | { kind: 'end'; job: number }

/** Files of one directory. */
export interface FileGroup {
  /** The number of the root, and the path in it. */
  root: number
  directory: string
  /** Separated by slashes. */
  names: string
  /** A listing has reported all of them as files. */
  listed: boolean
}

/** Packs groups into one string, which is sent faster than objects: every thread gets all batches, and unpacks those it claims. */
export function packGroups(groups: readonly FileGroup[]): string {
  return groups
    .map(({ root, directory, names, listed }) => [root, listed ? 1 : 0, directory, names].join('\0'))
    .join('\0')
}

/** Whether a path or name can be packed. */
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
  /** The number of the root, and the paths where all roots are mounted. */
  root: number
  points: readonly string[]
  /** The hidden directories of the gate. */
  hidden: readonly string[]
  directory: string
  options: Pick<
    FileWalkOptions,
    'order' | 'maxDepth' | 'excludePrunes' | 'globBase' | 'hidden' | 'ignore' | 'alsoReport'
  >
  include?: Glob['source']
  exclude?: Glob['source']
}

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'found'; job: number; batch: number; found: Packed | 'nothing' }
  | { kind: 'listed'; job: number; batch: number; listed: PackedPart }
  | { kind: 'stated'; job: number; batch: number; stats: Float64Array<ArrayBuffer> }

/** Flags in `control`: the job is over; matches are only counted from now on; a thread of a walk is idle. */
export const stopAt = 0
export const countOnlyAt = 1
export const idleAt = 2
/** After the flags: the last batch claimed in each slot. A batch is posted to all threads and claimed by one. */
const firstSlot = 3
export const claimSlots = 1024

export function createControl(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * (firstSlot + claimSlots)))
}

/** True for the one thread that gets a batch. A slot is reused only when its earlier batch has been answered. */
export function claim(control: Int32Array, batch: number): boolean {
  const slot = firstSlot + (batch % claimSlots)
  const last = Atomics.load(control, slot)
  return last < batch + 1 && Atomics.compareExchange(control, slot, last, batch + 1) === last
}
