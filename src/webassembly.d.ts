/** The part of WebAssembly that is used. Node has it, but not in its types. A page may forbid it, and an old engine may lack it. */
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
