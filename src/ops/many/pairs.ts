/** What moves and copies of several entries share: their paths, and which of them exclude each other. */
import * as z from 'zod'
import type { Scope } from '../../change/locks/locks.js'
import { FsError } from '../../errors.js'
import { basename, dirname, join } from '../../fs/path.js'
import type { Workspace } from '../../workspace/workspace.js'
import { spelledAnew } from '../shared/spelled-anew.js'

/** From where to where: each pair by itself, or all sources into one directory. */
export const pairsInput = z.union([
  z.object({ pairs: z.array(z.object({ from: z.string(), to: z.string() })).min(1) }),
  z.object({
    sources: z.array(z.string()).min(1),
    /** A directory. One that does not exist is made if it ends in a slash. */
    into: z.string(),
  }),
])

export interface Pair {
  from: string
  to: string
}

/** A pair as given, and with links on the way followed. */
export interface PlacedPair extends Pair {
  source: string
  target: string
  /** Source and target are one entry, whose name is spelled otherwise. */
  respells?: boolean
}

export async function pairsOf(
  input: z.output<typeof pairsInput>,
  { fs, root }: Workspace,
): Promise<{ pairs: Pair[]; scopes: Scope[] }> {
  const pairs = 'pairs' in input ? input.pairs.map(resolved) : await pairsInto(input)
  const scopes = pairs.flatMap(({ from, to }) =>
    [from, to].map((path): Scope => ({ path, tree: true, last: 'keep' as const })),
  )
  return { pairs, scopes }

  function resolved({ from, to }: Pair): Pair {
    return { from: fs.resolve(from, root), to: fs.resolve(to, root) }
  }

  async function pairsInto({ sources, into }: { sources: readonly string[]; into: string }): Promise<Pair[]> {
    const directory = fs.resolve(into, root)
    if (!/[/\\]$/.test(into)) {
      const { kind } = await fs.stat(await fs.realPath(directory))
      if (kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path: directory })
    }
    return sources.map((source) => {
      const from = fs.resolve(source, root)
      if (fs.isRoot(from)) throw new FsError('IS_ROOT', { path: from })
      return { from, to: join(directory, basename(from)) }
    })
  }
}

export function placed({ fs }: Workspace, pairs: readonly Pair[], located: readonly string[]): PlacedPair[] {
  return pairs.map((pair, index) => {
    const [source, target] = located.slice(2 * index, 2 * index + 2) as [string, string]
    const spelled = source === target ? spelledAnew(fs, target, pair.to) : undefined
    return spelled === undefined ? { ...pair, source, target } : { ...pair, source, target: spelled, respells: true }
  })
}

/** Refuses two pairs with the same target. */
export function refuseSameTargets({ fs }: Workspace, pairs: readonly PlacedPair[]): void {
  const byTarget = new Map<string, PlacedPair>()
  for (const pair of pairs) {
    const key = fs.comparable(pair.target)
    const other = byTarget.get(key)
    if (other) throw new FsError('CLASHING_PATHS', { path: other.source, other: pair.source, reason: 'same-target' })
    byTarget.set(key, pair)
  }
}

/** The nearest entry above a path that the map has, by its comparable path. */
export function nearestAbove<Value>(path: string, byPath: ReadonlyMap<string, Value>): Value | undefined {
  for (let at = path; at !== '/'; ) {
    at = dirname(at)
    const found = byPath.get(at)
    if (found !== undefined) return found
  }
  return undefined
}

/** Entries above others come first. */
export function shallowFirst(a: string, b: string): number {
  return depthOf(a) - depthOf(b)
}

function depthOf(path: string): number {
  return path.split('/').length
}
