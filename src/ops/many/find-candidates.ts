import { FsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { MatcherSpec } from '../../search/patterns/matcher.js'
import type { SkippedFile } from '../../search/run/records.js'
import { binaryWindow as detectionWindow } from '../../text/decode/detect.js'
import type { Workspace } from '../../workspace/workspace.js'
import { findFiles } from '../find-files.js'
import type { CallContext } from '../operation.js'
import { searchText } from '../search-text.js'
import type { Selection } from '../shared/selection.js'

/** Files that edits may change. */
export interface Candidates {
  /** The directory that was searched. */
  path: string
  /** Absolute, in the order of the walk. */
  files: string[]
  /** Text files that were ruled out. */
  unmatched: number
  skipped: { binary: number; tooLarge: number; unreadable: number }
  skippedFiles: SkippedFile[]
  ignored: number
}

export interface CandidateOptions {
  /** Every file that may be changed matches it; undefined for all files. */
  pattern: MatcherSpec | undefined
  detectEncoding?: boolean
  binaryWindow?: number
  nameSkipped: number
}

/** Finds candidates among the selected files. Fails rather than leave some out. */
export async function findCandidates(
  select: Selection & { path?: string },
  { pattern, binaryWindow, detectEncoding = false, nameSkipped }: CandidateOptions,
  workspace: Workspace,
  context: CallContext,
): Promise<Candidates> {
  const { fs, root, limits } = workspace
  const base = select.path === undefined ? root : fs.resolve(select.path, root)
  if ((await fs.stat(await fs.realPath(base))).kind !== 'directory')
    throw new FsError('NOT_A_DIRECTORY', { path: base })
  if (pattern === undefined) return allFiles(select, workspace, context)
  const window = detectEncoding ? detectionWindow : binaryWindow
  const nul = window === undefined ? {} : { text: { nul: { first: window, last: window }, detectEncoding } }
  const request = {
    matcher: pattern,
    mode: 'files' as const,
    maxFileBytes: limits.maxFileBytes,
    carriageReturnEndsLine: true,
    nameSkipped,
    ...nul,
  }
  const found = await workspace.run(searchText, { ...select, request }, context)
  const { summary } = found
  if (summary.truncated !== undefined || found.walkTruncated !== undefined) throw endedEarly(base, context)
  const { binary, tooLarge, unreadable } = summary.skipped
  return {
    path: found.path,
    files: found.files.map(({ path }) => path),
    unmatched: summary.filesSearched - summary.filesMatched,
    skipped: { binary, tooLarge, unreadable: unreadable + found.unreadable },
    skippedFiles: summary.skippedFiles ?? [],
    ignored: found.ignored ?? 0,
  }
}

async function allFiles(
  select: Selection & { path?: string },
  workspace: Workspace,
  context: CallContext,
): Promise<Candidates> {
  const { path, entries, summary, truncated } = await workspace.run(findFiles, { ...select, sortBy: 'path' }, context)
  if (truncated !== undefined) throw endedEarly(path, context)
  return {
    path,
    files: entries.flatMap((entry) => (entry.kind === 'file' ? join(path, entry.path) : [])),
    unmatched: 0,
    skipped: { binary: 0, tooLarge: 0, unreadable: summary.unreadable },
    skippedFiles: [],
    ignored: summary.ignored,
  }
}

function endedEarly(path: string, { signal }: CallContext): FsError {
  return signal?.aborted ? new FsError('ABORTED', {}) : new FsError('IO', { path, detail: 'not all files were listed' })
}
