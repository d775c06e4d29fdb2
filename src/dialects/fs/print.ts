import { join, relative } from '../../fs/path.js'
import type { FindFiles } from '../../ops/find-files.js'
import type { FileMatches, SearchText } from '../../ops/search-text.js'
import type { Workspace } from '../../workspace/workspace.js'
import type { Range } from './range.js'
import type { ReadRange } from './read-range.js'

/** JSON escapes control characters, and the agent can send the paths back exactly. */
export function printEntries(
  { path, entries, more }: FindFiles,
  { include_metadata }: { include_metadata: boolean },
  { root }: Workspace,
): string {
  return JSON.stringify({
    entries: entries.map(({ path: below, kind, size, modifiedMs }) => ({
      path: relative(root, join(path, below)),
      is_dir: kind === 'directory',
      // Clients expect a size even of a directory.
      size: include_metadata && kind === 'directory' ? 0 : size,
      modified: modifiedMs === undefined ? undefined : Math.floor(modifiedMs / 1000),
    })),
    has_more: more,
  })
}

export function printRange({ path, text, more }: ReadRange, range: Range, { root }: Workspace): string {
  return JSON.stringify({ path: relative(root, path), content: text, is_truncated: more, range })
}

interface Hit {
  path: string
  line: number
  column: number
  line_text: string
  context_before: string[]
  context_after: string[]
}

export function printHits(
  { files, summary }: SearchText,
  { context_lines }: { context_lines: number },
  { root, limits }: Workspace,
): string {
  const hits: Hit[] = []
  let hasMore = summary.truncated !== undefined
  let units = 0
  for (const hit of hitsOf(files, context_lines, root)) {
    units += unitsOf(hit)
    // A line near several hits is repeated with each, so the output may be much larger than what was found.
    if (units > limits.maxFileBytes && hits.length > 0) {
      hasMore = true
      break
    }
    hits.push(hit)
  }
  return JSON.stringify({ hits, has_more: hasMore })
}

function* hitsOf(files: readonly FileMatches[], context: number, root: string): Generator<Hit> {
  for (const { path, records } of files) {
    for (const [at, record] of records.entries()) {
      if (record.kind !== 'match') continue
      const { line, text, column } = record
      // Records have no line twice, so context lines are at most `context` records away.
      const before = records.slice(Math.max(0, at - context), at).filter((near) => near.line >= line - context)
      const after = records.slice(at + 1, at + 1 + context).filter((near) => near.line <= line + context)
      yield {
        path: relative(root, path),
        line,
        column: column.bytes,
        line_text: text,
        context_before: before.map((near) => near.text),
        context_after: after.map((near) => near.text),
      }
    }
  }
}

function unitsOf({ line_text, context_before, context_after }: Hit): number {
  return [line_text, ...context_before, ...context_after].reduce((sum, line) => sum + line.length, 0)
}
