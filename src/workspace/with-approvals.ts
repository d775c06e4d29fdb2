/** Asking the user where a rule says so. */
import { createHistory } from '../change/history/history.js'
import { FsError, isFsError } from '../errors.js'
import type { Grant } from '../fs/gate/access-rules.js'
import type { ApprovePath } from './approval.js'
import type { Workspace } from './workspace.js'

/** A call that meets more is refused. */
const mostAsked = 100

/**
 * Runs a call, and where it fails because it needs a yes, asks and runs it again from its start with that yes. Nothing was done before: a rule
 * is asked when a path is resolved or a change is drafted, and a change lands whole or not at all.
 */
export async function withApprovals<Result>(
  workspace: Workspace,
  approve: ApprovePath | undefined,
  run: (workspace: Workspace) => Promise<Result>,
): Promise<Result> {
  const grants: Grant[] = []
  for (;;) {
    try {
      return await run(grants.length === 0 ? workspace : granting(workspace, grants))
    } catch (error) {
      if (!isFsError(error, 'NEEDS_APPROVAL') || approve === undefined || grants.length === mostAsked) throw error
      const { at: path, doing, rule } = error.facts
      if (grants.some((grant) => grant.path === path && grant.kind === doing)) throw error
      const answer = await approve({ path, doing, rule })
      if (!answer.allow) {
        const { word } = answer
        throw new FsError('NEEDS_APPROVAL', { ...error.facts, refused: word === undefined ? {} : { word } })
      }
      grants.push({ path, kind: doing })
    }
  }
}

/** The same workspace, for one call that the user has allowed more. */
function granting(workspace: Workspace, grants: readonly Grant[]): Workspace {
  const { changes: all } = workspace
  const fs = workspace.fs.granting(grants)
  const changes: Workspace['changes'] = {
    ...all,
    run: (request, body) => all.run({ ...request, granted: grants }, body),
  }
  return { ...workspace, fs, changes, history: createHistory(fs, changes) }
}
