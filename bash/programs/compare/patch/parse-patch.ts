/** Reads patches: unified, context and normal diffs, with or without git's headers. */
import { ProgramError } from '../../program-error.js'

export interface HunkLine {
  mark: ' ' | '-' | '+'
  /** With its line feed, unless the patch says that there is none. */
  text: string
}

export interface Hunk {
  /** The first line in the old file, from 1; the line before when the hunk only adds. */
  oldStart: number
  newStart: number
  lines: HunkLine[]
  /** What follows the numbers of a unified hunk. */
  heading: string
}

export interface FilePatch {
  /** The names as written; undefined where the patch has none. */
  oldName?: string
  newName?: string
  indexName?: string
  /** A side that does not exist, by `/dev/null`, git's header or an epoch time. */
  creates: boolean
  deletes: boolean
  renameFrom?: string
  renameTo?: string
  newMode?: number
  hunks: Hunk[]
  /** The lines before the first hunk, and where they begin, for messages. */
  leading: string[]
  line: number
}

const malformed = (line: number, text: string) => new ProgramError(`**** malformed patch at line ${line}: ${text}\n`, 2)

/** The patches in a text, one for each file. */
export function parsePatches(text: string): FilePatch[] {
  const lines = text.split(/(?<=\n)/)
  const found: FilePatch[] = []
  let leading: string[] = []
  let header: Partial<FilePatch> = {}
  let at = 0

  function begin(names: Partial<FilePatch>): FilePatch {
    const patch: FilePatch = { creates: false, deletes: false, hunks: [], leading, line: at + 1, ...header, ...names }
    found.push(patch)
    leading = []
    header = {}
    return patch
  }

  while (at < lines.length) {
    const line = bare(lines[at])
    const next = bare(lines[at + 1])
    if (line.startsWith('--- ') && next.startsWith('+++ ') && /^@@ -\d/.test(bare(lines[at + 2]))) {
      leading.push(line, next)
      const [old, fresh] = [nameOn(line), nameOn(next)]
      at += 2
      const patch = begin({ ...named(old, fresh) })
      at = readUnified(lines, at, patch)
    } else if (
      line.startsWith('*** ') &&
      next.startsWith('--- ') &&
      bare(lines[at + 2]).startsWith('***************')
    ) {
      leading.push(line, next)
      const [old, fresh] = [nameOn(line), nameOn(next)]
      at += 2
      const patch = begin({ ...named(old, fresh) })
      at = readContext(lines, at, patch)
    } else if (/^@@ -\d/.test(line)) at = readUnified(lines, at, begin({}))
    else if (/^\d+(,\d+)?[acd]\d+(,\d+)?$/.test(line)) at = readNormal(lines, at, begin({}))
    else {
      if (line.startsWith('diff --git ')) {
        if (isWhole(header)) begin({})
        header = gitNames(line)
      }
      readHeader(line, header)
      leading.push(line)
      at += 1
    }
  }
  if (isWhole(header)) begin({})
  return found
}

/** Git's patches of renames, modes and empty files have no hunks. */
function isWhole({ renameTo, newMode, creates, deletes }: Partial<FilePatch>): boolean {
  return renameTo !== undefined || newMode !== undefined || creates === true || deletes === true
}

function readHeader(line: string, header: Partial<FilePatch>): void {
  const [, index] = /^Index: (.+)$/.exec(line) ?? []
  const [, from] = /^rename from (.+)$/.exec(line) ?? []
  const [, to] = /^rename to (.+)$/.exec(line) ?? []
  const [, mode] = /^(?:new mode|new file mode) (\d+)$/.exec(line) ?? []
  if (index !== undefined) header.indexName = index
  if (from !== undefined) header.renameFrom = from
  if (to !== undefined) header.renameTo = to
  if (mode !== undefined) header.newMode = Number.parseInt(mode, 8) & 0o777
  if (line.startsWith('new file mode')) header.creates = true
  if (line.startsWith('deleted file mode')) header.deletes = true
}

function gitNames(line: string): Partial<FilePatch> {
  const [, old, fresh] = /^diff --git (a\/.+) (b\/.+)$/.exec(line) ?? []
  return old === undefined || fresh === undefined ? {} : { oldName: old, newName: fresh }
}

interface NameLine {
  name: string
  isEpoch: boolean
}

/** The name ends before a tab and a time. */
function nameOn(line: string): NameLine {
  const rest = line.slice(4)
  const [written = '', time = ''] = rest.split('\t')
  const name = written.startsWith('"') ? unquoted(written) : written.trimEnd()
  return { name, isEpoch: /^1970-01-01 00:00:00|^1969-12-31/.test(time) }
}

function unquoted(text: string): string {
  const inner = text.replace(/^"|"$/g, '')
  return inner.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : ({ n: '\n', t: '\t' }[code] ?? code),
  )
}

function named(old: NameLine, fresh: NameLine): Partial<FilePatch> {
  const isNull = ({ name }: NameLine) => name === '/dev/null'
  return {
    ...(!isNull(old) && { oldName: old.name }),
    ...(!isNull(fresh) && { newName: fresh.name }),
    ...((isNull(old) || old.isEpoch) && { creates: true }),
    ...((isNull(fresh) || fresh.isEpoch) && { deletes: true }),
  }
}

function bare(line: string | undefined): string {
  return (line ?? '').replace(/\r?\n$/, '')
}

const noNewline = /^\\ /

