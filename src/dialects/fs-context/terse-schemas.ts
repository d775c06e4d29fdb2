/** Every client pays for `tools/list` in each conversation, and this dialect sends a manual besides. */
import { type JsonSchema, once, type Tool } from '../../tools/dialect.js'

/**
 * The tool, described in fewer words: bounds that nobody would cross by accident, that what is not asked for is not done, and the inside of
 * results are not told.
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

const untold = ['minLength', 'maxLength', 'minItems']

function withoutBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutBounds)
  if (typeof node !== 'object' || node === null) return node
  const told = Object.entries(node).filter(
    ([key, value]) =>
      !untold.includes(key) &&
      !(key === 'minimum' && (value === 0 || value === 1)) &&
      !(key === 'default' && value === false),
  )
  return Object.fromEntries(told.map(([key, value]) => [key, withoutBounds(value)]))
}

/** What the caller said comes back in these. */
const echoed = ['path', 'basePath', 'pattern', 'filePattern']

/** Only the top, and no echoes. What clients check against it stays true of every answer. */
function withoutInside(schema: JsonSchema): JsonSchema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, { type?: unknown }>)
  const told = properties.filter(([name]) => !echoed.includes(name)).map(([name, { type }]) => [name, { type }])
  return { ...schema, properties: Object.fromEntries(told) }
}
