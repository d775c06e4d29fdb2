/** What is said below the results of a search: what was found and searched, and what was not. */
import type { SearchText } from '../../../ops/search-text.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { pageNote } from '../paging/page-of-rows.js'
import { sentBytes } from '../paging/token-budget.js'
import { plural, size } from '../print.js'
import { displayPath } from '../wording.js'
import type { Output, Result } from './grep-results.js'

/** Files that ignore rules hide, as far as they were looked for. */
export interface IgnoredFiles {
  files: string[]
  /** There may be more. */
  atLeast: boolean
  /** They were searched, too. */
  searched: boolean
}

export function summaryNote(
  found: SearchText,
  output: Output,
  ignored: IgnoredFiles | undefined,
  workspace: Workspace,
): string {
  const { summary } = found
  const ignoredNote = ignored && ignoredPart(ignored, workspace)
  const searched = `${plural(summary.filesSearched, 'file')} searched`
  const parts = [
    foundPart(found, output),
    ignored?.searched && ignoredNote ? `${searched}, including ${ignoredNote}` : searched,
    notSearched(found, ignored?.searched ? undefined : ignoredNote, workspace),
  ]
  return `[${parts.filter((part) => part !== '').join('; ')}]`
}

/** When only names of files are requested, a file is searched up to its first match. */
function foundPart({ summary: { matches, filesMatched } }: SearchText, output: Output): string {
  const files = plural(filesMatched, 'file')
  return output === 'files' ? `matches in ${files}` : `${plural(matches, 'match', 'matches')} in ${files}`
}

function notSearched(found: SearchText, ignored: string | undefined, workspace: Workspace): string {
  const { skipped, skippedFiles = [], tooExpensive } = found.summary
  const pathsOf = (reason: string) => skippedFiles.flatMap(({ path, why }) => (why === reason ? [path] : []))
  const unreadable = [...pathsOf('unreadable'), ...found.unreadableDirectories]
  const counted = (count: number, what: string, paths: readonly string[]) =>
    count > 0 && `${count} ${what}${names(paths, count, workspace)}`
  const parts = [
    counted(skipped.binary, 'binary', pathsOf('binary')),
    counted(skipped.tooLarge, `over ${size(workspace.limits.maxFileBytes)}`, pathsOf('tooLarge')),
    counted(skipped.unreadable + found.unreadable, 'unreadable', unreadable),
    tooExpensive > 0 && `${plural(tooExpensive, 'line')} too costly for the pattern`,
    ignored,
  ].filter(Boolean)
  return parts.length === 0 ? '' : `not searched: ${parts.join(', ')}`
}

function ignoredPart({ files, atLeast }: IgnoredFiles, workspace: Workspace): string | undefined {
  if (files.length === 0) return undefined
  const named = atLeast ? '' : names(files, files.length, workspace)
  return `${atLeast ? 'at least ' : ''}${files.length} ignored${named}`
}

/** More files than these, or longer names, are only counted. */
const maxNamed = 3
const maxNameBytes = 200

function names(paths: readonly string[], count: number, workspace: Workspace): string {
  if (count > maxNamed || paths.length < count) return ''
  const named = paths.map((path) => displayPath(path, workspace)).join(', ')
  return sentBytes(named) > maxNameBytes ? '' : ` (${named})`
}

/** Names the files of these results that are not in UTF-8. */
export function guessedNote({ files }: SearchText, shown: readonly Result[], workspace: Workspace): string | false {
  const headers = new Set(shown.map(({ header }) => header))
  const guessed = files.filter((file) => file.guessed).map(({ path }) => displayPath(path, workspace))
  const named = guessed.filter((path) => headers.has(path))
  const more = named.length > 5 ? `, … ${named.length} files` : ''
  const list = `${named.slice(0, 5).join(', ')}${more}`
  const shortened = sentBytes(list) > maxNameBytes ? plural(named.length, 'file') : list
  return named.length > 0 && `[not valid UTF-8, shown as Windows-1252: ${shortened}]`
}

/** What that note takes at most. */
export function guessedNoteBytes({ files }: SearchText): number {
  return files.some(({ guessed }) => guessed) ? maxNameBytes + 60 : 0
}

export interface ResultPage {
  /** Counted in the order of the pages. */
  start: number
  end: number
  cursor?: string
  /** Pages go from the last result to the first. */
  fromEnd: boolean
}

export function resultPageNote({ fromEnd, ...page }: ResultPage, total: number, what: string): string {
  if (!fromEnd) return pageNote(page, total, what)
  const { start, end, cursor } = page
  if (start === 0 && cursor === undefined) return ''
  if (end === start) return `[no ${what} before the last ${start}]`
  const range = `${what} ${total - end + 1}-${total - start} of ${total}`
  return cursor === undefined
    ? `[${range}: the beginning]`
    : `[${range}; for those before, repeat the call with cursor "${cursor}"]`
}
