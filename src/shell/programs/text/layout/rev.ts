/** Lines with their characters in reverse. */
import { decodeText, isEscapedByte } from '../../../io/byte-text.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { forEachInput } from '../common/inputs.js'

export const rev = defineProgram({
  name: 'rev',
  usage: '[options] [file ...]',
  options: { version: { names: ['-V', '--version'] }, help: { names: ['-h', '--help'] } },
  async run(io, given) {
    if (given.has('help') || given.has('version')) {
      await io.stdout.write(given.has('help') ? 'Usage: rev [options] [file ...]\n' : 'rev (polyfs)\n')
      return 0
    }
    return forEachInput(
      io,
      given.operands,
      async ({ name, reader }) => {
        let number = 0
        for await (const lines of lineBatches(reader)) {
          for (const line of lines) {
            const characters = [...decodeText(line)]
            if (characters.some(isEscapedByte)) {
              const where = `${name === '-' ? 'stdin' : name}: ${number}`
              throw new ProgramError(`${where}: Invalid or incomplete multibyte or wide character`)
            }
            const end = characters.at(-1) === '\n' ? characters.pop() : ''
            await io.stdout.write(characters.reverse().join('') + end)
            number += 1
          }
        }
      },
      (name, reason) => `cannot open ${name}: ${reason}`,
    )
  },
})
