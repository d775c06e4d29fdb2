import * as z from 'zod'
import type { Scope } from '../change/locks/locks.js'
import type { FsError } from '../errors.js'
import type { Operation, Workspace } from '../workspace/workspace.js'

export type { Asked, CallContext, Operation, Session } from '../workspace/workspace.js'

/** Whether a link at the end of a changed path is followed, or refused: with `IS_LINK`, or with `OUTSIDE` where it leads outside. */
export const finalLink = z.enum(['follow', 'refuse']).default('follow')

/** The scope that a change of this path locks. */
export async function scopeOf({ fs }: Workspace, path: string, link: z.output<typeof finalLink>): Promise<Scope> {
  if (link === 'follow') return { path }
  await fs.locate(path)
  return { path, last: 'keep' }
}

/** For walks that must not miss an entry. */
export function onUnreadable(_path: string, error: FsError): never {
  throw error
}

/** Most MCP clients give up after a minute. */
const searchPatienceMs = 50_000

/** Limits how many calls of the operation run at a time; the others wait in a fair queue. */
export function queued<Given, Input, Result>(
  definition: Operation<Given, Input, Result>,
): Operation<Given, Input, Result> {
  return {
    ...definition,
    async run(input, workspace, context) {
      const { signal, session } = context
      const leave = await workspace.internals.searches.enter({ caller: session, signal, patienceMs: searchPatienceMs })
      try {
        return await definition.run(input, workspace, context)
      } finally {
        leave()
      }
    },
  }
}

/** Infers the types of an operation's input and result. */
export function operation<Given, Input, Result>(
  definition: Operation<Given, Input, Result>,
): Operation<Given, Input, Result> {
  return definition
}
