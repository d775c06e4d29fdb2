/** The output formats of diff. */
import type { Change } from './edit-script.js'

/** The lines of a file without their line feeds. */
export interface FileLines {
  lines: readonly string[]
  /** The last line has no line feed. */
  isCut: boolean
}

export interface Sides {
  old: FileLines
  fresh: FileLines
  changes: readonly Change[]
}

/** Finds the function that a hunk is in: the last matching line before it. */
export type Heading = (line: string) => boolean

const cutNote = '\n\\ No newline at end of file\n'

function printed({ lines, isCut }: FileLines, index: number): string {
  const isLast = index === lines.length - 1
  return `${lines[index]}${isLast && isCut ? cutNote : '\n'}`
}

function marked(mark: string, file: FileLines, start: number, end: number): string {
  let text = ''
  for (let index = start; index < end; index += 1) text += mark + printed(file, index)
  return text
}

/** `5`, `5,7`, or the line before when there are none. */
function range(start: number, end: number): string {
  if (end <= start + 1) return String(end > start ? start + 1 : start)
  return `${start + 1},${end}`
}

export function printNormal({ old, fresh, changes }: Sides): string {
  return changes
    .map(({ oldStart, oldEnd, newStart, newEnd }) => {
      const letter = oldStart === oldEnd ? 'a' : newStart === newEnd ? 'd' : 'c'
      const removed = marked('< ', old, oldStart, oldEnd)
      const added = marked('> ', fresh, newStart, newEnd)
      return `${range(oldStart, oldEnd)}${letter}${range(newStart, newEnd)}\n${removed}${letter === 'c' ? '---\n' : ''}${added}`
    })
    .join('')
}

/** A script for `ed`, from the end to the start. */
export function printEd({ fresh, changes }: Sides): string {
  return [...changes]
    .reverse()
    .map(({ oldStart, oldEnd, newStart, newEnd }) => {
      const letter = oldStart === oldEnd ? 'a' : newStart === newEnd ? 'd' : 'c'
      const lines = fresh.lines.slice(newStart, newEnd)
      // A line with a single dot would end the text: it is written as two dots and mended.
      const body = lines.map((line) => (line === '.' ? '..\n.\ns/.//\na\n' : `${line}\n`)).join('')
      return `${range(oldStart, oldEnd)}${letter}\n${letter === 'd' ? '' : `${body}.\n`}`
    })
    .join('')
}

interface Hunk {
  changes: Change[]
  oldStart: number
  oldEnd: number
  newStart: number
  newEnd: number
}

/** Changes whose context overlaps or touches are one hunk. */
function hunks({ old, fresh, changes }: Sides, context: number): Hunk[] {
  const found: Hunk[] = []
  for (const change of changes) {
    const last = found.at(-1)?.changes.at(-1)
    if (last !== undefined && change.oldStart - last.oldEnd <= 2 * context) found.at(-1)?.changes.push(change)
    else found.push({ changes: [change], oldStart: 0, oldEnd: 0, newStart: 0, newEnd: 0 })
  }
  for (const hunk of found) {
    const first = hunk.changes[0] as Change
    const last = hunk.changes.at(-1) as Change
    const before = Math.min(context, first.oldStart, first.newStart)
    const after = Math.min(context, old.lines.length - last.oldEnd, fresh.lines.length - last.newEnd)
    hunk.oldStart = first.oldStart - before
    hunk.newStart = first.newStart - before
    hunk.oldEnd = last.oldEnd + after
    hunk.newEnd = last.newEnd + after
  }
  return found
}

function headingOf({ lines }: FileLines, before: number, heading: Heading | undefined): string {
  if (heading === undefined) return ''
  for (let index = before - 1; index >= 0; index -= 1) {
    const line = lines[index] as string
    if (heading(line)) return ` ${line.slice(0, 40).trimEnd()}`
  }
  return ''
}

export function printUnified(sides: Sides, context: number, heading?: Heading): string {
  const { old, fresh } = sides
  const span = (start: number, end: number) => {
    const count = end - start
    if (count === 1) return String(start + 1)
    return `${count === 0 ? start : start + 1},${count}`
  }
  return hunks(sides, context)
    .map((hunk) => {
      let text = `@@ -${span(hunk.oldStart, hunk.oldEnd)} +${span(hunk.newStart, hunk.newEnd)} @@${headingOf(old, hunk.oldStart, heading)}\n`
      let at = hunk.oldStart
      for (const { oldStart, oldEnd, newStart, newEnd } of hunk.changes) {
        text += marked(' ', old, at, oldStart)
        text += marked('-', old, oldStart, oldEnd) + marked('+', fresh, newStart, newEnd)
        at = oldEnd
      }
      return text + marked(' ', old, at, hunk.oldEnd)
    })
    .join('')
}

