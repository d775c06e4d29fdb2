/** What `find` has found, and the state of a search. */
import type { Stat } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'

export interface Found {
  path: string
  /** The start point it was found from, as given. */
  start: string
  depth: number
  /** Of what a link leads to where links are followed. */
  kind: Stat['kind']
  /** Looked up when it is needed first. */
  stat(): Promise<Stat>
}

export interface Search {
  io: ProgramIo
  /** Where `-L` or `-follow` was given; `operands`: `-H`. */
  follows: 'all' | 'operands' | 'none'
  maxDepth: number
  minDepth: number
  /** Directories come after what they contain. */
  isDepthFirst: boolean
  /** Set by `-daystart`: times count from the start of the day. */
  fromDayStart: boolean
  /** When the search started. */
  now: number
  status: number
  /** Set by `-prune` for the entry just visited. */
  isPruned: boolean
  hasQuit: boolean
  /** Runs before the search ends: the last batches of `-exec … +`, and files to close. */
  atEnd: Array<() => Promise<void>>
}

export type Test = (found: Found, search: Search) => boolean | Promise<boolean>

/** The last name of a path; `/` for the root. A slash at the end does not count. */
export function nameOf({ path }: Pick<Found, 'path'>): string {
  const trimmed = path.replace(/(.)\/+$/, '$1')
  return trimmed === '/' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

export async function searchError(search: Search, message: string): Promise<void> {
  search.status = 1
  await search.io.error(message)
}
