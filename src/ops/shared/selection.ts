/** Selection of files below a directory, shared by the operations that find and search. */
import * as z from 'zod'
import { FsError } from '../../errors.js'
import { dirname, relative } from '../../fs/path.js'
import { patternsBelow } from '../../search/patterns/absolute-glob.js'
import { compileGlobs, defaultGlobRules, type Glob, type GlobRules } from '../../search/patterns/glob.js'
import type { IgnoreOptions } from '../../search/patterns/ignore-stack.js'
import {
  type ClosableWalk,
  type FileWalk,
  type FileWalkOptions,
  type Walker,
  walkFiles,
} from '../../search/run/walk-files.js'
import type { Workspace } from '../../workspace/workspace.js'
import type { CallContext } from '../operation.js'
import { limitClock } from './limit-clock.js'

export { escapeGlob } from '../../search/patterns/absolute-glob.js'
export type { GlobRules } from '../../search/patterns/glob.js'
export { type GlobFault, globFault } from '../../search/patterns/glob-faults.js'

/** Which ignore files take effect; see `IgnoreOptions`. */
export const ignoreInput = z.object({
  git: z.enum(['always', 'in-repository', 'never']).exactOptional(),
  dotIgnore: z.boolean().exactOptional(),
  always: z.array(z.string()).exactOptional(),
  startToo: z.boolean().exactOptional(),
  ignoreCase: z.boolean().exactOptional(),
})

/** The meaning of a glob pattern. */
const globRules = z.object({
  slashless: z.enum(['any-depth', 'at-base', 'wild-at-any-depth']),
  starCrosses: z.boolean(),
  ignoreCase: z.boolean(),
  dot: z.boolean(),
  loneBraces: z.boolean().exactOptional(),
  extended: z.boolean().exactOptional(),
  expandsDirectories: z.boolean().exactOptional(),
  absolute: z.boolean().exactOptional(),
}) satisfies z.ZodType<GlobRules>

/** Input of operations that select files below a directory. */
export const selection = {
  /** Only entries that match one of these; all when empty. */
  include: z.array(z.string()).default([]),
  includeRules: globRules.default(defaultGlobRules),
  /** No entries that match one of these. */
  exclude: z.array(z.string()).default([]),
  /** Default: as `includeRules`. */
  excludeRules: globRules.exactOptional(),
  /** A directory that matches `exclude` is skipped with everything in it. */
  excludePrunes: z.boolean().default(true),
  /** What patterns are relative to. */
  patternsFrom: z.enum(['directory', 'root']).default('directory'),
  /** Include names with a leading dot. */
  hidden: z.boolean().default(true),
  /** Default: ignore files have no effect. */
  ignore: ignoreInput.exactOptional(),
  maxDepth: z.int().min(0).exactOptional(),
  /** Entries to visit at most. */
  maxEntries: z.int().min(0).exactOptional(),
  /** The walk ends after this time, and its summary says so. */
  timeoutMs: z.int().min(0).exactOptional(),
}

export type Selection = z.output<z.ZodObject<typeof selection>>

interface SelectedWalkOptions extends Pick<FileWalkOptions, 'alsoReport' | 'order' | 'onUnreadable'> {
  /** What patterns are relative to, overriding `patternsFrom`. */
  patternBase?: string
  /** Walks in place of this thread, and then `onUnreadable` is not called. */
  walker?: Walker
}

/** The ignore rules of the workspace that apply in a directory, besides the ignore files in its root. */
export async function ignoreOptionsFor(
  { fs, git }: Workspace,
  directory: string,
  given: z.output<typeof ignoreInput>,
): Promise<IgnoreOptions> {
  const top = fs.rootOf(directory).path
  const above = given.git === 'never' && !given.dotIgnore ? undefined : await git.rulesAbove?.(top)
  return {
    ...given,
    top,
    ...(above && { above }),
    ...(git.ignoreRules !== undefined && { globalRules: git.ignoreRules }),
  }
}

