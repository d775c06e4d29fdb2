/** What an unknown parameter may have been meant to be. */
import type { InputIssue } from '../../../errors.js'
import { plainName } from './other-names.js'
import type { ValueSchema } from './take-value.js'

const mostSuggested = 3

/** A line about the parameters that are not known; empty where there are none. */
export function suggestParameters(tool: string, schema: ValueSchema, issues: readonly InputIssue[]): string {
  const unknown = issues.filter(({ kind }) => kind === 'unknown-key').slice(0, mostSuggested)
  const [first] = unknown
  if (first === undefined) return ''
  const near = unknown.flatMap(({ at, expected = '' }) => nearest(expected, Object.keys(propertiesAt(schema, at))))
  const question = near.length === 0 ? '' : `Did you mean ${[...new Set(near)].slice(0, mostSuggested).join(', ')}? `
  const where = first.at.length === 0 ? tool : `${tool}, ${first.at.filter((key) => typeof key === 'string').join('.')}`
  const names = Object.keys(propertiesAt(schema, first.at))
  return `${question}${names.length === 0 ? `${where} has no parameters.` : `Parameters of ${where}: ${names.join(', ')}.`}`
}

function propertiesAt(schema: ValueSchema, at: InputIssue['at']): NonNullable<ValueSchema['properties']> {
  let here: ValueSchema | undefined = schema
  for (const key of at) here = typeof key === 'number' ? here?.items : here?.properties?.[key]
  return here?.properties ?? {}
}

/** Names that contain the given one or are contained in it, or differ in few letters. */
function nearest(given: string, names: readonly string[]): string[] {
  const wanted = plainName(given)
  if (wanted.length < 2 || wanted.length > 40) return []
  const isPart = (name: string) => name.length > 2 && (name.includes(wanted) || wanted.includes(name))
  const ranked = names
    .map((name) => ({ name, distance: isPart(plainName(name)) ? 0.5 : distanceOf(plainName(name), wanted) }))
    .filter(({ name, distance }) => distance <= Math.ceil(Math.min(name.length, wanted.length) / 3))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return ranked.filter(({ distance }) => distance === best?.distance).map(({ name }) => name)
}

const maxComparedUnits = 200

/** The edit distance of two names; infinite when one is very long. */
export function distanceOf(a: string, b: string): number {
  if (a.length > maxComparedUnits || b.length > maxComparedUnits) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
    }
    row = next
  }
  return row[b.length] ?? Infinity
}
