/** What a tree was like at one moment, and what differs at another. */
import { isFsError } from '../../../src/errors.js'
import type { ConfinedFileSystem } from '../../../src/fs/gate/confine.js'
import { dirname, isWithin, join } from '../../../src/fs/path.js'
import type { Bytes, Moment, Stat } from '../../../src/fs/types.js'
import { yieldBetweenSteps } from '../../../src/fs/yield-between-steps.js'
import type { Workspace } from '../../../src/workspace/workspace.js'

export interface KnownTree {
  /** What trees have in common that can be compared without looking at all of them. */
  readonly family: object
  readonly size: number
  stat(path: string): Stat | undefined
  /** The names in a directory; none where there is no directory. */
  names(directory: string): readonly string[]
  /** Every path, each directory before what is in it. */
  paths(): Iterable<string>
  /** The bytes of a file, where they were kept. */
  bytes(path: string): Bytes | undefined
  /** What differs from an earlier look. */
  since(earlier: KnownTree): Differences
  /** What a file or a link has: as it was, where that was kept, else as it is now. Undefined where its mode keeps it from being read. */
  content(path: string): Promise<Content | undefined>
}

export type Content = { bytes: Bytes } | { target: string }

export interface Differences {
  gone: readonly string[]
  there: readonly string[]
}

/** The tree as it is now: kept as a whole where the backend can do that, else the stats of all entries. */
export async function lookAtTree({ fs, internals }: Pick<Workspace, 'fs' | 'internals'>): Promise<KnownTree> {
  const { moment } = internals
  return moment === undefined ? scan(fs) : kept(moment(), fs)
}

function kept(moment: Moment, gate: ConfinedFileSystem): KnownTree & { moment: Moment } {
  const shown = shownBy(gate)
  const stat = (path: string) => (shown(path) ? moment.entry(path)?.stat : undefined)

  function names(directory: string): readonly string[] {
    return moment.entry(directory)?.names?.filter((name) => shown(join(directory, name))) ?? []
  }

  function* paths(): Iterable<string> {
    const waiting = outermostRoots(gate)
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (stat(path) === undefined) continue
      yield path
      for (const name of names(path)) waiting.push(join(path, name))
    }
  }

  return {
    moment,
    // A layer of a workspace with other rules may have more.
    family: gate.areRuled ? gate : moment.family,
    get size() {
      let count = 0
      for (const _ of paths()) count += 1
      return count
    },
    stat,
    names,
    paths,
    bytes: (path) => moment.entry(path)?.bytes,
    since(earlier) {
      if (!('moment' in earlier)) throw new Error('these trees were looked at in different ways')
      const { gone, there } = moment.since(earlier.moment as Moment)
      return { gone: gone.filter(shown), there: there.filter(shown) }
    },
    async content(path) {
      const { bytes, target } = moment.entry(path) ?? {}
      return bytes === undefined ? (target === undefined ? undefined : { target }) : { bytes }
    },
  }
}

interface ScannedTree extends KnownTree {
  stats: ReadonlyMap<string, Stat>
}

async function scan(gate: ConfinedFileSystem): Promise<ScannedTree> {
  const stats = new Map<string, Stat>()
  const children = new Map<string, readonly string[]>()
  const { exact } = gate
  const shown = shownBy(gate)
  const turn = yieldBetweenSteps()
  const waiting = outermostRoots(gate)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const pause = turn()
    if (pause !== undefined) await pause
    const stat = await unlessRefused(() => exact.stat(path as string))
    if (stat === undefined) continue
    stats.set(path, stat)
    if (stat.kind !== 'directory') continue
    const entries = (await unlessRefused(() => exact.readDir(path as string))) ?? []
    const names = entries.map(({ name }) => name).filter((name) => shown(join(path as string, name)))
    children.set(path, names)
    for (const name of names) waiting.push(join(path, name))
  }
  const tree: ScannedTree = {
    stats,
    family: gate,
    size: stats.size,
    stat: (path) => stats.get(path),
    names: (directory) => children.get(directory) ?? [],
    paths: () => stats.keys(),
    bytes: () => undefined,
    since(earlier) {
      if (!('stats' in earlier)) throw new Error('these trees were looked at in different ways')
      const before = (earlier as ScannedTree).stats
      return {
        gone: [...before.keys()].filter((path) => !stats.has(path) || stats.get(path)?.kind !== before.get(path)?.kind),
        there: [...stats.keys()].filter((path) => !isSame(stats.get(path) as Stat, before.get(path))),
      }
    },
    content: (path) =>
      unlessRefused(async () =>
        stats.get(path)?.kind === 'symlink'
          ? { target: (await exact.readLink?.(path, { verbatim: true })) ?? '' }
          : { bytes: await exact.readFile(path) },
      ),
  }
  return tree
}

function isSame(now: Stat, before: Stat | undefined): boolean {
  return (
    before !== undefined &&
    now.kind === before.kind &&
    now.mode === before.mode &&
    now.modifiedMs === before.modifiedMs &&
    (now.kind === 'directory' || (now.size === before.size && now.changedMs === before.changedMs))
  )
}

/** What its mode keeps from being read, and what is gone by now. */
async function unlessRefused<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isFsError(error, 'DENIED', 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_LINK', 'SPECIAL_FILE')) return undefined
    throw error
  }
}

/** Whether the workspace has an entry: it may be a part of the tree only. Asked for many entries of one directory. */
function shownBy(gate: ConfinedFileSystem): (path: string) => boolean {
  return (path) => {
    try {
      gate.authorize(path, 'read')
      return true
    } catch (error) {
      if (isFsError(error)) return false
      throw error
    }
  }
}

/** Roots may lie in each other. */
export function outermostRoots({ roots }: ConfinedFileSystem): string[] {
  const paths = roots.map(({ path }) => path)
  return paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)))
}

/** Whether two looks can be compared. */
export function areComparable(one: KnownTree, other: KnownTree): boolean {
  return 'moment' in one ? one.family === other.family : !('moment' in other)
}

/** Of paths: those that lie below no other of them. */
export function highest(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => path === '/' || !all.has(dirname(path)))
}
