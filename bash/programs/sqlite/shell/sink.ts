/** Where output goes: standard output, a file, or another command. */
import type { Bytes } from '../../../../src/fs/types.js'
import { joinBytes } from '../../../../src/text/join-bytes.js'
import { encodeText } from '../../../io/byte-text.js'
import type { ProgramIo } from '../../../io/program.js'
import { pipe } from '../../../io/streams.js'

export interface Sink {
  write(text: string): Promise<void> | undefined
  flush(): Promise<void>
  close(): Promise<void>
}

export function standardOutput(io: ProgramIo): Sink {
  return { write: (text) => io.stdout.write(text), flush: () => io.stdout.flush(), close: async () => {} }
}

export function standardError(io: ProgramIo): Sink {
  return { write: (text) => io.stderr.write(text), flush: async () => {}, close: async () => {} }
}

const bufferCharacters = 32 * 1024

/** Collects text, so that a file is not written row by row. */
function buffered(write: (bytes: Bytes) => Promise<void> | undefined, end: () => Promise<void>): Sink {
  let texts: string[] = []
  let size = 0

  async function flush(): Promise<void> {
    if (size === 0) return
    const all = texts.join('')
    texts = []
    size = 0
    await write(encodeText(all))
  }

  return {
    write(text) {
      texts.push(text)
      size += text.length
      return size > bufferCharacters ? flush() : undefined
    },
    flush,
    async close() {
      await flush()
      await end()
    },
  }
}

/** Fails as `openWrite` does. */
export async function fileSink(io: ProgramIo, path: string): Promise<Sink> {
  const writer = await io.fs.openWrite(path)
  return buffered(
    (bytes) => writer.write(bytes),
    () => writer.close(),
  )
}

/** `commandText` runs beside, and has ended when the sink is closed. */
export function commandSink(io: ProgramIo, commandText: string): Sink {
  const { reader, writer } = pipe()
  const done = io.run(['sh', '-c', commandText], { stdin: reader }).finally(() => reader.close())
  return buffered(
    (bytes) => writer.write(bytes),
    async () => {
      await writer.close()
      await done
    },
  )
}

/** What a command prints. */
export async function outputOf(io: ProgramIo, commandText: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  await io.run(['sh', '-c', commandText], {
    stdout: {
      write(bytes) {
        io.account(bytes.length)
        pieces.push(bytes)
        return undefined
      },
      close: async () => {},
    },
  })
  return joinBytes(pieces)
}
