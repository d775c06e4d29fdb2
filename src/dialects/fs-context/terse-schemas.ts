/** Shorter schemas: `tools/list` is sent in each conversation, and this dialect sends a manual as well. */
import type { JsonSchema, Tool } from '../../tools/dialect.js'
import { once } from '../../tools/make-tool.js'

/**
 * The tool with shorter schemas: without bounds that nobody crosses by accident, without defaults of `false`, and without the inside of
 * results.
 */
export function terse(tool: Tool): Tool {
  return {
    ...tool,
    schema: once(() => {
      const { input, output } = tool.schema()
      return { input: withoutBounds(input) as JsonSchema, ...(output && { output: withoutInside(output) }) }
    }),
  }
}

const omitted = ['minLength', 'maxLength', 'minItems']

function withoutBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutBounds)
  if (typeof node !== 'object' || node === null) return node
  const remaining = Object.entries(node).filter(
    ([key, value]) =>
      !omitted.includes(key) &&
      !(key === 'minimum' && (value === 0 || value === 1)) &&
      !(key === 'default' && value === false),
  )
  return Object.fromEntries(remaining.map(([key, value]) => [key, withoutBounds(value)]))
}

/** Results repeat these arguments. */
const echoed = ['path', 'basePath', 'pattern', 'filePattern']

/** Keeps the top-level properties, without repeated arguments. Every result still matches the schema. */
function withoutInside(schema: JsonSchema): JsonSchema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, { type?: unknown }>)
  const remaining = properties.filter(([name]) => !echoed.includes(name)).map(([name, { type }]) => [name, { type }])
  return { ...schema, properties: Object.fromEntries(remaining) }
}
