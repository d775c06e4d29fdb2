/** Changes of a text that keep its lines, and the way back from a column of the changed text. */

export interface Edited {
  text: string
  /** The column before of a column after, both from 1. */
  columnOf(line: number, column: number): number
}

export interface Edits {
  replace(from: number, to: number, text: string): void
  /** The same with spaces. */
  blank(from: number, to: number): void
  edited(start?: string, end?: string): Edited
}

interface Edit {
  from: number
  to: number
  text: string
}

const lineEnd = /[\n\u2028\u2029]|\r(?!\n)/g

export function editsOf(source: string): Edits {
  const edits: Edit[] = []

  function edited(start = '', end = ''): Edited {
    edits.sort((one, other) => one.from - other.from || one.to - other.to)
    let text = start
    let at = 0
    for (const edit of edits) {
      text += source.slice(at, edit.from) + edit.text
      at = edit.to
    }
    text += source.slice(at) + end
    let shifts: Map<number, Shift[]> | undefined

    function columnOf(line: number, column: number): number {
      shifts ??= shiftsOf(source, edits)
      let shift = line === 1 ? -start.length : 0
      const own = line === 1 ? column - start.length : column
      for (const each of shifts.get(line) ?? [])
        if (each.column <= own) shift = each.shift - (line === 1 ? start.length : 0)
      return Math.max(1, column + shift)
    }

    return { text, columnOf }
  }

  return {
    replace: (from, to, text) => void edits.push({ from, to, text }),
    blank(from, to) {
      const text = source.slice(from, to).replace(/[^\n\r\u2028\u2029]/g, ' ')
      edits.push({ from, to, text })
    },
    edited,
  }
}

/** From this column of the changed line on, this is to be added. */
interface Shift {
  column: number
  shift: number
}

function shiftsOf(source: string, edits: readonly Edit[]): Map<number, Shift[]> {
  const lines = new Map<number, Shift[]>()
  let line = 1
  let lineStart = 0
  let sum = 0
  lineEnd.lastIndex = 0
  let next = lineEnd.exec(source)
  for (const { from, to, text } of edits) {
    while (next !== null && next.index < from) {
      line += 1
      lineStart = next.index + 1
      sum = 0
      next = lineEnd.exec(source)
    }
    if (text.length === to - from) continue
    sum += to - from - text.length
    const column = from - lineStart + 1 - (sum - (to - from - text.length)) + text.length
    const list = lines.get(line) ?? []
    list.push({ column, shift: sum })
    lines.set(line, list)
  }
  return lines
}
