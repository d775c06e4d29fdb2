import type { Entry } from '../types.js'

/** A listing in the order a walk goes through it. A listing may be shared: one that has to be changed is copied. */
export function inOrder(entries: Entry[], order: 'names' | 'paths'): Entry[] {
  const sorted = isSorted(entries) ? entries : [...entries].sort(byName)
  if (order === 'names' || !sorted.some(({ kind }) => kind === 'directory')) return sorted
  const ordered = sorted === entries ? [...entries] : sorted
  putIntoPathOrder(ordered)
  return ordered
}

/** As many backends list them. */
function isSorted(entries: readonly Entry[]): boolean {
  for (let i = 1; i < entries.length; i += 1) if (entries[i - 1]!.name > entries[i]!.name) return false
  return true
}

function byName(a: Entry, b: Entry): number {
  return a.name < b.name ? -1 : 1
}

/** From the order of names: a directory's paths go on with a slash, and the names that go on with less come first. */
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
