/** The only file that knows the engine's exports: SQLite compiled to WebAssembly by its own project, without the JavaScript around it. */
import { type EngineMemory, encodeCText, engineMemory } from './memory.js'
import { type SystemGiven, systemCalls } from './system-calls.js'

/** Of the C interface, by the names it has there. Pointers and most integers are numbers, integers of 64 bits are `bigint`. */
export interface Engine {
  readonly memory: EngineMemory
  call(name: string, ...values: Array<number | bigint>): number
  callLong(name: string, ...values: Array<number | bigint>): bigint
  /** Text of the engine, `undefined` for a null pointer. */
  text(name: string, ...values: Array<number | bigint>): string | undefined
  /** Calls `use` with the address of this text, which is there only during the call. */
  withText<Result>(text: string, use: (at: number) => Result): Result
  withBytes<Result>(bytes: Uint8Array, use: (at: number) => Result): Result
  /** The number that stands for a function which takes and returns integers of 32 bits. */
  callback(parameters: number, hasResult: boolean, run: (...values: number[]) => number | undefined): number
  free(at: number): void
}

export type EngineGiven = Omit<SystemGiven, 'memory' | 'allocate'> & {
  /** Counts memory; what it throws ends the engine. */
  count(bytes: number): void
}

type Exported = (...values: Array<number | bigint>) => number | bigint

export function createEngine(module: WebAssembly.Module, given: EngineGiven): Engine {
  const memory = engineMemory(given.count)
  const allocate = (alignment: number, size: number) => engine.call('emscripten_builtin_memalign', alignment, size)
  const instance = new WebAssembly.Instance(module, systemCalls({ ...given, memory, allocate }))
  const exported = instance.exports as Readonly<Record<string, Exported>> & {
    __indirect_function_table: WebAssembly.Table
  }

  function call(name: string, ...values: Array<number | bigint>): number {
    const run = exported[name]
    if (run === undefined) throw new Error(`the engine has no ${name}`)
    return Number(run(...values))
  }

  function withBytes<Result>(bytes: Uint8Array, use: (at: number) => Result): Result {
    const at = call('malloc', Math.max(1, bytes.length))
    if (at === 0) throw new Error('the engine has no memory left')
    try {
      memory.bytes().set(bytes, at)
      return use(at)
    } finally {
      call('free', at)
    }
  }

  const engine: Engine = {
    memory,
    call,
    callLong: (name, ...values) => BigInt((exported[name] as Exported)(...values)),
    text(name, ...values) {
      const at = call(name, ...values)
      return at === 0 ? undefined : memory.text(at)
    },
    withBytes,
    withText: (text, use) => withBytes(encodeCText(text), use),
    callback(parameters, hasResult, run) {
      const table = exported.__indirect_function_table
      const index = table.grow(1)
      table.set(index, asWasmFunction(parameters, hasResult, run))
      return index
    },
    free: (at) => void call('sqlite3_free', at),
  }
  call('__wasm_call_ctors')
  call('sqlite3_initialize')
  return engine
}

/** A table holds functions of modules only: a module that imports this one and exports it again. */
function asWasmFunction(parameters: number, hasResult: boolean, run: (...values: number[]) => unknown): unknown {
  const i32 = 0x7f
  const type = [1, 0x60, parameters, ...Array<number>(parameters).fill(i32), ...(hasResult ? [1, i32] : [0])]
  const section = (number: number, content: number[]) => [number, content.length, ...content]
  const name = [1, 0x66]
  const code = [
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, type),
    ...section(2, [1, ...name, ...name, 0, 0]),
    ...section(7, [1, ...name, 0, 0]),
  ]
  const module = new WebAssembly.Module(Uint8Array.from(code))
  return (new WebAssembly.Instance(module, { f: { f: run } }).exports as { f: unknown }).f
}
