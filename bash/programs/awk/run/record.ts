/** The current record: `$0`, its fields and `NF`. Fields are split when somebody asks for one. */
import { AwkFatal } from '../syntax/awk-error.js'
import { isBlank, type Splitter, splitBlanks } from '../values/split.js'
import { MissingField, type Scalar, type UserText } from '../values/values.js'

const missing = new MissingField()
const mostFields = 10_000_000

export class CurrentRecord {
  splitter: Splitter = splitBlanks
  private text = ''
  /** `$0` when it is not from outside. */
  private value: Scalar = missing
  private fields: string[] = []
  /** The fields that somebody asked for: a field that was taken for a number is known to be one. */
  private values: UserText[] = []
  /** Values that were assigned to fields. */
  private assigned: Map<number, Scalar> | undefined
  private isSplit = true
  /** How far the text has been split. */
  private scanned = 0
  /** `$0` has to be made of the fields. */
  private isStale = false

  constructor(
    private readonly outputSeparator: () => string,
    private readonly toText: (value: Scalar) => string,
    private readonly userText: (text: string) => UserText,
  ) {}

  set(text: string): void {
    this.text = text
    this.value = undefined
    this.isSplit = false
    this.isStale = false
    this.assigned = undefined
    this.scanned = 0
    this.fields = []
    if (this.values.length > 0) this.values = []
  }

  /** `$0` as text. */
  whole(): string {
    if (this.isStale) this.join()
    return this.text
  }

  get(index: number): Scalar {
    if (index === 0) {
      const text = this.whole()
      return this.value ?? this.userText(text)
    }
    if (!this.isSplit) this.splitUpTo(index)
    if (index > this.fields.length) return missing
    if (this.assigned?.has(index)) return this.assigned.get(index)
    this.values[index] ??= this.userText(this.fields[index - 1] as string)
    return this.values[index]
  }

  /** The text of a field, for speed. */
  textOf(index: number): string {
    if (index === 0) return this.whole()
    if (!this.isSplit) this.splitUpTo(index)
    return this.fields[index - 1] ?? ''
  }

  assign(index: number, value: Scalar): void {
    if (index === 0) {
      this.set(this.toText(value))
      this.value = value ?? ''
      return
    }
    if (!this.isSplit) this.split()
    this.lengthen(index)
    this.fields[index - 1] = this.toText(value)
    this.assigned ??= new Map()
    this.assigned.set(index, value)
    this.isStale = true
  }

  /** Makes a field that is not there, as a reference to it does; `$0` stays as it is. */
  touch(index: number): void {
    if (!this.isSplit) this.split()
    this.lengthen(index)
  }

  get count(): number {
    if (!this.isSplit) this.split()
    return this.fields.length
  }

  set count(count: number) {
    if (!this.isSplit) this.split()
    if (count < 0) throw new AwkFatal('NF set to negative value')
    this.lengthen(count)
    this.fields.length = count
    if (this.assigned !== undefined) {
      for (const index of this.assigned.keys()) if (index > count) this.assigned.delete(index)
    }
    this.isStale = true
  }

  /** Before the way of splitting changes, the record is split in the old way. */
  splitNow(): void {
    if (!this.isSplit) this.split()
  }

  private lengthen(count: number): void {
    if (count > mostFields) throw new AwkFatal(`a record of ${count} fields is too long for this shell`)
    while (this.fields.length < count) {
      this.fields.push('')
      this.assigned ??= new Map()
      this.assigned.set(this.fields.length, missing)
    }
  }

  private split(): void {
    this.splitUpTo(Infinity)
  }

  /** The frequent splitting at blanks stops at the field that is asked for. */
  private splitUpTo(count: number): void {
    if (this.splitter !== splitBlanks) {
      this.isSplit = true
      this.splitter(this.text, this.fields)
      return
    }
    const { text, fields } = this
    const { length } = text
    let at = this.scanned
    while (fields.length < count) {
      while (at < length && isBlank(text.charCodeAt(at))) at += 1
      if (at === length) {
        this.isSplit = true
        break
      }
      const start = at
      while (at < length && !isBlank(text.charCodeAt(at))) at += 1
      fields.push(text.slice(start, at))
    }
    this.scanned = at
  }

  private join(): void {
    this.text = this.fields.join(this.outputSeparator())
    // What was put together is text, whatever it looks like.
    this.value = this.text
    this.isStale = false
  }
}
