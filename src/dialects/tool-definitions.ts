/** The tools for programs that call the API of a model directly, without MCP. */

import {
  type CallOptions,
  callTool,
  type Dialect,
  describeTool,
  type JsonSchema,
  offeredTools,
  type ToolAnnotations,
  ToolProtocolError,
  type ToolResult,
} from '../tools/dialect.js'
import { textOf } from '../tools/result-text.js'
import { selectTools } from '../tools/select.js'
import { withStructuredResults } from '../tools/structured-results.js'
import type { Workspace } from '../workspace.js'
import { polyfs } from './polyfs/tools.js'

export { textOf }

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
  /** The tools as MCP's `tools/list` describes them; with `callTool`, what an agent of `polyfs/agent` takes. */
  listTools(): Promise<DescribedTool[]>
  /** As `call`, but a protocol error is a result too. */
  callTool(name: string, args: unknown, options?: CallOptions): Promise<ToolResult>
}

/** A tool as MCP's `tools/list` describes it. */
export interface DescribedTool {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations: ToolAnnotations
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
    listTools: async () => offeredTools(dialect, workspace).map(describeTool),
    async callTool(name, args, callOptions) {
      try {
        return await call(name, args, callOptions)
      } catch (error) {
        if (!(error instanceof ToolProtocolError)) throw error
        return { content: [{ type: 'text', text: error.message }], isError: true }
      }
    },
  }
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
