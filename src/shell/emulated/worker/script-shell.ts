/** The shell of the script itself: where it is, and what it asked for at its end. */
import type { ShellState } from '../../types.js'
import type { Interpreter, InterpreterState } from './bash-hooks.js'

export interface OwnShell {
  /** To be told of every statement. */
  onStatement(interpreter: Interpreter): void
  /** Directory and exported variables as they are now; absent before the first statement, and while a subshell has them. */
  left(): ShellState | undefined
  /** Whether what runs now is this shell: no subshell, and no `bash` that it runs. */
  isCurrent(): boolean
  /** What is to be run at its end, if anything. */
  exitAction: string | undefined
  /** The next script goes on where the last one ended, with its status. */
  goOn(exitCode: number): void
}

export function ownShell(): OwnShell {
  let own: Interpreter | undefined
  let ownPid: number | undefined
  let current: Interpreter | undefined
  let carried: { state: InterpreterState; exitCode: number } | undefined

  function isItself(): boolean {
    return own !== undefined && own.ctx.state.bashPid === ownPid
  }

  return {
    exitAction: undefined,
    onStatement(interpreter) {
      current = interpreter
      if (own === undefined) {
        own = interpreter
        ownPid = own.ctx.state.bashPid
      } else if (carried !== undefined && interpreter !== own) {
        const { state } = interpreter.ctx
        const { signal } = state
        Object.assign(state, carried.state, { lastExitCode: carried.exitCode, ...(signal && { signal }) })
        state.env.set('?', String(carried.exitCode))
        own = interpreter
        carried = undefined
      }
    },
    left() {
      if (own === undefined || !isItself()) return undefined
      const { cwd, env, exportedVars = new Set() } = own.ctx.state
      return { cwd, env: Object.fromEntries([...env].filter(([name]) => exportedVars.has(name))) }
    },
    isCurrent: () => isItself() && current === own,
    goOn(exitCode) {
      if (own !== undefined) carried = { state: own.ctx.state, exitCode }
    },
  }
}
