/** The records of the files that `ARGV` names, or of the standard input. */
import { isFsError } from '../../../../src/errors.js'
import { joinedText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import { AwkFatal } from '../syntax/awk-error.js'
import { unescapeString } from '../syntax/lexer.js'
import { AwkArray, keyText } from '../values/array.js'
import { RegexText, type Scalar, toNumber, UserText } from '../values/values.js'
import type { Runtime } from './runtime.js'
import { needsMore, TextInput } from './text-input.js'

export interface FileHooks {
  /** False: the file is skipped. */
  begin(): Promise<boolean>
  end(): Promise<void>
  /** Whether there are rules that see a file that cannot be opened. */
  seesFailures: boolean
}

export class MainInput {
  private current: TextInput | undefined
  private argument = 0
  private hasOpened = false
  private isEnded = false
  /** False: the standard input, because there is no operand. */
  private isNamed = true
  private readonly terminator: number
  private hooks: FileHooks = { begin: async () => true, end: async () => {}, seesFailures: false }

  constructor(private readonly runtime: Runtime) {
    this.terminator = runtime.extensionSlot('RT')
  }

  useHooks(hooks: FileHooks): void {
    this.hooks = hooks
  }

  /** The next record if it was read already. */
  ready(): string | undefined {
    const { runtime, current } = this
    const record = current?.next(runtime.separator)
    if (current === undefined || record === undefined || record === needsMore) return undefined
    return this.counted(record, current)
  }

  /** The next record, or undefined after the last one. */
  async next(): Promise<string | undefined> {
    const { runtime } = this
    for (;;) {
      const input = this.current ?? (await this.open())
      if (input === undefined) return undefined
      try {
        const record = await input.read(runtime.separator)
        if (record !== undefined) return this.counted(record, input)
      } catch (error) {
        if (!isFsError(error)) throw error
        await runtime.io.stderr.write(
          `${runtime.io.name}: warning: command line argument \`${this.name()}' is a directory: skipped\n`,
        )
      }
      await this.finishFile()
    }
  }

  /** Goes on with the next file. */
  async skipFile(): Promise<void> {
    this.current?.close()
    if (this.current !== undefined) await this.finishFile()
  }

  private counted(record: string, { terminator }: TextInput): string {
    const { runtime } = this
    runtime.recordNumber = toNumber(runtime.recordNumber) + 1
    runtime.fileRecordNumber = toNumber(runtime.fileRecordNumber) + 1
    runtime.globals[this.terminator] = terminator
    return record
  }

  private async finishFile(): Promise<void> {
    this.current = undefined
    await this.hooks.end()
  }

  private name(): string {
    return this.runtime.text(this.runtime.globals[this.runtime.slotOf('FILENAME')] as Scalar)
  }

  private async open(): Promise<TextInput | undefined> {
    const { runtime } = this
    while (!this.isEnded) {
      const name = this.nextName()
      if (name === undefined) break
      if (this.isNamed) runtime.fileRecordNumber = 0
      runtime.setGlobal('FILENAME', new UserText(name))
      runtime.setExtension('ARGIND', this.argument)
      this.hasOpened = true
      const input = await this.openFile(name)
      if (input === undefined) continue
      this.current = input
      runtime.setExtension('ERRNO', '')
      if (await this.hooks.begin()) return input
      await this.skipFile()
    }
    return undefined
  }

  private async openFile(name: string): Promise<TextInput | undefined> {
    const { io, locale } = this.runtime
    if (name === '-' || name === '/dev/stdin') return new TextInput(io.stdin, locale)
    try {
      const { kind } = await io.fs.stat(joinedText(name))
      if (kind === 'directory') {
        if (this.hooks.seesFailures) {
          this.runtime.setExtension('ERRNO', 'Is a directory')
          if (!(await this.hooks.begin())) return undefined
        }
        await io.stderr.write(`${io.name}: warning: command line argument \`${name}' is a directory: skipped\n`)
        return undefined
      }
      return new TextInput(await io.fs.openRead(joinedText(name)), locale)
    } catch (error) {
      const message = describeError(error)
      if (this.hooks.seesFailures) {
        this.runtime.setExtension('ERRNO', message)
        if (!(await this.hooks.begin())) return undefined
      }
      throw new AwkFatal(`cannot open file \`${name}' for reading: ${message}`, 'nowhere')
    }
  }

  /** The next operand that is a file; assignments before it are made. */
  private nextName(): string | undefined {
    const { runtime } = this
    const operands = runtime.globalArray('ARGV')
    const count = () => toNumber(runtime.globals[runtime.slotOf('ARGC')] as Scalar)
    for (this.argument += 1; this.argument < count(); this.argument += 1) {
      const given = operands.peek(this.argument)
      const text = given instanceof AwkArray ? '' : runtime.text(given)
      if (text === '') continue
      if (assignOperand(runtime, text)) continue
      if (runtime.dialect.sandbox && runtime.operands[this.argument - 1] !== text) {
        throw new AwkFatal(`cannot add a new file (${text}) to ARGV in sandbox mode`)
      }
      return text
    }
    this.isEnded = this.hasOpened
    if (this.hasOpened) return undefined
    this.isEnded = true
    this.isNamed = false
    return '-'
  }
}

/** Makes the assignment that an operand such as `n=3` is; false when it is not one. */
export function assignOperand(runtime: Runtime, text: string): boolean {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)?)=([\s\S]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) return false
  const { dialect } = runtime
  if (dialect.posix && value.includes('\n')) {
    throw new AwkFatal('POSIX does not allow physical newlines in string values', 'nowhere')
  }
  const [, regex] = dialect.traditional ? [] : (/^@\/([\s\S]*)\/$/.exec(value) ?? [])
  const given =
    regex === undefined ? runtime.userText(runtime.locale.text(unescapeString(value, dialect))) : new RegexText(regex)
  // It is looked at at once.
  toNumber(given)
  if (runtime.isSpecial(name)) runtime.setSpecial(name, given)
  else if (runtime.hasGlobal(name) && runtime.globals[runtime.slotOf(name)] instanceof AwkArray) {
    throw new AwkFatal(`cannot use array \`${keyText(name)}' as a variable`)
  } else runtime.setGlobal(name, given)
  return true
}