/**
 * Globs as people write them for ripgrep: `!pattern` among those to include is one to exclude, and exclusions win. A pattern to exclude
 * means what it means in an ignore file: without a slash at any depth, else from the searched directory; a slash at its end limits it to
 * directories; a directory is excluded with everything in it.
 */
export function selectGlobs(
  include: readonly string[],
  exclude: readonly string[] = [],
): Pick<Selection, 'include' | 'exclude'> {
  const negated = include.filter((pattern) => pattern.startsWith('!'))
  return {
    include: include.filter((pattern) => !pattern.startsWith('!')),
    exclude: [
      ...negated.map((pattern) => excluded(pattern.slice(1), pattern)),
      ...exclude.map((each) => excluded(each)),
    ],
  }
}

function excluded(pattern: string, given = pattern): string {
  const refused = (reason: string) => new FsError('INVALID_PATTERN', { pattern: given.slice(0, 1000), reason })
  if (pattern === '') throw refused('empty')
  // In an ignore file it would include again what other patterns exclude; in ripgrep's options it excludes.
  if (pattern.startsWith('!')) throw refused('what to exclude is written without !')
  if (/^[^/]+\/$/.test(pattern)) return `**/${pattern}`
  // The directories in `a`, not `a` itself.
  return pattern.replace(/\/\*\*\/$/, '/**/*/')
}

/** Starts a walk over the selected entries below a directory. */
export async function walkSelected(
  workspace: Workspace,
  directory: string,
  selected: Selection,
  { signal, alsoReport = {}, order = 'names', patternBase, walker, onUnreadable }: CallContext & SelectedWalkOptions,
): Promise<FileWalk & Partial<ClosableWalk>> {
  const { fs, root } = workspace
  const { patternsFrom, hidden, ignore, maxDepth, maxEntries, timeoutMs } = selected
  const base = patternBase ?? (patternsFrom === 'root' ? root : directory)
  const now = limitClock(workspace)
  const options: Parameters<Walker['walk']>[1] = {
    hidden,
    alsoReport,
    order,
    globBase: base,
    excludePrunes: selected.excludePrunes,
    ...globsOf(selected, base, fs),
    ...(ignore && { ignore: await ignoreOptionsFor(workspace, directory, ignore) }),
    ...(maxDepth !== undefined && { maxDepth }),
    ...(maxEntries !== undefined && { maxEntries }),
    ...(timeoutMs !== undefined && { deadlineMs: now() + timeoutMs, now }),
    ...(signal && { signal }),
  }
  return (
    walker?.walk(directory, options) ?? walkFiles(fs, directory, { ...options, ...(onUnreadable && { onUnreadable }) })
  )
}

/** Whether a file that is named itself passes the globs. */
export function isSelected({ fs, root }: Workspace, file: string, selected: Selection): boolean {
  const base = selected.patternsFrom === 'root' ? root : dirname(file)
  const { include, exclude } = globsOf(selected, base, fs)
  const path = relative(base, file)
  return (include?.matches(path) ?? true) && !exclude?.matches(path)
}

function globsOf(
  { include, includeRules, exclude, excludeRules = includeRules }: Selection,
  base: string,
  { pattern }: Pick<Workspace['fs'], 'pattern'>,
) {
  return {
    ...(include.length > 0 && { include: globFrom(base, include.map(pattern), includeRules, []) }),
    ...(exclude.length > 0 && { exclude: globFrom(base, exclude.map(pattern), excludeRules, ['**']) }),
  }
}

/** Compiles patterns for a walk relative to `base`; `whole` replaces a pattern that names the base itself or a directory above it. */
function globFrom(base: string, patterns: readonly string[], given: GlobRules, whole: readonly string[]): Glob {
  if (!given.absolute) return compileGlobs(patterns, given)
  const local = patterns.flatMap((pattern) => {
    if (!pattern.startsWith('/')) return [pattern]
    // The whole pattern is compiled first, so that an error quotes it as given, and its length is limited.
    compileGlobs([pattern], given)
    return patternsBelow(pattern, base).flatMap((rest) => (rest === '' ? whole : [`./${rest}`]))
  })
  return compileGlobs(local, given)
}
