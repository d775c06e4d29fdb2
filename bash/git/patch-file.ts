/** Reads patches as `git diff` writes them, and plain unified ones. */
import { parseName } from '../../src/text/patch/patch-names.js'
import { GitError } from './git-error.js'

export interface PatchHunk {
  oldStart: number
  oldCount: number
  newStart: number
  newCount: number
  /** With their sign and line end; a line without one has none. */
  lines: { sign: ' ' | '-' | '+'; text: string }[]
}

export interface FilePatch {
  /** Undefined for a new file. */
  oldPath?: string
  /** Undefined for a removed file. */
  newPath?: string
  oldMode?: number
  newMode?: number
  isRename: boolean
  isCopy: boolean
  score: number
  isBinary: boolean
  hunks: PatchHunk[]
}

/** The patches in a text; anything around them is skipped. */
export function parsePatch(text: string, strip: number): FilePatch[] {
  const lines = text.split('\n')
  const files: FilePatch[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] as string
    if (line.startsWith('diff --git ')) {
      const parsed = parseGitFile(lines, at, strip)
      files.push(parsed.file)
      at = parsed.next
    } else if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') && lines[at + 2]?.startsWith('@@ -')) {
      const parsed = parsePlainFile(lines, at, strip)
      files.push(parsed.file)
      at = parsed.next
    } else at += 1
  }
  return files
}

function stripped(name: string, strip: number): string {
  const parts = name.split('/')
  return parts.slice(Math.min(strip, parts.length - 1)).join('/')
}

function nameIn(line: string): string {
  const bare = line.replace(/\r$/, '').replace(/\t.*$/, '')
  return parseName(bare) ?? bare
}

function parsePlainFile(lines: readonly string[], start: number, strip: number): { file: FilePatch; next: number } {
  const [old, now] = [nameIn((lines[start] as string).slice(4)), nameIn((lines[start + 1] as string).slice(4))]
  const { hunks, next } = parseHunks(lines, start + 2)
  const isNew =
    old === '/dev/null' ||
    (hunks.length === 1 &&
      hunks[0]?.oldCount === 0 &&
      hunks[0]?.oldStart === 0 &&
      /1970|\bepoch\b/.test(lines[start] as string))
  const file: FilePatch = { isRename: false, isCopy: false, score: 100, isBinary: false, hunks }
  if (!isNew) file.oldPath = stripped(old, strip)
  if (now !== '/dev/null') file.newPath = stripped(now, strip)
  if (file.oldPath !== undefined && file.newPath !== undefined) file.oldPath = file.newPath
  return { file, next }
}

function parseGitFile(lines: readonly string[], start: number, strip: number): { file: FilePatch; next: number } {
  const file: FilePatch = { isRename: false, isCopy: false, score: 100, isBinary: false, hunks: [] }
  const header = (lines[start] as string).slice('diff --git '.length)
  const [oldName, newName] = headerNames(header, strip)
  let [old, now]: [string | undefined, string | undefined] = [oldName, newName]
  let at = start + 1
  for (; at < lines.length; at += 1) {
    const line = lines[at] as string
    const [, key, rest = ''] =
      /^(old mode|new mode|new file mode|deleted file mode|similarity index|dissimilarity index|rename from|rename to|copy from|copy to|index) (.*)$/.exec(
        line,
      ) ?? []
    if (key === 'old mode') file.oldMode = Number.parseInt(rest, 8)
    else if (key === 'new mode') file.newMode = Number.parseInt(rest, 8)
    else if (key === 'new file mode') {
      file.newMode = Number.parseInt(rest, 8)
      old = undefined
    } else if (key === 'deleted file mode') {
      file.oldMode = Number.parseInt(rest, 8)
      now = undefined
    } else if (key === 'similarity index') file.score = Number(rest.replace('%', ''))
    else if (key === 'rename from' || key === 'copy from') {
      old = withoutPrefixDirectories(nameIn(rest), strip)
      file.isRename = key === 'rename from'
      file.isCopy = key === 'copy from'
    } else if (key === 'rename to' || key === 'copy to') now = withoutPrefixDirectories(nameIn(rest), strip)
    else if (key === 'index') {
      const mode = / (\d{6})$/.exec(rest)?.[1]
      if (mode !== undefined) {
        file.oldMode = Number.parseInt(mode, 8)
        file.newMode = file.oldMode
      }
    } else if (key === undefined) break
  }
  if (lines[at]?.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
    const [from, to] = [nameIn((lines[at] as string).slice(4)), nameIn((lines[at + 1] as string).slice(4))]
    if (from !== '/dev/null' && old !== undefined && !file.isRename && !file.isCopy) old = stripped(from, strip)
    if (to !== '/dev/null' && now !== undefined && !file.isRename && !file.isCopy) now = stripped(to, strip)
    const parsed = parseHunks(lines, at + 2)
    file.hunks = parsed.hunks
    at = parsed.next
  } else if (/^(Binary files |GIT binary patch)/.test(lines[at] ?? '')) {
    file.isBinary = true
    at += 1
  }
  if (old !== undefined) file.oldPath = old
  if (now !== undefined) file.newPath = now
  return { file, next: at }
}

/** Names of renames have no `a/` and `b/`. */
function withoutPrefixDirectories(name: string, strip: number): string {
  return strip > 1 ? stripped(name, strip - 1) : name
}

