/** Where sed writes: the output, and the files of `w`. A line without its end gets it only when more follows. */
import { encodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import type { ByteWriter } from '../../io/streams.js'
import { ProgramError } from '../program-error.js'

export interface Sink {
  /** A line, with the delimiter if it has its end. */
  line(text: string, hasEnd: boolean): void
  /** Text as it is. */
  raw(text: string): void
  /** Text right after what was written. */
  append(text: string): void
  /** Units that wait to be written. */
  size(): number
  flush(): Promise<void>
}

export function sink(mark: string, write: (text: string) => Promise<void> | undefined): Sink {
  let waiting = ''
  let lacksEnd = false

  function complete(): void {
    if (lacksEnd) waiting += mark
    lacksEnd = false
  }

  return {
    line(text, hasEnd) {
      complete()
      waiting += hasEnd ? text + mark : text
      lacksEnd = !hasEnd
    },
    raw(text) {
      complete()
      waiting += text
    },
    append(text) {
      waiting += text
    },
    size: () => waiting.length,
    async flush() {
      const text = waiting
      waiting = ''
      if (text !== '') await write(text)
    },
  }
}

export interface WriteFiles {
  get(name: string): Sink
  flush(): Promise<void>
  close(): Promise<void>
}

/** Opens all files that the script writes, before anything is read. */
export async function openWriteFiles(
  io: ProgramIo,
  names: Iterable<string>,
  mark: string,
  stdout: Sink,
): Promise<WriteFiles> {
  const sinks = new Map<string, Sink>([['/dev/stdout', sharing(stdout, mark)]])
  const writers: ByteWriter[] = []
  sinks.set(
    '/dev/stderr',
    sink(mark, (text) => io.stderr.write(text)),
  )
  for (const name of names) {
    if (sinks.has(name)) continue
    const writer = await open(io, name)
    writers.push(writer)
    sinks.set(
      name,
      sink(mark, (text) => writer.write(encodeText(text))),
    )
  }
  const flush = async () => {
    for (const one of sinks.values()) await one.flush()
  }
  return {
    get: (name) => sinks.get(name) as Sink,
    flush,
    async close() {
      await flush()
      for (const writer of writers) await writer.close()
    },
  }
}

/** Writes to the same output, but does not know of lines there that lack their end. */
function sharing(output: Sink, mark: string): Sink {
  let lacksEnd = false
  function complete(): void {
    if (lacksEnd) output.append(mark)
    lacksEnd = false
  }
  return {
    ...output,
    line(text, hasEnd) {
      complete()
      output.append(hasEnd ? text + mark : text)
      lacksEnd = !hasEnd
    },
    raw(text) {
      complete()
      output.append(text)
    },
  }
}

async function open(io: ProgramIo, name: string): Promise<ByteWriter> {
  try {
    return await io.fs.openWrite(name)
  } catch (error) {
    throw new ProgramError(`couldn't open file ${name}: ${describeError(error)}`, 4)
  }
}
