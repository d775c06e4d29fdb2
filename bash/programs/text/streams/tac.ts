/** Files with their last line first. */
import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quotedName, shownName } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { forEachInput } from '../common/inputs.js'

export const tac = defineProgram({
  name: 'tac',
  usage: '[OPTION]... [FILE]...',
  options: {
    before: { names: ['-b', '--before'] },
    separator: { names: ['-s', '--separator'], value: 'required' },
  },
  unsupported: ['-r', '--regex'],
  async run(io, given) {
    const text = given.value('separator') ?? '\n'
    const separator = text === '' ? new Uint8Array(1) : encodeText(text)
    if (separator.length === 0) throw new ProgramError('separator cannot be empty')
    const output = new ByteOutput(io.stdout)
    const status = await forEachInput(
      io,
      given.operands,
      async ({ reader }) => {
        const all = await readAll(reader)
        io.account(all.length)
        for (const [start, end] of recordsFromEnd(all, separator, given.has('before'))) {
          output.bytes(all, start, end)
          if (output.isFull) await output.drain()
        }
        await output.flush()
        io.account(-all.length)
      },
      (name, reason) =>
        reason === 'Is a directory'
          ? `${shownName(name)}: read error: Invalid argument`
          : `failed to open ${quotedName(name)} for reading: ${reason}`,
    )
    return status
  },
})

/** The separator ends a record, or with `isBefore` begins it. */
function* recordsFromEnd(all: Bytes, separator: Bytes, isBefore: boolean): Generator<[start: number, end: number]> {
  let end = all.length
  let before = all.length
  while (before > 0) {
    const found = lastOf(all, separator, before)
    if (found === -1) break
    const cut = isBefore ? found : found + separator.length
    if (cut < end) yield [cut, end]
    end = cut
    before = found
  }
  if (end > 0) yield [0, end]
}

/** Where the last separator that ends at `before` or earlier begins. */
function lastOf(all: Bytes, separator: Bytes, before: number): number {
  const first = separator[0] as number
  let at = before - separator.length
  while (at >= 0) {
    at = all.lastIndexOf(first, at)
    if (at === -1) return -1
    if (separator.every((byte, offset) => all[at + offset] === byte)) return at
    at -= 1
  }
  return -1
}
