import { FsError } from '../errors.js'
import type { Workspace } from '../workspace.js'
import type { CallContext, Dialect, Tool, ToolResult } from './dialect.js'

/** One call, without any content of files. */
export interface CallRecord {
  tool: string
  /** What the call named, as far as it came: absolute where it could be resolved, else as given. */
  paths: string[]
  /** Of all text in the arguments. */
  givenBytes: number
  /** Of all text in the answer; absent when there is none but the failure. */
  answerBytes?: number
  durationMs: number
  /** `ok`, or the code of what failed. */
  outcome: string
}

const encoder = new TextEncoder()

/** No path is longer; what is was none. */
const maxPathLength = 4096

/** The same dialect, telling of every call when it has ended. */
export function audited(dialect: Dialect, record: (call: CallRecord) => void, now = () => performance.now()): Dialect {
  return {
    ...dialect,
    tools: dialect.tools.map(withRecord),
    fail(error, workspace, call) {
      if (error.code === 'UNKNOWN_TOOL') {
        const { tool, args } = call
        record({ tool, paths: [], givenBytes: textBytes(args), durationMs: 0, outcome: error.code })
      }
      return dialect.fail(error, workspace, call)
    },
  }

  function withRecord(tool: Tool): Tool {
    return {
      ...tool,
      async call(args, workspace, context) {
        const paths = new Set<string>()
        const started = now()
        const end = (outcome: string, result?: ToolResult) =>
          record({
            tool: tool.name,
            paths: [...paths],
            givenBytes: textBytes(args),
            ...(result && { answerBytes: textBytes(result.content.map(({ text, ...rest }) => text ?? rest)) }),
            durationMs: Math.round((now() - started) * 1000) / 1000,
            outcome,
          })
        try {
          const result = await tool.call(args, watched(workspace, paths), watchedContext(context, paths))
          end(result.isError ? 'failed' : 'ok', result)
          return result
        } catch (error) {
          end(error instanceof FsError ? error.code : context.signal?.aborted ? 'ABORTED' : 'INTERNAL')
          throw error
        }
      },
    }
  }
}

/** Every path from outside passes `resolve`, in every dialect. */
function watched(workspace: Workspace, paths: Set<string>): Workspace {
  const { fs } = workspace
  const resolve = (input: string, base?: string) => {
    try {
      const path = fs.resolve(input, base)
      paths.add(path)
      return path
    } catch (error) {
      paths.add(input.slice(0, maxPathLength))
      throw error
    }
  }
  return { ...workspace, fs: { ...fs, resolve } }
}

/** A workspace that the agent has chosen is watched too. */
function watchedContext(context: CallContext, paths: Set<string>): CallContext {
  const { session } = context
  if (session === undefined) return context
  return {
    ...context,
    session: new Proxy(session, {
      get: (target, key, receiver) => {
        if (key === 'chosen' && target.chosen) return watched(target.chosen, paths)
        return Reflect.get(target, key, receiver)
      },
    }),
  }
}

function textBytes(value: unknown): number {
  if (typeof value === 'string') return encoder.encode(value).length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, each) => sum + textBytes(each), 0)
}
