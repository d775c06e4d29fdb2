/** The order of lines by all keys. */
import { compareTexts, type SortKey } from './keys.js'

/** A line with the values of its keys; without keys the line itself. */
export type Entry = string | { line: string; first: unknown; others: readonly unknown[] }

export interface LineOrder {
  entry(line: string): Entry
  /** By keys and then, unless the sort is stable, by the whole line. */
  compare(one: Entry, other: Entry): number
  /** True when only one of the two stays in a sort without duplicates. */
  isSame(one: Entry, other: Entry): boolean
  sort(entries: Entry[]): void
}

export function lineOf(entry: Entry): string {
  return typeof entry === 'string' ? entry : entry.line
}

export interface OrderRules {
  isReverse: boolean
  isStable: boolean
  isUnique: boolean
  /** Called now and then while sorting. */
  step(count: number): void
}

const stepSize = 4096

export function lineOrder(keys: readonly SortKey[], rules: OrderRules): LineOrder {
  const [first, ...others] = keys
  return first === undefined ? plainOrder(rules) : keyOrder(first, others, rules)
}

function plainOrder({ isReverse }: OrderRules): LineOrder {
  const compare = (one: Entry, other: Entry) => {
    const order = compareTexts(one as string, other as string)
    return isReverse ? -order : order
  }
  return {
    entry: (line) => line,
    compare,
    isSame: (one, other) => one === other,
    sort(entries) {
      // Without a function the engine compares strings itself; equal lines look the same.
      entries.sort()
      if (isReverse) entries.reverse()
    },
  }
}

const none: readonly unknown[] = []

function keyOrder(
  first: SortKey,
  others: readonly SortKey[],
  { isReverse, isStable, isUnique, step }: OrderRules,
): LineOrder {
  type Keyed = Exclude<Entry, string>

  function byKeys(one: Keyed, other: Keyed): number {
    let order = first.compare(one.first, other.first)
    for (let index = 0; order === 0 && index < others.length; index += 1) {
      order = (others[index] as SortKey).compare(one.others[index], other.others[index])
    }
    return order
  }

  function compare(one: Entry, other: Entry): number {
    const order = byKeys(one as Keyed, other as Keyed)
    if (order !== 0 || isStable || isUnique) return order
    const last = compareTexts((one as Keyed).line, (other as Keyed).line)
    return isReverse ? -last : last
  }

  return {
    entry: (line) => ({
      line,
      first: first.valueOf(line),
      others: others.length === 0 ? none : others.map((key) => key.valueOf(line)),
    }),
    compare,
    isSame: (one, other) => byKeys(one as Keyed, other as Keyed) === 0,
    sort(entries) {
      let count = 0
      entries.sort((one, other) => {
        count += 1
        if (count % stepSize === 0) step(stepSize)
        return compare(one, other)
      })
    },
  }
}
