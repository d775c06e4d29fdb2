/** Reads arguments that are not quite as the schema wants them, where their meaning is plain, and says what was assumed. */
import { FsError } from '../../../errors.js'
import { cutUnits } from '../../../text/lines/lines.js'
import { printable } from '../../../text/printable.js'
import { type Meaning, otherNames, plainName, pluralsOf, remarks } from './other-names.js'
import { type ReadObject, type Taken, takeValue, type ValueSchema } from './take-value.js'

export interface Understood {
  args: unknown
  /** Such as `file_path as path`; empty where nothing had to be assumed. */
  assumed: readonly string[]
}

/**
 * The arguments in the right form. What can't be understood stays as it is, for the schema to refuse. Fails with `INVALID_INPUT` where a
 * parameter has two names with different values.
 */
export function understand(tool: string, schema: ValueSchema, args: unknown): Understood {
  const read: ReadObject = (given, { properties = {}, required = [] }) => {
    const names = otherNames(tool, properties)
    const several = pluralsOf(tool)
    const found = new Map<string, { key: string; value: unknown }>()
    const assumed: string[] = []
    for (const [key, value] of rightNamesFirst(withLinesAsRange(tool, given, properties), properties)) {
      const taken = takeEntry(key, value, { properties, required, names, several, read })
      assumed.push(...taken.assumed)
      if (taken.name === undefined) continue
      const earlier = found.get(taken.name)
      if (earlier === undefined) found.set(taken.name, { key, value: taken.value })
      else if (JSON.stringify(earlier.value) !== JSON.stringify(taken.value)) throw givenTwice(earlier.key, key)
    }
    const value = Object.fromEntries([...found].map(([name, one]) => [name, one.value]))
    return { value, assumed: [...new Set(assumed)] }
  }
  const taken = takeValue('arguments', args, schema, read)
  return taken === undefined ? { args, assumed: [] } : { args: taken.value, assumed: taken.assumed }
}

const firstLineNames = new Set(['startline', 'linestart', 'fromline', 'firstline', 'start', 'startlineoneindexed'])
const lastLineNames = new Set([
  'endline',
  'lineend',
  'toline',
  'lastline',
  'end',
  'endlineoneindexed',
  'endlineoneindexedinclusive',
])

/** For readers: a first and a last line, which other servers take instead of an offset and a limit, are a range. */
function withLinesAsRange(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  properties: Surroundings['properties'],
): Readonly<Record<string, unknown>> {
  if (tool !== 'read_file' || !Object.hasOwn(properties, 'ranges') || Object.hasOwn(given, 'ranges')) return given
  const entries = Object.entries(given)
  const last = entries.filter(([key]) => lastLineNames.has(plainName(key)))
  const first = entries.filter(([key]) => firstLineNames.has(plainName(key)))
  if (last.length !== 1 || first.length > 1) return given
  const rest = entries.filter(([key]) => !firstLineNames.has(plainName(key)) && !lastLineNames.has(plainName(key)))
  return { ...Object.fromEntries(rest), line_range: [first[0]?.[1] ?? 1, last[0]?.[1]] }
}

interface Surroundings {
  properties: Readonly<Record<string, ValueSchema>>
  required: readonly string[]
  names: ReadonlyMap<string, readonly Meaning[]>
  /** The parameters for several values, by those for one. */
  several: Readonly<Record<string, string>>
  read: ReadObject
}

/** One entry of an object, under its right name; without a name it is left out. */
type Entry = Taken & { name?: string }

function takeEntry(key: string, value: unknown, around: Surroundings): Entry {
  const { properties, required, names } = around
  const own = Object.hasOwn(properties, key) ? [{ parameter: key }] : undefined
  const meanings = own ?? names.get(plainName(key)) ?? []
  const isOptional = meanings.length > 0 && meanings.every(({ parameter }) => !required.includes(parameter))
  // Some clients fill in every parameter.
  if (isOptional && (value === null || (key === 'cursor' && value === ''))) {
    return { value, assumed: [`${key} ${JSON.stringify(value)} as left out`] }
  }
  const fitting = meanings.flatMap((meaning) => takeAs(meaning, key, value, around) ?? [])
  const exact = fitting.filter(({ assumed }) => assumed.length <= (own ? 0 : 1))
  const [meant, ...others] = exact.length === 1 ? exact : fitting
  if (meant !== undefined && others.length === 0) return meant
  if (meanings.length === 0 && remarks.has(plainName(key))) return { value, assumed: [`${key} as a remark`] }
  return { name: key, value, assumed: [] }
}

function takeAs({ parameter, convert }: Meaning, key: string, value: unknown, around: Surroundings): Entry | undefined {
  const converted = convert === undefined ? value : convert(value)
  if (converted === undefined) return undefined
  const { properties, read } = around
  const found =
    takeNamed(parameter, converted, properties[parameter], read) ?? takeSeveral(parameter, converted, around)
  if (found === undefined) return undefined
  const { name, value: taken, assumed } = found
  if (name === key) return found
  const shown = printable(cutUnits(key, 40))
  const what = convert === undefined ? `${shown} as ${name}` : `${shown} as ${name}: ${JSON.stringify(taken)}`
  return { name, value: taken, assumed: [what, ...assumed] }
}

function takeNamed(
  name: string,
  value: unknown,
  schema: ValueSchema | undefined,
  read: ReadObject,
): (Taken & { name: string }) | undefined {
  const taken = schema && takeValue(name, value, schema, read)
  return taken && { ...taken, name }
}

/** A list where one value is expected: its only item, or the parameter for several of them. */
function takeSeveral(
  name: string,
  value: unknown,
  { properties, several, read }: Surroundings,
): (Taken & { name: string }) | undefined {
  if (!Array.isArray(value)) return undefined
  if (value.length === 1) {
    const only = takeNamed(name, value[0], properties[name], read)
    return only && { ...only, assumed: [`${name} as its only item`, ...only.assumed] }
  }
  const other = several[name]
  return other === undefined ? undefined : takeNamed(other, value, properties[other], read)
}

/** So that an error about two names for one parameter names the right one first. */
function rightNamesFirst(
  given: Readonly<Record<string, unknown>>,
  properties: Surroundings['properties'],
): [string, unknown][] {
  const entries = Object.entries(given)
  const isRight = ([key]: [string, unknown]) => Object.hasOwn(properties, key)
  return [...entries.filter(isRight), ...entries.filter((entry) => !isRight(entry))]
}

function givenTwice(name: string, other: string): FsError {
  const message = `${printable(cutUnits(other, 40))} is given too, and means the same with another value; leave one of them out`
  return new FsError('INVALID_INPUT', { issues: [{ at: [name], kind: 'other', message }] })
}
