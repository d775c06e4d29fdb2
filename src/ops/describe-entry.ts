import * as z from 'zod'
import { type FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { inBatches } from '../fs/in-batches.js'
import { basename } from '../fs/path.js'
import type { Stat } from '../fs/types.js'
import type { Workspace } from '../workspace/workspace.js'
import { operation } from './operation.js'

/** Metadata of an entry; of a link, metadata of its target. */
export interface DescribedEntry extends Stat {
  /** The path as resolved; links are not followed. */
  path: string
  /** Empty for `/`. */
  name: string
  /** The path itself is a link; `target` is its text, absent when it is outside the workspace. */
  link?: { target?: string }
}

/** Returns metadata of a file or directory; of a link, metadata of its target. */
export const describeEntry = operation({
  mutates: false,
  input: z.object({ path: z.string() }),

  run: ({ path }, workspace): Promise<DescribedEntry> => describe(path, workspace),
})

/** One of many: its metadata, or why there is none. `given` is the path as sent. */
export type Description = { given: string; entry: DescribedEntry } | { given: string; error: FsError }

/** On backends with a round trip per call, this many calls take about as long as one. */
const concurrency = 32

/** Describes many entries, in the order given; one that fails does not stop the others. */
export const describeEntries = operation({
  mutates: false,
  input: z.object({ paths: z.array(z.string()) }),

  run: ({ paths }, workspace, { signal }): Promise<Description[]> =>
    inBatches(paths, concurrency, async (given) => {
      signal?.throwIfAborted()
      try {
        return { given, entry: await describe(given, workspace) }
      } catch (error) {
        if (!isFsError(error)) throw error
        return { given, error }
      }
    }),
})

async function describe(given: string, { fs, root }: Workspace): Promise<DescribedEntry> {
  const path = fs.resolve(given, root)
  const stat = await fs.stat(path)
  const identity = { path, name: basename(path) }
  if (stat.kind !== 'symlink') return { ...identity, ...stat }
  const behind = await fs.stat(await fs.realPath(path))
  const target = await readTarget(fs, path)
  return { ...identity, ...behind, link: target === undefined ? {} : { target } }
}

/** The text of a link; undefined when it leads outside the workspace, or the path is no longer a link. */
export async function readTarget(fs: ConfinedFileSystem, path: string): Promise<string | undefined> {
  try {
    // Bytes that are not UTF-8 become U+FFFD.
    return (await fs.readLink?.(path))?.toWellFormed()
  } catch (error) {
    if (isFsError(error, 'OUTSIDE', 'NOT_A_LINK', 'NOT_FOUND')) return undefined
    throw error
  }
}
