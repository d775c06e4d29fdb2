/** Entries as they were seen, to be compared with what exists later. */
import type { Stat } from '../../fs/types.js'
import { contentHash } from '../content-hash.js'
import { type Image, sameImage } from '../journal/record.js'

/** An entry as it was last seen. */
export interface Seen {
  stat: Stat
  bytes?: Uint8Array
  link?: Image
  /** Seen within one clock tick of its last change, so a later one may not show in its times. */
  fresh: boolean
  /** The number of the last scan that found it. */
  scan: number
}

export function isSame(before: Seen | undefined, now: Seen | undefined): boolean {
  if (before === undefined || now === undefined) return before === now
  return sameStat(before, now.stat) && sameLink(before, now)
}

/** False for a link, whose target has to be compared too. */
export function isSameFile(before: Seen, now: Stat): boolean {
  return now.kind !== 'symlink' && sameStat(before, now)
}

/** The time of change too, which no program can set: a file that was moved over another one may have its size and its time of modification. */
function sameStat({ stat, fresh }: Seen, now: Stat): boolean {
  if (stat.kind !== now.kind || stat.mode !== now.mode) return false
  if (stat.kind === 'directory') return true
  return !fresh && stat.size === now.size && stat.modifiedMs === now.modifiedMs && stat.changedMs === now.changedMs
}

function sameLink({ link: a }: Seen, { link: b }: Seen): boolean {
  return a === undefined || b === undefined ? a === b : sameImage(a, b)
}

/** Undefined for a file whose content is not known. */
export async function imageOf(seen: Seen | undefined): Promise<Image | undefined> {
  if (seen === undefined) return { kind: 'absent' }
  const { stat, bytes, link } = seen
  const mode = stat.mode === undefined ? {} : { mode: stat.mode }
  if (stat.kind === 'directory') return { kind: 'directory', ...mode }
  if (stat.kind === 'symlink') return link
  if (bytes === undefined) return undefined
  return { kind: 'file', hash: await contentHash(bytes), size: bytes.length, ...mode }
}
