import { FsError } from '../../errors.js'
import type { FilePatch, Hunk, HunkLine } from './patch.js'

/**
 * Parses a V4A patch (`*** Begin Patch` … `*** End Patch`). As lenient as Codex: padded markers, a here-document around the whole, a first
 * hunk without `@@`, blank context lines without their space, blank lines between the parts. Also accepted: a Markdown block around the
 * whole, several consecutive `@@` lines, a file that is only moved, and `@@ -1,2 +1,2 @@` as a plain `@@`. The line endings of the patch are
 * ignored.
 */
export function parseV4aPatch(text: string): FilePatch[] {
  const lines = text.split(/\r?\n/)
  const { start, end } = boundaries(lines)
  const patches: FilePatch[] = []
  for (let at = start; at < end; ) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const block = readBlock(lines, at, end)
    patches.push(block.patch)
    at = block.next
  }
  if (patches.length === 0) throw malformed(start, 'the patch names no file')
  return patches
}

/** The lines between the two markers. */
function boundaries(lines: readonly string[]): { start: number; end: number } {
  let first = 0
  let last = lines.length - 1
  while (isBlank(lines[first]) && first < last) first += 1
  while (isBlank(lines[last]) && last > first) last -= 1
  const delimiter = closingOf(lines[first] as string)
  if (delimiter !== undefined && lines[last]?.trim() === delimiter) {
    first += 1
    last -= 1
    while (isBlank(lines[last]) && last > first) last -= 1
  }
  if (lines[first]?.trim() !== '*** Begin Patch') throw malformed(first, "the first line must be '*** Begin Patch'")
  if (lines[last]?.trim() !== '*** End Patch') throw malformed(last, "the last line must be '*** End Patch'")
  return { start: first + 1, end: last }
}

/** The line that ends the here-document or Markdown block which this line opens. */
function closingOf(line: string): string | undefined {
  return /<<-?\s*(['"]?)(\w+)\1\s*$/.exec(line)?.[2] ?? /^\s*(```+)\w*\s*$/.exec(line)?.[1]
}

function readBlock(lines: readonly string[], at: number, end: number): { patch: FilePatch; next: number } {
  const [, verb, path] = /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec((lines[at] as string).trim()) ?? []
  if (path === undefined) {
    throw malformed(at, "expected '*** Add File: path', '*** Update File: path' or '*** Delete File: path'")
  }
  if (verb === 'Add') return readAdded(lines, at, end, path)
  if (verb === 'Delete') return { patch: { kind: 'delete', path, line: at + 1 }, next: at + 1 }
  return readUpdated(lines, at, end, path)
}

function readAdded(lines: readonly string[], start: number, end: number, path: string) {
  const added: HunkLine[] = []
  let at = start + 1
  for (; at < end && lines[at]?.startsWith('+'); at += 1) {
    added.push({ kind: 'add', text: (lines[at] as string).slice(1) })
  }
  if (at < end && !isBlank(lines[at]) && !isMarker(lines[at]?.trimStart())) {
    throw malformed(at, 'every line of a new file starts with +')
  }
  const hunks: Hunk[] =
    added.length > 0 ? [{ line: start + 2, place: { by: 'number', oldStart: 0 }, lines: added }] : []
  return { patch: { kind: 'create', path, line: start + 1, hunks } satisfies FilePatch, next: at }
}

function readUpdated(lines: readonly string[], start: number, end: number, path: string) {
  let at = start + 1
  const toPath = /^\*\*\* Move to: (.+)$/.exec(lines[at]?.trim() ?? '')?.[1]
  if (toPath !== undefined) at += 1
  const hunks: Hunk[] = []
  while (at < end && !isMarker(lines[at])) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const { hunk, next } = readHunk(lines, at, end, hunks.length === 0)
    hunks.push(hunk)
    at = next
  }
  const common = { path, line: start + 1, hunks }
  if (toPath !== undefined && toPath !== path)
    return { patch: { kind: 'rename', toPath, ...common } as const, next: at }
  if (hunks.length === 0) throw malformed(start, 'the update changes nothing: no hunk follows')
  return { patch: { kind: 'modify', ...common } as const, next: at }
}

function readHunk(lines: readonly string[], start: number, end: number, first: boolean): { hunk: Hunk; next: number } {
  const anchors: string[] = []
  let at = start
  for (; at < end && isAnchor(lines[at]); at += 1) {
    const anchor = anchorText(lines[at] as string)
    if (anchor.trim() !== '') anchors.push(anchor)
  }
  if (at === start && !first) throw malformed(at, 'a further hunk starts with @@')
  const body: HunkLine[] = []
  let atEnd = false
  for (; at < end && !isAnchor(lines[at]); at += 1) {
    const row = lines[at] as string
    if (row.trimEnd() === '*** End of File') {
      atEnd = true
      at += 1
      break
    }
    if (isMarker(row)) break
    const kind = row === '' ? 'context' : kinds[row[0] as string]
    if (kind === undefined) throw malformed(at, 'a line of a hunk starts with a space, + or -')
    body.push({ kind, text: row.slice(1) })
  }
  if (body.length === 0) throw malformed(start, 'the hunk has no lines')
  return { hunk: { line: start + 1, place: { by: 'context', anchors, atEnd }, lines: body }, next: at }
}

const kinds: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'context', '+': 'add', '-': 'remove' }

function isAnchor(line: string | undefined): boolean {
  return line === '@@' || (line?.startsWith('@@ ') ?? false)
}

function anchorText(line: string): string {
  return line.replace(/^@@( -\d+(,\d+)? \+\d+(,\d+)? @@)? ?/, '')
}

/** An indented line is context, not a marker. */
function isMarker(line: string | undefined): boolean {
  return line?.startsWith('*** ') ?? false
}

function isBlank(line: string | undefined): boolean {
  return line !== undefined && line.trim() === ''
}

function malformed(at: number, reason: string): FsError<'MALFORMED_PATCH'> {
  return new FsError('MALFORMED_PATCH', { line: at + 1, reason })
}
