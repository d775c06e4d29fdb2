import type { JsonSchema } from '../../../src/tools/dialect.js'
import type { Vector } from './stage.js'

/** The part of a schema that describes the values of a parameter. */
interface Property {
  type?: string
  enum?: unknown[]
  default?: unknown
  anyOf?: Property[]
  items?: Property
  properties?: Record<string, Property>
}

/** The parameters of tools that no case uses, and the enum values that none uses; defaults need not be given. */
export function untried(
  tools: ReadonlyArray<{ name: string; inputSchema: JsonSchema }>,
  vectors: readonly Vector[],
): string[] {
  const calls = vectors.flatMap((vector) => vector.calls.flat()).filter((call) => 'tool' in call)
  return tools.flatMap(({ name, inputSchema }) => {
    const given = calls.filter(({ tool }) => tool === name).map(({ args = {} }) => args)
    return given.length === 0 ? [name] : untriedIn(name, inputSchema as Property, given)
  })
}

function untriedIn(name: string, property: Property, given: readonly unknown[]): string[] {
  const { anyOf = [], items, properties = {} } = property
  const choices = property.enum ?? (property.type === 'boolean' ? [true, false] : [])
  // Our own schemas leave out a default that is the first choice.
  const usual = property.default ?? (property.type === 'boolean' ? false : property.enum?.[0])
  const missing = choices.filter((choice) => choice !== usual && !given.includes(choice))
  return [
    ...missing.map((choice) => `${name}: ${choice}`),
    ...anyOf.flatMap((one) =>
      untriedIn(
        name,
        one,
        given.filter((value) => isOf(one, value)),
      ),
    ),
    ...(items === undefined ? [] : untriedIn(`${name}[]`, items, given.filter(Array.isArray).flat())),
    ...Object.entries(properties).flatMap(([key, inner]) => {
      const values = given.flatMap((value) => (isObject(value) && key in value ? [value[key]] : []))
      return values.length === 0 ? [`${name}.${key}`] : untriedIn(`${name}.${key}`, inner, values)
    }),
  ]
}

function isOf({ type, enum: choices }: Property, value: unknown): boolean {
  if (choices !== undefined) return choices.includes(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return typeof value === 'number'
  return typeof value === type
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
