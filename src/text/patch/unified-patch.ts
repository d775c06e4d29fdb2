import { FsError } from '../../errors.js'
import { cutMark } from '../diff/compact-diff.js'
import { type CompactHeader, parseCompactHeader } from './compact-header.js'
import type { FilePatch, Hunk, HunkLine } from './patch.js'
import { bothWithoutPrefix, parseHeaderNames, parseName, withoutFirst, withoutPrefix } from './patch-names.js'

/**
 * Parses a unified diff, of git or plain, of one or more files. Text around the blocks is ignored, as in git. Everything that would have to
 * be guessed (wrong counts, stray lines, binary data, copies, links) fails with MALFORMED_PATCH and its line.
 *
 * A patch whose header lines end with CRLF does not define the line endings of files. In any other, CR before LF belongs to the file, and a
 * hunk that has one defines the ending of each of its lines.
 *
 * With `compact`, blocks may have the one-line headers of `compactHeader` too. One without hunks could be a line of a message around the
 * patch, so it only counts in a patch without other headers.
 */
export function parseUnifiedPatch(text: string, { compact = false }: { compact?: boolean } = {}): FilePatch[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const patches: FilePatch[] = []
  /** Blocks that may be text around the patch, and what could not be applied if it is not. */
  const doubtful = new Set<FilePatch>()
  let refusal: FsError | undefined
  let isOnlyCompact = true
  for (let at = 0; at < lines.length; ) {
    const block = blockAt(lines, at) ?? (compact ? compactBlockAt(lines, at) : undefined)
    if (block === undefined) {
      if (isHunkHeader(lines[at])) throw malformed(at, 'a hunk without a file header (--- and +++) before it', 'path')
      if (/^Binary files .* differ\r?$/.test(lines[at] as string)) throw malformed(at, noBinary)
      at += 1
      continue
    }
    isOnlyCompact &&= block.compact !== undefined
    const hunks: Hunk[] = []
    at = block.end
    while (isHunkHeader(lines[at])) {
      if (compact && bare(lines[at] as string).endsWith(`@@ ${cutMark}`)) throw malformed(at, wasCut)
      const hunk = readHunk(lines, at, block.crlf)
      hunks.push(hunk.hunk)
      at = hunk.end
    }
    if (block.compact?.remark !== undefined) refusal ??= refusedContent(block, block.compact)
    if (block.compact && !saysEnough(block.compact, hunks)) continue
    const patch = toFilePatch(block, hunks)
    if (block.compact && hunks.length === 0) doubtful.add(patch)
    patches.push(patch)
  }
  if (isOnlyCompact && refusal) throw refusal
  if (patches.length === 0) throw malformed(0, 'no file header (--- and +++, or diff --git) found', 'hunks')
  return isOnlyCompact ? patches : patches.filter((patch) => !doubtful.has(patch))
}

const wasCut = 'long lines of this hunk were cut for reading, so that it can not be applied'

/** The headers of one file; lines count from 0 here. */
interface BlockHeader {
  start: number
  end: number
  crlf: boolean
  /** `null` is /dev/null; absent if the header has no such line. */
  from?: string | null
  to?: string | null
  kind?: 'create' | 'delete' | 'rename'
  mode?: number
  /** The side without a file according to its date, as GNU diff writes with `-N`. */
  dateless?: 'from' | 'to'
  /** Set for a block of `diff --git`; `written` are its names. */
  isGit?: true
  written?: { from: string; to: string }
  /** Set for a block with a one-line header. */
  compact?: CompactHeader
}

function blockAt(lines: readonly string[], at: number): BlockHeader | undefined {
  const first = lines[at] as string
  const crlf = first.endsWith('\r')
  if (first.startsWith('diff --git ')) return readGitHeader(lines, at, crlf)
  if (!first.startsWith('--- ')) return undefined
  if (!lines[at + 1]?.startsWith('+++ ')) {
    if (isHunkHeader(lines[at + 1])) throw malformed(at + 1, 'a +++ line must follow the --- line')
    return undefined
  }
  const block: BlockHeader = { start: at, end: at, crlf }
  readFileNames(lines, block)
  return block
}

function compactBlockAt(lines: readonly string[], at: number): BlockHeader | undefined {
  const first = lines[at] as string
  const compact = parseCompactHeader(bare(first))
  if (compact === undefined) return undefined
  const { kind, path, toPath = path, mode } = compact
  const block = { start: at, end: at + 1, crlf: first.endsWith('\r'), compact, ...(mode !== undefined && { mode }) }
  if (kind === 'created') return { ...block, kind: 'create', from: null, to: path }
  if (kind === 'deleted') return { ...block, kind: 'delete', from: path, to: null }
  return { ...block, ...(kind === 'renamed' && { kind: 'rename' }), from: path, to: toPath }
}

/** Whether the block says what to do. Directories are made and left as files need them. */
function saysEnough({ kind, mode, remark }: CompactHeader, hunks: readonly Hunk[]): boolean {
  if (remark !== undefined) return false
  return kind !== 'changed' || mode !== undefined || hunks.length > 0
}

