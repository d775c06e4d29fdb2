/** What a running awk program has: variables, the current record, input and output. */
import { entryOf } from '../../../../src/text/entry-of.js'
import type { TextLocale } from '../../../io/locale.js'
import type { ProgramIo } from '../../../io/program.js'
import { AwkFatal, type SourceLine } from '../syntax/awk-error.js'
import { type Dialect, extensionVariables } from '../syntax/dialect.js'
import { Accounting } from '../values/accounting.js'
import { AwkArray, type Cell, keyOf } from '../values/array.js'
import { formatText } from '../values/format.js'
import { NonDecimalText, numberIn } from '../values/non-decimal.js'
import { RegexCache } from '../values/regex.js'
import { splitMatches, splitNothing, splitterFor, splitWidths } from '../values/split.js'
import {
  integerText,
  type Key,
  PosixText,
  RegexText,
  type Scalar,
  textOf,
  toBoolean,
  toNumber,
  UserText,
} from '../values/values.js'
import { CurrentRecord } from './record.js'
import { Redirections } from './redirections.js'
import type { RecordSeparator } from './text-input.js'

const stepsPerCheck = 1024
const maxRepeatableDepth = 250
/** As much as the C library keeps back. */
const bufferCharacters = 4096

export class Runtime {
  readonly accounting: Accounting
  readonly record: CurrentRecord
  readonly regexes: RegexCache
  readonly redirections: Redirections
  /** The global variables, by their slot. */
  readonly globals: Cell[] = []
  private readonly slots = new Map<string, number>()

  /** Numbers, unless the program assigned something else. */
  recordNumber: Scalar = 0
  fileRecordNumber: Scalar = 0
  outputSeparator = ' '
  recordEnd = '\n'
  subscriptSeparator = '\x1c'
  conversion = '%.6g'
  outputFormat = '%.6g'
  separator: RecordSeparator = { kind: 'character', character: '\n' }
  private fieldSeparator = ' '
  /** Whether the separators were given as `@/…/`. */
  private fieldsByRegex = false
  private separatorIsRegex = false
  private recordSeparator = '\n'
  /** Which of the variables says how to split. */
  private splitBy: 'FS' | 'FPAT' | 'FIELDWIDTHS' = 'FS'
  /** The kinds of values that were assigned to special variables. */
  private readonly given = new Map<string, Scalar>()

  private buffer = ''
  /** Output that waits for room. */
  pending: Promise<unknown> | undefined
  /** Output that takes the place of the file that is read. */
  diverted: string[] | undefined
  returned: Scalar
  /** The operands as they were given. */
  operands: readonly string[] = []
  exitStatus = 0
  /** Where translations would be. */
  textDirectory = ''
  /** Whether somebody may see what kind of value a subscript was. */
  loopsOverArrays = false
  /** Calls of functions that wait. */
  calls = 0
  randomSeed = 1
  private steps = 0
  private depth = 0

  constructor(
    readonly io: ProgramIo,
    readonly locale: TextLocale,
    readonly dialect: Dialect,
  ) {
    this.regexes = new RegexCache(locale.isBytes, dialect)
    this.accounting = new Accounting(io)
    const output = {
      write: (text: string) => this.write(text),
      flush: async () => {
        this.passOn()
        await this.drain()
        await io.stdout.flush()
      },
    }
    this.redirections = new Redirections(io, output, locale, dialect.sandbox)
    this.redirections.onFailure = (message) => this.setExtension('ERRNO', message)
    this.redirections.isNonFatal = (name) => this.isNonFatal(name)
    this.redirections.wantsTerminal = (name) => this.wantsTerminal(name)
    this.record = new CurrentRecord(() => this.outputSeparator, this.text, this.userText)
  }

  /** Text from outside. */
  readonly userText = (text: string): UserText => {
    if (this.dialect.posix) return new PosixText(text)
    return this.dialect.nonDecimal ? new NonDecimalText(text) : new UserText(text)
  }

  readonly toNumber = (value: Scalar): number => numberIn(this.dialect, value)

  slotOf(name: string): number {
    const known = this.slots.get(name)
    if (known !== undefined) return known
    const slot = this.globals.length
    this.slots.set(name, slot)
    this.globals.push(undefined)
    return slot
  }

  private wantsTerminal(name: string): boolean {
    if (this.dialect.traditional) return false
    const wanted = this.globalArray('PROCINFO').peek(`${name}${this.subscriptSeparator}pty`)
    return wanted !== undefined && !(wanted instanceof AwkArray) && toBoolean(wanted)
  }

