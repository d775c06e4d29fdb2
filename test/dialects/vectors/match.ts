/** Matchers of texts and of values. Each returns what is wrong, one line for each fault. */
import { fill, fillPattern, generate, type Places } from './places.js'
import type { Generated, TextMatcher, TextRules, ValueMatcher } from './types.js'

/** What the lines begin with, and what the placeholders in a matcher stand for. */
export interface Spot {
  readonly where: string
  readonly places: Places
}

export function matchText(matcher: TextMatcher, got: unknown, spot: Spot): string[] {
  if (typeof got !== 'string') return [`${spot.where}: expected a text, got ${show(got)}`]
  if (typeof matcher === 'string') return sameText(fill(matcher, spot.places), got, spot)
  return Object.entries(matcher).flatMap(([name, wanted]) => rule(textRules, name)(wanted, got, spot))
}

/** True for what only a text can match. */
export function isTextMatcher(matcher: TextMatcher | ValueMatcher): matcher is TextMatcher {
  if (typeof matcher === 'string') return true
  return typeof matcher === 'object' && matcher !== null && Object.keys(matcher).every((name) => name in textRules)
}

/** Objects by the keys that are wanted, arrays item by item. */
export function matchValue(wanted: ValueMatcher, got: unknown, spot: Spot): string[] {
  if (Array.isArray(wanted)) return matchItems(wanted, got, spot)
  if (typeof wanted === 'object' && wanted !== null) return matchObject(wanted, got, spot)
  if (typeof wanted === 'string' && typeof got === 'string') return sameText(fill(wanted, spot.places), got, spot)
  return wanted === got ? [] : [`${spot.where}: expected ${show(wanted)}, got ${show(got)}`]
}

/** A value in a line, cut where it is long. */
export function show(value: unknown, length = 240): string {
  const shown = JSON.stringify(value) ?? 'nothing'
  return shown.length > length ? `${shown.slice(0, length)}…` : shown
}

/** Around the first character that differs. */
export function sameText(wanted: string, got: string, { where }: Spot): string[] {
  if (wanted === got) return []
  let same = 0
  while (wanted[same] === got[same]) same += 1
  const part = (text: string) => show(text.slice(Math.max(0, same - 20), same + 60))
  return [`${where}: differs at ${same}: expected ${part(wanted)}, got ${part(got)}`]
}

type Rules<Wanted, Got> = {
  [Name in keyof Wanted]-?: (wanted: NonNullable<Wanted[Name]>, got: Got, spot: Spot) => string[]
}

const textRules: Rules<TextRules, string> = {
  regex: (wanted, got, { where, places }) =>
    fillPattern(wanted, places).test(got) ? [] : [`${where}: /${wanted}/ does not match ${show(got)}`],
  contains: (wanted, got, { where, places }) =>
    wanted
      .filter((part) => !got.includes(fill(part, places)))
      .map((part) => `${where}: lacks ${show(part)} in ${show(got)}`),
  notContains: (wanted, got, { where, places }) =>
    wanted
      .filter((part) => got.includes(fill(part, places)))
      .map((part) => `${where}: must not contain ${show(part)} in ${show(got)}`),
  startsWith: (wanted, got, { where, places }) =>
    got.startsWith(fill(wanted, places)) ? [] : [`${where}: should start with ${show(wanted)}, got ${show(got)}`],
  endsWith: (wanted, got, { where, places }) =>
    got.endsWith(fill(wanted, places))
      ? []
      : [`${where}: should end with ${show(wanted)}, got ${show(got.slice(-200))}`],
  lines(wanted, got, { where, places }) {
    const lines = got.replace(/\n$/, '').split('\n').sort()
    const filled = wanted.map((line) => fill(line, places)).sort()
    return filled.join('\n') === lines.join('\n')
      ? []
      : [`${where}: expected the lines ${show(filled)}, got ${show(lines)}`]
  },
  trimmed: (wanted, got, spot) => matchText(wanted, got.trim(), spot),
  ignoreCase: (wanted, got, { where, places }) =>
    wanted
      .filter((part) => !got.toLowerCase().includes(fill(part, places).toLowerCase()))
      .map((part) => `${where}: lacks ${show(part)}, in any case, in ${show(got)}`),
  minLength: (wanted, got, { where }) =>
    byteLength(got) >= wanted ? [] : [`${where}: ${byteLength(got)} bytes, less than ${wanted}`],
  maxLength: (wanted, got, { where }) =>
    byteLength(got) <= wanted ? [] : [`${where}: ${byteLength(got)} bytes, more than ${wanted}`],
  anyOf: (wanted, got, spot) => alternatives(wanted, (one) => matchText(one, got, spot), spot),
  json(wanted, got, spot) {
    const value = parseJson(got)
    return value === undefined ? [`${spot.where}: not JSON: ${show(got)}`] : matchValue(wanted, value, spot)
  },
  $gen: (wanted, got, spot) => sameText(generate(wanted), got, spot),
}

