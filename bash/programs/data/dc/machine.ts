/** What dc holds: a stack of values, and registers that are stacks themselves. */
import type { Decimal } from '../bc/decimal.js'

/** A number, or the text of a string. */
export type Value = Decimal | string

export interface Level {
  value?: Value | undefined
  array: Map<bigint, Value>
}

/** What a command has no use for: it is reported, and the next command runs. */
export class DcError extends Error {}

export class Machine {
  readonly stack: Value[] = []
  private readonly registers = new Map<string, Level[]>()
  scale = 0
  inputBase = 10
  outputBase = 10

  /** The values on top, the last one uppermost. They stay until `drop`. */
  top(count: number): Value[] {
    if (this.stack.length < count) throw new DcError('stack empty')
    return count === 0 ? [] : this.stack.slice(-count)
  }

  numbers(count: number): Decimal[] {
    return this.top(count).map((value) => {
      if (typeof value === 'string') throw new DcError('non-numeric value')
      return value
    })
  }

  drop(count: number): void {
    this.stack.length -= count
  }

  pop(): Value {
    const [value] = this.top(1)
    this.drop(1)
    return value as Value
  }

  push(...values: Value[]): void {
    this.stack.push(...values)
  }

  level(register: string): Level {
    const levels = this.registers.get(register) ?? []
    if (levels.length === 0) levels.push({ array: new Map() })
    this.registers.set(register, levels)
    return levels.at(-1) as Level
  }

  pushLevel(register: string, value: Value): void {
    const levels = this.registers.get(register) ?? []
    levels.push({ value, array: new Map() })
    this.registers.set(register, levels)
  }

  /** Undefined when there is none. */
  popLevel(register: string): Value | undefined {
    return this.registers.get(register)?.pop()?.value
  }
}
