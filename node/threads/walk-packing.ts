/** Packs parts of a walk into a few plain values, which are sent faster than an object for each entry. */
import type { Entry, Kind } from '../../src/fs/types.js'
import type { ListedEntries, Rest } from '../../src/fs/walk/walk.js'
import type { Counters } from './walk-counters.js'

export interface PackedPart {
  /** One for each listing. */
  directories: readonly string[]
  /** One for each listing, packed. */
  entries: readonly string[]
  /** One row for each listing: its depth, the counters so far, and the number of incomplete ignore files so far. The last row is for the end. */
  numbers: Int32Array
  incompleteIgnoreFiles: readonly string[]
  rests: readonly PackedRest[]
}

export interface PackedRest {
  directory: string
  entries: string
  depth: number
}

/** Numbers in a row. */
const width = 8

/** Neither can be part of a name. */
const separator = '/'
const mark = '\0'
const marks: Record<Kind, string> = { file: '', directory: `${mark}d`, symlink: `${mark}s`, other: `${mark}o` }
const kinds: Record<string, Kind> = { d: 'directory', s: 'symlink', o: 'other' }

function packEntries(entries: readonly Entry[]): string {
  let text = ''
  for (const { name, kind } of entries) {
    if (text !== '') text += separator
    text += kind === 'file' ? name : marks[kind] + name
  }
  return text
}

function unpackEntries(text: string): Entry[] {
  return text.split(separator).map((name): Entry => {
    if (!name.startsWith(mark)) return { name, kind: 'file' }
    return { name: name.slice(2), kind: kinds[name[1] as string] as Kind }
  })
}

export function packRest({ directory, entries, depth }: Rest): PackedRest {
  return { directory, entries: packEntries(entries), depth }
}

export function unpackRest({ directory, entries, depth }: PackedRest): Rest {
  return { directory, entries: unpackEntries(entries), depth }
}

/** Collects the listings of a walk, each with the counters so far. */
export function partPacker() {
  const directories: string[] = []
  const entries: string[] = []
  const numbers: number[] = []
  const incomplete: string[] = []

  function count(depth: number, counters: Counters): void {
    const { unreadable, links, tooDeep, ignored } = counters
    numbers.push(depth, counters.entries, counters.directories, unreadable, links, tooDeep, ignored, incomplete.length)
  }

  return {
    add(listed: ListedEntries, counters: Counters): void {
      directories.push(listed.directory)
      entries.push(packEntries(listed.entries))
      count(listed.depth, counters)
    },
    addIncomplete(ignoreFiles: readonly string[]): void {
      incomplete.push(...ignoreFiles)
    },
    /** Packs everything added, and the rests. */
    take(counters: Counters, rests: readonly Rest[]): PackedPart {
      count(0, counters)
      return {
        ...{ directories, entries, incompleteIgnoreFiles: incomplete },
        numbers: Int32Array.from(numbers),
        rests: rests.map(packRest),
      }
    },
  }
}

/** The listing at an index; undefined after the last one. */
export function listingAt({ directories, entries, numbers }: PackedPart, at: number): ListedEntries | undefined {
  if (at === directories.length) return undefined
  const depth = numbers[at * width] as number
  return { directory: directories[at] as string, entries: unpackEntries(entries[at] as string), depth }
}

/** The counters at that listing; at the end unless an index is given. */
export function countersAt({ directories, numbers }: PackedPart, at = directories.length): Counters {
  const row = at * width
  return {
    entries: numbers[row + 1] as number,
    directories: numbers[row + 2] as number,
    unreadable: numbers[row + 3] as number,
    links: numbers[row + 4] as number,
    tooDeep: numbers[row + 5] as number,
    ignored: numbers[row + 6] as number,
  }
}

/** The incomplete ignore files known at that listing. */
export function incompleteAt({ numbers, incompleteIgnoreFiles }: PackedPart, at: number): readonly string[] {
  return incompleteIgnoreFiles.slice(0, numbers[at * width + 7])
}
