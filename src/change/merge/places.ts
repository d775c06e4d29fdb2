/** Where ours has by now what the fork knows by other paths. */

import { statIfThere } from '../../fs/if-there.js'
import { dirname } from '../../fs/path.js'
import type { FileSystem } from '../../fs/types.js'
import { follow, standingMoves } from '../history/later-moves.js'
import type { ChangeRecord } from '../journal/record.js'
import type { Parts } from './parts.js'

export interface Places {
  /** Of an entry of the base. */
  ofBase(path: string): string
  /** Of an entry that the fork has made: where its directory is now. */
  ofNew(path: string): string
}

/** `history` has what was changed in ours since the fork was made, oldest first. It is only read where an entry is not in its place. */
export async function placesIn(
  fs: FileSystem,
  { leaves, made, removed, changed }: Parts,
  history: () => Promise<readonly ChangeRecord[]>,
): Promise<Places> {
  const gone = new Set<string>()

  async function look(path: string): Promise<void> {
    if ((await statIfThere(fs, path)) === undefined) gone.add(path)
  }

  const isMade = new Set(made.map(({ path }) => path))
  for (const { start, theirs } of leaves) {
    if (start !== undefined) await look(start.path)
    if (theirs !== undefined && !isMade.has(dirname(theirs.path))) await look(dirname(theirs.path))
  }
  for (const { path } of made) if (!isMade.has(dirname(path))) await look(dirname(path))
  for (const { path } of [...removed, ...changed]) await look(path)
  const moves = gone.size === 0 ? [] : standingMoves(await history())
  return {
    ofBase: (path) => (gone.has(path) ? follow(path, moves, { isThere: true }) : path),
    ofNew(path) {
      for (let at = dirname(path); ; at = dirname(at)) {
        if (gone.has(at)) return follow(path, moves, { isThere: false })
        if (at === '/') return path
      }
    },
  }
}
