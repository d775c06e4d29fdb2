/** A set of code points as sorted, disjoint, non-adjacent ranges in a flat list: `[low, high, low, high, …]`. */
export type CodePoints = readonly number[]

export const lastCodePoint = 0x10ffff

export const everyCodePoint: CodePoints = [0, lastCodePoint]

export const noCodePoint: CodePoints = []

/** The union of ranges in any order, overlapping or not. */
export function codePoints(ranges: Iterable<readonly [low: number, high: number]>): CodePoints {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0])
  const result: number[] = []
  for (const [low, high] of sorted) {
    const last = result.length - 1
    if (last > 0 && low <= result[last]! + 1) result[last] = Math.max(result[last]!, high)
    else result.push(low, high)
  }
  return result
}

/** The set of the characters of a text. */
export function characters(text: string): CodePoints {
  return codePoints(Array.from(text, (character) => [character.codePointAt(0)!, character.codePointAt(0)!] as const))
}

export function union(...sets: CodePoints[]): CodePoints {
  if (sets.length > 2) return codePoints(sets.flatMap((set) => [...rangesOf(set)]))
  const [a = noCodePoint, b = noCodePoint] = sets
  return a.length === 0 || a === b ? b : b.length === 0 ? a : merged(a, b)
}

function merged(a: CodePoints, b: CodePoints): CodePoints {
  const result: number[] = []
  let end = -2
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const takesA = j >= b.length || (i < a.length && a[i]! <= b[j]!)
    const low = takesA ? a[i]! : b[j]!
    const high = takesA ? a[i + 1]! : b[j + 1]!
    if (takesA) i += 2
    else j += 2
    if (low > end + 1) result.push(low, high)
    else if (high > end) result[result.length - 1] = high
    end = Math.max(end, high)
  }
  return result
}

export function complement(set: CodePoints): CodePoints {
  const result: number[] = []
  let next = 0
  for (const [low, high] of rangesOf(set)) {
    if (low > next) result.push(next, low - 1)
    next = high + 1
  }
  if (next <= lastCodePoint) result.push(next, lastCodePoint)
  return result
}

export function intersection(a: CodePoints, b: CodePoints): CodePoints {
  const result: number[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const low = Math.max(a[i]!, b[j]!)
    const high = Math.min(a[i + 1]!, b[j + 1]!)
    if (low <= high) result.push(low, high)
    if (a[i + 1]! < b[j + 1]!) i += 2
    else j += 2
  }
  return result
}

export function difference(a: CodePoints, b: CodePoints): CodePoints {
  return intersection(a, complement(b))
}

export function overlaps(a: CodePoints, b: CodePoints): boolean {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (Math.max(a[i]!, b[j]!) <= Math.min(a[i + 1]!, b[j + 1]!)) return true
    if (a[i + 1]! < b[j + 1]!) i += 2
    else j += 2
  }
  return false
}

export function contains(set: CodePoints, codePoint: number): boolean {
  let low = 0
  let high = set.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (codePoint < set[middle * 2]!) high = middle - 1
    else if (codePoint > set[middle * 2 + 1]!) low = middle + 1
    else return true
  }
  return false
}

export function sizeOf(set: CodePoints): number {
  let size = 0
  for (const [low, high] of rangesOf(set)) size += high - low + 1
  return size
}

export function* rangesOf(set: CodePoints): Generator<[low: number, high: number]> {
  for (let i = 0; i < set.length; i += 2) yield [set[i]!, set[i + 1]!]
}