  private isNonFatal(name: string): boolean {
    if (this.dialect.traditional) return false
    const process = this.globalArray('PROCINFO')
    return process.has('NONFATAL') || process.has(`${name}${this.subscriptSeparator}NONFATAL`)
  }

  /** A variable that gawk sets; where gawk's are not known, one that no program can name. */
  extensionSlot(name: string): number {
    return this.slotOf(this.dialect.traditional ? `gawk's ${name}` : name)
  }

  setExtension(name: string, value: Cell): void {
    this.globals[this.extensionSlot(name)] = value
  }

  /** Whether the name is that of a variable which does something when it is set. */
  isSpecial(name: string): boolean {
    return specialVariables.has(name) && !(this.dialect.traditional && extensionVariables.has(name))
  }

  /** What `SYMTAB` has: the variables of the program and those of awk. */
  variableNames(): string[] {
    const named = [...this.slots.keys()].filter((name) => this.hasVariable(name))
    return [...new Set([...named, ...specialVariables])]
  }

  hasVariable(name: string): boolean {
    if (specialVariables.has(name)) return true
    return this.slots.has(name) && name !== 'SYMTAB' && name !== 'FUNCTAB'
  }

  hasGlobal(name: string): boolean {
    return this.slots.has(name)
  }

  setGlobal(name: string, value: Cell): void {
    this.globals[this.slotOf(name)] = value
  }

  /** The array of a global name; made when it is not there. */
  globalArray(name: string): AwkArray {
    const slot = this.slotOf(name)
    const found = this.globals[slot]
    if (found instanceof AwkArray) return found
    const made = new AwkArray(this.accounting)
    this.globals[slot] = made
    return made
  }

  /** A number as text in strings and subscripts. */
  readonly numberText = (value: number): string => {
    if (Number.isInteger(value)) return integerText(value)
    return formatText(this.conversion, [value], this.text)
  }

  readonly text = (value: Scalar): string => {
    if (typeof value === 'string') return value
    if (typeof value === 'number') return this.numberText(value)
    return value === undefined ? '' : textOf(value)
  }

  /** A value as `print` writes it. */
  readonly printed = (value: Scalar): string => {
    if (typeof value === 'string') return value
    if (typeof value !== 'number') return value === undefined ? '' : textOf(value)
    if (Number.isInteger(value)) return integerText(value)
    return formatText(this.outputFormat, [value], this.text)
  }

  readonly key = (value: Scalar): Key => {
    const key = keyOf(value, this.numberText)
    if (this.loopsOverArrays) {
      const isInput = value instanceof UserText && value.isUnseenNumber
      this.accounting.inputKey = isInput ? key : undefined
    }
    return key
  }

  /** Runs a call. Where runs are repeated, calls nest as deep as the smallest stack of all platforms allows. */
  nested<Result>(call: () => Result): Result {
    this.depth += 1
    if (this.depth > maxRepeatableDepth) throw new AwkFatal('functions call each other too deeply for this shell')
    try {
      return call()
    } finally {
      this.depth -= 1
    }
  }

  /** Called in every turn of a loop and every call of a function. */
  step(): void {
    this.steps += 1
    if (this.steps < stepsPerCheck) return
    this.steps = 0
    this.io.step(stepsPerCheck)
  }

  /** Writes to the program's output. Whoever loops waits for `pending`. */
  write(text: string): void {
    if (this.diverted !== undefined) {
      this.diverted.push(text)
      this.accounting.add(2 * text.length)
      return
    }
    this.buffer += text
    if (this.buffer.length >= bufferCharacters) this.passOn()
  }

  /** Tells of something odd at a line of the program, after what was printed until then. */
  warn(line: SourceLine, message: string): void {
    this.passOn()
    const full = this.io.stderr.write(`${this.io.name}: ${line}: ${this.recordPlace()}warning: ${message}\n`)
    full?.catch(() => {})
  }

  /** Which record was read last, for messages. */
  recordPlace(): string {
    if (toNumber(this.fileRecordNumber) <= 0) return ''
    const name = this.text(this.globals[this.slotOf('FILENAME')] as Scalar)
    return `(FILENAME=${name === '' ? '-' : name} FNR=${this.text(this.fileRecordNumber)}) `
  }

