/** Hooks that just-bash calls while it runs; `hooksForBash` of `build/vite-plugin.js` inserts the calls. */

export interface BashHooks {
  /** Called before every statement, including those of functions, substitutions and nested scripts. */
  onStatement(interpreter: Interpreter): void
  /** Called before every expression that `awk` evaluates. */
  onAwk(program: AwkProgram): void
  /** Called with the results of a step of a `jq` or `yq` program. */
  onQuery(results: readonly unknown[]): void
}

/** One shell: the script's own, or that of a nested `bash`. */
export interface Interpreter {
  readonly ctx: { readonly state: InterpreterState }
}

/** Subshells use the same object, with other variables in it. */
export interface InterpreterState {
  env: Map<string, string>
  arrays?: Map<string, ShellArray>
  cwd: string
  exportedVars?: Set<string>
  localScopes: Array<Map<string, string | undefined>>
  localArrayScopes?: Array<Map<string, ShellArray | undefined>>
  fileDescriptors?: Map<number, string>
  /** Different in every subshell. */
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

/** Sets the hooks of the one command that runs here. */
export function setBashHooks(hooks: BashHooks): void {
  Reflect.set(globalThis, 'polyfsBash', hooks)
}
