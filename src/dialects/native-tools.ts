/** The tools that models are trained on, as each vendor's SDK takes them. Nothing here depends on an SDK. */
import { type CallOptions, callTool, describeTool, offeredTools } from '../tools/call-tool.js'
import type { Dialect } from '../tools/dialect.js'
import { textOf } from '../tools/result-text.js'
import type { Workspace } from '../workspace/workspace.js'
import { anthropic } from './native/anthropic/tools.js'
import { gemini } from './native/gemini/tools.js'
import type { ShellCallOutput } from './native/openai/shell.js'
import { openai } from './native/openai/tools.js'

export type { ShellCallOutput }

export interface NativeToolsOptions {
  /** Called with internal faults. */
  onFault?: (fault: unknown) => void
}

/** What each vendor's SDK takes; see `AnthropicTools`, `OpenAiTools` and `GeminiTools`. */
export interface NativeTools {
  anthropic: AnthropicTools
  openai: OpenAiTools
  gemini: GeminiTools
}

/** For `tools` of `client.beta.messages.toolRunner` of `@anthropic-ai/sdk`. Without a shell there is no `bash`. */
export type AnthropicTools = AnthropicTool[]

/** A tool that the API knows by its type, with what runs it. */
export interface AnthropicTool {
  type: 'text_editor_20250728' | 'bash_20250124' | 'memory_20250818'
  name: 'str_replace_based_edit_tool' | 'bash' | 'memory'
  parse(input: unknown): unknown
  /** Throws what the model is told of a failure. */
  run(input: unknown): Promise<string>
}

/** For `applyPatchTool({ editor })` and `shellTool({ shell })` of `@openai/agents`, and for the Responses API itself. */
export interface OpenAiTools {
  readonly editor: OpenAiEditor
  /** Absent in a workspace without a shell. */
  readonly shell?: OpenAiShell
  /** `tools` of a request to the Responses API. */
  readonly tools: readonly ({ type: 'apply_patch' } | { type: 'shell' })[]
  /** Runs a call that a response has, and returns the item for the next request; undefined for items that are no calls of these tools. */
  handle<Item extends { type: string }>(item: Item): Promise<OpenAiCallOutput | undefined>
}

/** One operation of `apply_patch`. */
export type PatchOperation =
  | { type: 'create_file' | 'update_file'; path: string; diff: string }
  | { type: 'delete_file'; path: string }

export interface PatchResult {
  status: 'completed' | 'failed'
  output: string
}

export interface OpenAiEditor {
  createFile(operation: { type: 'create_file'; path: string; diff: string }): Promise<PatchResult>
  updateFile(operation: { type: 'update_file'; path: string; diff: string }): Promise<PatchResult>
  deleteFile(operation: { type: 'delete_file'; path: string }): Promise<PatchResult>
}

export interface ShellAction {
  commands: string[]
  timeoutMs?: number
  maxOutputLength?: number
}

export interface OpenAiShell {
  run(action: ShellAction): Promise<{ output: ShellOutput[]; maxOutputLength?: number }>
}

export interface ShellOutput {
  stdout: string
  stderr: string
  outcome: { type: 'exit'; exitCode: number } | { type: 'timeout' }
}

export type OpenAiCallOutput =
  | ({ type: 'apply_patch_call_output'; call_id: string } & PatchResult)
  | { type: 'shell_call_output'; call_id: string; output: ShellCallOutput[]; max_output_length?: number }

/** For `tools` of a request of `@google/genai`, which then calls them itself. */
export interface GeminiTools {
  tool(): Promise<{ functionDeclarations: GeminiDeclaration[] }>
  callTool(calls: { id?: string; name?: string; args?: Record<string, unknown> }[]): Promise<GeminiPart[]>
}

export interface GeminiDeclaration {
  name: string
  description: string
  parametersJsonSchema: unknown
}

export interface GeminiPart {
  functionResponse: { id?: string; name: string; response: { output: string } | { error: string } }
}

/** The tools of a vendor's models on a workspace. Changes are in its history, as with all tools. */
export function nativeTools<Vendor extends keyof NativeTools>(
  vendor: Vendor,
  workspace: Workspace,
  options: NativeToolsOptions = {},
): NativeTools[Vendor] {
  return makers[vendor](workspace, options) as NativeTools[Vendor]
}

