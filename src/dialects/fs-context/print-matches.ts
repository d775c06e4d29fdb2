import { relative } from '../../fs/path.js'
import type { FileMatches, SearchRecord, SearchText } from '../../ops/search-text.js'
import { cutUnits } from '../../text/lines/lines.js'
import { printable } from '../../text/printable.js'
import type { ToolResult } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace/workspace.js'
import { answer } from './output.js'
import { notes } from './print.js'

export interface SearchContentArguments {
  pattern: string
  filePattern: string
  contextLines: number
}

/** A matching line with its context. */
interface Match {
  file: string
  line: number
  content: string
  contextBefore?: string[]
  contextAfter?: string[]
  matchCount: number
}

export function printMatches(
  found: SearchText,
  { pattern, filePattern, contextLines }: SearchContentArguments,
  { fs }: Workspace,
): ToolResult {
  const { path, files, summary, unreadable, walkTruncated } = found
  const { skipped } = summary
  const matches = files.flatMap((file) => matchesOf(file, relative(path, file.path), contextLines))
  const stoppedReason = stops[summary.truncated ?? (walkTruncated ? 'time' : 'none')]
  const inaccessible = skipped.unreadable + unreadable
  const filesScanned = summary.filesSearched + skipped.binary + skipped.tooLarge + skipped.unreadable
  const reasons = {
    maxResults: `reached max results limit (${matches.length})`,
    maxFiles: `reached max files limit (${filesScanned} scanned)`,
    timeout: 'search timed out',
  }
  const note = notes({
    truncated: stoppedReason && reasons[stoppedReason],
    tip: stoppedReason === 'timeout' ? narrow : undefined,
    tooLarge: skipped.tooLarge,
    binary: skipped.binary,
    inaccessible,
    linesGivenUp: summary.tooExpensive,
  })
  const counts =
    stoppedReason === 'maxResults' || stoppedReason === 'maxFiles'
      ? `\nScanned ${filesScanned} files, found ${matches.length} matches in ${files.length} files.`
      : ''
  return answer(printBody(matches) + note + counts, {
    basePath: fs.show(path),
    pattern,
    filePattern,
    matches,
    summary: {
      filesScanned,
      filesMatched: files.length,
      totalMatches: matches.length,
      truncated: stoppedReason !== undefined,
      ...(skipped.tooLarge > 0 && { skippedTooLarge: skipped.tooLarge }),
      ...(skipped.binary > 0 && { skippedBinary: skipped.binary }),
      ...(inaccessible > 0 && { skippedInaccessible: inaccessible }),
      ...(summary.tooExpensive > 0 && { linesSkippedDueToRegexTimeout: summary.tooExpensive }),
      ...(stoppedReason && { stoppedReason }),
    },
  })
}

const stops = {
  none: undefined,
  results: 'maxResults',
  files: 'maxFiles',
  bytes: 'maxResults',
  time: 'timeout',
  aborted: 'timeout',
} as const

const narrow = 'Increase timeoutMs, use more specific filePattern, or add excludePatterns to narrow scope.'

function matchesOf({ records }: FileMatches, file: string, around: number): Match[] {
  return records.flatMap((record, at): Match[] => {
    if (record.kind !== 'match') return []
    const contextBefore = records.slice(Math.max(0, at - around), at).filter(({ line }) => line >= record.line - around)
    const contextAfter = records.slice(at + 1, at + 1 + around).filter(({ line }) => line <= record.line + around)
    return [
      {
        file,
        line: record.line,
        content: shown(record),
        ...(contextBefore.length > 0 && { contextBefore: contextBefore.map(shown) }),
        ...(contextAfter.length > 0 && { contextAfter: contextAfter.map(shown) }),
        matchCount: record.count,
      },
    ]
  })
}

/** More than is shown, so that spaces before the cut are dropped only if nothing but spaces follows. */
export const reportedUnits = 1000
const shownUnits = 200

function shown({ text, cut }: SearchRecord): string {
  return cutUnits(cut ? text : text.trimEnd(), shownUnits)
}

function printBody(matches: readonly Match[]): string {
  if (matches.length === 0) return 'No matches'
  const rows = [`Found ${matches.length}:`]
  for (const [file, inFile] of byFile(matches)) {
    const count = inFile.reduce((sum, { matchCount }) => sum + matchCount, 0)
    rows.push(`${printable(file)} (${count} ${count === 1 ? 'match' : 'matches'}):`)
    for (const match of inFile) rows.push(...printMatch(match))
    rows.push('')
  }
  return rows.join('\n')
}

function byFile(matches: readonly Match[]): Map<string, Match[]> {
  const files = new Map<string, Match[]>()
  for (const match of matches) {
    const inFile = files.get(match.file)
    if (inFile === undefined) files.set(match.file, [match])
    else inFile.push(match)
  }
  return files
}

function printMatch({ line, content, contextBefore = [], contextAfter = [] }: Match): string[] {
  const context = (from: number) => (text: string, index: number) => `    ${String(from + index).padStart(4)}: ${text}`
  return [
    ...contextBefore.map(context(line - contextBefore.length)),
    `  > ${String(line).padStart(4)}: ${content}`,
    ...contextAfter.map(context(line + 1)),
    ...(contextBefore.length + contextAfter.length > 0 ? ['    ---'] : []),
  ]
}
