/** The files and commands that a program reads from and writes to. */
import { isFsError } from '../../../../src/errors.js'
import { joinedText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { TextLocale } from '../../../io/locale.js'
import type { ProgramIo } from '../../../io/program.js'
import { pipe } from '../../../io/streams.js'
import { AwkFatal, type SourceLine } from '../syntax/awk-error.js'
import { type Coprocess, startCoprocess } from './coprocess.js'
import { bufferedTo, type OpenOutput, settled, statusOf, type TextOutput } from './outputs.js'
import { TextInput } from './text-input.js'

type Kind = '>' | '>>' | '|' | '|&'
type InputKind = 'file' | 'command' | 'coprocess'

const inputOperators: Readonly<Record<InputKind, string>> = { file: '<', command: '|', coprocess: '|&' }

interface OpenInput {
  input: TextInput
  number: number
  close(): Promise<number>
}

export class Redirections {
  private outputs = new Map<string, OpenOutput & { number: number }>()
  private inputs = new Map<string, OpenInput>()
  private coprocesses = new Map<string, Coprocess>()

  private opened = 0
  /** Called with the reason when something cannot be read or closed. */
  onFailure: (message: string) => void = () => {}
  /** Whether the program wants to go on when this cannot be written. */
  isNonFatal: (name: string) => boolean = () => false

  /** Whether the program wants a terminal between it and a coprocess. */
  wantsTerminal: (name: string) => boolean = () => false

  constructor(
    private readonly io: ProgramIo,
    private readonly standardOutput: TextOutput,
    private readonly locale: TextLocale,
    private readonly sandbox: boolean,
  ) {}

  /** The output of this name, opened when it is used for the first time. */
  async output(kind: Kind, name: string, line: SourceLine): Promise<TextOutput> {
    const known = kind === '|&' ? undefined : this.outputs.get(name)
    if (known !== undefined) return known.output
    this.refuseInSandbox()
    if (name === '') {
      throw new AwkFatal(`expression for \`${kind}' redirection has null string value`, line)
    }
    if (kind === '|&') return (await this.coprocess(name, line)).output(line)
    const opened = kind === '|' ? await this.openCommand(name) : await this.openFile(kind, name, line)
    if (opened === undefined) return nowhere
    this.outputs.set(name, { ...opened, number: this.nextNumber() })
    return opened.output
  }

  /** What `getline` reads from, or undefined when it cannot be read. */
  async input(kind: InputKind, name: string, line: SourceLine): Promise<TextInput | undefined> {
    if (name === '') {
      throw new AwkFatal(`expression for \`${inputOperators[kind]}' redirection has null string value`, line)
    }
    if (kind === 'file') return this.inputFile(name)
    return kind === 'command' ? this.inputCommand(name) : (await this.coprocess(name, line)).input(line)
  }

  private async inputFile(name: string): Promise<TextInput | undefined> {
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

  private async inputCommand(command: string): Promise<TextInput> {
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

  private async coprocess(command: string, line: SourceLine): Promise<Coprocess> {
    const known = this.coprocesses.get(command)
    if (known !== undefined) return known
    this.refuseInSandbox()
    if (this.wantsTerminal(command))
      throw new AwkFatal('a terminal for a coprocess is not supported by this shell', line)
    if (/^\/inet[46]?\//.test(command)) {
      throw new AwkFatal(`a connection such as \`${command}' is not supported by this shell: it has no network`, line)
    }
    await this.flushAll()
    const made = startCoprocess(this.io, command, this.locale)
    this.coprocesses.set(command, made)
    return made
  }

  /** Runs a command to its end. */
  async system(command: string): Promise<number> {
    if (this.sandbox) throw new AwkFatal("'system' function not allowed in sandbox mode")
    await this.flushAll()
    return this.io.run(['sh', '-c', joinedText(command)])
  }

  /** Closes what was opened last by this name, of a coprocess one end; undefined when nothing is open. */
  async close(name: string, end?: 'to' | 'from'): Promise<number | undefined> {
    const coprocess = this.coprocesses.get(name)
    if (coprocess !== undefined) {
      const status = await coprocess.close(end)
      if (!coprocess.isOpen) this.coprocesses.delete(name)
      return status
    }
    const status = await this.closeStream(name)
    if (status !== undefined && status !== 0) this.onFailure('')
    return status
  }

  private async closeStream(name: string): Promise<number | undefined> {
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
    for (const coprocess of this.coprocesses.values()) await coprocess.flush()
  }

  /** Lets go of everything without waiting, when the program cannot go on. */
  abandon(): void {
    for (const { input } of this.inputs.values()) input.close()
    for (const { abandon } of this.outputs.values()) abandon()
    for (const coprocess of this.coprocesses.values()) coprocess.abandon()
  }

  async closeAll(): Promise<void> {
    for (const name of [...this.inputs.keys(), ...this.outputs.keys(), ...this.coprocesses.keys()])
      await this.close(name)
  }

  private refuseInSandbox(): void {
    if (this.sandbox) throw new AwkFatal('redirection not allowed in sandbox mode')
  }

  /** Tells which was opened last. */
  private nextNumber(): number {
    this.opened += 1
    return this.opened
  }

  private async openFile(kind: '>' | '>>', name: string, line: SourceLine): Promise<OpenOutput | undefined> {
    const close = async () => 0
    const abandon = () => {}
    if (name === '/dev/stdout' || name === '-') return { output: this.standardOutput, close, abandon }
    if (name === '/dev/stderr') {
      const { stderr } = this.io
      return { output: { write: (text) => stderr.write(text), flush: stderr.flush }, close, abandon }
    }
    try {
      return bufferedTo(await this.io.fs.openWrite(joinedText(name), { append: kind === '>>' }))
    } catch (error) {
      const message = describeError(error)
      if (!this.isNonFatal(name)) throw new AwkFatal(`cannot redirect to \`${name}': ${message}`, line)
      this.onFailure(message)
      return undefined
    }
  }

  private async openCommand(command: string): Promise<OpenOutput> {
    await this.flushAll()
    const { reader, writer } = pipe()
    const ended = settled(
      this.io.run(['sh', '-c', joinedText(command)], { stdin: reader }).finally(() => reader.close()),
    )
    return bufferedTo(writer, async () => statusOf(await ended))
  }
}

const nowhere: TextOutput = { write: () => {}, flush: async () => {} }
