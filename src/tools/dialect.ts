/** What a dialect is: tools that translate neutral operations into the interface of one particular file server. */
import type { FsError } from '../errors.js'
import type { CallContext, Workspace } from '../workspace/workspace.js'

export interface Dialect {
  readonly name: string
  /** How the server introduces itself. Default: the product's own name and version. */
  readonly serverInfo?: { name: string; version: string }
  readonly instructions?: string
  /** In the order they are listed. */
  readonly tools: readonly Tool[]
  /** Roots announced by the client restrict access: only those that were accessible before are served. */
  readonly followsClientRoots?: boolean
  /** The agent chooses the directory to work in, so a server may be started without one. */
  readonly choosesWorkspace?: boolean
  /** Files as MCP resources. */
  readonly resources?: Resources
  /** Prompts that a user can start a conversation with. */
  readonly prompts?: readonly Prompt[]
  /** Its tools report what they do while they run, through `onLog`. */
  readonly logs?: boolean
  /** Its tools or prompts ask the client, by throwing `Questions`. */
  readonly asks?: boolean
  /** Words every failure of every tool, as a result or as a protocol error. */
  fail(error: FsError, workspace: Workspace, call: FailedCall): Failure
}

/** The failed call; its arguments are as sent. */
export interface FailedCall {
  tool: string
  args: unknown
}

/** Groups of tools, so that a server can offer only some of them. */
export const toolGroups = ['read', 'search', 'edit', 'shell', 'git', 'archive', 'history'] as const
export type ToolGroup = (typeof toolGroups)[number]

/** Files as resources that can be listed, read and watched by URI. */
export interface Resources {
  readonly template: { uriTemplate: string; name: string; description: string }
  /** One page of resources, and a cursor. */
  list(workspace: Workspace, cursor: string | undefined, context: CallContext): Promise<ResourcePage>
  /** Fails like any access to the path; with `INVALID_PATH` for any other URI. */
  read(uri: string, workspace: Workspace, context: CallContext): Promise<ResourceContent>
  uriOf(path: string): string
  pathOf(uri: string): string
  /** Completions for the variable of the template, the likeliest first. */
  complete?(value: string, workspace: Workspace): Promise<string[]>
}

export interface ResourcePage {
  resources: { uri: string; name: string; size?: number }[]
  cursor?: string
}

/** As text, or in base64. */
export type ResourceContent = { uri: string; mimeType: string } & ({ text: string } | { blob: string })

export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly { name: string; description: string; required?: boolean }[]
  /** The message of the user: a text, or several pieces of content. */
  write(args: Readonly<Record<string, string>>, context: Pick<CallContext, 'asked'>): string | readonly Content[]
  /** Completions for an argument, the likeliest first. */
  complete?(argument: string, value: string, workspace: Workspace): Promise<string[]>
}

export interface Tool {
  readonly name: string
  /** Default: by what the tool needs and does. */
  readonly group?: ToolGroup
  /** Other names that it accepts; they are not listed. */
  readonly aliases?: readonly string[]
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  /** JSON Schemas of the arguments, and of `structuredContent` where the tool has any. They are made by the first call. */
  schema(): ToolSchema
  /** The same tool with the facts of every result as its structured content; absent where it has no facts. */
  structured?(): Tool
  readonly mutates: boolean
  readonly needs?: 'shell'
  /** Not listed beside tools that run commands, with which a model does the same. It can be called all the same. */
  readonly unlistedBesideShell?: boolean | ((workspace: Workspace) => boolean)
  call(args: unknown, workspace: Workspace, context: CallContext): Promise<ToolResult>
  /** As `call` without a promise; undefined where it would block, and then nothing has been done. Throws what `call` would fail with. */
  callSync?(args: unknown, workspace: Workspace): ToolResult | undefined
}

export interface ToolSchema {
  readonly input: JsonSchema
  readonly output?: JsonSchema
}

/** As in the protocol: without a hint a tool may change things, destroy some, and reach the world outside. */
export interface ToolAnnotations {
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

export type JsonSchema = { type: 'object' } & Record<string, unknown>

export interface ToolResult {
  content: Content[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  /** Counts, hashes and cursors as data, for callers in the same process; only sent where they are also the `structuredContent`. */
  facts?: Record<string, unknown>
}

export type Content =
  | { type: 'text'; text: string }
  /** In base64. */
  | { type: 'image' | 'audio'; data: string; mimeType: string; text?: never }
  | { type: 'resource'; resource: ResourceContent; text?: never }

/** A failure is either a result with `isError` or a protocol error. */
export type Failure = { result: ToolResult } | { protocolError: { code: number; message: string } }
