/** The only file that knows QuickJS, which is compiled to WebAssembly. Everything else sees a `Machine`. */
import './dispose-symbol.js'
import { CompileFlags, EvalFlags, JSException, JSValueHandle, QuickJS, type Snapshot } from 'quickjs-wasi'
import { compressed } from './binary.js'
import { type Engine, hasRoomForCalls, useDeepStack } from './deep-stack.js'
import { type EvalNames, evalNames, placeOfEvalName } from './eval-names.js'
import {
  type CompileKind,
  HostFailure,
  type LibraryPart,
  type Machine,
  MachineFailure,
  type MachineHost,
  type Value,
} from './machine.js'
import { type RealmEngine, realms } from './realms.js'
import { awaitsAtTop } from './top-level-await.js'

const memoryLimit = 128 * 1024 * 1024
/** Where the thread has the stack of its platform: calls may nest some two thousand levels deep. */
const maxStackSize = 480 * 1024
/** What workers of pages have room for. Where runs have to be repeatable, calls nest only as deep everywhere. */
const smallStackSize = 200 * 1024
const isPage = globalThis.process?.getBuiltinModule === undefined

/** Reasons of rejected promises that have no handler, by the identity of the promise. */
type Rejections = Map<number, { promise: JSValueHandle; reason: JSValueHandle }>

let compiled: Promise<WebAssembly.Module> | undefined
interface Prepared {
  snapshot: Snapshot
  /** What each module of the library exports, but those that are loaded late. */
  names: Readonly<Record<string, readonly string[] | null>>
  evalPlace: number | undefined
}

let prepared: Promise<Prepared> | undefined

/** A new machine, as the library left it when it was set up. */
export async function createMachine(
  host: MachineHost,
  library: readonly LibraryPart[],
  { isReproducible = false }: { isReproducible?: boolean } = {},
): Promise<Machine> {
  const wasm = await (compiled ??= compile())
  const { snapshot, evalPlace } = await (prepared ??= prepare(wasm, library))
  const evals = evalNames(() => memoryOf(vm), evalPlace)
  const kept: Kept = { rejections: new Map(), listing: {}, evals }
  const stack = isReproducible || isPage ? smallStackSize : maxStackSize
  const vm = await QuickJS.restore(snapshot, { ...options(wasm, host, kept), maxStackSize: stack })
  if (!isReproducible && hasRoomForCalls()) useDeepStack((vm as unknown as { exports: Engine }).exports)
  register(vm, host, kept)
  return machineOf(vm, kept)
}

/** The names that each module of the library exports. */
export async function exportedNames(library: readonly LibraryPart[]): Promise<Prepared['names']> {
  return (await (prepared ??= prepare(await (compiled ??= compile()), library))).names
}

/** While a module is only looked at, what it imports is listed here and not loaded. */
interface Listing {
  requests?: string[]
}

interface Kept {
  rejections: Rejections
  listing: Listing
  evals: EvalNames
}

async function prepare(wasm: WebAssembly.Module, library: readonly LibraryPart[]): Promise<Prepared> {
  const nothing: MachineHost = {
    call: () => undefined,
    interrupt: () => false,
    clock: () => 0,
    zoneOffset: () => 0,
    normalizeModule: (_, specifier) => specifier,
    loadModule: () => '',
  }
  const evals = evalNames(() => memoryOf(vm), undefined)
  const kept: Kept = { rejections: new Map(), listing: {}, evals }
  const vm = await QuickJS.create(options(wasm, nothing, kept))
  const evalPlace = placeOfEvalName(memoryOf(vm))
  for (const name of ['sys', 'compile', 'realm', 'peek', 'useEval']) {
    const made = vm.newFunction(name, () => vm.undefined)
    vm.setProp(vm.global, name, made)
    made.dispose()
  }
  for (const { name, source } of library) vm.evalCode(source, name).dispose()
  const names = JSON.parse(String(machineOf(vm, kept).call('names', null))) as Record<string, string[] | null>
  const snapshot = vm.snapshot()
  vm.dispose()
  return { snapshot, names, evalPlace }
}

