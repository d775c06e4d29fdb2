import { serialQueue } from '../fs/serial-queue.js'
import type { ExecRequest, ExecResult, Shell, ShellState } from './types.js'

/** Runs commands one after another, as in one terminal: each starts with the state the last one left. */
export interface ShellSession {
  /** The directory and additional variables of the next command. */
  readonly state: Required<ShellState>
  /** What it started with. */
  readonly initial: Required<ShellState>
  /** Waits for earlier commands. */
  run(request: SessionRequest): Promise<ExecResult>
}

/** `cwd`: where the command starts, in place of where the last one ended. */
export type SessionRequest = Omit<ExecRequest, 'cwd' | 'env' | 'reportState'> & Partial<Pick<ExecRequest, 'cwd'>>

/**
 * A command that does not reach its end does not change the state, and one that ends outside the workspace and scratch
 * space does not change the directory. When a command can't be started, for example because the directory is gone, the
 * session returns to its initial state. `state`: where a session goes on that started with `cwd` and `env`.
 */
export function shellSession(
  shell: Pick<Shell, 'exec'>,
  { cwd, env = {}, state: given }: { cwd: string; env?: ShellState['env']; state?: Required<ShellState> },
): ShellSession {
  const initial = { cwd, env }
  const enqueue = serialQueue()
  let state = given ?? initial

  return {
    initial,
    get state() {
      return state
    },
    run: (request) =>
      enqueue(async () => {
        try {
          const result = await shell.exec({ ...state, ...request, env: state.env, reportState: true })
          if (result.left) state = { cwd: result.left.cwd ?? request.cwd ?? state.cwd, env: result.left.env }
          return result
        } catch (error) {
          if (!request.signal?.aborted) state = initial
          throw error
        }
      }),
  }
}
