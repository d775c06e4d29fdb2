import { FsError } from '../errors.js'
import type { CallContext, Workspace } from '../workspace/workspace.js'
import type { Dialect, Prompt, Resources, Tool } from './dialect.js'
import { overrideTool } from './make-tool.js'
import { Questions } from './questions.js'

/** One call of a tool, one read of a resource or one request for a prompt, without any content of files. */
export interface CallRecord {
  /** The name of the tool, or the method of the protocol. */
  tool: string
  /** The paths that the call named: absolute where they could be resolved, otherwise as given. */
  paths: string[]
  /** Size of all text in the arguments. */
  givenBytes: number
  /** Size of all text in the answer; absent for a failure without one. */
  answerBytes?: number
  durationMs: number
  /** `ok`; `asked` when the client has to answer first; the code of a failure, or `failed` where the tool itself returned one. */
  outcome: string
}

const encoder = new TextEncoder()

/** Longer input is not a path. */
const maxPathLength = 4096

/** The same dialect, reporting every call when it ends. */
export function audited(dialect: Dialect, record: (call: CallRecord) => void, now = () => performance.now()): Dialect {
  const { resources, prompts } = dialect
  return {
    ...dialect,
    tools: dialect.tools.map(withRecord),
    ...(resources && { resources: { ...resources, read: withReadRecord(resources) } }),
    ...(prompts && { prompts: prompts.map(withPromptRecord) }),
    fail(error, workspace, call) {
      if (error.code === 'UNKNOWN_TOOL') {
        const { tool, args } = call
        record({ tool, paths: [], givenBytes: textBytes(args), durationMs: 0, outcome: error.code })
      }
      return dialect.fail(error, workspace, call)
    },
  }

  function withRecord(tool: Tool): Tool {
    return overrideTool(tool, {
      async call(args, workspace, context) {
        const end = begin(tool.name, args)
        try {
          const result = await tool.call(args, watched(workspace, end.add), watchedContext(context, end.add))
          end.with(
            result.isError ? 'failed' : 'ok',
            result.content.map(({ text, ...rest }) => text ?? rest),
          )
          return result
        } catch (error) {
          end.with(outcomeOf(error, context))
          throw error
        }
      },
    })
  }

  function withReadRecord({ read }: Resources): Resources['read'] {
    return async (uri, workspace, context) => {
      const end = begin('resources/read', { uri })
      try {
        const content = await read(uri, watched(workspace, end.add), context)
        end.with('ok', 'text' in content ? content.text : content.blob)
        return content
      } catch (error) {
        end.with(outcomeOf(error, context))
        throw error
      }
    }
  }

  function withPromptRecord(prompt: Prompt): Prompt {
    return {
      ...prompt,
      write(args, context) {
        const end = begin('prompts/get', { name: prompt.name, ...args })
        try {
          const written = prompt.write(args, context)
          end.with('ok', written)
          return written
        } catch (error) {
          end.with(outcomeOf(error, context))
          throw error
        }
      },
    }
  }

  function begin(tool: string, args: unknown) {
    const paths = new Set<string>()
    const started = now()
    return {
      add: (path: string) => void paths.add(path),
      with: (outcome: string, answer?: unknown) =>
        record({
          tool,
          paths: [...paths],
          givenBytes: textBytes(args),
          ...(answer !== undefined && { answerBytes: textBytes(answer) }),
          durationMs: Math.round((now() - started) * 1000) / 1000,
          outcome,
        }),
    }
  }
}

function outcomeOf(error: unknown, { signal }: CallContext): string {
  if (error instanceof Questions) return 'asked'
  return error instanceof FsError ? error.code : signal?.aborted ? 'ABORTED' : 'INTERNAL'
}

/** Every path from a client passes `resolve`, in every dialect. */
export function watched(workspace: Workspace, onPath: (path: string) => void): Workspace {
  const { fs } = workspace
  const resolve = (input: string, base?: string) => {
    try {
      const path = fs.resolve(input, base)
      onPath(path)
      return path
    } catch (error) {
      onPath(input.slice(0, maxPathLength))
      throw error
    }
  }
  return { ...workspace, fs: { ...fs, resolve } }
}

/** Also watches the workspace that the agent has chosen. */
export function watchedContext(context: CallContext, onPath: (path: string) => void): CallContext {
  const { session } = context
  if (session === undefined) return context
  return {
    ...context,
    session: new Proxy(session, {
      get: (target, key, receiver) => {
        if (key === 'chosen' && target.chosen) return watched(target.chosen, onPath)
        if (key === 'self') return target.self ?? target
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