function options(wasm: WebAssembly.Module, host: MachineHost, { rejections, listing, evals }: Kept) {
  return {
    wasm,
    memoryLimit,
    maxStackSize,
    interruptHandler: () => host.interrupt(),
    timezoneOffset: (seconds: number) => host.zoneOffset(seconds),
    wasi: (memory: WebAssembly.Memory) => ({
      clock_time_get(_clock: number, _precision: bigint, at: number) {
        new DataView(memory.buffer).setBigUint64(at, BigInt(Math.round(host.clock() * 1e6)), true)
        return 0
      },
      random_get(at: number, length: number) {
        new Uint8Array(memory.buffer, at, length).fill(1)
        return 0
      },
      fd_write: () => 8,
    }),
    onUnhandledRejection(promise: JSValueHandle, reason: JSValueHandle, isHandled: boolean) {
      if (isHandled) rejections.delete(promise.identity)
      else rejections.set(promise.identity, { promise: promise.dup(), reason: reason.dup() })
    },
    moduleLoader: {
      normalize(base: string, specifier: string) {
        if (listing.requests === undefined) return bare(() => host.normalizeModule(evals.fileOf(base), specifier))
        listing.requests.push(specifier)
        return emptyModule
      },
      load: (name: string) => (name === emptyModule ? '' : bare(() => host.loadModule(name))),
    },
  }
}

/** Stands for all that a module imports which is only looked at. */
const emptyModule = 'node:internal/empty'

function register(vm: QuickJS, host: MachineHost, { listing, evals }: Kept): void {
  const plainError = vm.newError.bind(vm)
  vm.newError = (given) => (given instanceof HostFailure ? madeInside(vm, given) : plainError(given))
  /** The result of the last call: the engine takes a copy of it after the call has returned. */
  let last: JSValueHandle | undefined
  const returned = (result: JSValueHandle): JSValueHandle => {
    if (last !== undefined && !last.disposed) last.dispose()
    last = isShared(vm, result) ? undefined : result
    return result
  }
  vm.registerHostCallback('sys', (...given: JSValueHandle[]) => {
    const [operation, ...rest] = given.map((handle) => argument(vm, handle))
    return returned(vm.hostToHandle(bare(() => host.call(String(operation), rest))))
  })
  /** What was thrown is a result, too. */
  const outcome = (run: () => JSValueHandle): JSValueHandle => {
    const result = vm.newObject()
    try {
      result.setProp('value', run())
    } catch (error) {
      if (!(error instanceof JSException)) throw error
      result.setProp('value', error.handle)
      result.setProp('isError', vm.true)
    }
    return returned(result)
  }
  vm.registerHostCallback('compile', (source, name, kind) => {
    const how = kind?.toString() as CompileKind
    return outcome(() => compilers[how](vm, source?.toString() ?? '', { name: name?.toString() ?? '', listing }))
  })
  const { exports } = vm as unknown as { exports: RealmEngine & Exceptions }
  const others = realms(exports)
  vm.registerHostCallback('realm', (which, source, name) => {
    if (which !== undefined && source !== undefined) {
      return outcome(() => {
        const at = others.evaluate(which.toNumber(), source.toString(), name?.toString() ?? '')
        if (exports.qjs_is_exception(at) === 0) return new JSValueHandle(vm, at)
        throw new JSException(new JSValueHandle(vm, exports.qjs_get_exception()))
      })
    }
    const { realm, global } = others.make()
    const result = vm.newObject()
    result.setProp('realm', vm.newNumber(realm))
    result.setProp('global', new JSValueHandle(vm, global))
    return returned(result)
  })
  vm.registerHostCallback('useEval', (file) => {
    evals.use(file?.toString() ?? '')
    return vm.undefined
  })
  vm.registerHostCallback('peek', (promise) => {
    const result = vm.newArray()
    const state = promise?.promiseState ?? 0
    result.setProp('0', vm.newString(['pending', 'fulfilled', 'rejected'][state] ?? 'pending'))
    if (state !== 0 && promise !== undefined) result.setProp('1', settledValue(vm, promise))
    return returned(result)
  })
}

