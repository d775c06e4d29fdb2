/**
 * The contract between the library and an engine. The library is scripts that run in the engine, one after the other (`../library.ts`). It finds five
 * functions as globals, and takes them away from scripts: `sys` asks the host, `compile` compiles and runs code in one of the ways of `CompileKind`, `realm`
 * makes contexts of `vm` and runs code in them, `peek` tells the state of a promise, `useEval` is told which file names `eval`. It registers as `$polyfs` what the engine calls: `start`, `ticks`, `next`, `ran`,
 * `rejected`, `failure`. Two engines keep it: QuickJS (`quickjs.ts`), and in a page that allows it the browser's own (`../thread/`).
 */

/** The ways in which the library has code compiled. */
export type CompileKind =
  /** Runs a script. */
  | 'script'
  /** Runs an ES module; the result is the promise of its namespace. */
  | 'module'
  /** Throws an error of syntax of a script. */
  | 'checkScript'
  /** Throws an error of syntax of an ES module. */
  | 'check'
  /** The requests of an ES module, after a character that says whether it awaits at the top level; empty if it has errors. */
  | 'shape'
  /** Whether code that is not a file is an ES module. */
  | 'isModule'
  /** Whether a file is one. */
  | 'isModuleFile'

/** Values that cross the border: data only. */
export type Value = undefined | null | boolean | number | string | Uint8Array | Value[] | { [key: string]: Value }

export interface MachineHost {
  /** Answers a call of the library inside. What it throws is an error there. */
  call(operation: string, given: Value[]): Value
  /** Returns true to end what runs. */
  interrupt(): boolean
  /** Milliseconds since the epoch. */
  clock(): number
  /** Minutes west of UTC. */
  zoneOffset(seconds: number): number
  normalizeModule(base: string, specifier: string): string
  loadModule(name: string): string
}

export interface Machine {
  /** Calls a function that the library registered, then runs no jobs. */
  call(name: string, given: Value): Value
  /** Runs the jobs of promises; true when there were any. */
  runJobs(): boolean
  /** Tells the library of a promise that was rejected and has no handler; true when there was one. */
  reportRejection(): boolean
  /** True for text that can't be compiled as CommonJS but as an ES module. */
  isModuleText(text: string): boolean
  /** The size of its memory, which only grows. */
  memoryBytes(): number
  dispose(): void
}

/** What went wrong inside and was caught by nobody there. */
export class MachineFailure extends Error {}

/** An error that the library makes of what the host gives: `given` goes to its function `failure`. */
export class HostFailure extends Error {
  constructor(readonly given: { [key: string]: Value }) {
    super('failed')
  }
}

export interface LibraryPart {
  name: string
  source: string
}
