/**
 * What the files of the library find when they run in the engine, one after the other, as scripts. Scripts pass anything to the library and get
 * it back, and the host answers each operation with something else: such values are `any`.
 */

type Bytes = Uint8Array<ArrayBuffer>

/** Calls the host: an operation of `../host/operations.ts`. */
type Sys = (operation: string, ...given: unknown[]) => any
/** Compiles and runs code, in one of the ways of `CompileKind` in `../engine/machine.ts`. */
type Compile = (source: string, name: string, how: string) => { value: any; isError?: true }
/** Makes a context of `vm`, or runs a script in one. */
type Realm = (which?: number, source?: string, name?: string) => any
/** The state of a promise, and its value or reason. */
type Peek = (promise: Promise<any>) => ['pending' | 'fulfilled' | 'rejected', any]
/** Says which file names `eval` now. */
type UseEval = (file: string) => void

// Functions of the host, which the library takes away from scripts: `any`, because only what may be absent can be deleted.
declare var sys: any
declare var compile: any
declare var peek: any
declare var realm: any
declare var useEval: any

/** What the engine calls, by name, and what it shows to scripts by accident only. */
declare const $polyfs: {
  internal: Internal
  builtin: Internal['builtin']
  /** What was printed and not written yet, after the digit of its descriptor. */
  unwritten(): string
  /** Begins a script. */
  start(given: Start): true
  /** Runs the next task: true, or milliseconds to wait for one, or a command to run. */
  next(): true | number | string
  /** Runs what waits for the end of the current task; true when there was something. */
  ticks(): boolean
  rejected(reason: any, promise: Promise<any>): void
  /** The input of the command that is next. */
  commandInput(): Uint8Array | null
  /** Gives the result of a command to the script. */
  ran(result: any): true
  /** The names that each module exports, as JSON. */
  names(): string
  /** The same of one module. */
  namesOf(name: string): string
  /** Makes the error of a failure of the host. */
  failure(given: Failure): Error
  requireFile(path: string): any
  fillMeta(meta: { [name: string]: any }, path: string, url: string, untyped: string | null, offset: number): void
}

/** What the files share. Each member is set by one of them. */
interface Internal {
  // core.js
  sys: Sys
  /** As `sys`; a failure is thrown, with the code of the host and what it says beside it. */
  call(operation: string, ...given: unknown[]): any
  print(descriptor: 1 | 2, text: string): void
  flush(): void
  define(name: string, factory: (given: Given) => any): void
  /** Names of modules that a part of the library defines, which is loaded with the first of them. */
  defineLate(part: string, names: string[]): void
  /** True until it is loaded. */
  isLate(name: string): boolean
  /** A module by its name without `node:`. */
  builtin(name: string): any
  hasBuiltin(name: string): boolean
  builtinNames(): string[]
  NodeError: CodedError
  NodeTypeError: CodedError
  NodeRangeError: CodedError
  NodeSyntaxError: CodedError
  readModule(path: string): string
  /** What is said of a value of the wrong type. */
  describe(value: any): string
  wrongType(name: string, expected: string, value: any): Error

  // stack.js
  /** Takes what scripts set as `Error.prepareStackTrace`, which the engine then answers itself. */
  keepHandler?(handler: PropertyDescriptor): void
  /** The engine words messages and counts columns as V8 does. */
  isExact?: boolean
  /** The text of each file, for messages that show a line. */
  sources: Map<string, string>
  /** A line of one, by its number. */
  lineAt(file: string, number: number): string | undefined
  /** How much was put before the first line of a file. */
  offsets: Map<string, number>
  /** The files that are ES modules. */
  modulePaths: Set<string>
  /** Where the last error was made. */
  lastSite?: CallSite
  callSites(limit?: number): CallSite[]
  /** Makes the stacks of errors. */
  prepareStack(error: any, sites: CallSite[]): any
  placeOf(site: CallSite): { line: number; column: number; file: string }
  /** True for the library itself. */
  isHidden(site: CallSite): boolean