interface Operators {
  $any: true
  $absent: true
  $nullish: true
  $falsy: true
  $type: string
  $text: TextMatcher
  $regex: string
  $gen: Generated
  $gte: number
  $lte: number
  $len: number
  /** A text that holds all of these, or an array with an item for each. */
  $contains: ValueMatcher[]
  $lacks: ValueMatcher[]
  /** The same items in any order. */
  $set: ValueMatcher[]
  $anyOf: ValueMatcher[]
}

const operators: Rules<Operators, unknown> = {
  $any: (_, got, { where }) => (got !== undefined ? [] : [`${where}: is missing`]),
  $absent: (_, got, { where }) => (got === undefined ? [] : [`${where}: should be absent, is ${show(got)}`]),
  $nullish: (_, got, { where }) => ((got ?? null) === null ? [] : [`${where}: should be absent, is ${show(got)}`]),
  $falsy: (_, got, { where }) => (!got ? [] : [`${where}: should be false or absent, is ${show(got)}`]),
  $type: (wanted, got, { where }) =>
    typeName(got) === wanted ? [] : [`${where}: expected a value of type ${wanted}, got ${show(got)}`],
  $text: (wanted, got, spot) => matchText(wanted, got, spot),
  $regex: (wanted, got, spot) => matchText({ regex: wanted }, got, spot),
  $gen: (wanted, got, spot) => matchText(generate(wanted), got, spot),
  $gte: (wanted, got, { where }) =>
    typeof got === 'number' && got >= wanted ? [] : [`${where}: expected at least ${wanted}, got ${show(got)}`],
  $lte: (wanted, got, { where }) =>
    typeof got === 'number' && got <= wanted ? [] : [`${where}: expected at most ${wanted}, got ${show(got)}`],
  $len: (wanted, got, { where }) =>
    (Array.isArray(got) || typeof got === 'string') && got.length === wanted
      ? []
      : [`${where}: expected a length of ${wanted}, got ${show(got)}`],
  $contains: (wanted, got, spot) =>
    wanted
      .filter((part) => !holds(got, part, spot))
      .map((part) => `${spot.where}: lacks ${show(part)} in ${show(got)}`),
  $lacks: (wanted, got, spot) =>
    wanted
      .filter((part) => holds(got, part, spot))
      .map((part) => `${spot.where}: must not hold ${show(part)} in ${show(got)}`),
  $set(wanted, got, spot) {
    if (!Array.isArray(got)) return [`${spot.where}: expected an array, got ${show(got)}`]
    const left = [...got]
    const lacking = wanted.filter((item) => {
      const index = left.findIndex((candidate) => matchValue(item, candidate, spot).length === 0)
      if (index >= 0) left.splice(index, 1)
      return index < 0
    })
    return [
      ...lacking.map((item) => `${spot.where}: lacks ${show(item)} in ${show(got)}`),
      ...left.map((item) => `${spot.where}: also has ${show(item)}`),
    ]
  },
  $anyOf: (wanted, got, spot) => alternatives(wanted, (one) => matchValue(one, got, spot), spot),
}

function matchObject(wanted: object, got: unknown, spot: Spot): string[] {
  const entries = Object.entries(wanted)
  if (entries.some(([name]) => name.startsWith('$'))) {
    return entries.flatMap(([name, operand]) => rule(operators, name)(operand, got, spot))
  }
  if (typeName(got) !== 'object') return [`${spot.where}: expected an object, got ${show(got)}`]
  const fields = got as Record<string, unknown>
  return entries.flatMap(([key, item]) => matchValue(item, fields[key], { ...spot, where: `${spot.where}.${key}` }))
}

function matchItems(wanted: readonly unknown[], got: unknown, spot: Spot): string[] {
  if (!Array.isArray(got)) return [`${spot.where}: expected an array, got ${show(got)}`]
  if (got.length !== wanted.length) {
    return [`${spot.where}: expected ${wanted.length} items, got ${got.length}: ${show(got)}`]
  }
  return wanted.flatMap((item, index) => matchValue(item, got[index], { ...spot, where: `${spot.where}[${index}]` }))
}

/** An unknown rule fails, because it would be a check that never fails. */
function rule(rules: object, name: string): (wanted: unknown, got: unknown, spot: Spot) => string[] {
  if (!Object.hasOwn(rules, name)) throw new Error(`there is no matcher ${name}`)
  // Each rule of a case has the argument that the rule takes.
  return (rules as Record<string, (wanted: unknown, got: unknown, spot: Spot) => string[]>)[name]!
}

function alternatives<Matcher>(all: readonly Matcher[], match: (one: Matcher) => string[], { where }: Spot): string[] {
  const faults = all.map(match)
  if (faults.some((found) => found.length === 0)) return []
  return [`${where}: none of ${all.length} alternatives: ${faults.map(([first]) => first).join(' | ')}`]
}

function holds(got: unknown, part: unknown, spot: Spot): boolean {
  if (typeof got === 'string') return got.includes(fill(String(part), spot.places))
  return Array.isArray(got) && got.some((item) => matchValue(part, item, spot).length === 0)
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
