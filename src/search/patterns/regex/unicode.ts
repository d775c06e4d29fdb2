/** Unicode properties as sets of code points, taken from the platform's regular expressions on first use. */
import {
  type CodePoints,
  characters,
  codePoints,
  contains,
  intersection,
  rangesOf,
  sizeOf,
  union,
} from './code-points.js'

export const asciiDigit: CodePoints = [0x30, 0x39]
export const asciiWord: CodePoints = codePoints([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
])
/** White space and line ends, as ECMAScript has them. */
export const ecmaSpace: CodePoints = characters(
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
)

const tables = new Map<string, CodePoints>()

/** The code points of a Unicode property, by its name in ECMAScript or Rust (`greek`, `L`, `Script=Greek`); undefined for an unknown name. */
export function property(name: string): CodePoints | undefined {
  const known = tables.get(name)
  if (known !== undefined) return known
  const expression = propertyExpression(name)
  if (expression === undefined) return undefined
  const set = codePoints(matched(expression))
  tables.set(name, set)
  return set
}

/** `\w` of Rust: letters, marks, decimal digits, connectors and joiners of every script. */
export function unicodeWord(): CodePoints {
  const known = tables.get('\\w')
  if (known !== undefined) return known
  const set = codePoints(matched(/[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+/gu))
  tables.set('\\w', set)
  return set
}

/** The set with all characters that differ from one of its own only in case (simple case folding). */
export function closeOverCase(set: CodePoints): CodePoints {
  const extra: [number, number][] = []
  for (const [low, high] of rangesOf(intersection(set, asciiLetters))) {
    for (let letter = low; letter <= high; letter += 1) {
      extra.push([letter ^ 0x20, letter ^ 0x20])
      // The Kelvin sign and the long s fold to ASCII letters.
      if ((letter | 0x20) === 0x6b) extra.push([0x212a, 0x212a])
      if ((letter | 0x20) === 0x73) extra.push([0x17f, 0x17f])
    }
  }
  if ((set.at(-1) ?? 0) > 0x7f) {
    for (const group of groupsTouching(set)) for (const member of group) extra.push([member, member])
  }
  return extra.length === 0 ? set : union(set, codePoints(extra))
}

function groupsTouching(set: CodePoints): number[][] {
  const groups = caseGroups()
  if (sizeOf(set) > 64) return [...groups.values()].filter((group) => group.some((member) => contains(set, member)))
  const touched: number[][] = []
  for (const [low, high] of rangesOf(set)) {
    for (let member = low; member <= high; member += 1) touched.push(groups.get(caseKey(member)) ?? [])
  }
  return touched
}

/** Two characters that differ only in case have the same key. */
export function caseKey(codePoint: number): number {
  if (codePoint < 0x80) return codePoint >= 0x41 && codePoint <= 0x5a ? codePoint | 0x20 : codePoint
  const irregular = irregularKeys[codePoint]
  if (irregular !== undefined) return irregular
  const character = String.fromCodePoint(codePoint)
  return single(single(character, 'toUpperCase'), 'toLowerCase').codePointAt(0)!
}

/** The dotless i folds to itself although its capital is I; the others do not fold to the lower case of their capital. */
const irregularKeys: Record<number, number> = { 305: 0x131, 8147: 0x390, 8163: 0x3b0, 64261: 0xfb06 }

const asciiLetters: CodePoints = [0x41, 0x5a, 0x61, 0x7a]

let groups: Map<number, number[]> | undefined

/** All characters that some change of case changes. */
export function* caseVariants(): Generator<number> {
  for (const [low, high] of matched(/[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]+/gu)) {
    for (let member = low; member <= high; member += 1) yield member
  }
}

function caseGroups(): Map<number, number[]> {
  if (groups !== undefined) return groups
  const byKey = new Map<number, number[]>()
  for (const member of caseVariants()) {
    const key = caseKey(member)
    byKey.set(key, [...(byKey.get(key) ?? []), member])
  }
  for (const [key, members] of byKey) if (members.length < 2) byKey.delete(key)
  groups = byKey
  return byKey
}

/** A mapping to several characters is not a simple folding and is left out. */
function single(character: string, change: 'toUpperCase' | 'toLowerCase'): string {
  const changed = character[change]()
  return changed.length === (changed.codePointAt(0)! > 0xffff ? 2 : 1) ? changed : character
}

function propertyExpression(name: string): RegExp | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_ =-]*$/.test(name)) return undefined
  const plain = name.replace(/[ -]/g, '_')
  const capitals = plain.replace(/[A-Za-z0-9]+/g, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase())
  for (const attempt of [plain, `Script=${plain}`, capitals, `Script=${capitals}`]) {
    try {
      return new RegExp(`\\p{${attempt}}+`, 'gu')
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return undefined
}

/**
 * The ranges that the expression matches. Planes 4 to 13 are empty and 15 and 16 are private use throughout, so that one character is
 * checked for each. Surrogates are left out: decoded text has none alone.
 */
function* matched(expression: RegExp): Generator<[number, number]> {
  allCharacters ??= everyCharacter()
  for (const { 0: run, index } of allCharacters.matchAll(expression)) {
    const last = run.charCodeAt(run.length - 1)
    const pair = last >= 0xdc00 && last <= 0xdfff
    yield [allCharacters.codePointAt(index)!, pair ? run.codePointAt(run.length - 2)! : last]
  }
  if (String.fromCodePoint(0x50000).search(expression) >= 0) yield [0x40000, 0xdffff]
  if (String.fromCodePoint(0x50000).search(expression) >= 0) yield [0xe1000, 0xeffff]
  if (String.fromCodePoint(0xf0000).search(expression) >= 0) yield [0xf0000, 0x10ffff]
}

let allCharacters: string | undefined

/** Planes 0 to 3, and the assigned part of plane 14. */
function everyCharacter(): string {
  const units = new Uint16Array(0xf800 + 2 * 0x31000)
  let length = 0
  for (let unit = 0; unit < 0x10000; unit += 1) if (unit < 0xd800 || unit > 0xdfff) units[length++] = unit
  for (let codePoint = 0x10000; codePoint < 0x40000; codePoint += 1) pair(codePoint)
  for (let codePoint = 0xe0000; codePoint < 0xe1000; codePoint += 1) pair(codePoint)
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(new Uint8Array(units.buffer))

  function pair(codePoint: number): void {
    units[length++] = 0xd800 + ((codePoint - 0x10000) >> 10)
    units[length++] = 0xdc00 + (codePoint & 0x3ff)
  }
}
