/** What just-bash tells of itself while it runs, where `hooksForBash` of `build/vite-plugin.js` has put a call into it. */

export interface BashHooks {
  /** Before every statement, also of functions, substitutions and scripts that run in turn. */
  onStatement(interpreter: Interpreter): void
  /** Before every expression that `awk` evaluates. */
  onAwk(program: AwkProgram): void
  /** With what a step of a `jq` or `yq` program has made. */
  onQuery(made: readonly unknown[]): void
}

/** One shell: the script's own, or that of a `bash` it runs. */
export interface Interpreter {
  readonly ctx: { readonly state: InterpreterState }
}

/** Subshells have the same one, with other variables in it. */
export interface InterpreterState {
  env: Map<string, string>
  arrays?: Map<string, ShellArray>
  cwd: string
  exportedVars?: Set<string>
  localScopes: Array<Map<string, string | undefined>>
  localArrayScopes?: Array<Map<string, ShellArray | undefined>>
  fileDescriptors?: Map<number, string>
  /** Another one in every subshell. */
  bashPid: number
  signal?: AbortSignal
}

export interface ShellArray {
  elements: Map<string, string>
}

export interface AwkProgram {
  vars: Record<string, string | number>
  arrays: Record<string, Record<string, string | number>>
  output: string
}

/** One at a time, for the one command that runs here. */
export function setBashHooks(hooks: BashHooks): void {
  Reflect.set(globalThis, 'polyfsBash', hooks)
}
