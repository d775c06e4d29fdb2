/** What a program computes with: values, and the variables that hold them. */

/** A reference is the thing itself. Whole numbers from 1e15 on are bigints, so that others of that size are fractions. */
export type Value =
  | undefined
  | string
  | number
  | bigint
  | Both
  | Scalar
  | PerlArray
  | PerlHash
  | CodeValue
  | RegexValue
  | HandleValue

/** Text and a number, such as `$!`. */
export class Both {
  constructor(
    readonly text: string,
    readonly number: number,
  ) {}
}

/** What is not true: an empty text, and the number zero. */
export const no = new Both('', 0)

export class Scalar {
  /** Where the next match with `g` begins. */
  pos: number | undefined
  /** The last match there was empty. */
  isEmptyAt = false

  constructor(public value: Value = undefined) {}

  set(value: Value): void {
    this.value = value
    this.pos = undefined
  }
}

export class PerlArray {
  cells: (Scalar | undefined)[] = []

  static of(values: readonly Value[]): PerlArray {
    const array = new PerlArray()
    array.cells = values.map((value) => new Scalar(value))
    return array
  }

  get(index: number): Value {
    return this.cells[index < 0 ? index + this.cells.length : index]?.value
  }

  /** Made if it is not there; undefined before the first. */
  cell(index: number): Scalar | undefined {
    const at = index < 0 ? index + this.cells.length : index
    if (at < 0) return undefined
    while (this.cells.length < at) this.cells.push(undefined)
    const known = this.cells[at]
    if (known !== undefined) return known
    const made = new Scalar()
    this.cells[at] = made
    return made
  }

  values(): Value[] {
    return this.cells.map((cell) => cell?.value)
  }

  /** Also those that were never set. */
  allCells(): Scalar[] {
    for (let index = 0; index < this.cells.length; index += 1) this.cells[index] ??= new Scalar()
    return this.cells as Scalar[]
  }
}

export class PerlHash {
  map = new Map<string, Scalar>()
  /** The keys that `each` has not given yet. */
  left: string[] | undefined

  cell(key: string): Scalar {
    const known = this.map.get(key)
    if (known !== undefined) return known
    const made = new Scalar()
    this.map.set(key, made)
    return made
  }
}

/** Implemented by what the compiler makes of a sub. */
export class CodeValue {
  constructor(
    readonly name: string,
    readonly call: unknown,
  ) {}
}

export class RegexValue {
  constructor(
    readonly source: string,
    readonly flags: string,
  ) {}

  toText(): string {
    return `(?^${this.flags}:${this.source}${this.flags.includes('x') && this.source.includes('#') ? '\n' : ''})`
  }
}

/** A file that is open; what it is belongs to the run. */
export class HandleValue {
  constructor(readonly handle: unknown) {}
}

export type Reference = Exclude<Value, undefined | string | number | bigint | Both>

export function isReference(value: Value): value is Reference {
  return typeof value === 'object' && !(value instanceof Both)
}

const addresses = new WeakMap<object, number>()
let nextAddress = 0x55d0c0de0018

export function addressOf(value: object): number {
  const known = addresses.get(value)
  if (known !== undefined) return known
  nextAddress += 24
  addresses.set(value, nextAddress)
  return nextAddress
}

export function kindOf(value: Value): string {
  if (value instanceof Scalar) return isReference(value.value) ? 'REF' : 'SCALAR'
  if (value instanceof PerlArray) return 'ARRAY'
  if (value instanceof PerlHash) return 'HASH'
  if (value instanceof CodeValue) return 'CODE'
  if (value instanceof RegexValue) return 'Regexp'
  if (value instanceof HandleValue) return 'GLOB'
  return ''
}
