/** The tools for programs that call the API of a model directly, without MCP. */

import { type CallOptions, callTool, describeTool, offeredTools, ToolProtocolError } from '../tools/call-tool.js'
import type { Dialect, JsonSchema, ToolAnnotations, ToolResult } from '../tools/dialect.js'
import { once } from '../tools/make-tool.js'
import { type PrintableResult, textOf } from '../tools/result-text.js'
import { selectTools } from '../tools/select.js'
import { withStructuredResults } from '../tools/structured-results.js'
import type { Workspace } from '../workspace/workspace.js'
import { withForks } from './polyfs/forks/with-forks.js'
import { polyfs } from './polyfs/tools.js'

export { textOf }

export interface ToolsOptions {
  /** Default: our own. */
  dialect?: Dialect
  /** Some of its tools; see `selectTools`. */
  tools?: string | readonly string[]
  /** Counts, hashes and cursors of every result as structured content; see `withStructuredResults`. */
  structured?: boolean
  /** A tool by which the agent works in forks of the workspace, for our own dialect; see `withForks`. Default: false. */
  forks?: boolean
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
  const { dialect: own = polyfs, tools: spec, structured = false, forks = false, onFault } = options
  const given = forks ? withForks(own) : own
  const chosen = spec === undefined ? given : selectTools(given, spec)
  const dialect = structured ? withStructuredResults(chosen) : chosen
  const session = {}

  function call(name: string, args: unknown, callOptions: CallOptions = {}): Promise<ToolResult> {
    return callTool(workspace, dialect, name, args, { session, ...(onFault && { onFault }), ...callOptions })
  }

  // An episode that is forked thousands of times lists its tools once.
  const definitions = once(() =>
    offeredTools(dialect, workspace).map(({ name, description, schema }) => ({
      name,
      description,
      parameters: schema().input,
    })),
  )

  return {
    get definitions() {
      return definitions()
    },
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

/** A tool as `listTools` describes it, of a set, of `serveFiles` or of an MCP client. */
export interface ListedDefinition {
  name: string
  description?: string
  inputSchema: object
}

/** A set of tools, or the list of them that `listTools` gives. */
export type ToolList = Pick<ToolSet, 'definitions'> | readonly ListedDefinition[]

function definitionsOf(given: ToolList): readonly ToolDefinition[] {
  if ('definitions' in given) return given.definitions
  return given.map(({ name, description = '', inputSchema }) => ({
    name,
    description,
    parameters: inputSchema as JsonSchema,
  }))
}

/** `tools` of OpenAI's chat completions, and of the many APIs that copy them. */
export function openAiTools(given: ToolList) {
  return definitionsOf(given).map((definition) => ({ type: 'function' as const, function: { ...definition } }))
}

/** `tools` of Anthropic's messages. */
export function anthropicTools(given: ToolList) {
  return definitionsOf(given).map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }))
}

export interface AiSdkOptions<Schema> {
  /** The function of this name of the package `ai`: a parameter, so that nothing here depends on it. */
  jsonSchema: (schema: JsonSchema) => Schema
}

/** Makes the calls where the tools are given as a list: `files.callTool` of `serveFiles`. */
export interface AiSdkCaller {
  callTool(name: string, args: unknown, options: { signal?: AbortSignal }): Promise<PrintableResult>
}

/** `tools` of the AI SDK: `aiSdkTools(tools(workspace), { jsonSchema })`, or `aiSdkTools(await files.listTools(), { jsonSchema, callTool: files.callTool })`. */
export function aiSdkTools<Schema>(set: ToolSet, options: AiSdkOptions<Schema>): Record<string, AiSdkTool<Schema>>
export function aiSdkTools<Schema>(
  list: readonly ListedDefinition[],
  options: AiSdkOptions<Schema> & AiSdkCaller,
): Record<string, AiSdkTool<Schema>>
export function aiSdkTools<Schema>(
  given: ToolSet | readonly ListedDefinition[],
  { jsonSchema, callTool }: AiSdkOptions<Schema> & Partial<AiSdkCaller>,
): Record<string, AiSdkTool<Schema>> {
  const run = callerOf(given, callTool)
  return Object.fromEntries(
    definitionsOf(given).map(({ name, description, parameters }) => [
      name,
      {
        description,
        inputSchema: jsonSchema(parameters),
        execute: (args: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) =>
          run(name, args, abortSignal ? { signal: abortSignal } : {}),
      },
    ]),
  )
}

type RunText = (name: string, args: unknown, options: { signal?: AbortSignal }) => Promise<string>

function callerOf(
  given: ToolSet | readonly ListedDefinition[],
  callTool: AiSdkCaller['callTool'] | undefined,
): RunText {
  if (callTool !== undefined) return async (...call) => textOf(await callTool(...call))
  if ('callText' in given) return (...call) => given.callText(...call)
  throw new TypeError('aiSdkTools needs `callTool` to call the tools of a list')
}

export interface AiSdkTool<Schema> {
  description: string
  inputSchema: Schema
  execute(args: unknown, options?: { abortSignal?: AbortSignal }): Promise<string>
}
