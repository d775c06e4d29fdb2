import type { Dialect } from './dialect.js'

/**
 * The dialect with the facts of every result as structured content, and an output schema for every tool: for clients that show a model
 * the text of a result besides its structured content, and for programs.
 */
export function withStructuredResults(dialect: Dialect): Dialect {
  return { ...dialect, tools: dialect.tools.map((tool) => tool.structured?.() ?? tool) }
}