const makers: {
  [Vendor in keyof NativeTools]: (workspace: Workspace, options: NativeToolsOptions) => NativeTools[Vendor]
} = {
  anthropic: anthropicTools,
  openai: openAiTools,
  gemini: geminiTools,
}

interface Answer {
  text: string
  failed: boolean
}

function callerOf(workspace: Workspace, dialect: Dialect, { onFault }: NativeToolsOptions) {
  const options: CallOptions = { session: {}, ...(onFault && { onFault }) }
  return async (name: string, args: unknown): Promise<Answer> => {
    const result = await callTool(workspace, dialect, name, args, options)
    return { text: textOf(result), failed: result.isError === true }
  }
}

const anthropicTypes: Readonly<Record<string, AnthropicTool['type']>> = {
  str_replace_based_edit_tool: 'text_editor_20250728',
  bash: 'bash_20250124',
  memory: 'memory_20250818',
}

function anthropicTools(workspace: Workspace, options: NativeToolsOptions): AnthropicTools {
  const call = callerOf(workspace, anthropic, options)
  return offeredTools(anthropic, workspace).map(({ name }) => ({
    type: anthropicTypes[name] as AnthropicTool['type'],
    name: name as AnthropicTool['name'],
    parse: (input) => input,
    async run(input) {
      const { text, failed } = await call(name, input)
      // The SDK puts `Error: ` in front of what is thrown.
      if (failed) throw new Error(text.replace(/^Error: /, ''))
      return text
    },
  }))
}

function openAiTools(workspace: Workspace, options: NativeToolsOptions): OpenAiTools {
  const call = callerOf(workspace, openai, options)
  const hasShell = offeredTools(openai, workspace).some(({ name }) => name === 'shell')

  async function patch(operation: PatchOperation): Promise<PatchResult> {
    const { text, failed } = await call('apply_patch', { operation })
    return { status: failed ? 'failed' : 'completed', output: text }
  }

  async function runCommands(action: Record<string, unknown>): Promise<ShellCallOutput[]> {
    const { text, failed } = await call('shell', action)
    if (failed) return [{ stdout: '', stderr: text, outcome: { type: 'exit', exit_code: 1 } }]
    return JSON.parse(text) as ShellCallOutput[]
  }

  return {
    editor: { createFile: patch, updateFile: patch, deleteFile: patch },
    ...(hasShell && {
      shell: {
        async run({ commands, timeoutMs, maxOutputLength }) {
          const output = await runCommands({ commands, timeout_ms: timeoutMs, max_output_length: maxOutputLength })
          return { output: output.map(camelCased), ...(maxOutputLength !== undefined && { maxOutputLength }) }
        },
      },
    }),
    tools: [{ type: 'apply_patch' }, ...(hasShell ? [{ type: 'shell' as const }] : [])],

    async handle(item) {
      if (item.type === 'apply_patch_call') {
        const { call_id, operation } = item as unknown as { call_id: string; operation: PatchOperation }
        return { type: 'apply_patch_call_output', call_id, ...(await patch(operation)) }
      }
      if (item.type !== 'shell_call') return undefined
      const { call_id, action } = item as unknown as { call_id: string; action: Record<string, unknown> }
      const { max_output_length: most } = action
      const output = await runCommands(action)
      const limit = typeof most === 'number' ? { max_output_length: most } : {}
      return { type: 'shell_call_output', call_id, output, ...limit }
    },
  }
}

function camelCased({ stdout, stderr, outcome }: ShellCallOutput): ShellOutput {
  return {
    stdout,
    stderr,
    outcome: outcome.type === 'exit' ? { type: 'exit', exitCode: outcome.exit_code } : outcome,
  }
}

function geminiTools(workspace: Workspace, options: NativeToolsOptions): GeminiTools {
  const call = callerOf(workspace, gemini, options)
  return {
    async tool() {
      const described = offeredTools(gemini, workspace).map(describeTool)
      return {
        functionDeclarations: described.map(({ name, description, inputSchema }) => ({
          name,
          description,
          parametersJsonSchema: inputSchema,
        })),
      }
    },
    async callTool(calls) {
      const parts: GeminiPart[] = []
      for (const { id, name = '', args = {} } of calls) {
        const { text, failed } = await call(name, args)
        const response = failed ? { error: text } : { output: text }
        parts.push({ functionResponse: { ...(id !== undefined && { id }), name, response } })
      }
      return parts
    },
  }
}