export function printContext(sides: Sides, context: number, heading?: Heading): string {
  const { old, fresh } = sides
  const span = (start: number, end: number) => (end - start <= 1 ? String(end) : `${start + 1},${end}`)
  const half = (file: FileLines, hunk: Hunk, side: 'old' | 'new') => {
    const isChanged = hunk.changes.some((change) => change[`${side}Start`] !== change[`${side}End`])
    if (!isChanged) return ''
    let text = ''
    let at = hunk[`${side}Start`]
    for (const change of hunk.changes) {
      const isReplaced = change.oldStart !== change.oldEnd && change.newStart !== change.newEnd
      const mark = isReplaced ? '! ' : side === 'old' ? '- ' : '+ '
      text += marked('  ', file, at, change[`${side}Start`])
      text += marked(mark, file, change[`${side}Start`], change[`${side}End`])
      at = change[`${side}End`]
    }
    return text + marked('  ', file, at, hunk[`${side}End`])
  }
  return hunks(sides, context)
    .map((hunk) => {
      const start = `***************${headingOf(old, hunk.oldStart, heading)}\n*** ${span(hunk.oldStart, hunk.oldEnd)} ****\n`
      const middle = `--- ${span(hunk.newStart, hunk.newEnd)} ----\n`
      return `${start}${half(old, hunk, 'old')}${middle}${half(fresh, hunk, 'new')}`
    })
    .join('')
}

export interface SideBySideOptions {
  width: number
  leftColumn: boolean
  suppressCommon: boolean
}

const gutter = 3
const tab = 8

/** Two columns; tabs align the right one, as GNU diff prints it. */
export function printSideBySide(sides: Sides, { width, leftColumn, suppressCommon }: SideBySideOptions): string {
  const { old, fresh, changes } = sides
  const unaligned = Math.floor((width + tab + gutter) / 2)
  const offset = unaligned - (unaligned % tab)
  const half = Math.max(0, Math.min(offset - gutter, width - offset))
  const column = half > 0 ? offset : width
  let text = ''

  /** An index of either file, or undefined for an empty side. */
  function row(left: number | undefined, mark: string, right: number | undefined): void {
    const leftEnds = left !== undefined && endsLine(old, left)
    const rightEnds = right !== undefined && endsLine(fresh, right)
    const shown = left === undefined ? { text: '', width: 0 } : fitted(old.lines[left] as string, half, 0)
    let at = shown.width
    text += shown.text
    if (mark !== ' ') {
      const place = Math.floor((half + column - 1) / 2)
      const sign = mark === '|' && leftEnds !== rightEnds ? (leftEnds ? '/' : '\\') : mark
      text += padded(at, place) + sign
      at = place + 1
    }
    const other = right === undefined ? '' : (fresh.lines[right] as string)
    if (other !== '') text += padded(at, column) + fitted(other, half, column).text
    if (leftEnds || rightEnds) text += '\n'
  }

  function same(from: number, to: number, newFrom: number): void {
    if (suppressCommon) return
    for (let index = from; index < to; index += 1) {
      if (leftColumn) row(index, '(', undefined)
      else row(index, ' ', newFrom + index - from)
    }
  }

  let oldAt = 0
  let newAt = 0
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    same(oldAt, oldStart, newAt)
    const both = Math.min(oldEnd - oldStart, newEnd - newStart)
    for (let index = 0; index < both; index += 1) row(oldStart + index, '|', newStart + index)
    for (let index = oldStart + both; index < oldEnd; index += 1) row(index, '<', undefined)
    for (let index = newStart + both; index < newEnd; index += 1) row(undefined, '>', index)
    oldAt = oldEnd
    newAt = newEnd
  }
  same(oldAt, old.lines.length, newAt)
  return text
}

function endsLine({ lines, isCut }: FileLines, index: number): boolean {
  return !isCut || index < lines.length - 1
}

/** White space from one column to another, tabs first. */
function padded(from: number, to: number): string {
  let text = ''
  let at = from
  while (Math.floor(at / tab) * tab + tab <= to) {
    text += '\t'
    at = Math.floor(at / tab) * tab + tab
  }
  return text + ' '.repeat(Math.max(0, to - at))
}

/** As much of a line as fits; tabs become spaces up to the next stop. */
function fitted(line: string, width: number, column: number): { text: string; width: number } {
  let text = ''
  let used = 0
  for (const character of line) {
    if (character === '\t') {
      const next = tab - ((column + used) % tab)
      if (used + next > width) break
      text += '\t'
      used += next
      continue
    }
    if (used + 1 > width) break
    text += character
    used += 1
  }
  return { text, width: used }
}
