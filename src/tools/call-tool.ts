/** How the tools of a dialect are offered and called in a workspace. */
import { FsError } from '../errors.js'
import type { CallContext, Workspace } from '../workspace/workspace.js'
import type { Dialect, Tool, ToolResult } from './dialect.js'
import { Questions } from './questions.js'
import { asRootGone } from './root-gone.js'
import { shortText, withShortFacts, withShortTexts } from './shorten-facts.js'

/**
 * The tools that a workspace can serve: no tool that changes something in a read-only workspace, and none that needs a missing part. A tool
 * that runs commands names its shell, because that decides which programs exist; what a model does with commands needs no tool beside it.
 */
export function offeredTools(dialect: Dialect, workspace: Workspace): Tool[] {
  const { shell } = workspace
  const served = dialect.tools.filter((tool) => canServe(workspace, tool))
  const runsCommands = served.some(({ needs }) => needs === 'shell')
  return served
    .filter((tool) => !(runsCommands && isUnlisted(tool, workspace)))
    .map((tool) => {
      if (tool.needs !== 'shell' || shell === undefined) return tool
      return { ...tool, description: `${tool.description} Runs on ${shell.engine}.` }
    })
}

function isUnlisted({ unlistedBesideShell = false }: Tool, workspace: Workspace): boolean {
  return typeof unlistedBesideShell === 'function' ? unlistedBesideShell(workspace) : unlistedBesideShell
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
