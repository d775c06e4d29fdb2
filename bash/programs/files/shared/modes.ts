/** Permission modes: octal such as `755`, symbolic such as `u+x,go-w`. */
import { ProgramError } from '../../program-error.js'

/** What one clause does: to whom, `+`, `-` or `=`, and which bits. */
interface ModeChange {
  operator: string
  /** Bits that may be set: those of the users concerned, or all but the masked ones. */
  affected: number
  /** Bits that `=` clears. */
  cleared: number
  value: number
  /** `X`: execute only for directories and what can be executed by someone. */
  isConditional: boolean
  /** `g=u`: bits copied from another user. */
  copied?: 'u' | 'g' | 'o'
  /** Bits that keep their value in a directory unless named. */
  mentioned: number
}

export type ModeChanges = readonly ModeChange[]

const userBits: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 }
const rightBits: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, X: 0o111, s: 0o6000, t: 0o1000 }
const shifts = { u: 6, g: 3, o: 0 }
const special = 0o6000

/** Undefined when the text is not a mode. */
export function parseMode(text: string, umask: number): ModeChanges | undefined {
  if (/^[0-7]+$/.test(text)) {
    const value = Number.parseInt(text, 8)
    if (value > 0o7777) return undefined
    const mentioned = text.length > 4 ? 0o7777 : (value & special) | 0o1777
    return [{ operator: '=', affected: 0o7777, cleared: 0o7777, value, isConditional: false, mentioned }]
  }
  const changes: ModeChange[] = []
  for (const clause of text.split(',')) {
    const [, who = '', actions = ''] = /^([ugoa]*)((?:[-+=](?:[0-7]+|[ugo]|[rwxXst]*))+)$/.exec(clause) ?? []
    if (actions === '') return undefined
    const users = [...who].reduce((bits, letter) => bits | (userBits[letter] ?? 0), 0)
    for (const [, operator = '', rights = ''] of actions.matchAll(/([-+=])([0-7]+|[ugo](?![rwxXst])|[rwxXst]*)/g)) {
      const change = changeOf(operator, rights, users, umask)
      if (change === undefined) return undefined
      changes.push(change)
    }
  }
  return changes
}

function changeOf(operator: string, rights: string, users: number, umask: number): ModeChange | undefined {
  if (/^[0-7]+$/.test(rights)) {
    const value = Number.parseInt(rights, 8)
    if (users !== 0 || value > 0o7777) return undefined
    return { operator, affected: 0o7777, cleared: 0o7777, value, isConditional: false, mentioned: 0o7777 }
  }
  const affected = users === 0 ? 0o7777 & ~umask : users
  const cleared = users === 0 ? 0o7777 : users
  if (rights === 'u' || rights === 'g' || rights === 'o') {
    return { operator, affected, cleared, value: 0, isConditional: false, copied: rights, mentioned: affected & 0o1777 }
  }
  const value = [...rights].reduce((bits, letter) => bits | (rightBits[letter] ?? 0), 0)
  const isConditional = rights.includes('X') && !rights.includes('x')
  const mentioned = (value & affected & special) | (affected & 0o1777)
  return { operator, affected, cleared, value, isConditional, mentioned }
}

export function applyMode(changes: ModeChanges, before: number, isDirectory: boolean): number {
  let mode = before
  for (const { operator, affected, cleared, value, isConditional, copied, mentioned } of changes) {
    let bits = value
    if (copied !== undefined) {
      const three = (mode >> shifts[copied]) & 7
      bits = (three << 6) | (three << 3) | three
    } else if (isConditional && !isDirectory && (mode & 0o111) === 0) bits &= ~0o111
    bits &= affected
    if (operator === '+') mode |= bits
    else if (operator === '-') mode &= ~bits
    else {
      // A directory keeps its set-id bits unless they are named.
      const kept = isDirectory ? mode & special & ~mentioned : 0
      mode = (mode & ~cleared) | bits | (kept & cleared)
    }
  }
  return mode
}

/** For options such as `mkdir -m`. */
export function requireMode(text: string, umask: number, message: string): ModeChanges {
  const changes = parseMode(text, umask)
  if (changes === undefined) throw new ProgramError(message)
  return changes
}

/** For example `rwxr-xr-x`. */
export function rightsText(mode: number): string {
  const letters = 'rwxrwxrwx'
  let text = ''
  for (let bit = 0; bit < 9; bit += 1) text += mode & (0o400 >> bit) ? letters.charAt(bit) : '-'
  const marks: Array<[number, number, string]> = [
    [0o4000, 2, 's'],
    [0o2000, 5, 's'],
    [0o1000, 8, 't'],
  ]
  for (const [bit, at, letter] of marks) {
    if ((mode & bit) === 0) continue
    text = text.slice(0, at) + (text.charAt(at) === 'x' ? letter : letter.toUpperCase()) + text.slice(at + 1)
  }
  return text
}
