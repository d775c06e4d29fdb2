/** Which files of a directory are meant: the part that finding and searching share. */
import * as z from 'zod'
import { dirname, relative } from '../../fs/path.js'
import { patternsBelow } from '../../search/patterns/absolute-glob.js'
import { compileGlobs, defaultGlobRules, type Glob, type GlobRules } from '../../search/patterns/glob.js'
import {
  type ClosableWalk,
  type FileWalk,
  type FileWalkOptions,
  type Walker,
  walkFiles,
} from '../../search/run/walk-files.js'
import type { Workspace } from '../../workspace.js'
import type { CallContext } from '../operation.js'

export type { GlobRules } from '../../search/patterns/glob.js'
export { type GlobFault, globFault } from '../../search/patterns/glob-faults.js'

/** Which ignore files count; see `IgnoreOptions`. */
export const ignoreInput = z.object({
  git: z.enum(['always', 'in-repository', 'never']).exactOptional(),
  dotIgnore: z.boolean().exactOptional(),
  always: z.array(z.string()).exactOptional(),
  ignoreCase: z.boolean().exactOptional(),
})

/** What a pattern means. */
const globRules = z.object({
  slashless: z.enum(['any-depth', 'at-base', 'wild-at-any-depth']),
  starCrosses: z.boolean(),
  ignoreCase: z.boolean(),
  dot: z.boolean(),
  loneBraces: z.boolean().exactOptional(),
  absolute: z.boolean().exactOptional(),
}) satisfies z.ZodType<GlobRules>

/** What an operation takes to select files below a directory. */
export const selection = {
  /** Only what matches one of these; all of it when empty. */
  include: z.array(z.string()).default([]),
  includeRules: globRules.default(defaultGlobRules),
  /** Nothing that matches one of these. */
  exclude: z.array(z.string()).default([]),
  /** As `includeRules` unless given. */
  excludeRules: globRules.exactOptional(),
  /** A directory that matches `exclude` takes all below it along. */
  excludePrunes: z.boolean().default(true),
  /** Where patterns count from. */
  patternsFrom: z.enum(['directory', 'root']).default('directory'),
  /** Names with a leading dot are seen. */
  hidden: z.boolean().default(true),
  /** Absent: no ignore file is heeded. */
  ignore: ignoreInput.exactOptional(),
  maxDepth: z.int().min(0).exactOptional(),
  /** Entries to look at, at the most. */
  maxEntries: z.int().min(0).exactOptional(),
  /** How long to look; past that the walk ends, and its summary says so. */
  timeoutMs: z.int().min(0).exactOptional(),
}

export type Selection = z.output<z.ZodObject<typeof selection>>

interface SelectedWalkOptions extends Pick<FileWalkOptions, 'alsoReport' | 'order'> {
  /** Where patterns count from, instead of what the selection says. */
  patternBase?: string
  /** Walks instead of this thread. */
  walker?: Walker
}

/** Opens the walk over what is selected below a directory. */
export function walkSelected(
  { fs, root, globalIgnoreRules }: Workspace,
  directory: string,
  selected: Selection,
  { signal, alsoReport = {}, order = 'names', patternBase, walker }: CallContext & SelectedWalkOptions,
): FileWalk & Partial<ClosableWalk> {
  const { patternsFrom, hidden, ignore, maxDepth, maxEntries, timeoutMs } = selected
  const base = patternBase ?? (patternsFrom === 'root' ? root : directory)
  const global = globalIgnoreRules === undefined ? {} : { globalRules: globalIgnoreRules }
  const options: Parameters<Walker['walk']>[1] = {
    hidden,
    alsoReport,
    order,
    globBase: base,
    excludePrunes: selected.excludePrunes,
    ...globsOf(selected, base),
    ...(ignore && { ignore: { ...ignore, ...global, top: fs.rootOf(directory).path } }),
    ...(maxDepth !== undefined && { maxDepth }),
    ...(maxEntries !== undefined && { maxEntries }),
    ...(timeoutMs !== undefined && { deadlineMs: Date.now() + timeoutMs }),
    ...(signal && { signal }),
  }
  return walker?.walk(directory, options) ?? walkFiles(fs, directory, options)
}

/** Whether the globs let a file pass that is named itself. */
export function isSelected({ root }: Workspace, file: string, selected: Selection): boolean {
  const base = selected.patternsFrom === 'root' ? root : dirname(file)
  const { include, exclude } = globsOf(selected, base)
  const path = relative(base, file)
  return (include?.matches(path) ?? true) && !exclude?.matches(path)
}

function globsOf({ include, includeRules, exclude, excludeRules = includeRules }: Selection, base: string) {
  return {
    ...(include.length > 0 && { include: globFrom(base, include, includeRules, []) }),
    ...(exclude.length > 0 && { exclude: globFrom(base, exclude, excludeRules, ['**']) }),
  }
}

/** Patterns for a walk that counts from `base`; `whole` stands for one that names the base itself, or a directory above it. */
function globFrom(base: string, patterns: readonly string[], given: GlobRules, whole: readonly string[]): Glob {
  if (!given.absolute) return compileGlobs(patterns, given)
  const local = patterns.flatMap((pattern) => {
    if (!pattern.startsWith('/')) return [pattern]
    // As a whole first, so that a fault is told of the pattern as it is, and none is longer than may be.
    compileGlobs([pattern], given)
    return patternsBelow(pattern, base).flatMap((rest) => (rest === '' ? whole : [`./${rest}`]))
  })
  return compileGlobs(local, given)
}
