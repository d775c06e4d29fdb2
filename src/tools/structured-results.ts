import type { Dialect } from './dialect.js'

/**
 * The dialect with the facts of every result as structured content, and an output schema for every tool: for programs, and for clients that
 * show a model both the text and the structured content.
 */
export function withStructuredResults(dialect: Dialect): Dialect {
  return { ...dialect, tools: dialect.tools.map((tool) => tool.structured?.() ?? tool) }
}
