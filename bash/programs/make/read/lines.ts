/** The lines of a makefile. What a backslash joins is one line, with the line ends still in it. */
import type { Place } from '../make-error.js'

export class LineReader {
  #at = 0
  #pending = 0
  readonly #text: string

  constructor(
    text: string,
    readonly place: Place,
  ) {
    this.#text = text.replace(/\r\n/g, '\n')
  }

  /** Undefined at the end. */
  next(): string | undefined {
    this.place.line += this.#pending
    this.#pending = 0
    if (this.#at >= this.#text.length) return undefined
    const start = this.#at
    let end: number
    for (;;) {
      end = this.#text.indexOf('\n', this.#at)
      this.#pending += 1
      if (end < 0) {
        end = this.#text.length
        this.#at = end
        break
      }
      this.#at = end + 1
      let count = 0
      while (end - count > start && this.#text[end - count - 1] === '\\') count += 1
      if (count % 2 === 0) break
    }
    // A file that ends with a backslash and a line end keeps both.
    return this.#text.slice(start, end)
  }
}
