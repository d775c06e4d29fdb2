import type { JsonSchema, Prompt, Tool, ToolResult } from '../../src/tools/dialect.js'
import type { CallContext } from '../../src/workspace/workspace.js'

/** A tool that the suite calls by name. */
export function tool(
  name: string,
  run: (context: CallContext, args: unknown) => Promise<ToolResult>,
  input: JsonSchema = { type: 'object', properties: {}, additionalProperties: false },
): Tool {
  return {
    name,
    title: name,
    description: `What the suite expects of ${name}.`,
    annotations: { readOnlyHint: true },
    schema: () => ({ input }),
    mutates: false,
    call: (args, _workspace, context) => run(context, args),
  }
}

/** A prompt that the suite asks for by name. */
export function prompt(name: string, needed: readonly string[], write: Prompt['write']): Prompt {
  const args = needed.map((each) => ({ name: each, description: each, required: true }))
  return { name, title: name, description: `What the suite expects of ${name}.`, arguments: args, write }
}
