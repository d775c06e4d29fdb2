/** Reads the stat of an entry and, for a file of at most `maxBytes`, its bytes; both belong to the same file. */
import fs from 'node:fs'
import { type WouldBlock, wouldBlock } from '../../src/fs/sync.js'
import type { StatAndBytes } from '../../src/fs/transactional-types.js'
import type { Place } from './anchor.js'
import { statFrom } from './host-stat.js'
import { clip, newBytes, openBeneath, readRange, readSync, smallBytes } from './regular-file.js'
import { ownerOf } from './staged-write.js'

/** A large file would block. Only a regular file is opened. */
export function statAndReadSync(virtual: string, { entry }: Place, maxBytes: number): StatAndBytes | WouldBlock {
  const seen = fs.lstatSync(entry)
  if (!seen.isFile() || seen.size > maxBytes) return { stat: statFrom(seen) }
  if (seen.size > smallBytes) return wouldBlock
  const { descriptor, stats } = openBeneath(entry, virtual)
  try {
    const stat = statFrom(stats)
    if (stats.size > maxBytes) return { stat }
    return { stat, bytes: readSync(descriptor, newBytes(stats.size), 0), owner: ownerOf(stats) }
  } finally {
    fs.closeSync(descriptor)
  }
}

/** For an entry that was a regular file a moment ago. */
export async function statAndReadAsync(virtual: string, { entry }: Place, maxBytes: number): Promise<StatAndBytes> {
  const { descriptor, stats } = openBeneath(entry, virtual)
  try {
    const stat = statFrom(stats)
    if (stats.size > maxBytes) return { stat }
    return { stat, bytes: await readRange(descriptor, clip(undefined, stats.size)), owner: ownerOf(stats) }
  } finally {
    fs.closeSync(descriptor)
  }
}