function readUnified(lines: readonly string[], start: number, patch: FilePatch): number {
  let at = start
  for (;;) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)/.exec(bare(lines[at]))
    if (header === null) return at
    const [, oldStart, oldCount = '1', newStart, newCount = '1', heading = ''] = header
    let [old, fresh] = [Number(oldCount), Number(newCount)]
    const hunk: Hunk = { oldStart: Number(oldStart), newStart: Number(newStart), lines: [], heading }
    at += 1
    while (old > 0 || fresh > 0) {
      const line = lines[at]
      if (line === undefined) throw new ProgramError('**** unexpected end of file in patch', 2)
      const first = line[0] === '\n' || line[0] === '\r' || line[0] === '\t' ? ' ' : line[0]
      if (first !== ' ' && first !== '-' && first !== '+') throw malformed(at + 1, bare(line))
      const text = line[0] === first ? line.slice(1) : line
      hunk.lines.push({ mark: first, text })
      if (first !== '+') old -= 1
      if (first !== '-') fresh -= 1
      at += 1
      if (noNewline.test(lines[at] ?? '')) {
        cutLast(hunk.lines)
        at += 1
      }
    }
    patch.hunks.push(hunk)
  }
}

function cutLast(lines: HunkLine[]): void {
  const last = lines.at(-1)
  if (last !== undefined) last.text = last.text.replace(/\r?\n$/, '')
}

function readContext(lines: readonly string[], start: number, patch: FilePatch): number {
  let at = start
  while (bare(lines[at]).startsWith('***************')) {
    const oldRange = /^\*\*\* (\d+)(?:,(\d+))? \*\*\*\*/.exec(bare(lines[at + 1]))
    if (oldRange === null) throw malformed(at + 2, bare(lines[at + 1]))
    at += 2
    const old = readHalf(lines, at, '-')
    at = old.end
    const newRange = /^--- (\d+)(?:,(\d+))? ----/.exec(bare(lines[at]))
    if (newRange === null) throw malformed(at + 1, bare(lines[at]))
    const fresh = readHalf(lines, at + 1, '+')
    at = fresh.end
    patch.hunks.push({
      oldStart: Number(oldRange[1]),
      newStart: Number(newRange[1]),
      lines: joinHalves(old.lines, fresh.lines),
      heading: '',
    })
  }
  return at
}

function readHalf(lines: readonly string[], start: number, own: '-' | '+'): { lines: HunkLine[]; end: number } {
  const half: HunkLine[] = []
  let at = start
  for (; at < lines.length; at += 1) {
    const line = lines[at] as string
    if (noNewline.test(line)) {
      cutLast(half)
      continue
    }
    const first = line[0]
    if (!/^[ !+-] /.test(line) || /^--- \d+(,\d+)? ----/.test(line)) break
    half.push({ mark: first === ' ' ? ' ' : own, text: line.slice(2) })
  }
  return { lines: half, end: at }
}

/** A half that is left out equals the context of the other. */
function joinHalves(old: readonly HunkLine[], fresh: readonly HunkLine[]): HunkLine[] {
  if (old.length === 0) return [...fresh]
  if (fresh.length === 0) return [...old]
  const joined: HunkLine[] = []
  let at = 0
  for (const line of old) {
    if (line.mark === ' ') {
      while (fresh[at]?.mark === '+') joined.push(fresh[at++] as HunkLine)
      at += 1
    }
    joined.push(line)
  }
  return [...joined, ...fresh.slice(at).filter(({ mark }) => mark === '+')]
}

function readNormal(lines: readonly string[], start: number, patch: FilePatch): number {
  let at = start
  for (;;) {
    const header = /^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$/.exec(bare(lines[at]))
    if (header === null) return at
    const hunk: Hunk = { oldStart: Number(header[1]), newStart: Number(header[4]), lines: [], heading: '' }
    at += 1
    for (; at < lines.length; at += 1) {
      const line = lines[at] as string
      if (noNewline.test(line)) cutLast(hunk.lines)
      else if (/^[<>] ?/.test(line)) hunk.lines.push({ mark: line[0] === '<' ? '-' : '+', text: line.slice(2) })
      else if (bare(line) !== '---') break
    }
    patch.hunks.push(hunk)
  }
}

/** The patch that undoes this one. */
export function reversed(patch: FilePatch): FilePatch {
  const { oldName, newName, renameFrom, renameTo, newMode: _, ...rest } = patch
  const swap = { ' ': ' ', '-': '+', '+': '-' } as const
  return {
    ...rest,
    ...(newName !== undefined && { oldName: newName }),
    ...(oldName !== undefined && { newName: oldName }),
    ...(renameTo !== undefined && { renameFrom: renameTo }),
    ...(renameFrom !== undefined && { renameTo: renameFrom }),
    creates: patch.deletes,
    deletes: patch.creates,
    hunks: patch.hunks.map(({ oldStart, newStart, lines, heading }) => ({
      oldStart: newStart,
      newStart: oldStart,
      heading,
      lines: removedFirst(lines.map(({ mark, text }) => ({ mark: swap[mark], text }))),
    })),
  }
}

/** In every run of changes the removed lines come first, as diff prints them. */
function removedFirst(lines: readonly HunkLine[]): HunkLine[] {
  const result: HunkLine[] = []
  let added: HunkLine[] = []
  for (const line of lines) {
    if (line.mark === '+') added.push(line)
    else {
      if (line.mark === ' ') {
        result.push(...added)
        added = []
      }
      result.push(line)
    }
  }
  return [...result, ...added]
}
