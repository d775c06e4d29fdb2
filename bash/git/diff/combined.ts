/** Differences of a merge against all of its parents at once. */
import type { Commit } from '../../../src/git/objects/objects.js'
import type { Repository } from '../../../src/git/repository.js'
import { changedLines } from '../../../src/text/diff/changed-lines.js'
import { splitAfterLf } from '../../../src/text/diff/diff-lines.js'
import { decodeText } from '../../io/byte-text.js'
import { abbreviate } from '../objects.js'
import type { Pathspecs } from '../pathspec.js'
import type { DiffSettings } from './diff-options.js'
import { paintPatch } from './paint-patch.js'
import { type FilePair, type FileSide, treePairs } from './pairs.js'
import { isBinary, type TextOptions } from './patch-text.js'

interface CombinedFile {
  path: string
  parents: readonly (FileSide | undefined)[]
  result: FileSide | undefined
}

/** The files that differ from every parent. */
async function combinedFiles(repository: Repository, commit: Commit, specs: Pathspecs): Promise<CombinedFile[]> {
  const perParent: Map<string, FilePair>[] = []
  for (const parent of commit.parents) {
    const { tree } = await repository.objects.readCommit(parent)
    const pairs = await treePairs(repository, tree, commit.tree, specs)
    perParent.push(new Map(pairs.map((pair) => [pair.path, pair])))
  }
  const [first = new Map<string, FilePair>(), ...others] = perParent
  return [...first.values()]
    .filter(({ path }) => others.every((pairs) => pairs.has(path)))
    .map(({ path, after }) => ({ path, result: after, parents: perParent.map((pairs) => pairs.get(path)?.before) }))
}

export async function combinedNames(
  repository: Repository,
  commit: Commit,
  specs: Pathspecs,
  { formats, patch: { quote, shown } }: DiffSettings,
): Promise<string> {
  const files = await combinedFiles(repository, commit, specs)
  const rows = files.map(({ path, parents, result }) => {
    const letters = parents.map((side) => (side === undefined ? 'A' : result === undefined ? 'D' : 'M')).join('')
    if (formats.has('name-only')) return `${quote(shown(path))}\n`
    return `${letters}\t${quote(shown(path))}\n`
  })
  return rows.join('')
}

export async function combinedPatch(
  repository: Repository,
  commit: Commit,
  specs: Pathspecs,
  settings: DiffSettings,
  isDense: boolean,
): Promise<string> {
  let text = ''
  for (const file of await combinedFiles(repository, commit, specs))
    text += await combinedText(repository, file, settings, isDense)
  return text
}

/** The patch of one file; `labels` for a working tree, whose result has no id. */
export async function combinedText(
  repository: Repository,
  file: CombinedFile,
  settings: DiffSettings,
  isDense: boolean,
  isWorkTree = false,
): Promise<string> {
  const text = await plainCombined(repository, file, settings, isDense, isWorkTree)
  const { colors } = settings.patch
  return colors?.isOn && text !== '' ? paintPatch(text, colors) : text
}

