/** Text that grows: what it takes is counted, so that no expansion grows without an end. */
import type { ProgramIo } from '../../../io/program.js'

const stepBytes = 1 << 16

export class TextBuilder {
  #pieces: string[] = []
  #length = 0
  #counted = 0

  constructor(readonly io: Pick<ProgramIo, 'account' | 'step'>) {}

  add(text: string): void {
    this.#length += text.length
    if (this.#length - this.#counted > stepBytes) {
      this.io.step()
      this.io.account((this.#length - this.#counted) * 2)
      this.#counted = this.#length
    }
    if (text !== '') this.#pieces.push(text)
  }

  get length(): number {
    return this.#length
  }

  finish(): string {
    const text = this.#pieces.join('')
    this.io.account(-this.#counted * 2)
    this.#counted = 0
    return text
  }
}
