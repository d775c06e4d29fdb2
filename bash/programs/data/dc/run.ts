/** Runs programs of dc. Texts hold one character for each byte. */
import { compare, type Decimal, formatNumber, truncated } from '../bc/decimal.js'
import { charactersOf, commands, numberIn } from './commands.js'
import { DcError, Machine, type Value } from './machine.js'

export interface DcHost {
  write(text: string): Promise<void> | undefined
  error(text: string): Promise<void>
  step(): void
  /** Counts memory. */
  account(bytes: number): void
  /** The next line of the input; undefined at its end. */
  line(): string | undefined
  /** 0: lines are not broken. */
  lineLength: number
}

/** A text that is run. `levels`: how many macros it stands for, since one that ends with a call is replaced by what it calls. */
interface Frame {
  text: string
  at: number
  levels: number
}

const maxFrames = 100_000
const conditions: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '=': (order) => order === 0,
  '>': (order) => order > 0,
}

export class Dc {
  private readonly machine = new Machine()
  private frames: Frame[] = []
  private isExpression = false

  constructor(private readonly host: DcHost) {}

  /** True when the program has ended everything. `isExpression`: a text of the command line, which is like a macro. */
  async run(text: string, isExpression = false): Promise<boolean> {
    this.isExpression = isExpression
    this.frames = [{ text, at: 0, levels: 1 }]
    for (let frame = this.frames.at(-1); frame !== undefined; frame = this.frames.at(-1)) {
      this.host.step()
      if (frame.at >= frame.text.length) {
        this.frames.pop()
        continue
      }
      try {
        if (await this.command(frame)) return true
      } catch (error) {
        if (!(error instanceof DcError)) throw error
        await this.complain(error.message)
      }
    }
    return false
  }

  private async complain(message: string): Promise<void> {
    await this.host.error(`dc: ${message}\n`)
  }

  private async command(frame: Frame): Promise<boolean> {
    const { machine, host } = this
    const [number] = /^[_0-9A-F.][0-9A-F]*\.?[0-9A-F]*/.exec(frame.text.slice(frame.at, frame.at + 1)) ?? []
    if (number !== undefined) {
      this.push(numberIn(this.numberText(frame), machine.inputBase))
      return false
    }
    const name = frame.text[frame.at] as string
    frame.at += 1
    if (/[\s\0]/.test(name)) return false
    const plain = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (plain !== undefined) {
      const warnings: string[] = []
      plain(machine, (text) => warnings.push(text))
      for (const text of warnings) await host.error(`Runtime warning: ${text}\n`)
      this.accountTop()
      return false
    }
    if (name in conditions) this.runIf(frame, conditions[name] as (order: number) => boolean)
    else if (name === '!') await this.negatedCondition(frame)
    else if (name === 'q') return this.quit(2, true)
    else if (name === 'Q') return this.quit(Number(truncated(this.popNumber())), false)
    else if (name === 'x') this.call(machine.pop())
    else if (name === '?') this.callText(host.line())
    else if (name === '[') this.push(this.stringAt(frame))
    else if (name === '#') frame.at = endOfLine(frame)
    else if ('slSL:;'.includes(name)) await this.register(name, this.nameAt(frame))
    else if (!(await this.print(name))) await this.unknown(name)
    return false
  }

  private numberText(frame: Frame): string {
    const pattern = /_?[0-9A-F]*(?:\.[0-9A-F]*)?/y
    pattern.lastIndex = frame.at
    const [text] = pattern.exec(frame.text) as RegExpExecArray
    frame.at += text.length
    return text
  }

  private push(value: Value): void {
    this.machine.push(value)
    this.accountTop()
  }

  private accountTop(): void {
    const value = this.machine.stack.at(-1)
    if (value !== undefined) this.host.account(typeof value === 'string' ? value.length : 32)
  }

  private popNumber(): Decimal {
    const [number] = this.machine.numbers(1) as [Decimal]
    this.machine.drop(1)
    return number
  }

  /** Up to the bracket that closes it. */
  private stringAt(frame: Frame): string {
    const start = frame.at
    let depth = 1
    while (frame.at < frame.text.length) {
      const character = frame.text[frame.at]
      frame.at += 1
      if (character === '[') depth += 1
      else if (character === ']') depth -= 1
      if (depth === 0) return frame.text.slice(start, frame.at - 1)
    }
    return frame.text.slice(start)
  }

