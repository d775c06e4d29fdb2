import * as z from 'zod'
import { type FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { inBatches } from '../fs/in-batches.js'
import { basename } from '../fs/path.js'
import type { Stat } from '../fs/types.js'
import type { Workspace } from '../workspace.js'
import { operation } from './operation.js'

/** What is known of an entry. Of a link, it is what it leads to that is described. */
export interface DescribedEntry extends Stat {
  /** Where it was looked for. */
  path: string
  /** Empty for `/`. */
  name: string
  /** The path itself is a link; `target` is what it says, unless that is outside the workspace. */
  link?: { target?: string }
}

/** What is known of a file or directory; of a link, what it leads to. */
export const describeEntry = operation({
  mutates: false,
  input: z.object({ path: z.string() }),

  run: ({ path }, workspace): Promise<DescribedEntry> => describe(path, workspace),
})

/** One of many: described, or the reason why not. `given` is the path as it came. */
export type Description = { given: string; entry: DescribedEntry } | { given: string; error: FsError }

/** Backends with a round trip per call answer many at once about as fast as one. */
const atOnce = 32

/** The same of many, in the order given; the failure of one is not that of the others. */
export const describeEntries = operation({
  mutates: false,
  input: z.object({ paths: z.array(z.string()) }),

  run: ({ paths }, workspace, { signal }): Promise<Description[]> =>
    inBatches(paths, atOnce, async (given) => {
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

/** What a link says; undefined when that is outside the workspace, or when it is no link any more. */
export async function readTarget(fs: ConfinedFileSystem, path: string): Promise<string | undefined> {
  try {
    // What is not UTF-8 can't be told as it is.
    return (await fs.readLink?.(path))?.toWellFormed()
  } catch (error) {
    if (isFsError(error, 'OUTSIDE', 'NOT_A_LINK', 'NOT_FOUND')) return undefined
    throw error
  }
}