  /** Gives the output what was written. Errors do not wait for it: they come first, as with the C library's buffers. */
  passOn(): void {
    const { buffer } = this
    if (buffer === '') return
    this.buffer = ''
    const full = this.io.stdout.write(buffer)
    if (full === undefined) return
    const pending = this.pending === undefined ? full : Promise.all([this.pending, full])
    // A failure is met when somebody waits for it.
    pending.catch(() => {})
    this.pending = pending
  }

  async drain(): Promise<void> {
    const { pending } = this
    this.pending = undefined
    await pending
  }

  special(name: string): Scalar {
    switch (name) {
      case 'NF':
        return this.record.count
      case 'NR':
        return this.recordNumber
      case 'FNR':
        return this.fileRecordNumber
      default:
        return this.given.has(name) ? this.given.get(name) : entryOf(specialDefaults, name)
    }
  }

  /** `isSubscript`: a loop over subscripts gives `NR` what it finds, a number or not. */
  setSpecial(name: string, value: Scalar, isSubscript = false): void {
    this.given.set(name, value)
    switch (name) {
      case 'NF':
        this.record.count = Math.trunc(toNumber(value))
        return
      case 'NR':
        this.recordNumber = isSubscript || Number.isInteger(toNumber(value)) ? value : Math.trunc(toNumber(value))
        return
      case 'FNR':
        this.fileRecordNumber = isSubscript || Number.isInteger(toNumber(value)) ? value : Math.trunc(toNumber(value))
        return
      case 'OFS':
        // A record that has to be put together again is so with the separator of that time.
        this.record.whole()
        this.outputSeparator = this.text(value)
        return
      case 'ORS':
        this.recordEnd = this.text(value)
        return
      case 'SUBSEP':
        this.subscriptSeparator = this.text(value)
        return
      case 'CONVFMT':
        this.conversion = this.text(value)
        return
      case 'OFMT':
        this.outputFormat = this.text(value)
        return
      case 'IGNORECASE':
        this.regexes.setIgnoreCase(toBoolean(value))
        this.setSplitter(this.splitBy)
        this.setRecordSeparator(this.recordSeparator)
        return
      case 'RS':
        this.separatorIsRegex = value instanceof RegexText
        this.setRecordSeparator(this.text(value))
        this.setSplitter(this.splitBy)
        return
      case 'FS':
        this.fieldSeparator = this.text(value)
        this.fieldsByRegex = value instanceof RegexText
        this.setSplitter('FS')
        return
      case 'FPAT':
      case 'FIELDWIDTHS':
        this.setSplitter(name)
    }
  }

  private setRecordSeparator(separator: string): void {
    this.recordSeparator = separator
    if (separator === '') this.separator = { kind: 'paragraph' }
    else if (this.dialect.traditional || ([...separator].length === 1 && !this.separatorIsRegex)) {
      this.separator = { kind: 'character', character: [...separator][0] as string }
    } else this.separator = { kind: 'regex', regex: this.regexes.of(separator) }
  }

  private setSplitter(by: 'FS' | 'FPAT' | 'FIELDWIDTHS'): void {
    this.record.splitNow()
    this.splitBy = by
    if (this.hasGlobal('PROCINFO') && !this.dialect.traditional) this.globalArray('PROCINFO').set('FS', by)
    if (by === 'FS') {
      const paragraphs = this.recordSeparator === ''
      const isNothing = this.fieldSeparator === '' && this.dialect.traditional
      this.record.splitter = isNothing
        ? splitNothing
        : splitterFor(this.fieldSeparator, this.regexes, { paragraphs, isRegex: this.fieldsByRegex })
    } else if (by === 'FPAT') this.record.splitter = splitMatches(this.regexes.of(this.text(this.given.get('FPAT'))))
    else this.record.splitter = splitWidths(this.text(this.given.get('FIELDWIDTHS')))
  }
}

const specialDefaults: Readonly<Record<string, Scalar>> = {
  FS: ' ',
  OFS: ' ',
  ORS: '\n',
  RS: '\n',
  SUBSEP: '\x1c',
  CONVFMT: '%.6g',
  OFMT: '%.6g',
  FPAT: '[^[:space:]]+',
  FIELDWIDTHS: '',
  IGNORECASE: 0,
}

/** Variables that do something when they are set, or are computed when they are read. */
const specialVariables: ReadonlySet<string> = new Set(['NF', 'NR', 'FNR', ...Object.keys(specialDefaults)])
