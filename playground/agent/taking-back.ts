/** Takes back what the agent did: a call, a turn, or all since a prompt. What is left then is a branch, to which the user can return. */
import type { Agent } from '../../agent/agent.js'
import type { Branch } from '../../agent/branches.js'
import { isFsError, type Overlaps, type UndoOverlap } from '../../src/errors.js'
import type { App } from '../page/app.js'
import { choose } from '../page/dialogs.js'
import { describeOverlaps } from './describe-overlaps.js'

export interface TakingBack {
  readonly branches: { count: number; current: number }
  undoCall(id: string): Promise<void>
  undoTurn(id: string): Promise<void>
  /** Goes back to before this prompt, and leaves what follows as a branch. */
  retry(id: string, prompt: string): Promise<void>
  switchBranch(step: 1 | -1): Promise<void>
}

export interface TakingBackOptions {
  /** Before the files of this conversation are used. */
  beforeFiles(): Promise<void>
  /** The agent is on another branch. */
  onBranch(): void
  /** The user wants to try a prompt again. */
  onRetry(prompt: string): void
  /** Called after each, whether it was done or not. */
  onEnd(): void
}

const keepTheirs = 'Keep these changes'
const discardTheirs = 'Discard them'

export function takingBack(app: App, agent: Agent, options: TakingBackOptions): TakingBack {
  const { beforeFiles, onBranch, onRetry, onEnd } = options
  /** What was left of each branch; undefined for the current one. */
  let branches: (Branch | undefined)[] = [undefined]
  let current = 0

  async function withFiles(what: string, run: () => Promise<void>): Promise<void> {
    await app.attempt(what, async () => {
      await beforeFiles()
      await run()
    })
    onEnd()
  }

  /** Undoes what can be, and says what can't. */
  const undo = (what: string, run: () => Promise<readonly UndoOverlap[]>) =>
    withFiles(what, async () => {
      const overlaps = await run()
      if (overlaps.length > 0)
        app.notify(`Could not ${what} everywhere: ${await describeOverlaps(app, overlaps)}`, 'failed')
    })

  /** Keeps what others have changed. Where that is in the way, the user decides; undefined when they cancel. */
  async function keepingOthers<Result>(run: (overlaps: Overlaps) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run('refuse')
    } catch (error) {
      const { overlaps = [] } = isFsError(error, 'CONFLICT') ? error.facts : {}
      if (overlaps.length === 0) throw error
      const answer = await choose(
        'Some files were changed since',
        `Not all of the agent’s work can be taken back without what was done since: ${await describeOverlaps(app, overlaps)}. All else that was changed since stays.`,
        [keepTheirs, discardTheirs],
      )
      if (answer === undefined) return undefined
      return run(answer === keepTheirs ? 'skip' : 'discard')
    }
  }

  return {
    get branches() {
      return { count: branches.length, current }
    },
    undoCall: (id) => undo('undo this call', () => agent.undoCall(id, { overlaps: 'skip' })),
    undoTurn: (id) => undo('undo this turn', () => agent.undoTurn(id, { overlaps: 'skip' })),
    retry: (id, prompt) =>
      withFiles('go back', async () => {
        const left = await keepingOthers((overlaps) => agent.rewind(id, { overlaps }))
        if (left === undefined) return
        branches[current] = left
        branches = [...branches, undefined]
        current = branches.length - 1
        onBranch()
        onRetry(prompt)
      }),
    switchBranch: (step) =>
      withFiles('go to the other branch', async () => {
        const next = (current + step + branches.length) % branches.length
        const branch = branches[next]
        if (branch === undefined) return
        const left = await keepingOthers((overlaps) => agent.resume(branch, { overlaps }))
        if (left === undefined) return
        branches[current] = left
        branches[next] = undefined
        current = next
        onBranch()
      }),
  }
}
