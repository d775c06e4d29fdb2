import type { Dialect, Tool } from './dialect.js'

/**
 * The dialect with the facts of every result as structured content, and an output schema for every tool: for clients that show a model
 * the text of a result besides its structured content, and for programs.
 */
export function withStructuredResults(dialect: Dialect): Dialect {
  return { ...dialect, tools: dialect.tools.map(structured) }
}

function structured({ factsSchema, ...tool }: Tool): Tool {
  if (factsSchema === undefined) return tool
  return {
    ...tool,
    outputSchema: factsSchema,
    async call(args, workspace, context) {
      const result = await tool.call(args, workspace, context)
      return result.facts === undefined ? result : { ...result, structuredContent: result.facts }
    },
  }
}
