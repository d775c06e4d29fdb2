/** What is at a place, and the bytes of a file with no more than that many: of one and the same file. */
import fs from 'node:fs'
import type { Bytes, Stat } from '../src/fs/types.js'
import type { Place } from './anchor.js'
import { statFrom } from './host-stat.js'
import { clip, openBeneath, readNow, readRange, smallBytes } from './regular-file.js'

export interface Looked {
  stat: Stat
  bytes?: Bytes
}

/** Undefined for a file that takes long to read. What is no regular file is never opened. */
export function lookNow(virtual: string, { entry }: Place, maxBytes: number): Looked | undefined {
  const seen = fs.lstatSync(entry)
  if (!seen.isFile() || seen.size > maxBytes) return { stat: statFrom(seen) }
  if (seen.size > smallBytes) return undefined
  const { descriptor, stats } = openBeneath(entry, virtual)
  try {
    const stat = statFrom(stats)
    return stats.size > maxBytes ? { stat } : { stat, bytes: readNow(descriptor, new Uint8Array(stats.size), 0) }
  } finally {
    fs.closeSync(descriptor)
  }
}

/** For a file that was found to be one. */
export async function lookLater(virtual: string, { entry }: Place, maxBytes: number): Promise<Looked> {
  const { descriptor, stats } = openBeneath(entry, virtual)
  try {
    const stat = statFrom(stats)
    return stats.size > maxBytes ? { stat } : { stat, bytes: await readRange(descriptor, clip(undefined, stats.size)) }
  } finally {
    fs.closeSync(descriptor)
  }
}