  // buffer.js
  /** A `Buffer` on the same memory. */
  adoptBytes(bytes: Uint8Array): any
  plainBytes(view: ArrayBufferView | ArrayBuffer): Bytes
  decodeBytes(bytes: Uint8Array, encoding?: string): string
  encodeText(text: string, encoding?: string): Bytes
  TextEncoder: new () => any
  TextDecoder: new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }) => any

  // events.js, util.js, fs.js
  events: { [name: string]: new (...given: any[]) => any }
  equal(one: any, other: any, isStrict: boolean): boolean
  fileFailure(code: string, syscall: string, path?: string, dest?: string): Error

  // globals.js
  /** Runs after the current task, before timers. */
  soon(run: () => void): void
  turn(): Promise<void>
  nextTick(run: (...given: any[]) => void, ...given: any[]): void
  runTicks(): void
  hasTicks(): boolean
  /** Runs one task: true when there was one, the milliseconds to wait for one, or undefined when there is none. */
  runTask(): true | number | undefined
  afterTimers?: boolean
  setDirectory(path: string): void

  // modules.js
  promiseState: Peek
  /** Compiles and runs code; what it throws is thrown. */
  evaluate(source: string, name: string, how?: string): any
  /** A context of `vm`: globals and classes of its own. */
  makeRealm(): { realm: number; global: any }
  /** Runs a script in one. */
  evaluateIn(which: number, source: string, name: string): any
  compileFile(text: string, path: string): (...given: any[]) => any
  isModuleFile(text: string): boolean
  Module: any
  makeRequire(module: any): any
  moduleNotFound(request: string, stack: string[]): Error
  moduleFailure(given: Failure): Error
  askImport(name: string, base: string): { path: string; format: string }
  runMain(path: string, format: string): void

  // system.js
  /** Runs a command when there is nothing else to do. */
  runCommand(given: { [name: string]: any }): Promise<any>
  nextCommand(): string | undefined

  // net.js, loaded late
  /** Why nothing answers at an address. */
  unreachable(host: string, port: number): Error
  hostNotFound(syscall: string, host: string): Error
  /** Where a server listens that keeps the script alive. */
  waitingServer?: () => string | undefined
  /** A class that is also made without `new`. */
  callable(type: any): any

  // test-parts.js
  /** A duration in the precision of Node. */
  milliseconds(value: number): number

  // boot.js
  testOptions: TestOptions
  /** Milliseconds since the start. */
  elapsed(): number
  leave(): void
  importMain(name: string): void
  performance: { [name: string]: any }
  umask: number
  isEnding?: boolean
}

/** What the factory of a module gets. What it returns is the module, or `exported` when it returns nothing. */
interface Given {
  exported: any
  builtin: Internal['builtin']
  internal: Internal
}

/** `NodeStart` in `../run-node.ts`, and what a start has beside it. */
interface Start {
  file?: string
  code: string
  from: 'file' | 'eval' | 'stdin' | 'tests'
  print: boolean
  check: boolean
  inputType?: 'module' | 'commonjs'
  preload: string[]
  imported: string[]
  envFiles: string[]
  test: TestOptions
  execArgv: string[]
  args: string[]
  env: { [name: string]: string }
  cwd: string
  seed: [number, number, number, number]
  umask: number
}

/** As in `../test-options.ts`. */
interface TestOptions {
  isRunner: boolean
  reporters: string[]
  destinations: string[]
  namePatterns: string[]
  only: boolean
  forceExit: boolean
  concurrency?: number
  timeout?: number
  shard?: { index: number; total: number }
  childArgs: string[]
}

/** A failure of the host. */
interface Failure {
  $fail: string
  message?: string
  type?: string
  url?: string
}

interface CodedError {
  new (code: string, message: string): any
}

/** What the library puts on errors. */
interface Error {
  code?: any
  $code?: string
  $given?: any
  path?: string
  dest?: string
  requireStack?: string[]
}
interface ErrorConstructor {
  stackTraceLimit: number
  prepareStackTrace(error: any, sites: CallSite[]): any
}

interface CallSite {
  getFileName(): string
  getFunctionName(): string | null
  getLineNumber(): number
  getColumnNumber(): number
  isNative(): boolean
  isConstructor(): boolean
  getFunction(): any
}

/** Of the engine alone: memory or stack ran out. */
declare class InternalError extends Error {}
declare class DOMException extends Error {
  constructor(message?: string, name?: string)
}

// Globals that the library itself adds.
declare const process: any
declare const console: any
declare const URL: new (...given: any[]) => any
declare function setTimeout(run: () => void, delay: number): any
