/** How alike two lines must be, strictest first: the passes Codex makes. */
export const likenessRules = ['same', 'trailing-space', 'outer-space', 'punctuation'] as const

export type Likeness = (typeof likenessRules)[number]

/** Looks for runs of lines in a text; what it learns about the text serves the next search. */
export interface LineSeeker {
  /** Where the whole run stands, in ascending order. */
  seek(run: readonly string[], rule: Likeness): readonly number[]
}

/** The lines are asked for when something is first looked for. */
export function lineSeeker(lines: () => readonly string[]): LineSeeker {
  const indexes = new Map<Likeness, LineIndex>()
  return {
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
        places = seekRun(index, wanted)
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
  return { numbers, numberOf, found: new Map() }
}

/** Knuth, Morris and Pratt: one pass over the text however often its lines repeat. */
function seekRun({ numbers, numberOf }: LineIndex, run: readonly string[]): readonly number[] {
  const wanted = new Int32Array(run.length)
  for (const [at, line] of run.entries()) {
    const number = numberOf.get(line)
    if (number === undefined) return []
    wanted[at] = number
  }
  // For each length of a partial match, the next shorter one that is still a match.
  const shorter = new Int32Array(run.length + 1)
  for (let at = 1, length = 0; at < run.length; at += 1) {
    while (length > 0 && wanted[at] !== wanted[length]) length = shorter[length] as number
    if (wanted[at] === wanted[length]) length += 1
    shorter[at + 1] = length
  }
  const places: number[] = []
  for (let at = 0, length = 0; at < numbers.length; at += 1) {
    while (length > 0 && (length === run.length || numbers[at] !== wanted[length])) length = shorter[length] as number
    if (numbers[at] === wanted[length]) length += 1
    if (length === run.length) places.push(at + 1 - length)
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
