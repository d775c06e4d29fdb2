/** Which lines of two files differ, grouped as GNU diff groups them. */
import { unmatchedItems } from './longest-match.js'

/** Lines `[oldStart, oldEnd)` are replaced by `[newStart, newEnd)`, counted from 0. */
export interface Change {
  oldStart: number
  oldEnd: number
  newStart: number
  newEnd: number
}

export interface LineRules {
  ignoreCase: boolean
  /** `-w`, `-b`, `-Z` */
  space: 'exact' | 'ignore-all' | 'ignore-amount' | 'ignore-trailing'
  /** `-E` */
  ignoreTabs: boolean
  ignoreBlankLines: boolean
  stripReturns: boolean
  /** `-I`: changes whose lines all match are left out. */
  ignored: ReadonlyArray<(line: string) => boolean>
}

const tabWidth = 8

/** The form of a line that is compared. Lines have no line feed. */
function comparable(line: string, rules: LineRules): string {
  let text = line
  if (rules.stripReturns) text = text.replace(/\r$/, '')
  if (rules.ignoreTabs) text = expandTabs(text)
  if (rules.space === 'ignore-all') text = text.replace(/[ \t\v\f\r]+/g, '')
  else if (rules.space === 'ignore-amount') text = text.replace(/[ \t\v\f\r]+/g, ' ').replace(/ $/, '')
  else if (rules.space === 'ignore-trailing') text = text.replace(/[ \t\v\f\r]+$/, '')
  return rules.ignoreCase ? text.toLowerCase() : text
}

function expandTabs(text: string): string {
  let column = 0
  let result = ''
  for (const character of text) {
    if (character !== '\t') {
      result += character
      column += 1
      continue
    }
    const width = tabWidth - (column % tabWidth)
    result += ' '.repeat(width)
    column += width
  }
  return result
}

/**
 * The changes between two lists of lines. A last line without a line feed differs from the same one with it, unless
 * white space is ignored: `missing` says which files lack it. Of the equal lines at both ends `horizon` ones take part.
 */
export function editScript(
  old: readonly string[],
  fresh: readonly string[],
  rules: LineRules,
  missing: { old: boolean; fresh: boolean },
  horizon = 0,
): Change[] {
  const keysOf = (lines: readonly string[], isMissing: boolean) => {
    const keys = lines.map((line) => comparable(line, rules))
    const last = keys.length - 1
    if (isMissing && last >= 0 && rules.space === 'exact') keys[last] = `${keys[last]}\n`
    return keys
  }
  const { prefix, suffix } = commonEnds(old, fresh, missing, horizon)
  const middle = (keys: string[]) => keys.slice(prefix, keys.length - suffix)
  const changed = changedLines(middle(keysOf(old, missing.old)), middle(keysOf(fresh, missing.fresh)))
  const changes = grouped(changed.old, changed.fresh).map(({ oldStart, oldEnd, newStart, newEnd }) => ({
    oldStart: oldStart + prefix,
    oldEnd: oldEnd + prefix,
    newStart: newStart + prefix,
    newEnd: newEnd + prefix,
  }))
  return changes.filter((change) => !isIgnored(change, old, fresh, rules))
}

/** Equal lines at both ends, but for the horizon: changes are not moved into them. */
function commonEnds(
  old: readonly string[],
  fresh: readonly string[],
  missing: { old: boolean; fresh: boolean },
  horizon: number,
): { prefix: number; suffix: number } {
  const most = Math.min(old.length, fresh.length)
  // The last line is another one when only one of the files lacks its line feed.
  const isSame = (index: number) =>
    old[index] === fresh[index] &&
    (missing.old && index === old.length - 1) === (missing.fresh && index === fresh.length - 1)
  let prefix = 0
  while (prefix < most && isSame(prefix)) prefix += 1
  let suffix = 0
  if (missing.old === missing.fresh) {
    while (suffix < most - prefix && old[old.length - 1 - suffix] === fresh[fresh.length - 1 - suffix]) suffix += 1
  }
  return { prefix: Math.max(0, prefix - horizon), suffix: Math.max(0, suffix - horizon) }
}

function changedLines(oldKeys: readonly string[], newKeys: readonly string[]) {
  const { old, fresh } = unmatchedItems(oldKeys, newKeys)
  slide(old, fresh, oldKeys)
  slide(fresh, old, newKeys)
  return { old, fresh }
}

/**
 * Where the lines around a change repeat, it can be moved. As GNU diff does, it is joined with changes that it reaches,
 * moved down as far as possible, and then back up to a change of the other file.
 */
function slide(changed: Uint8Array, other: Uint8Array, keys: readonly string[]): void {
  const end = changed.length
  let at = 0
  let opposite = 0
  for (;;) {
    while (at < end && !changed[at]) {
      while (other[opposite]) opposite += 1
      opposite += 1
      at += 1
    }
    if (at === end) return
    let start = at
    while (changed[at]) at += 1
    while (other[opposite]) opposite += 1
    let length: number
    let anchor: number
    do {
      length = at - start
      while (start > 0 && keys[start - 1] === keys[at - 1]) {
        start -= 1
        at -= 1
        changed[start] = 1
        changed[at] = 0
        while (changed[start - 1]) start -= 1
        do opposite -= 1
        while (other[opposite])
      }
      anchor = other[opposite - 1] ? at : end
      while (at !== end && keys[start] === keys[at]) {
        changed[start] = 0
        changed[at] = 1
        start += 1
        at += 1
        while (changed[at]) at += 1
        opposite += 1
        while (other[opposite]) {
          anchor = at
          opposite += 1
        }
      }
    } while (length !== at - start)
    while (anchor < at) {
      start -= 1
      at -= 1
      changed[start] = 1
      changed[at] = 0
      do opposite -= 1
      while (other[opposite])
    }
  }
}

function grouped(old: Uint8Array, fresh: Uint8Array): Change[] {
  const changes: Change[] = []
  let oldAt = 0
  let newAt = 0
  while (oldAt < old.length || newAt < fresh.length) {
    if (!old[oldAt] && !fresh[newAt]) {
      oldAt += 1
      newAt += 1
      continue
    }
    const [oldStart, newStart] = [oldAt, newAt]
    while (old[oldAt]) oldAt += 1
    while (fresh[newAt]) newAt += 1
    changes.push({ oldStart, oldEnd: oldAt, newStart, newEnd: newAt })
  }
  return changes
}

function isIgnored(change: Change, old: readonly string[], fresh: readonly string[], rules: LineRules): boolean {
  if (!rules.ignoreBlankLines && rules.ignored.length === 0) return false
  const lines = [...old.slice(change.oldStart, change.oldEnd), ...fresh.slice(change.newStart, change.newEnd)]
  const isBlank = (line: string) => (rules.space === 'exact' ? line : line.trim()) === ''
  return lines.every(
    (line) => (rules.ignoreBlankLines && isBlank(line)) || rules.ignored.some((matches) => matches(line)),
  )
}
