/** The tools for programs that call the API of a model directly, without MCP. */

import {
  type CallOptions,
  callTool,
  type Dialect,
  type JsonSchema,
  offeredTools,
  type ToolResult,
} from '../tools/dialect.js'
import { selectTools } from '../tools/select.js'
import { withStructuredResults } from '../tools/structured-results.js'
import type { Workspace } from '../workspace.js'
import { polyfs } from './polyfs/tools.js'

export interface ToolsOptions {
  /** Default: our own. */
  dialect?: Dialect
  /** Some of its tools; see `selectTools`. */
  tools?: string | readonly string[]
  /** Counts, hashes and cursors of every result as structured content; see `withStructuredResults`. */
  structured?: boolean
  /** Called with internal faults. */
  onFault?: (fault: unknown) => void
}

/** A tool as the API of a model describes it: a name, a description, and parameters as JSON Schema. */
export interface ToolDefinition {
  name: string
  description: string
  parameters: JsonSchema
}

export interface ToolSet {
  readonly definitions: readonly ToolDefinition[]
  /** Runs a call of the model. Failures are results with `isError`; a dialect that uses protocol errors throws them. */
  call(name: string, args: unknown, options?: CallOptions): Promise<ToolResult>
  /** The result as one text for the model; content that is not text is only named. */
  callText(name: string, args: unknown, options?: CallOptions): Promise<string>
}

/** The tools that a workspace can serve, to be offered to a model and called directly. The session lives as long as the set. */
export function tools(workspace: Workspace, options: ToolsOptions = {}): ToolSet {
  const { dialect: given = polyfs, tools: spec, structured = false, onFault } = options
  const chosen = spec === undefined ? given : selectTools(given, spec)
  const dialect = structured ? withStructuredResults(chosen) : chosen
  const session = {}

  function call(name: string, args: unknown, callOptions: CallOptions = {}): Promise<ToolResult> {
    return callTool(workspace, dialect, name, args, { session, ...(onFault && { onFault }), ...callOptions })
  }

  return {
    definitions: offeredTools(dialect, workspace).map(({ name, description, schema }) => ({
      name,
      description,
      parameters: schema().input,
    })),
    call,
    async callText(name, args, callOptions) {
      return textOf(await call(name, args, callOptions))
    },
  }
}

/** A result as one text. */
export function textOf({ content, structuredContent }: ToolResult): string {
  const texts = content.map((item) => {
    if (item.type === 'text') return item.text
    return `(${item.type}, ${item.type === 'resource' ? item.resource.mimeType : item.mimeType})`
  })
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(structuredContent ?? {})
}

/** `tools` of OpenAI's chat completions, and of the many APIs that copy them. */
export function openAiTools({ definitions }: ToolSet) {
  return definitions.map((definition) => ({ type: 'function' as const, function: { ...definition } }))
}

/** `tools` of Anthropic's messages. */
export function anthropicTools({ definitions }: ToolSet) {
  return definitions.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }))
}

/**
 * `tools` of the AI SDK. Its `jsonSchema` is a parameter, so that nothing here depends on the SDK: `aiSdkTools(tools(workspace), {
 * jsonSchema })`.
 */
export function aiSdkTools<Schema>(
  set: ToolSet,
  { jsonSchema }: { jsonSchema: (schema: JsonSchema) => Schema },
): Record<string, AiSdkTool<Schema>> {
  return Object.fromEntries(
    set.definitions.map(({ name, description, parameters }) => [
      name,
      {
        description,
        inputSchema: jsonSchema(parameters),
        execute: (args: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) =>
          set.callText(name, args, abortSignal ? { signal: abortSignal } : {}),
      },
    ]),
  )
}

export interface AiSdkTool<Schema> {
  description: string
  inputSchema: Schema
  execute(args: unknown, options?: { abortSignal?: AbortSignal }): Promise<string>
}
