/** Prints the differences of one file as a patch. */
import type { Bytes } from '../../../src/fs/types.js'
import { modes } from '../../../src/git/objects/tree.js'
import type { Repository } from '../../../src/git/repository.js'
import { changedLines } from '../../../src/text/diff/changed-lines.js'
import type { LineChange } from '../../../src/text/diff/diff-lines.js'
import { splitAfterLf } from '../../../src/text/diff/diff-lines.js'
import { decodeText } from '../../io/byte-text.js'
import type { Colors } from '../color.js'
import { abbreviate } from '../objects.js'
import { blankEndOf, paintPatch } from './paint-patch.js'
import { type FilePair, type FileSide, maxScore } from './pairs.js'
import { type WordOptions, wordPatch } from './word-diff.js'

export interface TextOptions {
  /** Lines around a change. */
  context: number
  interHunk: number
  /** Lines with the same key are equal, for `-w` and the like. */
  keyOf?: (line: string) => string
  minimal: boolean
  indentHeuristic: boolean
  /** Treat all files as text. */
  allText: boolean
}

export interface PatchOptions extends TextOptions {
  oldPrefix: string
  newPrefix: string
  abbrev: number
  fullIndex: boolean
  quote: (path: string) => string
  colors?: Colors
  /** Words instead of lines. */
  words?: WordOptions
  /** Shown paths: below a directory with `--relative`. */
  shown: (path: string) => string
}

export function isBinary(bytes: Bytes): boolean {
  return bytes.subarray(0, 8000).includes(0)
}

export interface Contents {
  before: Bytes
  after: Bytes
  isBinary: boolean
}

export async function contentsOf(
  { before, after }: FilePair,
  { allText }: Pick<TextOptions, 'allText'>,
): Promise<Contents> {
  const [old, now] = [(await before?.read()) ?? new Uint8Array(), (await after?.read()) ?? new Uint8Array()]
  return { before: old, after: now, isBinary: !allText && (isBinary(old) || isBinary(now)) }
}

export function changesOf(old: readonly string[], now: readonly string[], options: TextOptions): LineChange[] {
  const { keyOf, minimal, indentHeuristic } = options
  return changedLines(old, now, { minimal, indentHeuristic, ...(keyOf && { keyOf }) })
}

/** The patch of one file; empty when nothing is left to show. */
export async function patchOf(
  repository: Repository | undefined,
  pair: FilePair,
  options: PatchOptions,
): Promise<string> {
  const { colors, ...plain } = options
  const text = await plainPatch(repository, pair, plain)
  if (options.words !== undefined && pair.status !== 'T') return wordPatch(text, options.words, colors)
  if (text === '' || colors?.isOn !== true || pair.status === 'T') return text
  const { before, after, isBinary: isPlain } = await contentsOf(pair, options)
  const blankEnd = isPlain ? undefined : blankEndOf(splitAfterLf(decodeText(before)), splitAfterLf(decodeText(after)))
  return paintPatch(text, colors, blankEnd)
}

async function plainPatch(repository: Repository | undefined, pair: FilePair, options: PatchOptions): Promise<string> {
  if (pair.status === 'U') return `* Unmerged path ${options.quote(options.shown(pair.path))}\n`
  if (pair.status === 'T') {
    const { before, after, ...rest } = pair
    const removed = await patchOf(repository, { ...rest, status: 'D', ...(before && { before }) }, options)
    return removed + (await patchOf(repository, { ...rest, status: 'A', ...(after && { after }) }, options))
  }
  const { before, after } = pair
  const [oldPath, newPath] = [options.shown(pair.oldPath), options.shown(pair.path)]
  const [from, to] = [`${options.oldPrefix}${oldPath}`, `${options.newPrefix}${newPath}`]
  const isSame = before?.oid === after?.oid && pair.status !== 'A' && pair.status !== 'D'
  const contents = isSame ? undefined : await contentsOf(pair, options)
  const header = `diff --git ${options.quote(from)} ${options.quote(to)}\n${modeLines(pair)}${renameLines(pair, oldPath, newPath, options)}`
  if (contents === undefined) return header
  const index = await indexLine(repository, before, after, options, contents.isBinary && false)
  const names = [before ? named(from, options) : '/dev/null', after ? named(to, options) : '/dev/null'] as const
  if (contents.isBinary)
    return `${header}${index}Binary files ${names[0].replace(/\t$/, '')} and ${names[1].replace(/\t$/, '')} differ\n`
  const hunks = hunksOf(decodeText(contents.before), decodeText(contents.after), options)
  const isPlain = before !== undefined && after !== undefined && before.mode === after.mode && pair.status === 'M'
  if (hunks === '') return isPlain ? '' : `${header}${index}`
  return `${header}${index}--- ${names[0]}\n+++ ${names[1]}\n${hunks}`
}

function named(name: string, { quote }: PatchOptions): string {
  return quote(name) + (name.includes(' ') && quote(name) === name ? '\t' : '')
}

function octal({ mode }: FileSide): string {
  return mode.toString(8).padStart(6, '0')
}

