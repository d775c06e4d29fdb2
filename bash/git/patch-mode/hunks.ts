/** The hunks of one file's patch, as they are shown one by one, split, edited, and put together again. */

export interface Hunk {
  oldStart: number
  oldCount: number
  newStart: number
  newCount: number
  /** What stands behind the second `@@`. */
  extra: string
  /** With their signs and line ends; `\ No newline at end of file` is a line of its own. */
  lines: readonly string[]
  use: 'undecided' | 'yes' | 'no'
  /** An edited hunk changes how far the lines behind it have moved. */
  delta: number
}

export interface FileHunks {
  /** The lines in front of the first hunk, without those of a changed mode. */
  header: string
  /** The lines of a changed mode, which are decided on like a hunk. */
  mode: string | undefined
  kind: 'changed' | 'added' | 'deleted'
  isBinary: boolean
  /** A changed mode is the first one, without lines. */
  hunks: Hunk[]
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/s

export function parseHunks(patch: string): FileHunks {
  const lines = patch.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const first = lines.findIndex((line) => line.startsWith('@@ '))
  const head = first === -1 ? lines : lines.slice(0, first)
  const isMode = (line: string) => /^(old|new) mode /.test(line)
  const mode = head.filter(isMode).join('')
  const hunks: Hunk[] = mode === '' ? [] : [{ ...noHunk }]
  let body: string[] = []
  for (const line of first === -1 ? [] : lines.slice(first)) {
    const parsed = parseHead(line)
    if (parsed === undefined) {
      body.push(line)
      continue
    }
    body = []
    hunks.push({ ...noHunk, ...parsed, lines: body })
  }
  return {
    header: head.filter((line) => !isMode(line)).join(''),
    mode: mode === '' ? undefined : mode,
    kind: head.some((line) => line.startsWith('new file'))
      ? 'added'
      : head.some((line) => line.startsWith('deleted file'))
        ? 'deleted'
        : 'changed',
    isBinary: head.some((line) => /^Binary files /.test(line)),
    hunks,
  }
}

export const noHunk: Hunk = {
  oldStart: 0,
  oldCount: 0,
  newStart: 0,
  newCount: 0,
  extra: '\n',
  lines: [],
  use: 'undecided',
  delta: 0,
}

function parseHead(line: string): Pick<Hunk, 'oldStart' | 'oldCount' | 'newStart' | 'newCount' | 'extra'> | undefined {
  const [, oldStart, oldCount = '1', newStart, newCount = '1', extra = '\n'] = hunkHead.exec(line) ?? []
  if (oldStart === undefined) return undefined
  return {
    oldStart: Number(oldStart),
    oldCount: Number(oldCount),
    newStart: Number(newStart),
    newCount: Number(newCount),
    extra,
  }
}

export function renderHunk(hunk: Hunk, moved = 0): string {
  const range = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`)
  return `@@ -${range(hunk.oldStart, hunk.oldCount)} +${range(hunk.newStart + moved, hunk.newCount)} @@${hunk.extra}${hunk.lines.join('')}`
}

const isChange = (line: string | undefined) => line?.startsWith('-') || line?.startsWith('+') || false

/** How many hunks it can be split into: groups of changes with lines between them. */
export function partsOf({ lines }: Hunk): number {
  const kept = lines.filter((line) => !line.startsWith('\\'))
  return kept.filter((line, i) => isChange(line) && !isChange(kept[i + 1])).length
}

/** The lines between two groups of changes belong to both hunks. */
export function splitHunk(hunk: Hunk): Hunk[] {
  const { lines } = hunk
  const ends: number[] = []
  let start = 0
  const groups: { from: number; to: number }[] = []
  while (start < lines.length) {
    if (!isChange(lines[start])) {
      start += 1
      continue
    }
    let end = start
    while (end < lines.length && (isChange(lines[end]) || lines[end]?.startsWith('\\'))) end += 1
    groups.push({ from: start, to: end })
    ends.push(end)
    start = end
  }
  let [oldStart, newStart] = [hunk.oldStart, hunk.newStart]
  return groups.map((group, i) => {
    const from = i === 0 ? 0 : (groups[i - 1]?.to ?? 0)
    const to = groups[i + 1]?.from ?? lines.length
    const own = lines.slice(from, to)
    const part = { ...noHunk, oldStart, newStart, ...countsOf(own), extra: i === 0 ? hunk.extra : '\n', lines: own }
    const until = countsOf(lines.slice(from, group.to))
    oldStart += until.oldCount
    newStart += until.newCount
    return part
  })
}

export function countsOf(lines: readonly string[]): { oldCount: number; newCount: number } {
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign) || /^[ \n]/.test(line)).length
  return { oldCount: count('-'), newCount: count('+') }
}

/** The patch with the chosen hunks; undefined when hunks that overlap were edited in ways that do not fit together. */
export function reassemble(file: FileHunks, usesAll = false): string | undefined {
  const isUsed = (hunk: Hunk) => usesAll || hunk.use === 'yes'
  const [modeHunk] = file.mode === undefined ? [] : file.hunks
  let text = modeHunk !== undefined && isUsed(modeHunk) ? withMode(file) : file.header
  let moved = 0
  const hunks = file.mode === undefined ? file.hunks : file.hunks.slice(1)
  for (let i = 0; i < hunks.length; i += 1) {
    let hunk = hunks[i] as Hunk
    if (!isUsed(hunk)) {
      moved += hunk.oldCount - hunk.newCount
      continue
    }
    for (let next = hunks[i + 1]; next !== undefined && isUsed(next); next = hunks[i + 1]) {
      if (next.oldStart > hunk.oldStart + hunk.oldCount - 1 || hunk.oldStart + hunk.oldCount - next.oldStart <= 0) break
      const merged = merge(hunk, next)
      if (merged === undefined) return undefined
      hunk = merged
      i += 1
    }
    text += renderHunk(hunk, moved)
    moved += hunk.delta
  }
  return text
}

function withMode({ header, mode = '' }: FileHunks): string {
  const end = header.indexOf('\n') + 1
  return header.slice(0, end) + mode + header.slice(end)
}

/** Of two hunks that share lines. */
function merge(one: Hunk, other: Hunk): Hunk | undefined {
  const shared = one.oldStart + one.oldCount - other.oldStart
  const [tail, head] = [one.lines.slice(one.lines.length - shared), other.lines.slice(0, shared)]
  if (tail.some((line, i) => isChange(line) || line !== head[i])) return undefined
  const lines = [...one.lines, ...other.lines.slice(shared)]
  return { ...one, lines, ...countsOf(lines), delta: one.delta + other.delta }
}

/** One line about it. */
export function summarizeHunk(hunk: Hunk): string {
  const head = ` -${hunk.oldStart},${hunk.oldCount} +${hunk.newStart},${hunk.newCount} `.padEnd(20)
  const line = hunk.lines.find((each) => !each.startsWith(' ')) ?? ''
  return `${`${head}${line.replace(/\n$/, '')}`.slice(0, 80)}\n`
}

/** A hunk as an editor has left it; undefined when nothing is left of it. */
export function editedHunk(hunk: Hunk, text: string): Hunk | undefined {
  const lines = (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).filter((line) => !line.startsWith('#'))
  const head = lines[0] === undefined ? undefined : parseHead(lines[0])
  const body = (head === undefined ? lines : lines.slice(1)).map((line) => (line.endsWith('\n') ? line : `${line}\n`))
  if (body.length === 0) return undefined
  const counts = countsOf(body)
  const delta = hunk.delta + hunk.oldCount - hunk.newCount - (counts.oldCount - counts.newCount)
  return { ...hunk, ...head, ...counts, lines: body, delta }
}