function headerNames(header: string, strip: number): [string, string] {
  const quoted = /^"((?:[^"\\]|\\.)*)" "?(.*?)"?$/.exec(header)
  if (quoted !== null || header.includes('"')) {
    const [first = '', second = first] = [...header.matchAll(/"(?:[^"\\]|\\.)*"|\S+/g)].map(([word]) => nameIn(word))
    return [stripped(first, strip), stripped(second, strip)]
  }
  // Both names are the same after their prefix, so the middle is a space.
  const middle = (header.length - 1) / 2
  if (
    header[middle] === ' ' &&
    stripped(header.slice(0, middle), strip) === stripped(header.slice(middle + 1), strip)
  ) {
    return [stripped(header.slice(0, middle), strip), stripped(header.slice(middle + 1), strip)]
  }
  const [first = '', second = first] = header.split(' ')
  return [stripped(first, strip), stripped(second, strip)]
}

function parseHunks(lines: readonly string[], start: number): { hunks: PatchHunk[]; next: number } {
  const hunks: PatchHunk[] = []
  let at = start
  while (at < lines.length) {
    const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] as string)
    if (found === null) break
    const hunk: PatchHunk = {
      oldStart: Number(found[1]),
      oldCount: Number(found[2] ?? 1),
      newStart: Number(found[3]),
      newCount: Number(found[4] ?? 1),
      lines: [],
    }
    const header = at
    let [old, now] = [hunk.oldCount, hunk.newCount]
    for (at += 1; old > 0 || now > 0; at += 1) {
      const line = lines[at]
      if (line === undefined || (at === lines.length - 1 && line === ''))
        throw new GitError(`error: corrupt patch at line ${header + 1 + hunk.lines.length + 1}`, 128)
      const sign = line === '' ? ' ' : line[0]
      if (sign === '\\') {
        endWithoutLine(hunk)
        continue
      }
      if (sign !== ' ' && sign !== '-' && sign !== '+')
        throw new GitError(`error: corrupt patch at line ${at + 1}`, 128)
      if (sign !== '+') old -= 1
      if (sign !== '-') now -= 1
      hunk.lines.push({ sign, text: `${line.slice(1)}\n` })
    }
    if (lines[at]?.startsWith('\\ ')) {
      endWithoutLine(hunk)
      at += 1
    }
    hunks.push(hunk)
  }
  return { hunks, next: at }
}

function endWithoutLine(hunk: PatchHunk): void {
  const last = hunk.lines.at(-1)
  if (last !== undefined) last.text = last.text.replace(/\n$/, '')
}

export function reversePatch(file: FilePatch): FilePatch {
  const { oldPath, newPath, oldMode, newMode, hunks, ...rest } = file
  return {
    ...rest,
    ...(newPath !== undefined && { oldPath: newPath }),
    ...(oldPath !== undefined && { newPath: oldPath }),
    ...(newMode !== undefined && { oldMode: newMode }),
    ...(oldMode !== undefined && { newMode: oldMode }),
    hunks: hunks.map((hunk) => ({
      oldStart: hunk.newStart,
      oldCount: hunk.newCount,
      newStart: hunk.oldStart,
      newCount: hunk.oldCount,
      lines: turned(hunk.lines),
    })),
  }
}

/** Removed lines come before added ones. */
function turned(lines: PatchHunk['lines']): PatchHunk['lines'] {
  const result: PatchHunk['lines'] = []
  let added: PatchHunk['lines'] = []
  for (const { sign, text } of lines) {
    if (sign === '+') result.push({ sign: '-', text })
    else if (sign === '-') added.push({ sign: '+', text })
    else {
      result.push(...added, { sign, text })
      added = []
    }
  }
  return [...result, ...added]
}

/** The text after the hunks; the number of the hunk that does not fit otherwise. */
export function applyHunks(
  before: readonly string[],
  hunks: readonly PatchHunk[],
): { lines: string[] } | { failed: number } {
  const lines = [...before]
  let shift = 0
  for (const [i, hunk] of hunks.entries()) {
    const old = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)
    const now = hunk.lines.filter(({ sign }) => sign !== '-').map(({ text }) => text)
    const [lead, tail] = [leading(hunk.lines), leading([...hunk.lines].reverse())]
    const start = hunk.oldStart === 0 ? 0 : hunk.oldStart - (hunk.oldCount === 0 ? 0 : 1)
    const mustBegin = hunk.oldStart <= 1 && lead < tail
    const mustEnd = tail < lead
    const at = locate(lines, old, start + shift, {
      mustBegin: mustBegin || (hunk.oldCount === 0 && hunk.oldStart === 0),
      mustEnd,
    })
    if (at === undefined) return { failed: i }
    lines.splice(at, old.length, ...now)
    shift = at - start + now.length - old.length
  }
  return { lines }
}

function leading(lines: readonly PatchHunk['lines'][number][]): number {
  const count = lines.findIndex(({ sign }) => sign !== ' ')
  return count === -1 ? lines.length : count
}

function locate(
  lines: readonly string[],
  wanted: readonly string[],
  guess: number,
  { mustBegin, mustEnd }: { mustBegin: boolean; mustEnd: boolean },
): number | undefined {
  const fits = (at: number) => {
    if (at < 0 || at + wanted.length > lines.length) return false
    if (mustEnd && at + wanted.length !== lines.length) return false
    return wanted.every((line, i) => lines[at + i] === line)
  }
  if (mustBegin) return fits(0) ? 0 : undefined
  for (let distance = 0; distance <= lines.length; distance += 1) {
    if (fits(guess + distance)) return guess + distance
    if (distance > 0 && fits(guess - distance)) return guess - distance
  }
  return undefined
}
