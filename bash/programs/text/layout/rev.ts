/** Lines with their characters in reverse. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText, isEscapedByte } from '../../../io/byte-text.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { forEachInput } from '../common/inputs.js'

/** A line of ASCII characters in reverse; undefined where it has others. */
function reversedAscii(line: Bytes): Bytes | undefined {
  const length = line[line.length - 1] === 10 ? line.length - 1 : line.length
  const reversed = new Uint8Array(line.length)
  if (length < line.length) reversed[length] = 10
  for (let at = 0; at < length; at += 1) {
    const byte = line[at] as number
    if (byte >= 0x80) return undefined
    reversed[length - 1 - at] = byte
  }
  return reversed
}

export const rev = defineProgram({
  name: 'rev',
  usage: '[options] [file ...]',
  options: {},
  helpNames: ['-h', '--help'],
  async run(io, given) {
    return forEachInput(
      io,
      // A hyphen is a name like any other.
      given.operands.map((name) => (name === '-' ? './-' : name)),
      async ({ name, reader }) => {
        let number = 0
        for await (const lines of lineBatches(reader)) {
          const output: Array<Bytes | string> = []
          for (const line of lines) {
            number += 1
            const plain = reversedAscii(line)
            if (plain !== undefined) {
              output.push(plain)
              continue
            }
            const characters = [...decodeText(line)]
            if (characters.some(isEscapedByte)) {
              for (const piece of output) await io.stdout.write(piece)
              const where = `${name === '-' ? 'stdin' : name}: ${number - 1}`
              throw new ProgramError(`${where}: Invalid or incomplete multibyte or wide character`)
            }
            const end = characters.at(-1) === '\n' ? characters.pop() : ''
            output.push(characters.reverse().join('') + end)
          }
          for (const piece of output) {
            const waiting = io.stdout.write(piece)
            if (waiting !== undefined) await waiting
          }
        }
      },
      (name, reason) => `cannot open ${name === './-' ? '-' : name}: ${reason}`,
    )
  },
})
