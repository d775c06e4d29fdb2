import * as z from 'zod'
import type { Scope } from '../change/locks/locks.js'
import type { FsError } from '../errors.js'
import type { Workspace } from '../workspace.js'

/** What a call carries besides its input. */
export interface CallContext {
  signal?: AbortSignal
  /** Told how far a long call is. */
  onProgress?: (progress: { done: number; total?: number }) => void
  /** Told what happens meanwhile, where the dialect `logs`. */
  onLog?: (entry: { level: 'debug' | 'info' | 'warning' | 'error'; message: string }) => void
  /** What the client has answered so far, where the dialect `asks`. */
  asked?: Asked
  /** Lets go of the connection that waits for the answer: the client fetches it over another. Absent where it could not. */
  detach?: () => void
  session?: Session
}

/** How a call that was begun before is taken up again. */
export interface Asked {
  /** What the client can be asked, as it has declared. */
  readonly can: { readonly elicitation: boolean; readonly sampling: boolean; readonly roots: boolean }
  /** By the names of the questions. They come from the client, and are not checked. */
  readonly answers: Readonly<Record<string, unknown>>
  /** What the call gave with its last questions, unchanged. */
  readonly state?: string
}

/** What a connection remembers from one call to the next. */
export interface Session {
  /** The workspace the agent has chosen, in dialects that let it choose. */
  chosen?: Workspace
}

/**
 * Something that can be done to a workspace, in neutral names; dialects decide how it is called and how the result reads.
 * `Given` is its input before defaults are filled in.
 */
export interface Operation<Given, Input, Result> {
  /** True when it can change something; not offered in a read-only workspace. */
  readonly mutates: boolean
  /** Not offered where the workspace lacks it. */
  readonly needs?: 'shell'
  readonly input: z.ZodType<Input, Given>
  run(input: Input, workspace: Workspace, context: CallContext): Promise<Result>
  /**
   * The same without waiting, on input that is not looked at again; undefined where it would have to wait, and then nothing has been
   * done. Its failures are those of `run`.
   */
  now?(given: Given, workspace: Workspace): Result | undefined
}

/** Whether a link at the end of a path that is to be changed is followed, or refused: with `IS_LINK`, or `OUTSIDE` where it leads out. */
export const finalLink = z.enum(['follow', 'refuse']).default('follow')

/** The scope of a path that is to be changed. */
export async function scopeOf({ fs }: Workspace, path: string, link: z.output<typeof finalLink>): Promise<Scope> {
  if (link === 'follow') return { path }
  await fs.locate(path)
  return { path, last: 'keep' }
}

/** For walks that have to come to everything there is. */
export function onUnreadable(_path: string, error: FsError): never {
  throw error
}

/** MCP clients wait a minute for an answer, unless they are told otherwise. */
const searchPatienceMs = 50_000

/** The same operation, of which only so many run at once; callers have their turns one after another. */
export function inTurn<Given, Input, Result>(
  definition: Operation<Given, Input, Result>,
): Operation<Given, Input, Result> {
  return {
    ...definition,
    async run(input, workspace, context) {
      const { signal, session } = context
      const leave = await workspace.searches.enter({ caller: session, signal, patienceMs: searchPatienceMs })
      try {
        return await definition.run(input, workspace, context)
      } finally {
        leave()
      }
    },
  }
}

/** Keeps an operation's input and result types together. */
export function operation<Given, Input, Result>(
  definition: Operation<Given, Input, Result>,
): Operation<Given, Input, Result> {
  return definition
}
