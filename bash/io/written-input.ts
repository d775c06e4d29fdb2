/** Inputs that are also the output. */
import type { ProgramIo } from './program.js'
import type { ByteReader } from './streams.js'

/** The size of an input that is also the output: reading what is being written might never end. Undefined for all others. */
export async function sizeIfOutput(io: ProgramIo, name: string, reader: ByteReader): Promise<number | undefined> {
  const output = io.stdout.path
  if (output === undefined) return undefined
  const input = name === '-' ? reader.path : io.path(name)
  if (input === undefined) return undefined
  if ((await io.fs.stat(input)).kind !== 'file') return undefined
  if ((await io.fs.realPath(input)) !== (await io.fs.realPath(output))) return undefined
  await io.stdout.flush()
  return (await io.fs.stat(output)).size ?? 0
}
