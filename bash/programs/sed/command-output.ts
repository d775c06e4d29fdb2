/** Runs the commands of `e`. */
import type { Bytes } from '../../../src/fs/types.js'
import type { ProgramIo } from '../../io/program.js'
import { type ByteWriter, concat } from '../../io/streams.js'

/** What a command of the shell writes to its standard output. */
export async function outputOf(io: ProgramIo, command: string): Promise<Bytes> {
  const chunks: Bytes[] = []
  const stdout: ByteWriter = {
    write(bytes) {
      io.account(bytes.length)
      chunks.push(bytes)
      return undefined
    },
    close: async () => {},
  }
  await io.run(['sh', '-c', command], { stdout })
  const output = concat(chunks)
  io.account(-output.length)
  return output
}
