import * as z from 'zod'
import { isFsError } from '../errors.js'
import { inBatches } from '../fs/in-batches.js'
import { dirname, isWithin, join, relative, split } from '../fs/path.js'
import { syncOrAsync } from '../fs/sync.js'
import type { Kind, Stat } from '../fs/types.js'
import type { WalkSummary } from '../fs/walk/walk.js'
import { compileGlobs } from '../search/patterns/glob.js'
import { utf8Length } from '../text/lines/lines.js'
import type { Workspace } from '../workspace/workspace.js'
import { readTarget } from './describe-entry.js'
import { queued } from './operation.js'
import { selection, walkSelected } from './shared/selection.js'

export interface FoundEntry extends Partial<Stat> {
  /** Relative to the searched directory. */
  path: string
  name: string
  kind: Kind
  /** 1 for entries of the searched directory itself. */
  depth: number
  /** The text of a link, if requested; absent when it leads outside the workspace. */
  linkTarget?: string
}

export interface FindFiles {
  /** The searched directory. */
  path: string
  entries: FoundEntry[]
  /** There are more entries than returned. */
  more: boolean
  /** How many entries match; absent when the walk ended early. */
  total?: number
  /** `matches`: the walk ended at `maxMatches`. */
  truncated?: WalkSummary['truncated'] | 'matches'
  summary: WalkSummary & { incompleteIgnoreFiles: readonly string[] }
}

/** On backends with a round trip per call, this many calls take about as long as one. */
const concurrency = 32

/** Finds files below a directory by glob pattern and ignore rules, sorted, page by page. */
export const findFiles = queued({
  mutates: false,
  input: z.object({
    path: z.string().exactOptional(),
    ...selection,
    /** Return directories too. */
    directories: z.boolean().default(false),
    /** Return links and special files too. */
    others: z.boolean().default(true),
    /** Return files only: a link counts as its target, and one that is broken or leads outside the workspace is left out. */
    onlyFiles: z.boolean().default(false),
    /**
     * Find what is in directories that links lead to, under the path of the link. A directory is entered through links once, and never
     * through one that is inside of it.
     */
    linkedDirectories: z.boolean().default(false),
    /** Stop the walk after this many matches, before they are sorted. */
    maxMatches: z.int().min(0).exactOptional(),
    /** Default: the order of the walk. Sizes are sorted largest first, times newest first; `type` puts directories before files. */
    sortBy: z.enum(['path', 'name', 'type', 'size', 'modified']).exactOptional(),
    /** How equal entries are ordered: by path, or by name and then by path. */
    ties: z.enum(['path', 'name']).default('path'),
    /** Return size, times and mode. */
    metadata: z.boolean().default(false),
    /** Return the text of links. */
    linkTargets: z.boolean().default(false),
    skip: z.int().min(0).default(0),
    limit: z.int().min(0).exactOptional(),
  }),

  async run(input, workspace, context): Promise<FindFiles> {
    const { fs, root, internals } = workspace
    const { walker } = internals
    const { sortBy, ties, skip, limit = Infinity, directories, others, onlyFiles, maxMatches = Infinity } = input
    const path = input.path === undefined ? root : fs.resolve(input.path, root)
    const alsoReport = { directories, others, linksInto: input.linkedDirectories }
    const options = { ...context, alsoReport, ...(walker && { walker }) }
    let entries: FoundEntry[] = []
    const walk = await collect(path)
    const inLinks = input.linkedDirectories ? await followLinks() : undefined
    const truncated = entries.length > maxMatches ? 'matches' : (walk.summary.truncated ?? inLinks)
    if (truncated === 'matches') entries.length = maxMatches
    const needsDetail = sortBy === 'size' || sortBy === 'modified' || onlyFiles
    const withDetails = async (found: FoundEntry[]) => {
      const described = needsDetail || input.metadata ? await describe(workspace, path, found, onlyFiles) : found
      return input.linkTargets ? withTargets(workspace, path, described) : described
    }
    if (needsDetail) entries = await withDetails(entries)
    const total = entries.length
    if (sortBy !== undefined) entries.sort((a, b) => orders[sortBy](a, b) || orders[ties](a, b) || byPath(a, b))
    const page = entries.slice(skip, skip + limit)
    return {
      path,
      entries: needsDetail ? page : await withDetails(page),
      more: skip + page.length < total || truncated !== undefined,
      ...(truncated === undefined ? { total } : { truncated }),
      summary: { ...walk.summary, incompleteIgnoreFiles: walk.incompleteIgnoreFiles },
    }

    /** Adds what is below a directory to the entries. */
    async function collect(start: string, more: { patternBase?: string; maxEntries?: number } = {}) {
      const { patternBase, ...bounds } = more
      const selected = { ...input, ...bounds }
      const running = await walkSelected(workspace, start, selected, {
        ...options,
        ...(patternBase && { patternBase }),
      })
      const above = start === path ? 0 : split(`/${relative(path, start)}`).length
      try {
        for (let listed = await running.nextListed(); listed !== undefined; listed = await running.nextListed()) {
          const { directory, depth } = listed
          const before = directory === path ? '' : `${relative(path, directory)}/`
          for (const { name, kind } of listed.entries)
            entries.push({ path: before + name, name, kind, depth: above + depth })
          if (entries.length > maxMatches) break
        }
      } finally {
        running.close?.()
      }
      return running
    }

    /** Walks the directories behind the links among the entries, which may contain links themselves. */
    async function followLinks(): Promise<WalkSummary['truncated']> {
      const glob = input.include.length > 0 ? compileGlobs(input.include, input.includeRules) : undefined
      const entered = new Set<string>()
      const base = input.patternsFrom === 'root' ? root : path
      let left = maxLinkedEntries
      let truncated: WalkSummary['truncated']
      for (let at = 0; truncated === undefined && at < entries.length && entries.length <= maxMatches; at += 1) {
        const link = entries[at] as FoundEntry
        if (link.kind !== 'symlink') continue
        const real = await linkedDirectory(workspace, join(path, link.path))
        if (real === undefined || entered.has(real)) continue
        entered.add(real)
        const { summary } = await collect(join(path, link.path), { patternBase: base, maxEntries: left })
        left -= summary.entries
        truncated = summary.truncated
      }
      // Some were reported only because of what may be behind them.
      entries = entries.filter((entry) => {
        return entry.kind !== 'symlink' || glob?.matches(relative(base, join(path, entry.path))) !== false
      })
      return truncated
    }
  },
})

