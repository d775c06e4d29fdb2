/** Tracks the script's own shell: its state, and its `EXIT` trap. */
import type { ShellState } from '../../types.js'
import type { Interpreter, InterpreterState } from './bash-hooks.js'

export interface ScriptShell {
  /** Must be called for every statement. */
  onStatement(interpreter: Interpreter): void
  /** The current directory and exported variables; undefined before the first statement and inside a subshell. */
  left(): ShellState | undefined
  /** True while this shell runs: not a subshell, and not a nested `bash`. */
  isCurrent(): boolean
  /** The command of the `EXIT` trap. */
  exitAction: string | undefined
  /** The next script continues with the state of the last one and this exit status. */
  continueWith(exitCode: number): void
}

export function scriptShell(): ScriptShell {
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
    continueWith(exitCode) {
      if (own !== undefined) carried = { state: own.ctx.state, exitCode }
    },
  }
}
