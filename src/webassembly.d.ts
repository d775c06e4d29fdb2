/**
 * The part of WebAssembly that is used. A page may forbid it, and an old engine may lack it. Apart from `globals.d.ts`, because Node's types
 * have everything but this, so that the code for Node includes this file alone.
 */
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
