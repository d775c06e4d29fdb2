import { callTool, callToolSync, ToolProtocolError } from '../../src/tools/call-tool.js'
import type { Dialect, ToolResult } from '../../src/tools/dialect.js'
import { once, overrideTool } from '../../src/tools/make-tool.js'
import type { CallContext, Workspace } from '../../src/workspace/workspace.js'
import type { TraceCall } from '../types.js'

/** A call to be made, with its name and arguments. */
export interface RecordedCall {
  tool: string
  args: unknown
  make(context: CallContext): Promise<ToolResult>
  context: CallContext
}

export interface Recorder {
  /** Makes the call when its turn comes. */
  run(call: RecordedCall): Promise<ToolResult>
  /** Records a call that was refused before it was made. */
  refused(call: Pick<TraceCall, 'tool' | 'args' | 'result'>): void
}

/** The dialect with every call recorded. Resources and questions are left out: they would be a way past the record. */
export function recordedDialect(dialect: Dialect, recorder: Recorder): Dialect {
  const { resources: _, prompts: __, asks: ___, followsClientRoots: ____, ...rest } = dialect
  /** Set by the first call, which waits for the workspace. */
  let isReady = false

  /** Most calls of an agent read: those that need not wait take a quarter less. */
  async function make(tool: string, args: unknown, workspace: Workspace, context: CallContext): Promise<ToolResult> {
    const read = isReady ? callToolSync(workspace, dialect, tool, args) : undefined
    if (read !== undefined) return read
    try {
      return await callTool(workspace, dialect, tool, args, context)
    } finally {
      isReady = true
    }
  }

  // Made with the first call: of thousands of forks, many are not called.
  const tools = once(() =>
    dialect.tools.map((tool) =>
      overrideTool(tool, {
        call: (args: unknown, workspace: Workspace, context: CallContext) =>
          recorder.run({
            tool: tool.name,
            args,
            make: (own) => make(tool.name, args, workspace, own),
            context,
          }),
      }),
    ),
  )
  return {
    ...rest,
    get tools() {
      return tools()
    },
    fail(error, workspace, call) {
      const failure = dialect.fail(error, workspace, call)
      if (error.code === 'UNKNOWN_TOOL') {
        const result = 'result' in failure ? { ...failure.result, isError: true } : failure
        recorder.refused({ ...call, result })
      }
      return failure
    },
  }
}

/** The result of a call, or the protocol error that it failed with. */
export async function outcomeOf(made: Promise<ToolResult>): Promise<TraceCall['result']> {
  try {
    return await made
  } catch (error) {
    if (!(error instanceof ToolProtocolError)) throw error
    return { protocolError: { code: error.code, message: error.message } }
  }
}

/** Without the facts, which are for callers in the same process and repeat what the content says. */
export function asRecorded(outcome: TraceCall['result']): TraceCall['result'] {
  if ('protocolError' in outcome) return outcome
  const { facts: _, ...result } = outcome
  return result
}

export function resultOf(outcome: TraceCall['result']): ToolResult {
  if (!('protocolError' in outcome)) return outcome
  throw new ToolProtocolError(outcome.protocolError.code, outcome.protocolError.message)
}
