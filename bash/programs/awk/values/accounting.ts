/** Counts memory for a program, in batches. */
import type { ProgramIo } from '../../../io/program.js'
import { type Key, type Scalar, UserText } from './values.js'

const batchBytes = 64 * 1024
const smallText = 64

export class Accounting {
  private pending = 0
  /** The last subscript that was made of text from outside which is a number. */
  inputKey: Key | undefined

  constructor(private readonly io: Pick<ProgramIo, 'account'>) {}

  add(bytes: number): void {
    this.pending += bytes
    if (this.pending < batchBytes && this.pending > -batchBytes) return
    const { pending } = this
    this.pending = 0
    this.io.account(pending)
  }

  /** Text that takes the place of another value. Short text is not worth counting. */
  replaced(before: Scalar | object, after: string): void {
    if (after.length < smallText && !(typeof before === 'string' && before.length >= smallText)) return
    this.add(2 * (after.length - sizeOf(before)))
  }
}

function sizeOf(value: Scalar | object): number {
  if (typeof value === 'string') return value.length
  return value instanceof UserText ? value.text.length : 0
}