function modeLines({ before, after }: FilePair): string {
  if (before === undefined) return after ? `new file mode ${octal(after)}\n` : ''
  if (after === undefined) return `deleted file mode ${octal(before)}\n`
  return before.mode === after.mode ? '' : `old mode ${octal(before)}\nnew mode ${octal(after)}\n`
}

function renameLines(
  { status, score = maxScore }: FilePair,
  from: string,
  to: string,
  { quote }: PatchOptions,
): string {
  if (status !== 'R' && status !== 'C') return ''
  const word = status === 'R' ? 'rename' : 'copy'
  return `similarity index ${percent(score)}%\n${word} from ${quote(from)}\n${word} to ${quote(to)}\n`
}

export function percent(score: number): number {
  return Math.trunc((score * 100) / maxScore)
}

async function indexLine(
  repository: Repository | undefined,
  before: FileSide | undefined,
  after: FileSide | undefined,
  { abbrev, fullIndex }: PatchOptions,
  isFull: boolean,
): Promise<string> {
  const length = fullIndex || isFull ? 40 : abbrev
  const name = async (side: FileSide | undefined) => {
    if (side === undefined) return '0'.repeat(length)
    return repository === undefined || length === 40
      ? side.oid.slice(0, length)
      : abbreviate(repository, side.oid, length)
  }
  const mode = before !== undefined && after !== undefined && before.mode === after.mode ? ` ${octal(after)}` : ''
  return `index ${await name(before)}..${await name(after)}${mode}\n`
}

/** Hunks with headings; empty when nothing differs. */
export function hunksOf(before: string, after: string, options: TextOptions): string {
  const [old, now] = [splitAfterLf(before), splitAfterLf(after)]
  const changes = changesOf(old, now, options)
  return printHunks(old, now, changes, options)
}

function isHeading(line: string): boolean {
  return /^[A-Za-z_$]/.test(line)
}

function printHunks(
  old: readonly string[],
  now: readonly string[],
  changes: readonly LineChange[],
  options: TextOptions,
): string {
  const { context, interHunk } = options
  const rows: string[] = []
  const print = (sign: string, line: string) => {
    rows.push(line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`)
  }
  let heading = ''
  let searched = -1
  for (const group of grouped(old, changes, context, interHunk)) {
    const { start, end } = group
    const [first, last] = [group.changes[0] as LineChange, group.changes.at(-1) as LineChange]
    const newStart = first.newStart - (first.oldStart - start)
    const newEnd = last.newEnd + (end - last.oldEnd)
    for (let at = start - 1; at > searched; at -= 1) {
      const line = old[at] as string
      if (!isHeading(line)) continue
      heading = ` ${cut(line)}`
      break
    }
    searched = Math.max(searched, start - 1)
    rows.push(
      `@@ -${range(start, end - start)} +${range(newStart, newEnd - newStart)} @@${heading.trimEnd() === '' ? '' : heading}\n`,
    )
    let at = start
    for (const change of group.changes) {
      for (; at < change.oldStart; at += 1) print(' ', now[change.newStart - (change.oldStart - at)] as string)
      for (; at < change.oldEnd; at += 1) print('-', old[at] as string)
      for (let i = change.newStart; i < change.newEnd; i += 1) print('+', now[i] as string)
    }
    for (; at < end; at += 1) print(' ', now[last.newEnd + (at - last.oldEnd)] as string)
  }
  return rows.join('')
}

/** Git keeps 80 bytes of a heading. */
function cut(line: string): string {
  const bytes = new TextEncoder().encode(line.slice(0, 80))
  return (bytes.length > 80 ? decodeText(bytes.subarray(0, 80)) : line.slice(0, 80)).trimEnd()
}

interface Hunk {
  start: number
  end: number
  changes: LineChange[]
}

function grouped(old: readonly string[], changes: readonly LineChange[], context: number, interHunk: number): Hunk[] {
  const hunks: Hunk[] = []
  for (const change of changes) {
    const start = Math.max(0, change.oldStart - context)
    const end = Math.min(old.length, change.oldEnd + context)
    const previous = hunks.at(-1)
    if (previous !== undefined && start - previous.end <= interHunk) {
      previous.changes.push(change)
      previous.end = Math.max(previous.end, end)
    } else hunks.push({ start, end, changes: [change] })
  }
  return hunks
}

function range(before: number, count: number): string {
  if (count === 0) return `${before},0`
  return count === 1 ? `${before + 1}` : `${before + 1},${count}`
}

/** How many lines were added and removed. */
export function countChanges(before: string, after: string, options: TextOptions): { added: number; removed: number } {
  let [added, removed] = [0, 0]
  for (const change of changesOf(splitAfterLf(before), splitAfterLf(after), options)) {
    added += change.newEnd - change.newStart
    removed += change.oldEnd - change.oldStart
  }
  return { added, removed }
}

export function isSubmodule({ before, after }: FilePair): boolean {
  return (after ?? before)?.mode === modes.submodule
}
