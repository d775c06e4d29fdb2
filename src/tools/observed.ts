/** Calls that someone watches, and may have to allow. */
import { isFsError } from '../errors.js'
import type { ApprovePath } from '../workspace/approval.js'
import type { CallContext, ClientInfo, Session, Workspace } from '../workspace/workspace.js'
import { watched, watchedContext } from './audit.js'
import type { Dialect, Tool, ToolResult } from './dialect.js'
import { overrideTool, text } from './make-tool.js'

export type KindOfCall = 'read' | 'write' | 'command'

export interface CallToWatch {
  tool: string
  kind: KindOfCall
  args: unknown
  client?: ClientInfo
  session?: Session
}

export interface WatchedCall {
  /** Fulfilled when the call may run; with a sentence for the agent when it may not. Fails when the call is cancelled. */
  allowed(
    signal: AbortSignal | undefined,
    /** A rule demands a yes, whoever calls, and also of a call that reads. */
    options?: { evenIfTrusted: boolean },
  ): Promise<{ refused: string } | undefined>
  /** The call has named this path. */
  path(path: string): void
  /** The call has made the change with this id. */
  changed(id: string): void
  end(outcome: 'done' | 'failed' | 'cancelled', answer?: ToolResult): void
}

export interface CallWatcher {
  /** While false, calls run as if nobody had asked for them to be watched. At once for reads; others wait for the answer. */
  watches(kind: 'read'): boolean
  watches(kind: KindOfCall): boolean | Promise<boolean>
  begin(call: CallToWatch): WatchedCall
}

/** The same dialect with every call watched. What is refused is answered with the reason, as a failed call. */
export function observed(dialect: Dialect, watcher: CallWatcher): Dialect {
  const { resources } = dialect
  return {
    ...dialect,
    tools: dialect.tools.map(withWatcher),
    ...(resources && {
      resources: {
        ...resources,
        async read(uri: string, workspace: Workspace, context: CallContext) {
          if (!watcher.watches('read')) return resources.read(uri, workspace, context)
          const call = watcher.begin(callOf('resources/read', 'read', { uri }, context))
          return ending(call, context, () => resources.read(uri, watched(workspace, call.path), context))
        },
      },
    }),
  }

  function withWatcher(tool: Tool): Tool {
    const { callSync } = tool
    const kind = kindOf(tool)
    return overrideTool(tool, {
      async call(args, workspace, context) {
        const watches = watcher.watches(kind)
        // Only where there is something to wait for, so that calls begin in the order in which they came.
        if (!(typeof watches === 'boolean' ? watches : await watches)) return tool.call(args, workspace, context)
        const call = watcher.begin(callOf(tool.name, kind, args, context))
        return ending(call, context, async () => {
          const answer = await call.allowed(context.signal)
          if (answer !== undefined) return refusal(answer.refused)
          let refused: string | undefined
          const approve: ApprovePath = async () => {
            refused = (await call.allowed(context.signal, { evenIfTrusted: true }))?.refused
            return { allow: refused === undefined }
          }
          const asking = { ...watchedContext(context, call.path), approve }
          try {
            return await tool.call(args, reporting(watched(workspace, call.path), call), asking)
          } catch (error) {
            if (refused === undefined || !isFsError(error, 'NEEDS_APPROVAL')) throw error
            return refusal(refused)
          }
        })
      },
      ...(callSync && {
        callSync: (args: unknown, workspace: Workspace) =>
          watcher.watches(kind) === false ? callSync(args, workspace) : undefined,
      }),
    })
  }
}

function refusal(reason: string): ToolResult {
  return { ...text(reason), isError: true }
}

/** The same workspace; reports the changes that are made in it. */
function reporting(workspace: Workspace, { changed }: WatchedCall): Workspace {
  const { changes: all, internals } = workspace
  const { commandWatcher } = internals
  const changes: Workspace['changes'] = {
    ...all,
    async run(request, body) {
      const made = await all.run(request, body)
      if (made.record) changed(made.record.id)
      return made
    },
  }
  if (commandWatcher === undefined) return { ...workspace, changes }
  const watch: typeof commandWatcher.watch = async (label, run) => {
    const ran = await commandWatcher.watch(label, run)
    if (ran.commandChanges.watched && ran.commandChanges.record) changed(ran.commandChanges.record.id)
    return ran
  }
  return { ...workspace, changes, internals: { ...internals, commandWatcher: { ...commandWatcher, watch } } }
}

function kindOf({ needs, mutates }: Tool): KindOfCall {
  if (needs === 'shell') return 'command'
  return mutates ? 'write' : 'read'
}

function callOf(tool: string, kind: KindOfCall, args: unknown, { client, session }: CallContext): CallToWatch {
  return { tool, kind, args, ...(client && { client }), ...(session && { session: session.self ?? session }) }
}

async function ending<Result>(call: WatchedCall, { signal }: CallContext, run: () => Promise<Result>): Promise<Result> {
  try {
    const result = await run()
    const answer = result as Partial<ToolResult>
    call.end(answer.isError ? 'failed' : 'done', answer.content && (answer as ToolResult))
    return result
  } catch (error) {
    call.end(signal?.aborted ? 'cancelled' : 'failed', text(error instanceof Error ? error.message : String(error)))
    throw error
  }
}
