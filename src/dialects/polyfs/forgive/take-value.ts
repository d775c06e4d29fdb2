/** Takes a value in another form where it can only mean one thing: a number or a list as text, one item where a list is expected. */
import { cutUnits } from '../../../text/lines/lines.js'
import { parseJson } from '../../../text/parse-json.js'
import { printable } from '../../../text/printable.js'

/** The part of JSON Schema that parameters use. */
export interface ValueSchema {
  type?: string
  enum?: readonly unknown[]
  items?: ValueSchema
  prefixItems?: readonly ValueSchema[]
  minItems?: number
  maxItems?: number
  properties?: Readonly<Record<string, ValueSchema>>
  required?: readonly string[]
  anyOf?: readonly ValueSchema[]
}

/** A value that fits the schema's types, and what was assumed for it. */
export interface Taken {
  value: unknown
  assumed: readonly string[]
}

/** How an object inside a value is read; it may have other names for its keys. */
export type ReadObject = (value: Readonly<Record<string, unknown>>, schema: ValueSchema) => Taken

/** Undefined where the value does not fit, and can't mean anything that does. */
export function takeValue(
  name: string,
  value: unknown,
  schema: ValueSchema,
  readObject: ReadObject,
): Taken | undefined {
  if (schema.anyOf !== undefined) return takeAny(name, value, schema.anyOf, readObject)
  if (schema.enum !== undefined) return takeChoice(name, value, schema.enum)
  switch (schema.type) {
    case 'string':
      return takeText(name, value)
    case 'integer':
    case 'number':
      return takeNumber(name, value)
    case 'boolean':
      return takeFlag(name, value)
    case 'array':
      return takeList(name, value, schema, readObject)
    case 'object':
      return takeObject(name, value, schema, readObject)
    default:
      return asGiven(value)
  }
}

function asGiven(value: unknown): Taken {
  return { value, assumed: [] }
}

function as(name: string, given: unknown, value: unknown): Taken {
  return { value, assumed: [`${name} ${shown(given)} as ${shown(value)}`] }
}

function shown(value: unknown): string {
  return printable(cutUnits(JSON.stringify(value) ?? String(value), 40))
}

/** A form that needs no assumption goes before others. */
function takeAny(
  name: string,
  value: unknown,
  schemas: readonly ValueSchema[],
  readObject: ReadObject,
): Taken | undefined {
  const taken = schemas.flatMap((schema) => takeValue(name, value, schema, readObject) ?? [])
  return taken.find(({ assumed }) => assumed.length === 0) ?? taken[0]
}

/** Other spellings of choices: `UTF8` for `utf-8`. */
function takeChoice(name: string, value: unknown, choices: readonly unknown[]): Taken | undefined {
  if (choices.includes(value)) return asGiven(value)
  if (typeof value !== 'string') return undefined
  const meant = choices.filter((choice) => plainChoice(String(choice)) === plainChoice(value))
  const other = otherChoices.get(plainChoice(value))
  if (meant.length === 0 && choices.includes(other)) return as(name, value, other)
  return meant.length === 1 ? as(name, value, meant[0]) : undefined
}

function plainChoice(choice: string): string {
  return choice.replace(/[-_\s]/g, '').toLowerCase()
}

/** Names of other servers for our choices. */
const otherChoices: ReadonlyMap<string, string> = new Map([
  ['fileswithmatches', 'files'],
  ['mtime', 'modified'],
])

/** A whole number is text in one way only. */
function takeText(name: string, value: unknown): Taken | undefined {
  if (typeof value === 'string') return asGiven(value)
  return Number.isSafeInteger(value) ? as(name, value, String(value)) : undefined
}

function takeNumber(name: string, value: unknown): Taken | undefined {
  if (typeof value === 'number') return asGiven(value)
  if (typeof value !== 'string' || !/^\s*[-+]?\d{1,15}(\.\d{1,6})?\s*$/.test(value)) return undefined
  return as(name, value, Number(value))
}

