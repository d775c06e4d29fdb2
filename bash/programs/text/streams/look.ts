/** Lines that begin with a text. */
import { decodeText } from '../../../io/byte-text.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { misuse, requireInput } from '../common/inputs.js'
import { withoutDelimiter } from '../common/line-reader.js'

export const look = defineProgram({
  name: 'look',
  usage: '[options] <string> [<file>...]',
  options: {
    alternative: { names: ['-a', '--alternative'] },
    alphanumeric: { names: ['-d', '--alphanum'] },
    ignoreCase: { names: ['-f', '--ignore-case'] },
    terminate: { names: ['-t', '--terminate'], value: 'required' },
  },
  async run(io, given) {
    const [text, file] = given.operands
    if (text === undefined) throw misuse(io, 'bad usage')
    const isDictionary = file === undefined
    const name = file ?? '/usr/share/dict/words'
    const end = given.value('terminate')
    const wanted = end !== undefined && text.includes(end) ? text.slice(0, text.indexOf(end) + 1) : text
    const comparable = (line: string) => {
      const kept = given.has('alphanumeric') || isDictionary ? line.replace(/[^\p{L}\p{N}]/gu, '') : line
      return given.has('ignoreCase') || isDictionary ? kept.toLowerCase() : kept
    }
    const start = comparable(wanted)
    let status = 1
    for await (const lines of lineBatches(await requireInput(io, name))) {
      for (const line of lines) {
        if (!comparable(decodeText(withoutDelimiter(line))).startsWith(start)) continue
        await io.stdout.write(line)
        status = 0
      }
    }
    return status
  },
})