async function plainCombined(
  repository: Repository,
  { path, parents, result }: CombinedFile,
  { patch }: DiffSettings,
  isDense: boolean,
  isWorkTree: boolean,
): Promise<string> {
  const read = async (side: FileSide | undefined) => (await side?.read()) ?? new Uint8Array()
  const bytes = [await read(result), ...(await Promise.all(parents.map(read)))]
  const short = async (side: FileSide | undefined) =>
    side === undefined || (isWorkTree && side === result)
      ? '0'.repeat(7)
      : abbreviate(repository, side.oid, patch.abbrev)
  const names = (await Promise.all(parents.map(short))).join(',')
  const octal = (side: FileSide | undefined) => (side?.mode ?? 0).toString(8).padStart(6, '0')
  let header = `diff --${isDense ? 'cc' : 'combined'} ${patch.quote(patch.shown(path))}\nindex ${names}..${await short(result)}\n`
  const modesBefore = parents.map(octal)
  if (result !== undefined && parents.every((side) => side === undefined)) header += `new file mode ${octal(result)}\n`
  else if (result === undefined) header += `deleted file mode ${modesBefore.join(',')}\n`
  else if (modesBefore.some((mode) => mode !== octal(result)))
    header += `mode ${modesBefore.join(',')}..${octal(result)}\n`
  const oldName = parents.every((side) => side === undefined) ? '/dev/null' : patch.quote(`a/${patch.shown(path)}`)
  const newName = result === undefined ? '/dev/null' : patch.quote(`b/${patch.shown(path)}`)
  if (bytes.some(isBinary)) return `${header}Binary files differ\n`
  const [now = '', ...olds] = bytes.map((each) => decodeText(each))
  const hunks = combinedHunks(olds.map(splitAfterLf), splitAfterLf(now), patch, isDense)
  if (hunks === '') return isDense ? (modesBefore.some((mode) => mode !== octal(result)) ? header : '') : header
  return `${header}--- ${oldName}\n+++ ${newName}\n${hunks}`
}

interface Slot {
  /** Lines that are missing before this line of the result, with the parents that have them. */
  lost: { text: string; parents: Set<number> }[]
  /** The parents that do not have this line. */
  added: Set<number>
}

