import * as z from 'zod'
import type { Scope } from '../change/locks/locks.js'
import type { FsError } from '../errors.js'
import type { Operation, Workspace } from '../workspace.js'

export type { Asked, CallContext, Operation, Session } from '../workspace.js'

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
