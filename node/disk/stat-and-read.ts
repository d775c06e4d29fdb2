/** What is at a place, and the bytes of a file with no more than that many: of one and the same file. */
import fs from 'node:fs'
import type { Looked } from '../../src/fs/types.js'
import type { Place } from './anchor.js'
import { statFrom } from './host-stat.js'
import { clip, newBytes, openBeneath, readNow, readRange, smallBytes } from './regular-file.js'
import { ownerOf } from './staged-write.js'

/** Undefined for a file that takes long to read. What is no regular file is never opened. */
export function lookNow(virtual: string, { entry }: Place, maxBytes: number): Looked | undefined {
  const seen = fs.lstatSync(entry)
  if (!seen.isFile() || seen.size > maxBytes) return { stat: statFrom(seen) }
  if (seen.size > smallBytes) return undefined
  const { descriptor, stats } = openBeneath(entry, virtual)
  try {
    const stat = statFrom(stats)
    if (stats.size > maxBytes) return { stat }
    return { stat, bytes: readNow(descriptor, newBytes(stats.size), 0), owner: ownerOf(stats) }
  } finally {
    fs.closeSync(descriptor)
  }
}

/** For a file that was found to be one. */
export async function lookLater(virtual: string, { entry }: Place, maxBytes: number): Promise<Looked> {
  const { descriptor, stats } = openBeneath(entry, virtual)
  try {
    const stat = statFrom(stats)
    if (stats.size > maxBytes) return { stat }
    return { stat, bytes: await readRange(descriptor, clip(undefined, stats.size)), owner: ownerOf(stats) }
  } finally {
    fs.closeSync(descriptor)
  }
}
