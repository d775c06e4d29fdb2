/** Questions of `rm -i`, `cp -i` and others. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteReader, concat } from '../../../io/streams.js'

const lineFeed = 10

/** Asks on stderr. Only an answer that begins with `y` is a yes; no input is a no. */
export async function ask(io: ProgramIo, question: string): Promise<boolean> {
  await io.stderr.write(question)
  return /^[yY]/.test((await readLine(io.stdin)) ?? '')
}

async function readLine(reader: ByteReader): Promise<string | undefined> {
  const pieces: Bytes[] = []
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    const end = chunk.indexOf(lineFeed)
    if (end === -1) {
      pieces.push(chunk)
      continue
    }
    reader.unread(chunk.subarray(end + 1))
    pieces.push(chunk.subarray(0, end))
    return decodeText(concat(pieces))
  }
  return pieces.length > 0 ? decodeText(concat(pieces)) : undefined
}
