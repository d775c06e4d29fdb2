import * as z from 'zod'
import { isFsError } from '../errors.js'
import { inBatches } from '../fs/in-batches.js'
import { join, relative } from '../fs/path.js'
import type { Kind, Stat } from '../fs/types.js'
import type { WalkSummary } from '../fs/walk/walk.js'
import { utf8Length } from '../text/lines/lines.js'
import type { Workspace } from '../workspace.js'
import { readTarget } from './describe-entry.js'
import { inTurn } from './operation.js'
import { selection, walkSelected } from './shared/selection.js'

export interface FoundEntry extends Partial<Stat> {
  /** From the directory that was looked in. */
  path: string
  name: string
  kind: Kind
  /** 1 for what lies directly in the directory. */
  depth: number
  /** What a link says, where that was asked for; absent when it leads out of the workspace. */
  linkTarget?: string
}

export interface FindFiles {
  /** The directory that was looked in. */
  path: string
  entries: FoundEntry[]
  /** There is more than is told. */
  more: boolean
  /** How many there are in all; absent when the walk ended early. */
  total?: number
  /** `matches`: there are more than were to be looked for. */
  truncated?: WalkSummary['truncated'] | 'matches'
  summary: WalkSummary & { incompleteIgnoreFiles: readonly string[] }
}

/** Backends with a round trip per call answer many at once about as fast as one. */
const atOnce = 32

/** Files below a directory by glob pattern, past ignore rules, in one order and page by page. */
export const findFiles = inTurn({
  mutates: false,
  input: z.object({
    path: z.string().exactOptional(),
    ...selection,
    /** Tell of directories too. */
    directories: z.boolean().default(false),
    /** Tell of links and special files too. */
    others: z.boolean().default(true),
    /** Tell of files alone: a link is what it leads to, and one that leads out, or to nothing, is left out. */
    onlyFiles: z.boolean().default(false),
    /** Look for so many at most, before they are sorted. */
    maxMatches: z.int().min(0).exactOptional(),
    /** As the walk goes unless given; sizes from the largest, times from the newest, directories before files by `type`. */
    sortBy: z.enum(['path', 'name', 'type', 'size', 'modified']).exactOptional(),
    /** What comes first of what is equal otherwise: by path, or by name and then by path. */
    ties: z.enum(['path', 'name']).default('path'),
    /** Tell size, times and mode. */
    metadata: z.boolean().default(false),
    /** Tell what links say. */
    linkTargets: z.boolean().default(false),
    skip: z.int().min(0).default(0),
    limit: z.int().min(0).exactOptional(),
  }),

  async run(input, workspace, context): Promise<FindFiles> {
    const { fs, root, walker } = workspace
    const { sortBy, ties, skip, limit = Infinity, directories, others, onlyFiles, maxMatches = Infinity } = input
    const path = input.path === undefined ? root : fs.resolve(input.path, root)
    const options = { ...context, alsoReport: { directories, others }, ...(walker && { walker }) }
    const walk = walkSelected(workspace, path, input, options)
    let entries: FoundEntry[] = []
    try {
      for (let listed = await walk.nextListed(); listed !== undefined; listed = await walk.nextListed()) {
        const { directory, depth } = listed
        const before = directory === path ? '' : `${relative(path, directory)}/`
        for (const { name, kind } of listed.entries) entries.push({ path: before + name, name, kind, depth })
        if (entries.length > maxMatches) break
      }
    } finally {
      walk.close?.()
    }
    const truncated = entries.length > maxMatches ? 'matches' : walk.summary.truncated
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
  },
})

/** An entry that is gone by now is left out; of one that may not be looked at there is nothing more to tell. */
async function describe(
  { fs }: Workspace,
  directory: string,
  entries: FoundEntry[],
  onlyFiles: boolean,
): Promise<FoundEntry[]> {
  const described = await inBatches(entries, atOnce, async (entry) => {
    const at = join(directory, entry.path)
    try {
      const isFollowed = onlyFiles && entry.kind === 'symlink'
      return { ...entry, ...(await fs.stat(isFollowed ? await fs.realPath(at) : at)) }
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'OUTSIDE', 'LINK_LOOP')) return undefined
      if (isFsError(error, 'DENIED')) return entry
      throw error
    }
  })
  return described.filter((entry) => entry !== undefined).filter(({ kind }) => !onlyFiles || kind === 'file')
}

/** A link is as large as what it says. */
function withTargets({ fs }: Workspace, directory: string, entries: FoundEntry[]): Promise<FoundEntry[]> {
  return inBatches(entries, atOnce, async (entry) => {
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