function refusedContent({ start }: BlockHeader, { kind, remark = '' }: CompactHeader): FsError | undefined {
  if (remark === 'directory' && kind !== 'renamed') return undefined
  return malformed(start, `the content is not in the patch (${remark})`)
}

function readGitHeader(lines: readonly string[], start: number, crlf: boolean): BlockHeader {
  const names = parseHeaderNames(bare(lines[start] as string).slice('diff --git '.length))
  const block: BlockHeader = { start, end: start + 1, crlf, isGit: true, ...names }
  for (; block.end < lines.length; block.end += 1) {
    const line = bare(lines[block.end] as string)
    const [, word, value = ''] = extendedHeader.exec(line) ?? []
    if (word === undefined) break
    readExtendedHeader(block, word, value)
  }
  readFileNames(lines, block)
  return block
}

const extendedHeader =
  /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|rename old|rename new|copy from|copy to|index|similarity index|dissimilarity index|GIT binary patch|Binary files)(?: (.*))?$/

const noBinary = 'binary patches are not supported'

function readExtendedHeader(block: BlockHeader, word: string, value: string): void {
  const at = block.end
  if (word === 'copy from' || word === 'copy to')
    throw malformed(at, 'copies are not supported; add the new file in full')
  if (word === 'GIT binary patch' || word === 'Binary files') throw malformed(at, noBinary)
  if (word === 'new file mode') block.kind = 'create'
  if (word === 'deleted file mode') block.kind = 'delete'
  if (word.endsWith('mode')) readMode(block, word, value)
  if (word === 'index') refuseOtherThanFiles(at, value.split(' ')[1])
  if (!word.startsWith('rename ')) return
  block.kind = 'rename'
  const name = parseName(value)
  if (name === undefined) throw malformed(at, 'the file name is not quoted as git does')
  if (word === 'rename from' || word === 'rename old') block.from = name
  else block.to = name
}

function readMode(block: BlockHeader, word: string, value: string): void {
  refuseOtherThanFiles(block.end, value)
  if (!/^100[0-7]{3}$/.test(value)) throw malformed(block.end, `not a file mode: ${value}`)
  if (word === 'new mode' || word === 'new file mode') block.mode = Number.parseInt(value, 8) & 0o777
}

function refuseOtherThanFiles(at: number, mode: string | undefined): void {
  if (mode === '120000') throw malformed(at, 'symbolic links are not supported')
  if (mode === '160000') throw malformed(at, 'submodules are not supported')
}

/** The `---` and `+++` lines, if there are any. */
function readFileNames(lines: readonly string[], block: BlockHeader): void {
  const old = lines[block.end]
  if (!old?.startsWith('--- ')) return
  const fresh = lines[block.end + 1]
  if (!fresh?.startsWith('+++ ')) throw malformed(block.end + 1, 'a +++ line must follow the --- line')
  const from = sideName(old, block.end)
  const to = sideName(fresh, block.end + 1)
  if (block.isGit && from && to && block.from === undefined && block.to === undefined) {
    Object.assign(block, bothWithoutPrefix(from, to))
  } else {
    block.from = checkedName(block, 'from', block.end, from)
    block.to = checkedName(block, 'to', block.end + 1, to)
  }
  const isEpoch = [old, fresh].map(isDatedEpoch)
  if (!block.isGit && isEpoch[0] !== isEpoch[1]) block.dateless = isEpoch[0] ? 'from' : 'to'
  block.end += 2
}

function isDatedEpoch(line: string): boolean {
  const date = /\t(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.0+)? ([-+]\d\d):?(\d\d)\r?$/.exec(line)
  return date !== null && Date.parse(`${date[1]}T${date[2]}${date[3]}:${date[4]}`) === 0
}

/** The name as written; `null` is /dev/null. */
function sideName(line: string, at: number): string | null {
  const name = parseName(bare(line).slice(4))
  if (name === undefined) throw malformed(at, 'the file name is not quoted as git does')
  if (name === '/dev/null') return null
  if (withoutPrefix(name) === '') throw malformed(at, 'the file name is missing', 'path')
  return name
}

/** The names of `diff --git` and `rename` lines must agree with those of the `---` and `+++` lines. */
function checkedName(block: BlockHeader, side: 'from' | 'to', at: number, written: string | null): string | null {
  if (written === null) return null
  const known = block[side]
  const name = withoutPrefix(written)
  if (known === undefined || known === null || known === name) return name
  const isPrefixed = block.kind === 'rename' && known === withoutFirst(written)
  if (isPrefixed || written === known || written === block.written?.[side]) return known
  throw malformed(at, `${name} is not the file that the block's header names (${known})`)
}

