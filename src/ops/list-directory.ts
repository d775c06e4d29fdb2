import * as z from 'zod'
import { isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { inBatches } from '../fs/in-batches.js'
import { join } from '../fs/path.js'
import { syncOrAsync } from '../fs/sync.js'
import type { Entry, Stat } from '../fs/types.js'
import { operation } from './operation.js'

export interface ListedEntry extends Stat {
  name: string
  /** Metadata of a link's target; absent when the link is broken or leads outside the workspace. */
  target?: Stat
}

export interface ListDirectory {
  path: string
  /** Sorted by name, in code-unit order. */
  entries: ListedEntry[]
}

/** On backends with a round trip per call, this many calls take about as long as one. */
const concurrency = 32

/**
 * Lists the entries of one directory with their metadata. An entry that is deleted meanwhile is left out; of one that may not be looked at,
 * only the kind is known.
 */
export const listDirectory = operation({
  mutates: false,
  input: z.object({
    path: z.string().optional(),
    /** If false, only names and kinds are returned. */
    metadata: z.boolean().default(true),
  }),

  async run({ path: input, metadata }, { fs, root }, { signal }): Promise<ListDirectory> {
    const path = input === undefined ? root : fs.resolve(input, root)
    const listing = (await fs.readDir(path)).sort((a, b) => (a.name < b.name ? -1 : 1))
    if (!metadata) return { path, entries: listing }
    const entries = await inBatches(listing, concurrency, (entry) => {
      signal?.throwIfAborted()
      return describe(fs, join(path, entry.name), entry)
    })
    return { path, entries: entries.filter((entry) => entry !== undefined) }
  },
})

async function describe(fs: ConfinedFileSystem, path: string, entry: Entry): Promise<ListedEntry | undefined> {
  const { name, kind } = entry
  try {
    const stat = await syncOrAsync(fs.sync?.stat(path), () => fs.stat(path))
    const target = stat.kind === 'symlink' ? await describeTarget(fs, path) : undefined
    // In Node 20 to spread them takes forty times as long.
    const described = Object.assign({ name, kind }, stat)
    return target === undefined ? described : Object.assign(described, { target })
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) return undefined
    if (isFsError(error, 'DENIED', 'IO')) return { name, kind }
    throw error
  }
}

async function describeTarget(fs: ConfinedFileSystem, path: string): Promise<Stat | undefined> {
  try {
    return await fs.stat(await fs.realPath(path))
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'OUTSIDE', 'LINK_LOOP', 'DENIED')) return undefined
    throw error
  }
}
