/** How a program ends before its end. */
import type { Value } from './values.js'

/** `die`, also by perl itself. Where it happened is added when it is known, unless the text ends with a line feed. */
export class PerlDie extends Error {
  value: Value

  constructor(
    value: Value,
    public isPlaced = false,
  ) {
    super(typeof value === 'string' ? value : 'died')
    this.value = value
  }

  /** With the place, as `$@` has it. */
  at(place: string): this {
    if (!this.isPlaced && typeof this.value === 'string') this.value += ` at ${place}.\n`
    this.isPlaced = true
    return this
  }
}

export class PerlExit extends Error {
  constructor(readonly status: number) {
    super('exit')
  }
}

/** `next`, `last`, `redo` and `return` inside of expressions. */
export class Leave extends Error {
  constructor(
    readonly to: 'next' | 'last' | 'redo' | 'return',
    readonly label: string | undefined,
    readonly values: unknown,
  ) {
    super(to)
  }
}