interface ToCompile {
  name: string
  listing: Listing
}

interface Exceptions {
  qjs_is_exception(at: number): number
  qjs_get_exception(): number
}

/** What the library can have compiled. */
const compilers = {
  script: (vm: QuickJS, source: string, { name }: ToCompile) => vm.evalCode(source, name, EvalFlags.TYPE_GLOBAL),
  module: (vm: QuickJS, source: string, { name }: ToCompile) => vm.evalCode(source, name, EvalFlags.TYPE_MODULE),
  checkScript(vm: QuickJS, source: string, { name }: ToCompile) {
    vm.evalCode(source, name, EvalFlags.TYPE_GLOBAL | EvalFlags.COMPILE_ONLY).dispose()
    return vm.undefined
  },
  check(vm: QuickJS, source: string, { name, listing }: ToCompile) {
    const flags = EvalFlags.TYPE_MODULE | EvalFlags.COMPILE_ONLY
    listed(listing, () => vm.evalCode(source, name, flags).dispose())
    return vm.undefined
  },
  shape(vm: QuickJS, source: string, { name, listing }: ToCompile) {
    try {
      const { result, requests } = listed(listing, () => vm.compile(source, name, EvalFlags.TYPE_MODULE, stripped))
      return vm.newString((awaitsAtTop(result) ? 'a' : 's') + JSON.stringify(requests))
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('Compilation error')) throw error
      return vm.newString('')
    }
  },
  isModule: (vm: QuickJS, source: string, { listing }: ToCompile) =>
    isModule(vm, source, { listing, before: '', after: '' }) ? vm.true : vm.false,
  isModuleFile: (vm: QuickJS, source: string, { listing }: ToCompile) =>
    isModule(vm, source, { listing, ...commonJs }) ? vm.true : vm.false,
} satisfies Record<CompileKind, (vm: QuickJS, source: string, given: ToCompile) => JSValueHandle>

const stripped = CompileFlags.STRIP_SOURCE | CompileFlags.STRIP_DEBUG
const commonJs = { before: '(function (exports, require, module, __filename, __dirname) {', after: '})' }

function listed<Result>(listing: Listing, run: () => Result): { result: Result; requests: string[] } {
  const requests: string[] = []
  listing.requests = requests
  try {
    return { result: run(), requests }
  } finally {
    delete listing.requests
  }
}

/** As Node decides it: what does not compile as CommonJS is an ES module if it compiles as one. If neither does, it is what has fewer errors. */
function isModule(
  vm: QuickJS,
  text: string,
  { listing, before, after }: { listing: Listing; before: string; after: string },
): boolean {
  const source = text.replace(/^#!/, '//')
  const asScript = syntaxError(vm, `${before}\n${source}\n${after}`, EvalFlags.TYPE_GLOBAL)
  if (asScript === undefined) return false
  const { result: asModule } = listed(listing, () => syntaxError(vm, `\n${source}`, EvalFlags.TYPE_MODULE))
  if (asModule === undefined) return true
  return asModule.line === asScript.line ? asModule.column > asScript.column : asModule.line > asScript.line
}

/** Where code is wrong. */
function syntaxError(vm: QuickJS, source: string, flags: number): { line: number; column: number } | undefined {
  try {
    vm.evalCode(source, checkedName, flags | EvalFlags.COMPILE_ONLY).dispose()
    return undefined
  } catch (error) {
    if (!(error instanceof JSException)) throw error
    const stack = error.handle.getProp('stack').toString()
    const [, line, column] = /checked:(\d+):(\d+)/.exec(stack) ?? []
    error.handle.dispose()
    return { line: Number(line), column: Number(column) }
  }
}

const checkedName = 'checked'

/** The library makes errors with the classes and stacks that scripts expect. */
function madeInside(vm: QuickJS, { given }: HostFailure): JSValueHandle {
  const registered = vm.global.getProp('$polyfs')
  const make = registered.getProp('failure')
  const passed = vm.hostToHandle(given)
  const made = vm.callFunction(make, vm.undefined, passed)
  for (const handle of [registered, make, passed]) handle.dispose()
  return made
}

/** What comes out: text, numbers, and bytes. The engine's own conversion leaves an error behind for other objects. */
function argument(vm: QuickJS, handle: JSValueHandle): Value {
  const type = vm.typeof(handle)
  if (type === 'string') return handle.toString()
  if (type === 'number') return handle.toNumber()
  if (type === 'boolean') return handle.toBoolean()
  if (handle.isNull) return null
  return type === 'object' ? handle.toUint8Array() : undefined
}

function isShared(vm: QuickJS, handle: JSValueHandle): boolean {
  return [vm.undefined, vm.null, vm.true, vm.false, vm.global].includes(handle)
}

/** The engine has this, its interface only with waiting. */
function settledValue(vm: QuickJS, promise: JSValueHandle): JSValueHandle {
  const { exports } = vm as unknown as { exports: { qjs_promise_result(at: number): number } }
  return new JSValueHandle(vm, exports.qjs_promise_result((promise as unknown as { ptr: number }).ptr))
}

/** Errors of the host go in without its stack. */
function bare<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw withoutStack(error)
  }
}

