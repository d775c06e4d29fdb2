/** The files and commands that a program reads from and writes to. */
import { isFsError } from '../../../../src/errors.js'
import { encodeText, joinedText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { TextLocale } from '../../../io/locale.js'
import type { ProgramIo } from '../../../io/program.js'
import { BrokenPipe, type ByteWriter, pipe } from '../../../io/streams.js'
import { AwkFatal, type SourceLine } from '../syntax/awk-error.js'
import { TextInput } from './text-input.js'

type Kind = '>' | '>>' | '|'

export interface TextOutput {
  write(text: string): Promise<void> | undefined | void
  flush(): Promise<void>
}

interface OpenOutput {
  kind: Kind
  output: TextOutput
  abandon(): void
  /** The status that `close` returns. */
  close(): Promise<number>
}

interface OpenInput {
  input: TextInput
  number: number
  close(): Promise<number>
}

const bufferCharacters = 128 * 1024

export class Redirections {
  private outputs = new Map<string, OpenOutput & { number: number }>()
  private inputs = new Map<string, OpenInput>()

  private opened = 0
  /** Called with the reason when something cannot be read or closed. */
  onFailure: (message: string) => void = () => {}

  constructor(
    private readonly io: ProgramIo,
    private readonly standardOutput: TextOutput,
    private readonly locale: TextLocale,
    private readonly sandbox: boolean,
  ) {}

  /** The output of this name, opened when it is used for the first time. */
  async output(kind: Kind, name: string, line: SourceLine): Promise<TextOutput> {
    const known = this.outputs.get(name)
    if (known !== undefined) return known.output
    this.refuseInSandbox()
    if (name === '') {
      throw new AwkFatal(`expression for \`${kind}' redirection has null string value`, line)
    }
    const opened = kind === '|' ? await this.openCommand(name) : await this.openFile(kind, name, line)
    this.outputs.set(name, { ...opened, number: this.nextNumber() })
    return opened.output
  }

  /** A file to read from, or undefined when it cannot be read. */
  async inputFile(name: string): Promise<TextInput | undefined> {
    const known = this.inputs.get(name)
    if (known !== undefined) return known.input
    this.refuseInSandbox()
    try {
      const reader = name === '-' || name === '/dev/stdin' ? this.io.stdin : await this.io.fs.openRead(joinedText(name))
      const input = new TextInput(reader, this.locale)
      const close = async () => {
        input.close()
        return 0
      }
      this.inputs.set(name, { input, close, number: this.nextNumber() })
      return input
    } catch (error) {
      if (!isFsError(error)) throw error
      this.onFailure(describeError(error))
      return undefined
    }
  }

  async inputCommand(command: string): Promise<TextInput> {
    const known = this.inputs.get(command)
    if (known !== undefined) return known.input
    this.refuseInSandbox()
    await this.flushAll()
    const { reader, writer } = pipe()
    const ended = settled(
      this.io.run(['sh', '-c', joinedText(command)], { stdout: writer }).finally(() => writer.close()),
    )
    const input = new TextInput(reader, this.locale)
    this.inputs.set(command, {
      input,
      number: this.nextNumber(),
      close: async () => {
        input.close()
        return statusOf(await ended)
      },
    })
    return input
  }

  /** Runs a command to its end. */
  async system(command: string): Promise<number> {
    if (this.sandbox) throw new AwkFatal("'system' function not allowed in sandbox mode")
    await this.flushAll()
    return this.io.run(['sh', '-c', joinedText(command)])
  }

  /** Closes what was opened last by this name; undefined when nothing is open. */
  async close(name: string): Promise<number | undefined> {
    const output = this.outputs.get(name)
    const input = this.inputs.get(name)
    if (output !== undefined && (input === undefined || output.number > input.number)) {
      this.outputs.delete(name)
      return output.close()
    }
    if (input === undefined) this.onFailure('close of redirection that was never opened')
    this.inputs.delete(name)
    return input?.close()
  }

  /** False when nothing of this name is open. */
  async flush(name: string): Promise<boolean> {
    const output = this.outputs.get(name)
    await output?.output.flush()
    return output !== undefined
  }

  async flushAll(): Promise<void> {
    await this.standardOutput.flush()
    for (const { output } of this.outputs.values()) await output.flush()
  }

  /** Lets go of everything without waiting, when the program cannot go on. */
  abandon(): void {
    for (const { input } of this.inputs.values()) input.close()
    for (const { abandon } of this.outputs.values()) abandon()
  }

  async closeAll(): Promise<void> {
    for (const name of [...this.inputs.keys(), ...this.outputs.keys()]) await this.close(name)
  }

  private refuseInSandbox(): void {
    if (this.sandbox) throw new AwkFatal('redirection not allowed in sandbox mode')
  }

  /** Tells which was opened last. */
  private nextNumber(): number {
    this.opened += 1
    return this.opened
  }

  private async openFile(kind: '>' | '>>', name: string, line: SourceLine): Promise<OpenOutput> {
    const close = async () => 0
    const abandon = () => {}
    if (name === '/dev/stdout' || name === '-') return { kind, output: this.standardOutput, close, abandon }
    if (name === '/dev/stderr') {
      const { stderr } = this.io
      return { kind, output: { write: (text) => stderr.write(text), flush: stderr.flush }, close, abandon }
    }
    try {
      return this.bufferedTo(kind, await this.io.fs.openWrite(joinedText(name), { append: kind === '>>' }))
    } catch (error) {
      throw new AwkFatal(`cannot redirect to \`${name}': ${describeError(error)}`, line)
    }
  }

  private async openCommand(command: string): Promise<OpenOutput> {
    await this.flushAll()
    const { reader, writer } = pipe()
    const ended = settled(
      this.io.run(['sh', '-c', joinedText(command)], { stdin: reader }).finally(() => reader.close()),
    )
    return this.bufferedTo('|', writer, async () => statusOf(await ended))
  }

  private bufferedTo(kind: Kind, writer: ByteWriter, ended: () => Promise<number> = async () => 0): OpenOutput {
    let texts: string[] = []
    let size = 0
    const flush = async () => {
      if (texts.length === 0) return
      const bytes = encodeText(texts.join(''))
      texts = []
      size = 0
      await writer.write(bytes)
    }
    return {
      kind,
      output: {
        write(data) {
          texts.push(data)
          size += data.length
          return size > bufferCharacters ? flush() : undefined
        },
        flush,
      },
      abandon() {
        writer.close().catch(() => {})
      },
      async close() {
        try {
          await flush()
        } catch (error) {
          // A command that reads no further, such as `head`, is not a failure at the end.
          if (!(error instanceof BrokenPipe)) throw error
        }
        await writer.close()
        return ended()
      },
    }
  }
}

interface Settled {
  status?: number
  error?: unknown
}

/** A failure is kept for the one who closes the stream. */
function settled(run: Promise<number>): Promise<Settled> {
  return run.then(
    (status) => ({ status }),
    (error: unknown) => ({ error }),
  )
}

function statusOf({ status, error }: Settled): number {
  if (status === undefined) throw error
  return status
}