/** Lost lines of several parents that are the same are shown once: their longest common sequence is merged. */
function mergeLost(known: Slot['lost'], lines: readonly string[], parent: number): Slot['lost'] {
  const table = Array.from({ length: known.length + 1 }, () => new Array<number>(lines.length + 1).fill(0))
  const at = (i: number, j: number) => table[i]?.[j] ?? 0
  for (let i = known.length - 1; i >= 0; i -= 1) {
    for (let j = lines.length - 1; j >= 0; j -= 1) {
      const row = table[i] as number[]
      row[j] = known[i]?.text === lines[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const merged: Slot['lost'] = []
  let [i, j] = [0, 0]
  while (i < known.length || j < lines.length) {
    const entry = known[i]
    if (entry !== undefined && j < lines.length && entry.text === lines[j]) {
      merged.push({ text: entry.text, parents: new Set([...entry.parents, parent]) })
      i += 1
      j += 1
    } else if (entry !== undefined && (j >= lines.length || at(i + 1, j) >= at(i, j + 1))) {
      merged.push(entry)
      i += 1
    } else {
      merged.push({ text: lines[j] as string, parents: new Set([parent]) })
      j += 1
    }
  }
  return merged
}

function combinedHunks(
  olds: readonly (readonly string[])[],
  now: readonly string[],
  options: TextOptions,
  isDense: boolean,
): string {
  const slots: Slot[] = Array.from({ length: now.length + 1 }, () => ({ lost: [], added: new Set() }))
  /** For each parent, its line number before each line of the result. */
  const numbers: number[][] = []
  for (const [parent, old] of olds.entries()) {
    const before = new Array<number>(now.length + 2).fill(0)
    let shift = 0
    let from = 0
    for (const { oldStart, oldEnd, newStart, newEnd } of changedLines(old, now, {
      indentHeuristic: options.indentHeuristic,
      ...(options.keyOf && { keyOf: options.keyOf }),
    })) {
      for (; from <= newStart; from += 1) before[from] = from + shift
      const slot = slots[newStart] as Slot
      slot.lost = mergeLost(slot.lost, old.slice(oldStart, oldEnd), parent)
      for (let line = newStart; line < newEnd; line += 1) slots[line]?.added.add(parent)
      for (; from <= newEnd; from += 1) before[from] = oldEnd
      shift = oldEnd - newEnd
    }
    for (; from <= now.length + 1; from += 1) before[from] = from + shift
    numbers.push(before)
  }
  return printCombined(slots, now, numbers, options, isDense)
}

function printCombined(
  slots: Slot[],
  now: readonly string[],
  numbers: readonly number[][],
  { context }: TextOptions,
  isDense: boolean,
): string {
  const count = numbers.length
  const isInteresting = (at: number) => (slots[at]?.lost.length ?? 0) > 0 || (slots[at]?.added.size ?? 0) > 0
  const marked = new Uint8Array(slots.length)
  for (let at = 0; at < slots.length; ) {
    if (!isInteresting(at)) {
      at += 1
      continue
    }
    let end = at
    while (end < slots.length && isInteresting(end)) end += 1
    // With --cc, a hunk that takes one parent as it is is left out.
    if (!isDense || !isTakenFromOne(slots.slice(at, end), count)) marked.fill(1, at, end)
    at = end
  }
  let text = ''
  for (let at = 0; at < slots.length; at += 1) {
    if (!marked[at]) continue
    const start = Math.max(0, at - context)
    let last = at
    for (let next = at + 1; next < slots.length && next <= last + 2 * context + 1; next += 1)
      if (marked[next]) last = next
    const hasLine = last < now.length
    const end = Math.min(now.length, last + 1 + context - (hasLine && isOnlyLost(slots[last]) ? 1 : 0))
    text += printHunk(slots, now, numbers, start, Math.max(end, Math.min(last, now.length)), marked)
    at = Math.max(last, end - 1)
  }
  return text
}

function isOnlyLost(slot: Slot | undefined): boolean {
  return slot !== undefined && slot.added.size === 0
}

function isTakenFromOne(slots: readonly Slot[], count: number): boolean {
  let same: string | undefined
  for (const { lost, added } of slots) {
    for (const line of lost) {
      const key = [...line.parents].sort().join()
      if (line.parents.size === count) return false
      if (same !== undefined && same !== key) return false
      same = key
    }
    if (added.size === 0) continue
    const key = [...added].sort().join()
    if (added.size === count) return false
    if (same !== undefined && same !== key) return false
    same = key
  }
  return true
}

function printHunk(
  slots: Slot[],
  now: readonly string[],
  numbers: readonly number[][],
  start: number,
  end: number,
  marked: Uint8Array,
): string {
  const count = numbers.length
  const rows: string[] = []
  const counts = new Array<number>(count).fill(0)
  for (let at = start; at <= end; at += 1) {
    const slot = slots[at]
    if (slot === undefined) break
    if (at < end || marked[at]) {
      for (const { text, parents } of slot.lost) {
        rows.push(ended(`${Array.from({ length: count }, (_, i) => (parents.has(i) ? '-' : ' ')).join('')}${text}`))
        for (const parent of parents) counts[parent] = (counts[parent] ?? 0) + 1
      }
    }
    if (at >= end || at >= now.length) break
    rows.push(ended(`${Array.from({ length: count }, (_, i) => (slot.added.has(i) ? '+' : ' ')).join('')}${now[at]}`))
    for (let parent = 0; parent < count; parent += 1)
      if (!slot.added.has(parent)) counts[parent] = (counts[parent] ?? 0) + 1
  }
  const ranges = counts.map((lines, parent) => {
    const before = numbers[parent]?.[start] ?? 0
    return `-${lines === 0 ? before : before + 1},${lines}`
  })
  const size = Math.min(end, now.length) - start
  const at = '@'.repeat(count + 1)
  return `${at} ${ranges.join(' ')} +${size === 0 ? start : start + 1},${size} ${at}${heading(now, start)}\n${rows.join('')}`
}

function heading(now: readonly string[], start: number): string {
  for (let at = start - 1; at >= 0; at -= 1)
    if (/^[A-Za-z_$]/.test(now[at] as string)) return ` ${(now[at] as string).slice(0, 80).trimEnd()}`
  return ''
}

function ended(row: string): string {
  return row.endsWith('\n') ? row : `${row}\n\\ No newline at end of file\n`
}
