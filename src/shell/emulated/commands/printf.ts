/** Fixes `printf` and `echo` of just-bash, which treat `\377` as a character. It is a byte. */
import type { Command } from '../worker/just-bash.js'
import { toLatin1 } from '../worker/string-bytes.js'

const byteEscape = /\\(x[89a-f][0-9a-f]|0?[23][0-7]{2})/i
const characterEscape = /\\u/i

/** The command with byte output where an escape stands for a byte beyond ASCII. */
export const withByteEscapes = (name: 'printf' | 'echo'): Command => ({
  name,
  async execute(args, context) {
    const { origCommand } = context
    if (origCommand === undefined) throw new Error(`just-bash has no ${name}`)
    if (!args.some((arg) => byteEscape.test(arg)) || args.some((arg) => characterEscape.test(arg))) {
      return origCommand(args)
    }
    // Arguments as bytes, so that every character of the output is a byte.
    const result = await origCommand(args.map((arg) => toLatin1(new TextEncoder().encode(arg))))
    return { ...result, stdoutKind: 'bytes', stdoutEncoding: 'binary' }
  },
})
