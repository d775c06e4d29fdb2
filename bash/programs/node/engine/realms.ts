/** Contexts of `vm`: further sets of globals and classes in the same engine. */

/** A context by its place in the engine's memory, and values by where they are kept there. Contexts last as long as the engine. */
export interface Realms {
  /** Makes one: its place, and its global object. */
  make(): { realm: number; global: number }
  /** Runs a script in one. What it threw is returned as the exception that the engine has a mark for. */
  evaluate(realm: number, source: string, name: string): number
}

export interface RealmEngine {
  memory: WebAssembly.Memory
  qjs_get_runtime_ptr(): number
  wasm_malloc(bytes: number): number
  wasm_free(at: number): void
  JS_NewContext(runtime: number): number
  JS_GetGlobalObject(context: number): bigint
  JS_Eval(context: number, source: number, bytes: number, name: number, flags: number): bigint
}

export function realms(engine: RealmEngine): Realms {
  function kept(value: bigint): number {
    const at = engine.wasm_malloc(8)
    new DataView(engine.memory.buffer).setBigInt64(at, value, true)
    return at
  }

  function withText<Result>(text: string, run: (at: number, bytes: number) => Result): Result {
    const bytes = new TextEncoder().encode(text)
    const at = engine.wasm_malloc(bytes.length + 1)
    if (at === 0) throw new Error('out of memory')
    const memory = new Uint8Array(engine.memory.buffer)
    memory.set(bytes, at)
    memory[at + bytes.length] = 0
    try {
      return run(at, bytes.length)
    } finally {
      engine.wasm_free(at)
    }
  }

  return {
    make() {
      const realm = engine.JS_NewContext(engine.qjs_get_runtime_ptr())
      if (realm === 0) throw new Error('out of memory')
      return { realm, global: kept(engine.JS_GetGlobalObject(realm)) }
    },
    evaluate: (realm, source, name) =>
      withText(source, (at, bytes) => withText(name, (nameAt) => kept(engine.JS_Eval(realm, at, bytes, nameAt, 0)))),
  }
}