/** Entries to visit through links. */
const maxLinkedEntries = 100_000

/** The directory that a link leads to; undefined if it is not one, is out of reach, or contains the link. */
async function linkedDirectory({ fs }: Workspace, link: string): Promise<string | undefined> {
  try {
    const real = await fs.realPath(link)
    if ((await fs.stat(real)).kind !== 'directory') return undefined
    return isWithin(real, await fs.realPath(dirname(link))) ? undefined : real
  } catch (error) {
    if (!isFsError(error)) throw error
    return undefined
  }
}

/** Leaves out an entry that no longer exists. One that may not be read is returned without metadata. */
async function describe(
  { fs }: Workspace,
  directory: string,
  entries: FoundEntry[],
  onlyFiles: boolean,
): Promise<FoundEntry[]> {
  const described = await inBatches(entries, concurrency, async (entry) => {
    const at = join(directory, entry.path)
    try {
      const isFollowed = onlyFiles && entry.kind === 'symlink'
      const stat = isFollowed
        ? await fs.stat(await fs.realPath(at))
        : await syncOrAsync(fs.sync?.stat(at), () => fs.stat(at))
      // In Node 20 to spread both into a new object takes forty times as long.
      return Object.assign(entry, stat)
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'OUTSIDE', 'LINK_LOOP')) return undefined
      if (isFsError(error, 'DENIED')) return entry
      throw error
    }
  })
  return described.filter((entry) => entry !== undefined).filter(({ kind }) => !onlyFiles || kind === 'file')
}

/** The size of a link is the length of its text. */
function withTargets({ fs }: Workspace, directory: string, entries: FoundEntry[]): Promise<FoundEntry[]> {
  return inBatches(entries, concurrency, async (entry) => {
    if (entry.kind !== 'symlink') return entry
    const linkTarget = await readTarget(fs, join(directory, entry.path))
    return linkTarget === undefined ? entry : { ...entry, linkTarget, size: utf8Length(linkTarget) }
  })
}

type Order = (a: FoundEntry, b: FoundEntry) => number

const orders = {
  path: byPath,
  name: byName,
  type: (a, b) => Number(b.kind === 'directory') - Number(a.kind === 'directory') || byName(a, b),
  size: (a, b) => (b.size ?? -1) - (a.size ?? -1),
  modified: (a, b) => (b.modifiedMs ?? -1) - (a.modifiedMs ?? -1),
} satisfies Record<string, Order>

function byName(a: FoundEntry, b: FoundEntry): number {
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1
}

function byPath(a: FoundEntry, b: FoundEntry): number {
  return a.path === b.path ? 0 : a.path < b.path ? -1 : 1
}
