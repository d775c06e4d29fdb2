/** What a dialect is: tools that translate neutral operations into the words of one particular file server. */
import * as z from 'zod'
import { FsError } from '../errors.js'
import type { CallContext, Operation } from '../ops/operation.js'
import type { Workspace } from '../workspace.js'
import { inputIssues } from './input-issues.js'

export interface Dialect {
  readonly name: string
  /** How the server introduces itself; the product's own name and version where absent. */
  readonly serverInfo?: { name: string; version: string }
  readonly instructions?: string
  /** In the order they are listed. */
  readonly tools: readonly Tool[]
  /** Every failure of every tool, in the dialect's own channel and words. */
  fail(error: FsError, workspace: Workspace): Failure
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly inputSchema: JsonSchema
  readonly mutates: boolean
  call(args: unknown, workspace: Workspace, context: CallContext): Promise<ToolResult>
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
}

export type Content = { type: 'text'; text: string }

/** A failure is either a result that says so or an error of the protocol. */
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

/** One word for each code: a new code does not compile until every dialect has its own. */
export type Wording<Word> = { [Code in FsError['code']]: (facts: FsError<Code>['facts'], workspace: Workspace) => Word }

/** The word for one error. */
export function word<Word>(wording: Wording<Word>, error: FsError, workspace: Workspace): Word {
  // The table pairs each code with the facts of that code, and so does the error.
  const choose = wording[error.code] as (facts: FsError['facts'], workspace: Workspace) => Word
  return choose(error.facts, workspace)
}

export interface Projection<Args extends z.ZodType, Input extends z.ZodType, Result> {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  /** The tool's parameters as the dialect names them. */
  input: Args
  toOp(args: z.output<Args>, workspace: Workspace): z.input<Input>
  print(result: Result, args: z.output<Args>, workspace: Workspace): string | ToolResult
}

/** A tool made of an operation: the dialect's parameters in, its layout out. */
export function project<Args extends z.ZodType, Input extends z.ZodType, Result>(
  operation: Operation<Input, Result>,
  projection: Projection<Args, Input, Result>,
): Tool {
  const { name, title, description, annotations, input, toOp, print } = projection
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchema(input),
    mutates: operation.mutates,
    async call(args, workspace, context) {
      const given = parse(input, args)
      const result = await operation.run(parse(operation.input, toOp(given, workspace)), workspace, context)
      const printed = print(result, given, workspace)
      return typeof printed === 'string' ? text(printed) : printed
    },
  }
}

export function text(body: string): ToolResult {
  return { content: [{ type: 'text', text: body }] }
}

/** The tools a workspace can serve: what would change something is not offered where nothing can be changed. */
export function offeredTools(dialect: Dialect, workspace: Workspace): Tool[] {
  return dialect.tools.filter((tool) => !(tool.mutates && workspace.readOnly))
}

export interface CallOptions extends CallContext {
  /** Told of faults that are ours; the caller only learns that there was one. */
  onFault?: (fault: unknown) => void
}

/**
 * Calls a tool by name. Failures come back as results in the dialect's words, or as a thrown `ToolProtocolError` where the
 * dialect uses JSON-RPC errors; nothing else is thrown.
 */
export async function callTool(
  workspace: Workspace,
  dialect: Dialect,
  name: string,
  args: unknown = {},
  options: CallOptions = {},
): Promise<ToolResult> {
  try {
    const tool = offeredTools(dialect, workspace).find((offered) => offered.name === name)
    if (tool === undefined) throw new FsError('UNKNOWN_TOOL', { name })
    return await tool.call(args, workspace, options)
  } catch (error) {
    const failure = dialect.fail(asFsError(error, options), workspace)
    if ('result' in failure) return { ...failure.result, isError: true }
    throw new ToolProtocolError(failure.protocolError.code, failure.protocolError.message)
  }
}

function asFsError(error: unknown, { signal, onFault }: CallOptions): FsError {
  if (error instanceof FsError) return error
  if (signal?.aborted) return new FsError('ABORTED', {}, { cause: error })
  onFault?.(error)
  return new FsError('INTERNAL', {}, { cause: error })
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true })
  if (!parsed.success) throw new FsError('INVALID_INPUT', { issues: inputIssues(parsed.error) })
  return parsed.data
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema: node }) => {
      // Every integer would carry the bounds of a double.
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
    },
  })
  return { ...rest, type: 'object' }
}
