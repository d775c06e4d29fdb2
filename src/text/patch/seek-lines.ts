/** How lines are compared, strictest first: the passes of Codex. */
export const likenessRules = ['same', 'trailing-space', 'outer-space', 'punctuation'] as const

export type Likeness = (typeof likenessRules)[number]

/** Finds runs of lines in a text. What it computes about the text is cached for the next search. */
export interface LineSeeker {
  /** The first lines of all places of the run, in ascending order. */
  seek(run: readonly string[], rule: Likeness): readonly number[]
  /** Adds work that callers did for a search. */
  spend(steps: number): void
  /** The limit was reached and a search was skipped, as repeated lines fit almost everywhere. */
  readonly isSpent: boolean
}

/** About one second for a whole patch. */
const mostSteps = 300_000_000

/** Storing a place costs more than a comparison. */
const stepsPerPlace = 30

/** Lines are requested by the first search. */
export function lineSeeker(lines: () => readonly string[]): LineSeeker {
  const indexes = new Map<Likeness, LineIndex>()
  let left = mostSteps
  let isSpent = false
  return {
    get isSpent() {
      return isSpent
    },
    spend(steps) {
      isSpent ||= left < 0
      left -= steps
    },
    seek(run, rule) {
      let index = indexes.get(rule)
      if (!index) {
        index = indexLines(lines(), rule)
        indexes.set(rule, index)
      }
      const wanted = run.map(views[rule])
      const key = wanted.join('\n')
      let places = index.found.get(key)
      if (!places) {
        isSpent ||= left < 0
        if (isSpent) return []
        const found = seekRun(index, wanted)
        left -= found.steps + found.places.length * stepsPerPlace
        places = found.places
        index.found.set(key, places)
      }
      return places
    },
  }
}

/** Equal lines have equal numbers. */
interface LineIndex {
  numbers: Int32Array
  numberOf: ReadonlyMap<string, number>
  /** The lines of each number: those of `n` are from `firstOf[n]` to before `firstOf[n + 1]`. */
  firstOf: Int32Array
  sorted: Int32Array
  found: Map<string, readonly number[]>
}

function indexLines(lines: readonly string[], rule: Likeness): LineIndex {
  const view = views[rule]
  const numberOf = new Map<string, number>()
  const numbers = Int32Array.from(lines, (line) => {
    const key = view(line)
    const number = numberOf.get(key) ?? numberOf.size
    numberOf.set(key, number)
    return number
  })
  const firstOf = new Int32Array(numberOf.size + 1)
  for (const number of numbers) firstOf[number + 1] = (firstOf[number + 1] as number) + 1
  for (let at = 1; at < firstOf.length; at += 1) firstOf[at] = (firstOf[at] as number) + (firstOf[at - 1] as number)
  const next = firstOf.slice()
  const sorted = new Int32Array(numbers.length)
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] as number
    const place = next[number] as number
    sorted[place] = at
    next[number] = place + 1
  }
  return { numbers, numberOf, firstOf, sorted, found: new Map() }
}

interface Found {
  places: number[]
  steps: number
}

/** Compares around each occurrence of the rarest line or, where that may take longer, in one pass over the text. */
function seekRun(index: LineIndex, run: readonly string[]): Found {
  const { numbers, numberOf, firstOf } = index
  const wanted = new Int32Array(run.length)
  let rarest = { at: 0, count: Number.POSITIVE_INFINITY }
  for (const [at, line] of run.entries()) {
    const number = numberOf.get(line)
    if (number === undefined) return { places: [], steps: at }
    wanted[at] = number
    const count = (firstOf[number + 1] as number) - (firstOf[number] as number)
    if (count < rarest.count) rarest = { at, count }
  }
  if (rarest.count * run.length < numbers.length) return seekAround(index, wanted, rarest)
  return { places: seekThroughout(numbers, wanted), steps: numbers.length + run.length }
}

function seekAround(
  { numbers, firstOf, sorted }: LineIndex,
  wanted: Int32Array,
  rarest: { at: number; count: number },
): Found {
  const first = firstOf[wanted[rarest.at] as number] as number
  const places: number[] = []
  let steps = wanted.length
  for (let each = first; each < first + rarest.count; each += 1) {
    const start = (sorted[each] as number) - rarest.at
    let at = start < 0 || start + wanted.length > numbers.length ? wanted.length + 1 : 0
    while (at < wanted.length && numbers[start + at] === wanted[at]) at += 1
    if (at === wanted.length) places.push(start)
    steps += at
  }
  return { places, steps }
}

/** Knuth, Morris and Pratt: one pass over the text however often its lines repeat. */
function seekThroughout(numbers: Int32Array, wanted: Int32Array): number[] {
  // For each length of a partial match, the next shorter partial match.
  const shorter = new Int32Array(wanted.length + 1)
  for (let at = 1, length = 0; at < wanted.length; at += 1) {
    while (length > 0 && wanted[at] !== wanted[length]) length = shorter[length] as number
    if (wanted[at] === wanted[length]) length += 1
    shorter[at + 1] = length
  }
  const places: number[] = []
  for (let at = 0, length = 0; at < numbers.length; at += 1) {
    while (length > 0 && (length === wanted.length || numbers[at] !== wanted[length]))
      length = shorter[length] as number
    if (numbers[at] === wanted[length]) length += 1
    if (length === wanted.length) places.push(at + 1 - length)
  }
  return places
}

const views: Readonly<Record<Likeness, (line: string) => string>> = {
  same: (line) => line,
  'trailing-space': (line) => line.trimEnd(),
  'outer-space': (line) => line.trim(),
  punctuation: (line) =>
    line
      .trim()
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .replace(/[\u2018-\u201b]/g, "'")
      .replace(/[\u201c-\u201f]/g, '"')
      .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' '),
}
