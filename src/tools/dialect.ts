/** What a dialect is: tools that translate neutral operations into the interface of one particular file server. */
import * as z from 'zod'
import { FsError, isFsError, relocate } from '../errors.js'
import { parseInput, type Schema } from '../parse-input.js'
import type { CallContext, Operation, Session, Workspace } from '../workspace.js'
import { Questions } from './questions.js'
import { shortText, withShortFacts, withShortTexts } from './shorten-facts.js'

export { type Question, Questions } from './questions.js'
export type { CallContext, Session }

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
  call(args: unknown, workspace: Workspace, context: CallContext): Promise<ToolResult>
  /** As `call` without a promise; undefined where it would block, and then nothing has been done. Throws what `call` would fail with. */
  callSync?(args: unknown, workspace: Workspace): ToolResult | undefined
}

export interface ToolSchema {
  readonly input: JsonSchema
  readonly output?: JsonSchema
}

export interface ToolAnnotations {
  readOnlyHint: boolean
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

/** Thrown by `callTool` for dialects that answer with JSON-RPC errors. */
export class ToolProtocolError extends Error {
  override readonly name = 'ToolProtocolError'

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** A message for each error code: a new code does not compile until every dialect has one. */
export type Wording<Word> = { [Code in FsError['code']]: (facts: FsError<Code>['facts'], workspace: Workspace) => Word }

/** The message for one error. */
export function word<Word>(wording: Wording<Word>, error: FsError, workspace: Workspace): Word {
  // The table and the error both pair the code with its facts.
  const choose = wording[error.code] as (facts: FsError['facts'], workspace: Workspace) => Word
  return choose(error.facts, workspace)
}

/** As `word`, for wordings that print paths as they are: absolute ones become what the host writes. */
export function wordShown<Word>(wording: Wording<Word>, error: FsError, workspace: Workspace): Word {
  return word(wording, relocate(error, workspace.fs.show) as FsError, workspace)
}

export interface Projection<Args, Given, Result> {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  group?: ToolGroup
  /** The parameters as the dialect names them. */
  input: Schema<Args>
  /** Schema of the structured content, failures included: clients check both. */
  output?: Schema
  toOp(args: NoInfer<Args>, workspace: Workspace): Given
  print(result: NoInfer<Result>, args: NoInfer<Args>, workspace: Workspace): string | ToolResult
}

/** Makes a tool from an operation: parameters of the dialect in, its layout out. */
export function project<Args, Given, Input, Result>(
  operation: Operation<Given, Input, Result>,
  { toOp, print, ...projection }: Projection<Args, Given, Result>,
): Tool {
  return compose({
    ...projection,
    mutates: operation.mutates,
    ...(operation.needs && { needs: operation.needs }),
    async run(args, workspace, context) {
      return print(await workspace.run(operation, toOp(args, workspace), context), args, workspace)
    },
    ...(operation.runSync && {
      runSync(args: Args, workspace: Workspace) {
        const result = operation.runSync?.(toOp(args, workspace), workspace)
        return result === undefined ? undefined : print(result, args, workspace)
      },
    }),
  })
}

export interface Composition<Args> extends Omit<Projection<Args, never, never>, 'toOp' | 'print'> {
  mutates: boolean
  needs?: 'shell'
  run(args: NoInfer<Args>, workspace: Workspace, context: CallContext): Promise<string | ToolResult>
  runSync?(args: NoInfer<Args>, workspace: Workspace): string | ToolResult | undefined
}

/** Makes a tool from several operations, or from one that runs several times. */
export function compose<Args>(composition: Composition<Args>): Tool {
  const { name, title, description, annotations, group, input, output, mutates, needs, run, runSync } = composition
  return {
    name,
    ...(group && { group }),
    title,
    description,
    annotations,
    mutates,
    ...(needs && { needs }),
    async call(args, workspace, context) {
      const printed = await run(parseInput(input, args), workspace, context)
      return typeof printed === 'string' ? text(printed) : printed
    },
    ...(runSync && {
      callSync(args: unknown, workspace: Workspace) {
        const printed = runSync(parseInput(input, args), workspace)
        return typeof printed === 'string' ? text(printed) : printed
      },
    }),
    schema: once(() => ({ input: jsonSchema(input), ...(output && { output: jsonSchema(output) }) })),
  }
}

/** Calls `make` once, when the value is first needed: a server that starts needs no schemas yet. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The tool with some of it replaced. A new `call` removes `callSync`, unless that is replaced too: both have to answer alike. */
export function overrideTool(tool: Tool, changes: Partial<Tool>): Tool {
  const { callSync: _, ...withoutSync } = tool
  return { ...(changes.call ? withoutSync : tool), ...changes }
}

/** The tool for clients that send null for omitted arguments. */
export function takingNulls(tool: Tool): Tool {
  const { callSync } = tool
  return overrideTool(tool, {
    call: (args, workspace, context) => tool.call(withoutNulls(args), workspace, context),
    ...(callSync && { callSync: (args: unknown, workspace: Workspace) => callSync(withoutNulls(args), workspace) }),
  })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutNulls(args: unknown): unknown {
  if (!isObject(args)) return args
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
}

export function text(body: string): ToolResult {
  return { content: [{ type: 'text', text: body }] }
}

/**
 * The tools that a workspace can serve: no tool that changes something in a read-only workspace, and none that needs a missing part. A tool
 * that runs commands names its shell, because that decides which programs exist.
 */
export function offeredTools(dialect: Dialect, workspace: Workspace): Tool[] {
  const { shell } = workspace
  return dialect.tools
    .filter((tool) => canServe(workspace, tool))
    .map((tool) => {
      if (tool.needs !== 'shell' || shell === undefined) return tool
      return { ...tool, description: `${tool.description} Runs on ${shell.engine}.` }
    })
}

/** A tool as listed by `tools/list`. */
export function describeTool({ name, title, description, schema, annotations }: Tool) {
  const { input: inputSchema, output: outputSchema } = schema()
  return { name, title, description, inputSchema, ...(outputSchema && { outputSchema }), annotations }
}

function canServe({ readOnly, shell }: Workspace, { mutates, needs }: Tool): boolean {
  return !(mutates && readOnly) && !(needs === 'shell' && shell === undefined)
}

export interface CallOptions extends CallContext {
  /** Called with internal faults; the caller only learns that there was one. */
  onFault?: (fault: unknown) => void
}

/**
 * Calls a tool by name. Failures are results in the dialect's words, or a thrown `ToolProtocolError` where the dialect uses JSON-RPC
 * errors, or `Questions` where the client can be asked; nothing else is thrown.
 */
export async function callTool(
  workspace: Workspace,
  dialect: Dialect,
  name: string,
  args: unknown = {},
  options: CallOptions = {},
): Promise<ToolResult> {
  try {
    const tool = findTool(workspace, dialect, name)
    if (tool === undefined) throw new FsError('UNKNOWN_TOOL', { name })
    // A failed recovery is reported by the changes that it blocks; other calls continue.
    await workspace.ready.catch(() => {})
    return await tool.call(args, workspace, options)
  } catch (error) {
    if (error instanceof Questions && options.asked) throw error
    // From a tool that calls another one.
    if (error instanceof ToolProtocolError) throw error
    const call = { tool: shortText(name), args: isObject(args) ? withShortTexts(args) : args }
    const cause = await asRootGone(asFsError(error, options), workspace)
    const failure = dialect.fail(withShortFacts(cause), workspace, call)
    if ('result' in failure) return { ...failure.result, isError: true }
    throw new ToolProtocolError(failure.protocolError.code, failure.protocolError.message)
  }
}

/** Reports a missing root as such: every path in it is missing, too. */
export async function asRootGone(error: FsError, { fs, root }: Workspace): Promise<FsError> {
  // The gate looks for the nearest existing directory, which lies outside when the root itself is missing.
  if (!isFsError(error, 'NOT_FOUND', 'OUTSIDE')) return error
  const { path } = fs.roots.find((one) => isBelow(one.path, error.facts.path)) ?? { path: root }
  try {
    await fs.stat(path)
  } catch (fault) {
    if (isFsError(fault, 'NOT_FOUND')) return new FsError('ROOT_GONE', { path }, { cause: error })
  }
  return error
}

function isBelow(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? directory : `${directory}/`)
}

/**
 * Calls a tool synchronously, once the workspace is `ready`. Undefined where that would block, and for any failure: then nothing has been
 * done, and `callTool` has to be called.
 */
export function callToolSync(
  workspace: Workspace,
  dialect: Dialect,
  name: string,
  args: unknown = {},
): ToolResult | undefined {
  try {
    return findTool(workspace, dialect, name)?.callSync?.(args, workspace)
  } catch {
    return undefined
  }
}

function findTool(workspace: Workspace, dialect: Dialect, name: string): Tool | undefined {
  return dialect.tools.find(
    (known) => (known.name === name || known.aliases?.includes(name)) && canServe(workspace, known),
  )
}

function asFsError(error: unknown, { signal, onFault }: CallOptions): FsError {
  if (error instanceof FsError) return error
  if (signal?.aborted) return new FsError('ABORTED', {}, { cause: error })
  onFault?.(error)
  return new FsError('INTERNAL', {}, { cause: error })
}

function jsonSchema(schema: Schema): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema as z.ZodType, {
    io: 'input',
    override: ({ jsonSchema: node }) => {
      // By default, every integer has the bounds of a double.
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
    },
  })
  return { ...rest, type: 'object' }
}
