/** `$(shell)`. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import { type ByteWriter, concat } from '../../../io/streams.js'
import { commandOf } from '../run/command-line.js'
import { start } from '../run/start.js'
import type { MakeState } from '../state.js'

/** What a command prints, in one line. Its status is `.SHELLSTATUS`. */
export async function runShell(make: MakeState, command: string): Promise<string> {
  const chunks: Bytes[] = []
  let size = 0
  const stdout: ByteWriter = {
    write(bytes) {
      make.io.account(bytes.length)
      size += bytes.length
      chunks.push(bytes.slice())
      return undefined
    },
    close: async () => {},
  }
  const { argv } = await commandOf(make, command, undefined)
  if (argv === undefined) return ''
  const status = await start(make, argv, { stdout, env: make.io.env })
  make.define('.SHELLSTATUS', `${status}`, 'override')
  const text = chunks.length === 0 ? '' : decodeText(concat(chunks))
  make.io.account(-size)
  return text.replace(/\n+$/, '').replace(/\r?\n/g, ' ')
}
