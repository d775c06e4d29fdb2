/** What `a`, `r` and `R` asked for: it comes at the end of a cycle, or before the next line is read. */
import { decodeText } from '../../io/byte-text.js'
import type { ProgramIo } from '../../io/program.js'
import { type ByteReader, lineBatches, readAll } from '../../io/streams.js'
import type { Sink, WriteFiles } from './outputs.js'

type Appended = { text: string } | { file: string } | { lineOf: string }

export interface AppendQueue {
  add(appended: Appended): void
  isEmpty(): boolean
  clear(): void
  /** A file right after what was written. */
  writeBefore(name: string): Promise<void>
  write(): Promise<void>
}

export interface AppendSettings {
  mark: string
  files: WriteFiles
  /** The lines of files that `R` reads, which go on from one command to the next. */
  lineFiles: Map<string, AsyncIterator<string>>
}

export function appendQueue(io: ProgramIo, output: Sink, { mark, files, lineFiles }: AppendSettings): AppendQueue {
  let waiting: Appended[] = []

  return {
    add(appended) {
      waiting.push(appended)
    },
    isEmpty: () => waiting.length === 0,
    clear() {
      waiting = []
    },
    async writeBefore(name) {
      const reader = await openOptional(io, name)
      if (reader !== undefined) output.append(decodeText(await readAll(reader)))
    },
    async write() {
      const list = waiting
      waiting = []
      for (const one of list) {
        if ('text' in one) output.raw(one.text)
        else if ('file' in one) await appendFile(one.file)
        else {
          const line = await nextLineOf(one.lineOf)
          if (line !== undefined) output.raw(line)
        }
      }
    },
  }

  async function appendFile(name: string): Promise<void> {
    await files.flush()
    const reader = await openOptional(io, name)
    // Even without the file, a line before it that lacks its end gets it.
    output.raw('')
    if (reader !== undefined) output.raw(decodeText(await readAll(reader)))
  }

  async function nextLineOf(name: string): Promise<string | undefined> {
    let lines = lineFiles.get(name)
    if (lines === undefined) {
      await files.flush()
      lines = linesOf(await openOptional(io, name), mark)
      lineFiles.set(name, lines)
    }
    const next = await lines.next()
    return next.done === true ? undefined : next.value
  }
}

/** Undefined for a file that is not there, which is not a failure. */
async function openOptional(io: ProgramIo, name: string): Promise<ByteReader | undefined> {
  try {
    return await io.fs.openRead(name)
  } catch {
    return undefined
  }
}

async function* linesOf(reader: ByteReader | undefined, mark: string): AsyncGenerator<string, undefined> {
  if (reader === undefined) return undefined
  for await (const lines of lineBatches(reader, mark.charCodeAt(0))) {
    for (const line of lines) yield decodeText(line)
  }
  return undefined
}