  private nameAt(frame: Frame): string {
    const name = frame.text[frame.at]
    if (name === undefined) throw new DcError('unexpected EOS')
    frame.at += 1
    return name
  }

  private call(value: Value | undefined): void {
    if (typeof value === 'string') this.callText(value)
    else if (value !== undefined) this.machine.push(value)
  }

  private callText(text: string | undefined): void {
    if (text === undefined) return
    const last = this.frames.at(-1) as Frame
    const isTail =
      this.frames.length > 1 &&
      /^\s*$/.test(last.text.slice(last.at, last.at + 100)) &&
      last.text.length - last.at < 100
    if (isTail) this.frames.pop()
    if (this.frames.length >= maxFrames) throw new DcError('macros call each other too deeply for this shell')
    this.frames.push({ text, at: 0, levels: isTail ? last.levels + 1 : 1 })
  }

  private runIf(frame: Frame, holds: (order: number) => boolean): void {
    const name = this.nameAt(frame)
    const [second, first] = this.machine.numbers(2) as [Decimal, Decimal]
    this.machine.drop(2)
    if (holds(compare(first, second))) this.call(this.machine.level(name).value)
  }

  private async negatedCondition(frame: Frame): Promise<void> {
    const holds = conditions[frame.text[frame.at] ?? '']
    if (holds === undefined) {
      frame.at = endOfLine(frame)
      throw new DcError("'!' with a command is not supported by this shell")
    }
    frame.at += 1
    this.runIf(frame, (order) => !holds(order))
  }

  /** True when that ends everything. */
  private quit(levels: number, mayExit: boolean): boolean {
    const isOutermost = this.frames.length === 1 && !this.isExpression
    if (levels < 2 && !isOutermost) return false
    let left = levels
    while (left > 0) {
      const frame = this.frames.at(-1)
      if (frame === undefined) return mayExit
      // The text of a file is not a macro.
      if (this.frames.length === 1 && !this.isExpression) {
        if (mayExit) return true
        throw new DcError('Q command argument exceeded string execution depth')
      }
      left -= frame.levels
      this.frames.pop()
    }
    return false
  }

  private async register(command: string, name: string): Promise<void> {
    const { machine } = this
    if (command === 's') machine.level(name).value = machine.pop()
    else if (command === 'S') machine.pushLevel(name, machine.pop())
    else if (command === 'l') this.push(machine.level(name).value ?? { digits: 0n, scale: 0 })
    else if (command === 'L') {
      const value = machine.popLevel(name)
      if (value !== undefined) return this.push(value)
      await this.complain(`stack register ${shownId(name)} is empty`)
    } else this.element(command, name)
  }

  private element(command: string, name: string): void {
    const { machine } = this
    const index = machine.pop()
    if (typeof index === 'string' || truncated(index) < 0n) {
      if (command === ':') machine.pop()
      throw new DcError('array index must be a nonnegative integer')
    }
    const { array } = machine.level(name)
    if (command === ':') array.set(truncated(index), machine.pop())
    else this.push(array.get(truncated(index)) ?? { digits: 0n, scale: 0 })
  }

  /** False for another command. */
  private async print(name: string): Promise<boolean> {
    const { machine, host } = this
    if (name === 'p') await host.write(`${this.shown(machine.top(1)[0] as Value)}\n`)
    else if (name === 'n') await host.write(this.shown(machine.pop()))
    else if (name === 'f') {
      for (const value of [...machine.stack].reverse()) await host.write(`${this.shown(value)}\n`)
    } else if (name === 'P') {
      const value = machine.pop()
      await host.write(typeof value === 'string' ? value : charactersOf(value))
    } else return false
    return true
  }

  private shown(value: Value): string {
    if (typeof value === 'string') return value
    const text = formatNumber(value, this.machine.outputBase)
    const { lineLength } = this.host
    if (lineLength === 0) return text
    const width = lineLength - 1
    const pieces = text.match(new RegExp(`.{1,${width}}`, 'gs')) ?? []
    return pieces.join('\\\n')
  }

  private async unknown(name: string): Promise<void> {
    await this.host.error('dc: ')
    await this.host.write(`${shownId(name)} unimplemented\n`)
  }
}

function shownId(name: string): string {
  const code = name.charCodeAt(0)
  const octal = code === 0 ? '0' : `0${code.toString(8)}`
  return code > 32 && code < 127 ? `'${name}' (${octal})` : octal
}

function endOfLine({ text, at }: Frame): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}
