import { inTurn } from '../fs/serial-queue.js'
import type { ExecRequest, ExecResult, Shell, ShellState } from './types.js'

/** Commands one after the other, as in one terminal: each begins where the last one left the shell. */
export interface ShellSession {
  /** Where the next command begins, and with which variables besides those every command gets. */
  readonly state: Required<ShellState>
  /** Waits for the commands before it. */
  run(request: SessionRequest): Promise<ExecResult>
}

export type SessionRequest = Omit<ExecRequest, 'cwd' | 'env' | 'reportState'>

/**
 * A command that does not come to its own end changes nothing of the state, and one that leaves the workspace stays where it was. When
 * a command can't be started, as when the directory is gone, the session is back at its beginning.
 */
export function shellSession(shell: Shell, { cwd, env = {} }: { cwd: string; env?: ShellState['env'] }): ShellSession {
  const beginning = { cwd, env }
  const waitTurn = inTurn()
  let state: Required<ShellState> = beginning

  return {
    get state() {
      return state
    },
    run: (request) =>
      waitTurn(async () => {
        try {
          const result = await shell.exec({ ...request, ...state, reportState: true })
          if (result.left) state = { cwd: result.left.cwd ?? state.cwd, env: result.left.env }
          return result
        } catch (error) {
          if (!request.signal?.aborted) state = beginning
          throw error
        }
      }),
  }
}