function toFilePatch(block: BlockHeader, hunks: readonly Hunk[]): FilePatch {
  const { start, kind, mode } = block
  const from = block.dateless === 'from' && areAll(hunks, 'add') ? null : block.from
  const to = block.dateless === 'to' && areAll(hunks, 'remove') ? null : block.to
  const line = start + 1
  const common = { line, ...(mode !== undefined && { mode }) }
  if (kind === 'create' || (kind === undefined && from === null)) {
    if (!to) throw malformed(start, 'the name of the new file is missing', 'path')
    const old = hunks.find((hunk) => hunk.lines.some(({ kind }) => kind !== 'add'))
    if (old) throw malformed(old.line - 1, 'a new file has no old lines')
    return { kind: 'create', path: to, ...common, hunks }
  }
  if (!from) throw malformed(start, 'the name of the file is missing', 'path')
  if (kind === 'delete' || (kind === undefined && to === null)) return { kind: 'delete', path: from, line, hunks }
  if (!to) throw malformed(start, 'the name of the file is missing', 'path')
  if (from === to) return { kind: 'modify', path: from, ...common, hunks }
  return { kind: 'rename', path: from, toPath: to, ...common, hunks }
}

function areAll(hunks: readonly Hunk[], kind: HunkLine['kind']): boolean {
  return hunks.length > 0 && hunks.every(({ lines }) => lines.every((line) => line.kind === kind))
}

function isHunkHeader(line: string | undefined): boolean {
  return line?.startsWith('@@') === true && /^@@(\s|$)/.test(line)
}

function readHunk(lines: readonly string[], start: number, crlf: boolean): { hunk: Hunk; end: number } {
  const header = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(lines[start] as string)
  if (!header) throw malformed(start, 'a hunk header reads @@ -start,count +start,count @@')
  const oldCount = Number(header[2] ?? 1)
  const newCount = Number(header[4] ?? 1)
  const body: RawLine[] = []
  let oldSeen = 0
  let newSeen = 0
  let at = start + 1
  for (; oldSeen < oldCount || newSeen < newCount || lines[at]?.startsWith('\\'); at += 1) {
    const row = lines[at]
    if (row === undefined || opensNext(row)) break
    if (row.startsWith('\\')) {
      const last = body.at(-1)
      if (!last) throw malformed(at, 'nothing stands before this line that could lack its newline')
      last.unterminated = true
      continue
    }
    const kind = row === '' || row === '\r' ? 'context' : kinds[row[0] as string]
    if (kind === undefined) throw malformed(at, 'a line of a hunk starts with a space, + or -')
    body.push({ kind, text: row === '\r' ? row : row.slice(1) })
    if (kind !== 'add') oldSeen += 1
    if (kind !== 'remove') newSeen += 1
  }
  for (let more = at; isStray(lines, more); more += 1) {
    if (!lines[more]?.startsWith('+')) oldSeen += 1
    if (!lines[more]?.startsWith('-')) newSeen += 1
  }
  if (oldSeen !== oldCount || newSeen !== newCount) {
    const announced = `${oldCount} old and ${newCount} new lines`
    throw malformed(start, `the hunk header announces ${announced}, but ${oldSeen} and ${newSeen} follow`)
  }
  const place = { by: 'number', oldStart: Number(header[1]) } as const
  return { hunk: { line: start + 1, place, lines: withEndings(body, crlf) }, end: at }
}

const kinds: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'context', '+': 'add', '-': 'remove' }

interface RawLine {
  kind: HunkLine['kind']
  text: string
  unterminated?: boolean
}

/** A line that can't be inside a hunk, and starts the next hunk or the next file. */
function opensNext(row: string): boolean {
  return isHunkHeader(row) || row.startsWith('diff --git ')
}

/** A line beyond the announced counts, which git would drop silently. Blank lines and the `-- ` at the end of a mail are harmless. */
function isStray(lines: readonly string[], at: number): boolean {
  const row = lines[at] ?? ''
  return /^[-+ ]/.test(row) && row.trim() !== '' && row.trimEnd() !== '--' && !opensFile(lines, at)
}

function opensFile(lines: readonly string[], at: number): boolean {
  return (lines[at]?.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) ?? false
}

function withEndings(body: readonly RawLine[], crlf: boolean): readonly HunkLine[] {
  if (!crlf && !body.some(({ text, unterminated }) => unterminated || text.endsWith('\r'))) return body
  const named = !crlf && body.some(({ text, unterminated }) => !unterminated && text.endsWith('\r'))
  return body.map(({ kind, text, unterminated }) => {
    if (unterminated) return { kind, text: crlf ? bare(text) : text, ending: '' }
    if (!named) return { kind, text: crlf ? bare(text) : text }
    return { kind, text: bare(text), ending: text.endsWith('\r') ? '\r\n' : '\n' }
  })
}

function bare(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

function malformed(at: number, reason: string, lacks?: 'hunks' | 'path'): FsError<'MALFORMED_PATCH'> {
  return new FsError('MALFORMED_PATCH', { line: at + 1, reason, ...(lacks && { lacks }) })
}
