/** The output of diff by formats for lines and for groups of them. */
import { ProgramError } from '../../program-error.js'
import type { FileLines, Sides } from './print-changes.js'

type Kind = 'old' | 'new' | 'unchanged'

export interface DiffFormats {
  lines: Readonly<Record<Kind, string>>
  groups: Readonly<Record<Kind | 'changed', string>>
}

interface Part {
  kind: Kind
  file: FileLines
  start: number
  end: number
}

export function printFormatted({ old, fresh, changes }: Sides, { lines, groups }: DiffFormats): string {
  const text = ({ kind, file, start, end }: Part) => {
    let made = ''
    for (let index = start; index < end; index += 1) made += formattedLine(lines[kind], file, index)
    return made
  }
  let result = ''
  let at = 0
  const unchanged = (end: number) => {
    if (end === at) return
    const same = text({ kind: 'unchanged', file: old, start: at, end })
    result += formattedGroup(groups.unchanged, { '=': same, '<': same, '>': same })
  }
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    unchanged(oldStart)
    const removed = text({ kind: 'old', file: old, start: oldStart, end: oldEnd })
    const added = text({ kind: 'new', file: fresh, start: newStart, end: newEnd })
    const kind = oldStart === oldEnd ? 'new' : newStart === newEnd ? 'old' : 'changed'
    result += formattedGroup(groups[kind], { '<': removed, '>': added, '=': '' })
    at = oldEnd
  }
  unchanged(old.lines.length)
  return result
}

function formattedLine(format: string, { lines, isCut }: FileLines, index: number): string {
  const line = lines[index] ?? ''
  const end = isCut && index === lines.length - 1 ? '' : '\n'
  return format.replace(/%(?:([%lL])|([-0]*)(\d*)([doxX])n|c'(\\[0-7]{1,3}|[^'])'|)/g, (...found) => {
    const [whole, plain, flags = '', width = '', letter, character] = found as string[]
    if (plain === '%') return '%'
    if (plain === 'l') return line
    if (plain === 'L') return line + end
    if (character !== undefined) return oneCharacter(character)
    if (letter === undefined) throw unsupported(whole as string, format)
    const radix = letter === 'd' ? 10 : letter === 'o' ? 8 : 16
    const digits = (index + 1).toString(radix)
    const shown = letter === 'X' ? digits.toUpperCase() : digits
    if (flags.includes('-')) return shown.padEnd(Number(width))
    return shown.padStart(Number(width), flags.includes('0') ? '0' : ' ')
  })
}

function formattedGroup(format: string, parts: Readonly<Record<'<' | '>' | '=', string>>): string {
  return format.replace(/%(?:([%<>=])|c'(\\[0-7]{1,3}|[^'])'|)/g, (...found) => {
    const [whole, plain, character] = found as string[]
    if (plain === '%') return '%'
    if (plain === '<' || plain === '>' || plain === '=') return parts[plain]
    if (character !== undefined) return oneCharacter(character)
    throw unsupported(whole as string, format)
  })
}

function oneCharacter(written: string): string {
  return written.startsWith('\\') ? String.fromCharCode(Number.parseInt(written.slice(1), 8)) : written
}

function unsupported(what: string, format: string): ProgramError {
  return new ProgramError(`${what} in the format '${format}' is not supported by this shell`, 2)
}
