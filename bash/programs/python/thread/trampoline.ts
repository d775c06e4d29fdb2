/**
 * Calls through pointers whose type is not that of the call, as C allows and WebAssembly does not. By default JavaScript makes them; then
 * the engine can't be suspended below. This small module makes them inside, and needs types that engines with suspension know.
 */
import type { EngineMemory } from './engine-memory.js'

interface EngineExports {
  memory: WebAssembly.Memory
  __indirect_function_table: WebAssembly.Table
  [name: string]: unknown
}

/** Returns what tells the interpreter of it, in memory that may have been replaced. */
export function callsWithoutJavaScript(engine: EngineExports, memory: EngineMemory): () => void {
  const table = engine.__indirect_function_table
  const module = new WebAssembly.Module(code())
  const { exports } = new WebAssembly.Instance(module, { engine: { memory: engine.memory, table } })
  const index = table.grow(1)
  table.set(index, (exports as { call: unknown }).call)
  const addressOf = (name: string) => (engine[name] as WebAssembly.Global).value
  const at = addressOf('_PyRuntime') + memory.word(addressOf('_PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET'))
  return () => memory.putWord(at, index)
}

/** The most that Python passes. */
const mostGiven = 3
const number = 0x7f
const op = {
  localGet: 0x20,
  const: 0x41,
  tableGet: 0x25,
  store: 0x36,
  callIndirect: 0x11,
  if: 0x04,
  return: 0x0f,
  end: 0x0b,
}
const refTest = [0xfb, 0x14]
const noResult = 0x40
const functionType = 0x60

/**
 * `call(known, function, first, second, third)`: calls the function with as many of the three as it takes. What takes none of these
 * numbers, or others, is not called: then 0 is stored at `known`.
 */
function code(): Uint8Array<ArrayBuffer> {
  const [known, pointer, first] = [0, 1, 2]
  const counts = Array.from({ length: mostGiven + 1 }, (_, count) => count)
  const types = [...counts, mostGiven + 2].map((count) => [
    functionType,
    ...vector(Array.from({ length: count }, () => [number])),
    ...vector([[number]]),
  ])
  const tries = counts.flatMap((count) => [
    op.localGet,
    pointer,
    op.tableGet,
    0,
    ...refTest,
    count,
    op.if,
    noResult,
    ...counts.slice(0, count).flatMap((each) => [op.localGet, first + each]),
    op.localGet,
    pointer,
    op.callIndirect,
    count,
    0,
    op.return,
    op.end,
  ])
  const failure = [op.localGet, known, op.const, 0, op.store, 2, 0, op.const, 0, op.end]
  const imports = [
    [...text('engine'), ...text('memory'), 2, 0, 1],
    [...text('engine'), ...text('table'), 1, 0x70, 0, 1],
  ]
  const body = [0, ...tries, ...failure]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector(types)),
    ...section(2, vector(imports)),
    ...section(3, vector([[types.length - 1]])),
    ...section(7, vector([[...text('call'), 0, 0]])),
    ...section(10, vector([[...length(body.length), ...body]])),
  ])
}

function section(id: number, content: number[]): number[] {
  return [id, ...length(content.length), ...content]
}

function vector(items: number[][]): number[] {
  return [...length(items.length), ...items.flat()]
}

function text(name: string): number[] {
  return vector([...new TextEncoder().encode(name)].map((byte) => [byte]))
}

function length(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, value >> 7]
}
