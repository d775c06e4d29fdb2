import type { PatchedFile } from '../../ops/apply-patch.js'
import type { EditedText } from '../../ops/edit-text.js'
import type { ListDirectory, ListedEntry } from '../../ops/list-directory.js'
import type { ReadText } from '../../ops/read-text.js'
import { displayPath } from '../../ops/shared/display-path.js'
import type { WrittenFile } from '../../ops/write-files.js'
import type { AppliedEdit } from '../../text/edit/edit-types.js'
import { cutBytes, cutUnits, utf8Length } from '../../text/lines/lines.js'
import { printable } from '../../text/printable.js'
import type { Workspace } from '../../workspace/workspace.js'
import { isTolerant } from './wording.js'

const maxLineUnits = 2000
const lineCut = ' [... line truncated ...]'
/** Upper bound for a line number, the mark of a cut line, and separators. */
const maxLineOverhead = 50

/** Numbered rows up to the output budget, at least one, and where to continue. */
export function printLines(
  { lines, firstLine, lineCount = firstLine + lines.length - 1 }: ReadText,
  _args: unknown,
  { limits }: Workspace,
): string {
  if (lineCount === 0) return '(empty file)'
  const rows: string[] = []
  let budget = limits.maxOutputBytes
  // A UTF-16 unit takes three bytes at most, so short results need no exact count.
  const units = lines.reduce((sum, line) => sum + line.length + maxLineOverhead, 0)
  const counted = units * 3 > budget
  for (const line of lines) {
    const number = String(firstLine + rows.length).padStart(6)
    const row = cutBytes(`${number}\t${cutLine(line)}`, limits.maxOutputBytes)
    if (counted) budget -= utf8Length(row) + 1
    if (budget < 0 && rows.length > 0) break
    rows.push(row)
  }
  const next = firstLine + rows.length
  if (next <= lineCount) rows.push(`[... ${rows.length} of ${lineCount} lines shown; continue with offset=${next} ...]`)
  return rows.join('\n')
}

function cutLine(line: string): string {
  return line.length <= maxLineUnits ? line : cutUnits(line, maxLineUnits) + lineCut
}

export function printListing({ entries }: ListDirectory, _args: unknown, workspace: Workspace): string {
  if (entries.length === 0) return '(empty directory)'
  const directories = entries.filter(isDirectory).map(({ name }) => `${printable(name)}/`)
  const files = entries
    .filter((entry) => !isDirectory(entry))
    .map((entry) => `${printable(entry.name)}\t${sizeOf(entry)}`)
  return bound([...directories, ...files].join('\n'), workspace)
}

/** A link counts as its target; a broken one as an empty file. */
function isDirectory({ kind, target }: ListedEntry): boolean {
  return (target?.kind ?? kind) === 'directory'
}

function sizeOf({ kind, size, target }: ListedEntry): number {
  return (kind === 'symlink' ? target?.size : size) ?? 0
}

export function printWritten([file]: WrittenFile[], _args: unknown, workspace: Workspace): string {
  if (file === undefined) return ''
  return `Wrote ${file.bytes} bytes to ${displayPath(file.path, workspace)} (${file.created ? 'created' : 'overwritten'}).`
}

export function printEdit({ path, edits }: EditedText, given: Replacement, workspace: Workspace): string {
  const [edit] = edits as [AppliedEdit]
  const { places } = edit
  const replaced = `Replaced ${places.length} ${places.length === 1 ? 'occurrence' : 'occurrences'} in ${displayPath(path, workspace)}`
  return wasTolerated(edit, given) ? `${replaced} (${tolerated}; check the result).` : `${replaced}.`
}

export function printEdits(
  { path, edits }: EditedText,
  given: { edits: readonly Replacement[] },
  workspace: Workspace,
): string {
  const applied = `Applied ${edits.length} ${edits.length === 1 ? 'edit' : 'edits'} to ${displayPath(path, workspace)}`
  const tolerant = edits.filter((edit, index) => wasTolerated(edit, given.edits[index])).length
  return tolerant === 0 ? `${applied}.` : `${applied} (${tolerant} of them ${tolerated}; check the result).`
}

const tolerated = 'matched after a whitespace-tolerant search'

interface Replacement {
  old_string: string
}

/** Files are shown with LF only, so a text with a carriage return never matches exactly. */
function wasTolerated({ rule }: AppliedEdit, given: Replacement | undefined): boolean {
  return isTolerant(rule) || (given?.old_string.includes('\r') ?? false)
}

export function printPatch(files: PatchedFile[], _args: unknown, workspace: Workspace): string {
  const rows = files.map(({ kind, path, toPath, added, removed }) => {
    const counts = ` (+${added} -${removed})`
    const name = displayPath(path, workspace)
    if (kind === 'rename')
      return `  R ${name} -> ${displayPath(toPath ?? path, workspace)}${added + removed === 0 ? '' : counts}`
    return `  ${letters[kind]} ${name}${counts}`
  })
  return ['Applied patch:', ...rows].join('\n')
}

const letters = { create: 'A', modify: 'M', delete: 'D' }

/** Cuts a result to the output budget, with a note. */
export function bound(output: string, { limits }: Workspace): string {
  const total = utf8Length(output)
  if (total <= limits.maxOutputBytes) return output
  const shown = cutBytes(output, limits.maxOutputBytes)
  return `${shown}\n[... output truncated: ${utf8Length(shown)} of ${total} bytes shown ...]`
}
