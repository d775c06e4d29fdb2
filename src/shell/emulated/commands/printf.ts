/** just-bash takes what `\377` stands for to be a character. It is a byte. */
import type { Command } from '../worker/just-bash.js'
import { toLatin1 } from '../worker/string-bytes.js'

const byteEscape = /\\(x[89a-f][0-9a-f]|0?[23][0-7]{2})/i
const characterEscape = /\\u/i

/** `printf`, and `echo` with its escapes, where an escape stands for a byte that is no ASCII. */
export const exactly = (name: 'printf' | 'echo'): Command => ({
  name,
  async execute(args, context) {
    const { origCommand } = context
    if (origCommand === undefined) throw new Error(`there is no ${name} to call`)
    if (!args.some((arg) => byteEscape.test(arg)) || args.some((arg) => characterEscape.test(arg))) {
      return origCommand(args)
    }
    // As bytes all the way: then a character that comes out is one of them.
    const result = await origCommand(args.map((arg) => toLatin1(new TextEncoder().encode(arg))))
    return { ...result, stdoutKind: 'bytes', stdoutEncoding: 'binary' }
  },
})
