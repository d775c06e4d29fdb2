/**
 * The part of WebAssembly that is used. A page may forbid it, and an old engine may lack it. Apart from `globals.d.ts`, because Node's types
 * have everything but this, so that the code for Node includes this file alone.
 */
declare namespace WebAssembly {
  type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>
  class Module {
    constructor(code: Uint8Array<ArrayBuffer>)
    static imports(
      module: Module,
    ): Array<{ module: string; name: string; kind: 'function' | 'global' | 'memory' | 'table' }>
  }
  class Instance {
    constructor(module: Module, imports: Imports)
    readonly exports: object
  }
  class Memory {
    constructor(size: { initial: number; maximum?: number })
    readonly buffer: ArrayBuffer
    /** By pages of 64 KiB. */
    grow(pages: number): number
  }
  class Table {
    get(index: number): unknown
    set(index: number, value: unknown): void
    grow(entries: number): number
  }
  class Global {
    constructor(type: { value: 'i32'; mutable: boolean }, value: number)
    value: number
  }
  class CompileError extends Error {}
}
