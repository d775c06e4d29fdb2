/** Gives the engine a larger stack than the one that was laid out for it, where the thread has room for the calls. */

/** In the engine's memory: the runtime has where its stack begins. */
const topAt = 640
/** Where the stack is laid out. */
const laidOutTop = 1_048_576
const pageBytes = 65_536
/** Calls nest some ten thousand levels deep, as in Node. The thread has twenty times as much (`stackMegabytes` in `node/shell/emulated-shell.ts`). */
const stackBytes = 3 * 1024 * 1024
/** Left for what the engine does without asking. */
const spareBytes = 64 * 1024

export interface Engine {
  memory: WebAssembly.Memory
  __stack_pointer: { value: number }
  qjs_get_runtime_ptr(): number
  qjs_set_max_stack_size(bytes: number): void
}

/** Threads of Node have the stack that they are given; others have their own. */
export function hasRoomForCalls(): boolean {
  const { process, Bun, Deno } = globalThis as {
    process?: { release?: { name?: string } }
    Bun?: unknown
    Deno?: unknown
  }
  return process?.release?.name === 'node' && Bun === undefined && Deno === undefined
}

/** To be called before anything runs. */
export function useDeepStack(engine: Engine): void {
  const { memory } = engine
  const runtime = engine.qjs_get_runtime_ptr()
  const top = new DataView(memory.buffer).getUint32(runtime + topAt, true)
  // An engine that has it elsewhere keeps the stack that it has.
  if (top > laidOutTop || top < laidOutTop - pageBytes) return
  const begin = memory.grow(stackBytes / pageBytes) * pageBytes
  const newTop = begin + stackBytes
  new DataView(memory.buffer).setUint32(runtime + topAt, newTop, true)
  engine.__stack_pointer.value = newTop
  engine.qjs_set_max_stack_size(stackBytes - spareBytes)
}
