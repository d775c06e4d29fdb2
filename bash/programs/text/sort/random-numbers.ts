/** Random numbers below a bound, from the bytes of a source: the same source gives the same numbers. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import { ProgramError } from '../../program-error.js'

const perByte = 256n

export class RandomNumbers {
  /** A random number up to `#most`, which earlier numbers left over. */
  #left = 0n
  #most = 0n
  #bytes: Bytes = new Uint8Array()
  #at = 0

  constructor(
    private readonly io: ProgramIo,
    private readonly source: ByteReader | undefined,
  ) {}

  async below(bound: number): Promise<number> {
    if (this.source === undefined) return Math.floor(this.io.random() * bound)
    const choices = BigInt(bound)
    for (;;) {
      while (this.#most < choices - 1n) {
        this.#left = this.#left * perByte + BigInt(await this.#byte())
        this.#most = this.#most * perByte + 255n
      }
      if (this.#most === choices - 1n) {
        const found = this.#left
        this.#left = 0n
        this.#most = 0n
        return Number(found)
      }
      const excess = this.#most - (choices - 1n)
      const unusable = excess % choices
      const lastUsable = this.#most - unusable
      const found = this.#left % choices
      if (this.#left <= lastUsable) {
        this.#left /= choices
        this.#most = excess / choices
        return Number(found)
      }
      // Every choice would not be as likely: what is left is used for another try.
      this.#left = found
      this.#most = unusable - 1n
    }
  }

  async #byte(): Promise<number> {
    if (this.#at === this.#bytes.length) {
      const chunk = await this.source?.read()
      if (chunk === undefined) throw new ProgramError('end of file')
      this.#bytes = chunk
      this.#at = 0
    }
    const byte = this.#bytes[this.#at] as number
    this.#at += 1
    return byte
  }
}
