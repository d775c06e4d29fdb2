import type { Bytes } from '../../../src/fs/types.js'
import { inflateRaw } from '../../../src/text/inflate-raw.js'
import type { ProgramIo } from '../../io/program.js'

/** `deflate` of HTTP: with the header of zlib or, as some servers send it, without. */
export function unzlib({ account, step }: Pick<ProgramIo, 'account' | 'step'>, bytes: Bytes): Bytes | undefined {
  const [first = 0, second = 0] = bytes
  const start = (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0 ? 2 : 0
  for (let size = Math.max(1024, 4 * bytes.length); ; size *= 4) {
    step()
    account(size)
    const found = inflateRaw(bytes, start, size)
    if (found?.ends) {
      account(found.content.length - size)
      return found.content.slice()
    }
    account(-size)
    if (found === undefined) return undefined
  }
}
