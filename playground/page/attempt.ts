/** Runs what may fail or take long, and tells the user. */
import { isFsError } from '../../src/errors.js'
import { isNotAdmitted } from '../remote/server-of.js'
import { describe } from './describe-error.js'
import type { Notices } from './notices.js'
import type { OpenWorkspace } from './place.js'

export type Attempt = <Result>(what: string, run: () => Promise<Result>) => Promise<Result | undefined>

export interface AttemptOptions {
  /** The workspace that is shown. */
  workspace(): OpenWorkspace | undefined
  /** The browser does not let the page into the folder. */
  onDenied(workspace: OpenWorkspace): void
}

/** Work that takes longer than this shows its progress. */
const showProgressAfterMs = 300

export function createAttempt(notices: Notices, { workspace, onDenied }: AttemptOptions): Attempt {
  return async (what, run) => {
    let progress: ReturnType<Notices['progress']> | undefined
    const timer = setTimeout(() => {
      progress = notices.progress(`${what.charAt(0).toUpperCase()}${what.slice(1)}…`)
    }, showProgressAfterMs)
    const files = workspace()?.files
    try {
      return await run()
    } catch (error) {
      const shown = workspace()
      const isLeft = files !== undefined && shown?.files !== files
      if (isFsError(error, 'DENIED') && shown?.kind === 'folder') onDenied(shown)
      // One notice has said so, and what to do.
      else if (isNotAdmitted(error)) return undefined
      // Nobody waits for what was asked of a workspace that was closed meanwhile.
      else if (isLeft && !isFsError(error)) return undefined
      // Cancelling a dialog is not a failure.
      else if (!isFsError(error, 'ABORTED')) notices.notify(`Could not ${what}: ${describe(error)}`, 'failed')
      return undefined
    } finally {
      clearTimeout(timer)
      progress?.end()
    }
  }
}