function withoutStack(error: unknown): Error {
  if (error instanceof HostFailure) return error
  const made = new Error(error instanceof Error ? error.message : 'failed')
  made.name = error instanceof Error ? error.name : 'Error'
  made.stack = `${made.name}: ${made.message}`
  return made
}

function machineOf(vm: QuickJS, { rejections, listing }: Kept): Machine {
  return {
    call(name, given) {
      return guarded(() => {
        const registered = vm.global.getProp('$polyfs')
        const target = registered.getProp(name)
        const passed = vm.hostToHandle(given)
        const result = vm.callFunction(target, vm.undefined, passed)
        const value = argument(vm, result)
        for (const handle of [registered, target, passed, result]) handle.dispose()
        return value
      })
    },
    runJobs: () => guarded(() => runJobs(vm)),
    isModuleText: (text) => isModule(vm, text, { listing, ...commonJs }),
    reportRejection() {
      const [first] = rejections
      if (first === undefined) return false
      const [identity, { reason, promise }] = first
      rejections.delete(identity)
      guarded(() => {
        const registered = vm.global.getProp('$polyfs')
        vm.callFunction(registered.getProp('rejected'), vm.undefined, reason, promise).dispose()
        registered.dispose()
      })
      return true
    },
    memoryBytes: () => memoryOf(vm).buffer.byteLength,
    dispose: () => vm.dispose(),
  }
}

function memoryOf(vm: QuickJS): WebAssembly.Memory {
  return (vm as unknown as { exports: { memory: WebAssembly.Memory } }).exports.memory
}

/** The engine's own loop hides what ended a job behind an error of another class. */
function runJobs(vm: QuickJS): boolean {
  const { exports } = vm as unknown as {
    exports: { qjs_is_job_pending(): number; qjs_execute_pending_job(): number; qjs_get_exception(): number }
  }
  let hasRun = false
  while (exports.qjs_is_job_pending() !== 0) {
    hasRun = true
    if (exports.qjs_execute_pending_job() < 0) {
      throw new JSException(new JSValueHandle(vm, exports.qjs_get_exception()))
    }
  }
  return hasRun
}

function guarded<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (error instanceof JSException || error instanceof RangeError || isTrap(error)) {
      throw new MachineFailure(String((error as Error).message), { cause: error })
    }
    throw error
  }
}

/** The engine's own stack or memory is broken: nothing more can run in it. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'RuntimeError'
}

async function compile(): Promise<WebAssembly.Module> {
  const bytes = Uint8Array.from(atob(compressed), (character) => character.charCodeAt(0))
  return new WebAssembly.Module(await decompress(bytes))
}

async function decompress(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream('gzip')
  const writer = stream.writable.getWriter()
  const written = writer.write(bytes).then(() => writer.close())
  const chunks: Uint8Array[] = []
  const reader = stream.readable.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
  await written
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
