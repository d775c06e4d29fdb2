/** `|&`: a command that is written to and read from. */
import { joinedText } from '../../../io/byte-text.js'
import type { TextLocale } from '../../../io/locale.js'
import type { ProgramIo } from '../../../io/program.js'
import { pipe } from '../../../io/streams.js'
import { AwkFatal, type SourceLine } from '../syntax/awk-error.js'
import { bufferedTo, type OpenOutput, settled, statusOf, type TextOutput } from './outputs.js'
import { TextInput } from './text-input.js'

export interface Coprocess {
  /** What is written to it. */
  output(line: SourceLine): TextOutput
  /** What it prints. What was written before is handed over first. */
  input(line: SourceLine): Promise<TextInput>
  flush(): Promise<void>
  /** Closes one end, or both; the status is there when both are closed. */
  close(end: 'to' | 'from' | undefined): Promise<number>
  readonly isOpen: boolean
  abandon(): void
}

export function startCoprocess(io: ProgramIo, command: string, locale: TextLocale): Coprocess {
  const given = pipe()
  const printed = pipe()
  const ended = settled(
    io.run(['sh', '-c', joinedText(command)], { stdin: given.reader, stdout: printed.writer }).finally(async () => {
      given.reader.close()
      await printed.writer.close()
    }),
  )
  let to: OpenOutput | undefined = bufferedTo(given.writer)
  let from: TextInput | undefined = new TextInput(printed.reader, locale)
  return {
    output(line) {
      if (to === undefined) throw new AwkFatal('print: attempt to write to closed write end of two-way pipe', line)
      return to.output
    },
    async input(line) {
      if (from === undefined) throw new AwkFatal('getline: attempt to read from closed read end of two-way pipe', line)
      await to?.output.flush()
      return from
    },
    async flush() {
      await to?.output.flush()
    },
    async close(end) {
      if (end !== 'from') {
        await to?.close()
        to = undefined
      }
      if (end !== 'to') {
        from?.close()
        from = undefined
      }
      return to === undefined && from === undefined ? statusOf(await ended) : 0
    },
    get isOpen() {
      return to !== undefined || from !== undefined
    },
    abandon() {
      to?.abandon()
      from?.close()
    },
  }
}