function takeFlag(name: string, value: unknown): Taken | undefined {
  if (typeof value === 'boolean') return asGiven(value)
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  return text === 'true' || text === 'false' ? as(name, value, text === 'true') : undefined
}

function takeList(name: string, value: unknown, schema: ValueSchema, readObject: ReadObject): Taken | undefined {
  const parsed = parsedJson(value)
  if (Array.isArray(value)) return takeItems(name, value, schema, readObject)
  if (Array.isArray(parsed)) return withNote(`${name} from JSON text`, takeItems(name, parsed, schema, readObject))
  // One number is not a range, and one path no pair.
  if (schema.prefixItems !== undefined || isList(schema.items) || typeof value === 'number') return undefined
  return withNote(`${name} as a list`, takeItems(name, [parsed ?? value], schema, readObject))
}

function takeItems(
  name: string,
  values: readonly unknown[],
  schema: ValueSchema,
  readObject: ReadObject,
): Taken | undefined {
  const { items = {}, prefixItems, minItems = 0, maxItems = Infinity } = schema
  if (values.length < minItems || values.length > maxItems) return undefined
  if (isList(items) && values.length > 0 && values.every(isScalar)) {
    // A list of lists with only one of them.
    const only = takeValue(name, values, items, readObject)
    return withNote(`${name} as a list of one`, only && { ...only, value: [only.value] })
  }
  const assumed = new Set<string>()
  const taken: unknown[] = []
  for (const [at, value] of values.entries()) {
    const one = takeItem(name, value, prefixItems?.[at] ?? items, readObject)
    if (one === undefined) return undefined
    taken.push(one.value)
    for (const note of one.assumed) assumed.add(note)
  }
  return { value: taken, assumed: [...assumed] }
}

function isScalar(value: unknown): boolean {
  return !Array.isArray(value) && !isObject(value) && parsedJson(value) === undefined
}

function isList(schema: ValueSchema | undefined): boolean {
  return schema?.type === 'array' || schema?.anyOf?.some(isList) === true
}

/** A text where an object with a path is expected is that path, and an object with two ends may stand for a pair. */
function takeItem(name: string, value: unknown, schema: ValueSchema, readObject: ReadObject): Taken | undefined {
  if (name === 'pairs' && isList(schema) && isObject(value)) return takePair(value, readObject)
  const { properties = {}, required = [] } = schema
  const isPath =
    typeof value === 'string' && Object.hasOwn(properties, 'path') && required.length === 1 && required[0] === 'path'
  if (isPath && parsedJson(value) === undefined)
    return { value: { path: value }, assumed: [`items of ${name} as paths`] }
  return takeValue(name, value, schema, readObject)
}

const pairSchema: ValueSchema = { properties: { source: { type: 'string' }, destination: { type: 'string' } } }

function takePair(value: Readonly<Record<string, unknown>>, readObject: ReadObject): Taken | undefined {
  const { value: read, assumed } = readObject(value, pairSchema)
  const { source, destination, ...rest } = read as Record<string, unknown>
  if (typeof source !== 'string' || typeof destination !== 'string' || Object.keys(rest).length > 0) return undefined
  return { value: [source, destination], assumed: ['items of pairs as lists', ...assumed] }
}

function takeObject(name: string, value: unknown, schema: ValueSchema, readObject: ReadObject): Taken | undefined {
  if (isObject(value)) return readObject(value, schema)
  const parsed = parsedJson(value)
  return isObject(parsed) ? withNote(`${name} from JSON text`, readObject(parsed, schema)) : undefined
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A list or an object that was sent as text, within the bounds of a message: to those it was a single value. */
function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined
  const parsed = parseJson(value)
  // Otherwise it is just text.
  return 'value' in parsed ? parsed.value : undefined
}

function withNote(note: string, taken: Taken | undefined): Taken | undefined {
  return taken && { value: taken.value, assumed: [note, ...taken.assumed] }
}
