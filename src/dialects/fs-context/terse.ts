/** Every client pays for `tools/list` in each conversation, and this dialect sends a manual besides. */
import type { JsonSchema, Tool } from '../dialect.js'

/** The tool, described in fewer words: bounds that nobody would cross by accident, and the inside of results, are not told. */
export function terse(tool: Tool): Tool {
  const { inputSchema, outputSchema } = tool
  return {
    ...tool,
    inputSchema: withoutBounds(inputSchema) as JsonSchema,
    ...(outputSchema && { outputSchema: withoutInside(outputSchema) }),
  }
}

const untold = ['minLength', 'maxLength', 'minItems']

function withoutBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutBounds)
  if (typeof node !== 'object' || node === null) return node
  const told = Object.entries(node).filter(
    ([key, value]) => !untold.includes(key) && !(key === 'minimum' && (value === 0 || value === 1)),
  )
  return Object.fromEntries(told.map(([key, value]) => [key, withoutBounds(value)]))
}

/** Only the names at the top. What clients check against it stays true of every answer. */
function withoutInside(schema: JsonSchema): JsonSchema {
  const names = Object.keys(schema.properties ?? {}).map((name) => [name, {}])
  return { ...schema, properties: { ...Object.fromEntries(names), ok: { type: 'boolean' } } }
}
