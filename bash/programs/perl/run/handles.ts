/** Files that are open, for reading or for writing. */

import type { Output, ProgramIo } from '../../../io/program.js'
import { BrokenPipe, type ByteReader, type ByteWriter } from '../../../io/streams.js'
import { bytesOfText, textOfBytes } from './bytes.js'

/** As perl's own buffers: what is written beside another stream comes in the same order. */
const bufferBytes = 8192
const handOver = 128 * 1024

export type Separator = string | undefined

export class Input {
  private text = ''
  private at = 0
  private isEnded = false

  constructor(
    private readonly reader: ByteReader,
    private readonly account: (bytes: number) => void,
  ) {}

  /** The next record with its end, without waiting; null when more has to be read; undefined at the end. */
  ready(separator: Separator): string | undefined | null {
    const { text, at } = this
    if (separator === undefined) return this.isEnded ? this.rest() : null
    if (separator === '') return this.paragraph()
    const end = text.indexOf(separator, at)
    if (end < 0) return this.isEnded ? this.rest() : null
    this.at = end + separator.length
    return text.slice(at, this.at)
  }

  async read(separator: Separator): Promise<string | undefined> {
    for (;;) {
      const record = this.ready(separator)
      if (record !== null) return record
      await this.fill(separator)
    }
  }

  async isAtEnd(): Promise<boolean> {
    while (this.at >= this.text.length && !this.isEnded) await this.fill('\n')
    return this.at >= this.text.length
  }

  close(): void {
    this.reader.close()
  }

  private rest(): string | undefined {
    if (this.at >= this.text.length) return undefined
    const rest = this.text.slice(this.at)
    this.at = this.text.length
    return rest
  }

  private paragraph(): string | undefined | null {
    while (this.text[this.at] === '\n') this.at += 1
    const end = this.text.indexOf('\n\n', this.at)
    if (end < 0) return this.isEnded ? this.rest() : null
    const record = this.text.slice(this.at, end + 2)
    this.at = end + 2
    return record
  }

  /** Reads on until there can be an end of a record, so that a long one is put together only once. */
  private async fill(separator: Separator): Promise<void> {
    const pieces = [this.text.slice(this.at)]
    this.text = ''
    this.at = 0
    const last = separator === undefined ? undefined : separator === '' ? '\n' : separator.at(-1)
    for (;;) {
      const bytes = await this.reader.read()
      if (bytes === undefined) {
        this.isEnded = true
        break
      }
      const text = textOfBytes(bytes)
      pieces.push(text)
      const isFound = last !== undefined && text.includes(last)
      if (isFound) break
      this.account(text.length)
    }
    this.text = pieces.join('')
  }
}

export interface Sink {
  write(text: string): void
  /** What is to be awaited before more is written, if there is something. */
  drain(): Promise<void> | undefined
  flush(): Promise<void>
  close(): Promise<void>
}

/** Buffers for a writer. `isAutomatic` flushes after every write, as `$|` says. */
export class BufferedSink implements Sink {
  private pieces: string[] = []
  private size = 0
  isAutomatic = false

  constructor(
    private readonly writer: Pick<ByteWriter, 'write'> | Output,
    private readonly end: () => Promise<void>,
  ) {}

  write(text: string): void {
    this.pieces.push(text)
    this.size += text.length
  }

  drain(): Promise<void> | undefined {
    if (this.size >= handOver || (this.isAutomatic && this.size > 0)) return this.hand(this.isAutomatic)
    return undefined
  }

  /** Before another stream is written: what perl would have written by now. */
  async settle(): Promise<void> {
    if (this.size >= bufferBytes || this.isAutomatic) await this.hand(this.isAutomatic)
  }

  async flush(): Promise<void> {
    if (this.size > 0) await this.hand(true)
  }

  async close(): Promise<void> {
    await this.flush()
    await this.end()
  }

  private async hand(isAll: boolean): Promise<void> {
    const text = this.pieces.join('')
    const length = isAll ? text.length : text.length - (text.length % bufferBytes)
    this.pieces = length < text.length ? [text.slice(length)] : []
    this.size = text.length - length
    await this.writer.write(bytesOfText(text.slice(0, length)))
  }
}

export class FileHandle {
  input: Input | undefined
  output: Sink | undefined
  /** Lines read. */
  count = 0
  isEnded = false
  isOpen = true

  constructor(readonly name: string) {}

  async close(): Promise<boolean> {
    if (!this.isOpen) return false
    this.isOpen = false
    this.input?.close()
    this.input = undefined
    const { output } = this
    this.output = undefined
    this.count = 0
    try {
      await output?.close()
    } catch (error) {
      if (!(error instanceof BrokenPipe)) throw error
    }
    return true
  }
}

export function standardOutput(io: ProgramIo): FileHandle {
  const handle = new FileHandle('STDOUT')
  handle.output = new BufferedSink(io.stdout, () => io.stdout.flush())
  return handle
}

/** Text for both ends of a program that edits in place, put together in memory. */
export class TextSink implements Sink {
  readonly pieces: string[] = []

  constructor(private readonly account: (bytes: number) => void) {}

  write(text: string): void {
    this.account(text.length)
    this.pieces.push(text)
  }

  drain(): undefined {
    return undefined
  }

  async flush(): Promise<void> {}
  async close(): Promise<void> {}
}
