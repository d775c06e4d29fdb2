/** The only file that knows the engine: QuickJS compiled to WebAssembly. Everything else sees a `Machine`. */
import './dispose-symbol.js'
import { EvalFlags, JSException, JSValueHandle, QuickJS, type Snapshot } from 'quickjs-wasi'
import { compressed } from './binary.js'

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
  /** The size of its memory, which only grows. */
  memoryBytes(): number
  dispose(): void
}

/** What went wrong inside and was caught by nobody there. */
export class MachineFailure extends Error {}

export interface LibraryPart {
  name: string
  source: string
}

const memoryLimit = 128 * 1024 * 1024
/** Calls may nest about a thousand levels deep; more would overflow the stack of the engine that runs this one. */
const maxStackSize = 480 * 1024
/** Fits in the smallest stack of all platforms, so that calls nest as deep on each. */
const smallStackSize = 200 * 1024

/** Reasons of rejected promises that have no handler, by the identity of the promise. */
type Rejections = Map<number, { promise: JSValueHandle; reason: JSValueHandle }>

let compiled: Promise<WebAssembly.Module> | undefined
interface Prepared {
  snapshot: Snapshot
  /** What each module of the library exports. */
  names: Readonly<Record<string, readonly string[]>>
}

let prepared: Promise<Prepared> | undefined

/** A new machine, as the library left it when it was set up. */
export async function createMachine(
  host: MachineHost,
  library: readonly LibraryPart[],
  { isReproducible = false }: { isReproducible?: boolean } = {},
): Promise<Machine> {
  const wasm = await (compiled ??= compile())
  const { snapshot } = await (prepared ??= prepare(wasm, library))
  const rejections: Rejections = new Map()
  const stack = isReproducible ? smallStackSize : maxStackSize
  const vm = await QuickJS.restore(snapshot, { ...options(wasm, host, rejections), maxStackSize: stack })
  register(vm, host)
  return machineOf(vm, rejections)
}

/** The names that each module of the library exports. */
export async function exportedNames(library: readonly LibraryPart[]): Promise<Prepared['names']> {
  return (await (prepared ??= prepare(await (compiled ??= compile()), library))).names
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
  const vm = await QuickJS.create(options(wasm, nothing, new Map()))
  for (const name of ['sys', 'compile', 'peek']) {
    const made = vm.newFunction(name, () => vm.undefined)
    vm.setProp(vm.global, name, made)
    made.dispose()
  }
  for (const { name, source } of library) vm.evalCode(source, name).dispose()
  const names = JSON.parse(String(machineOf(vm, new Map()).call('names', null))) as Record<string, string[]>
  const snapshot = vm.snapshot()
  vm.dispose()
  return { snapshot, names }
}

function options(wasm: WebAssembly.Module, host: MachineHost, rejections: Rejections) {
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
      normalize: (base: string, specifier: string) => bare(() => host.normalizeModule(base, specifier)),
      load: (name: string) => bare(() => host.loadModule(name)),
    },
  }
}

function register(vm: QuickJS, host: MachineHost): void {
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
  vm.registerHostCallback('compile', (source, name, kind) => {
    const flags = kind?.toString() === 'check' ? EvalFlags.TYPE_MODULE | EvalFlags.COMPILE_ONLY : EvalFlags.TYPE_GLOBAL
    const result = vm.newObject()
    try {
      result.setProp('value', vm.evalCode(source?.toString() ?? '', name?.toString(), flags))
    } catch (error) {
      if (!(error instanceof JSException)) throw error
      result.setProp('value', error.handle)
      result.setProp('isError', vm.true)
    }
    return returned(result)
  })
  vm.registerHostCallback('peek', (promise) => {
    const result = vm.newArray()
    const state = promise?.promiseState ?? 0
    result.setProp('0', vm.newString(['pending', 'fulfilled', 'rejected'][state] ?? 'pending'))
    if (state !== 0 && promise !== undefined) result.setProp('1', settledValue(vm, promise))
    return returned(result)
  })
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
  const made = new Error(error instanceof Error ? error.message : 'failed')
  made.name = error instanceof Error ? error.name : 'Error'
  made.stack = `${made.name}: ${made.message}`
  return made
}

function machineOf(vm: QuickJS, rejections: Rejections): Machine {
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
    runJobs: () => guarded(() => vm.executePendingJobs() > 0),
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
    memoryBytes: () => (vm as unknown as { exports: { memory: WebAssembly.Memory } }).exports.memory.buffer.byteLength,
    dispose: () => vm.dispose(),
  }
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
