/** What of WebAssembly is used; Node has it, and its types have not. */
declare namespace WebAssembly {
  class Module {
    constructor(code: Uint8Array<ArrayBuffer>)
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } })
    readonly exports: object
  }
  class Memory {
    constructor(size: { initial: number })
    readonly buffer: ArrayBuffer
  }
  class CompileError extends Error {}
}
