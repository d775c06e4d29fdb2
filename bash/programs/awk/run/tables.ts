/** `SYMTAB` and `FUNCTAB`: the variables and the functions of a program as arrays. */
import { AwkFatal } from '../syntax/awk-error.js'
import { builtins } from '../syntax/lexer.js'
import { AwkArray, type Cell, keyText } from '../values/array.js'
import { gawkOrder } from '../values/array-order.js'
import type { Key, Scalar } from '../values/values.js'
import type { Runtime } from './runtime.js'

export class SymbolTable extends AwkArray {
  override isUsed = true

  constructor(
    private readonly runtime: Runtime,
    private readonly functions: ReadonlyMap<string, unknown>,
  ) {
    super(runtime.accounting)
  }

  override get size(): number {
    return this.names().length
  }

  override has(key: Key): boolean {
    const name = keyText(key)
    return this.runtime.hasVariable(name) && !this.functions.has(name)
  }

  override get(key: Key): Cell {
    if (!this.has(key)) {
      throw new AwkFatal(`reference to uninitialized element \`SYMTAB["${keyText(key)}"] is not allowed'`)
    }
    return this.peek(key)
  }

  override peek(key: Key): Cell {
    const { runtime } = this
    const name = keyText(key)
    if (runtime.isSpecial(name)) return runtime.special(name)
    return this.has(key) ? runtime.globals[runtime.slotOf(name)] : undefined
  }

  override set(key: Key, value: Cell): void {
    const { runtime } = this
    const name = keyText(key)
    if (!this.has(key)) throw new AwkFatal('cannot assign to arbitrary elements of SYMTAB')
    if (runtime.isSpecial(name)) runtime.setSpecial(name, value as Scalar)
    else runtime.setGlobal(name, value)
  }

  override delete(): void {
    throw new AwkFatal("`delete' is not allowed with SYMTAB")
  }

  override clear(): void {
    throw new AwkFatal("`delete' is not allowed with SYMTAB")
  }

  override keys(): Key[] {
    const names = this.names()
    return gawkOrder(names, names.length)
  }

  private names(): string[] {
    return this.runtime.variableNames().filter((name) => !this.functions.has(name))
  }
}

export class FunctionTable extends AwkArray {
  override isUsed = true
  private readonly names: string[]

  constructor(runtime: Runtime, functions: Iterable<string>) {
    super(runtime.accounting)
    this.names = [...builtins.keys(), ...functions]
  }

  override get size(): number {
    return this.names.length
  }

  override has(key: Key): boolean {
    return this.names.includes(keyText(key))
  }

  override get(key: Key): Cell {
    if (!this.has(key)) {
      throw new AwkFatal(`reference to uninitialized element \`FUNCTAB["${keyText(key)}"] is not allowed'`)
    }
    return keyText(key)
  }

  override peek(key: Key): Cell {
    return this.has(key) ? keyText(key) : undefined
  }

  override set(): void {
    throw new AwkFatal('cannot assign to elements of FUNCTAB')
  }

  override delete(): void {
    throw new AwkFatal("`delete' is not allowed with FUNCTAB")
  }

  override clear(): void {
    throw new AwkFatal("`delete' is not allowed with FUNCTAB")
  }

  override keys(): Key[] {
    return gawkOrder([...this.names], this.names.length)
  }
}
