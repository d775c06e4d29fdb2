import { printable } from '../../text/printable.js'
import type { ToolResult } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace/workspace.js'
import { answer } from './output.js'
import type { FileContent, ReadOutcome } from './read-content.js'
import { reason } from './wording.js'

/** The requested lines. */
export interface PartArguments {
  head?: number
  tail?: number
  lineStart?: number
  lineEnd?: number
}

export function printContent(file: FileContent, args: PartArguments & { path: string }): ToolResult {
  const structured = structure(file, args)
  const note = partNote(args) ?? `Total lines: ${structured.totalLines}`
  const data = { path: args.path, ...structured }
  return answer(`${file.content}\n${note}`, data, () => `${elsewhere(file)}\n${note}`)
}

/** Stands for a content that is sent once only. */
function elsewhere({ content }: { content: string }): string {
  return `[${content.length} characters: in structuredContent]`
}

function partNote({ head, tail, lineStart, lineEnd }: PartArguments): string | undefined {
  if (head !== undefined) return `Showing first ${head} lines`
  if (tail !== undefined) return `Showing last ${tail} lines`
  return lineStart === undefined ? undefined : `Showing lines ${lineStart}-${lineEnd}`
}

/** Lines are only counted in a whole file; the text after a final line feed counts as a line. */
function structure({ content, truncated }: FileContent, args: PartArguments) {
  const isWhole = partNote(args) === undefined
  return { content, truncated, ...(isWhole && { totalLines: content.split('\n').length }) }
}

export function printContents(
  outcomes: ReadOutcome[],
  args: PartArguments & { maxTotalSize: number },
  workspace: Workspace,
): ToolResult {
  const results = outcomes.map((outcome) => {
    const { given: path } = outcome
    if ('file' in outcome) return { path, ...structure(outcome.file, args) }
    if ('error' in outcome) return { path, error: reason(outcome.error, workspace) }
    return {
      path,
      error: `Skipped: combined estimated read would exceed maxTotalSize (${args.maxTotalSize} bytes)`,
    }
  })
  const print = (contentOf: (file: { content: string }) => string) => {
    const blocks = results.map((result) => {
      const heading = `=== ${printable(result.path)} ===\n`
      if ('error' in result) return `${heading}[Error: ${result.error}]`
      return `${heading}${contentOf(result)}${result.truncated ? '\n[Truncated]' : ''}`
    })
    return blocks.join('\n')
  }
  const failed = results.filter((result) => 'error' in result).length
  const summary = { total: results.length, succeeded: results.length - failed, failed }
  return answer(
    print(({ content }) => content),
    { results, summary },
    () => print(elsewhere),
  )
}
