import type { Entry } from '../types.js'

/** Returns a listing in walk order. It is copied before it is changed, because listings may be shared. */
export function inOrder(entries: Entry[], order: 'names' | 'paths'): Entry[] {
  const sorted = isSorted(entries) ? entries : [...entries].sort(byName)
  if (order === 'names' || !sorted.some(({ kind }) => kind === 'directory')) return sorted
  const ordered = sorted === entries ? [...entries] : sorted
  putIntoPathOrder(ordered)
  return ordered
}

/** Many backends list entries sorted by name. */
function isSorted(entries: readonly Entry[]): boolean {
  for (let i = 1; i < entries.length; i += 1) if (entries[i - 1]!.name > entries[i]!.name) return false
  return true
}

function byName(a: Entry, b: Entry): number {
  return a.name < b.name ? -1 : 1
}

/** Expects entries sorted by name. Moves each directory behind names that sort before its name plus a slash: `a.ts` before `a/`. */
function putIntoPathOrder(entries: Entry[]): void {
  for (let i = entries.length - 2; i >= 0; i -= 1) {
    const directory = entries[i] as Entry
    if (directory.kind !== 'directory') continue
    const { name } = directory
    let at = i
    for (let next = entries[at + 1]; next?.name.startsWith(name); next = entries[at + 1]) {
      if (next.name.charCodeAt(name.length) > 0x2f) break
      entries[at] = next
      at += 1
    }
    entries[at] = directory
  }
}
