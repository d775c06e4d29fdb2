/** The state of a program that runs: its global variables, its files, and the last match. */
import type { ProgramIo } from '../../../io/program.js'
import type { ProgramRegex, RegexMatch } from '../../../regex/index.js'
import { PerlDie } from '../values/perl-die.js'
import { Both, PerlArray, PerlHash, Scalar, type Value } from '../values/values.js'
import { fromShell } from './bytes.js'
import { BufferedSink, FileHandle, Input, standardOutput } from './handles.js'

export interface GlobalScalar {
  cell: Scalar
}

export interface LastMatch {
  text: string
  match: RegexMatch
  regex: ProgramRegex
}

/** Codes of errors as Linux has them. */
const codes: Readonly<Record<string, number>> = {
  'Operation not permitted': 1,
  'No such file or directory': 2,
  'Input/output error': 5,
  'No such device or address': 6,
  'Permission denied': 13,
  'Device or resource busy': 16,
  'File exists': 17,
  'Invalid cross-device link': 18,
  'Not a directory': 20,
  'Is a directory': 21,
  'Invalid argument': 22,
  'Inappropriate ioctl for device': 25,
  'Bad file descriptor': 9,
  'No space left on device': 28,
  'Read-only file system': 30,
  'Directory not empty': 39,
  'Too many levels of symbolic links': 40,
}

const countedAtOnce = 64 * 1024

export class Runtime {
  private readonly scalars = new Map<string, GlobalScalar>()
  private readonly arrays = new Map<string, { array: PerlArray }>()
  private readonly hashes = new Map<string, { hash: PerlHash }>()
  readonly handles = new Map<string, FileHandle>()
  /** What puts back what `local` changed. */
  readonly restores: Array<() => void> = []
  lastMatch: LastMatch | undefined
  lastRead: FileHandle | undefined
  /** What `print` writes to. */
  selected: FileHandle
  readonly stdout: FileHandle
  readonly stderr = new FileHandle('STDERR')
  /** Outputs that were written since they were last looked at. */
  readonly written = new Set<FileHandle>()
  returned: Value[] = []
  /** What the test of a loop gave last. */
  tested: Value
  /** The loop that ended last was left by `last`. */
  isLoopLeft = false
  label: string | undefined
  isStrict = false
  /** Code that compares runs, as often as another perl would not run it. */
  isSorting = false
  /** Of the statement that runs. */
  lineNow = 0
  status = 0
  private counted = 0
  /** The next line of the files that are named as arguments. */
  nextOfArguments: () => Promise<Value> = async () => undefined

  // Variables that programs and the run itself use.
  readonly topic = this.scalar('_')
  readonly inputSeparator = this.scalar('/')
  readonly outputSeparator = this.scalar('\\')
  readonly fieldSeparator = this.scalar(',')
  readonly listSeparator = this.scalar('"')
  readonly flushing = this.scalar('|')
  readonly error = this.scalar('@')
  readonly failure = this.scalar('!')
  readonly line = this.scalar('.')

  constructor(
    readonly io: ProgramIo,
    readonly scriptName: string,
  ) {
    this.stdout = standardOutput(io)
    this.selected = this.stdout
    this.handles.set('STDOUT', this.stdout)
    const errors = new BufferedSink({ write: (bytes) => io.stderr.write(bytes) } as typeof io.stderr, async () => {})
    this.stderr.output = errors
    this.handles.set('STDERR', this.stderr)
    const stdin = new FileHandle('STDIN')
    stdin.input = new Input(io.stdin, () => undefined)
    this.handles.set('STDIN', stdin)
    this.inputSeparator.cell.value = '\n'
    this.listSeparator.cell.value = ' '
    this.flushing.cell.value = 0
    this.error.cell.value = ''
    this.failure.cell.value = new Both('', 0)
    this.scalar(';').cell.value = '\x1c'
    this.scalar('0').cell.value = fromShell(scriptName)
    this.scalar('^O').cell.value = 'linux'
    const environment = this.hash('ENV').hash
    for (const [name, value] of io.env) environment.cell(fromShell(name)).value = fromShell(value)
  }

  scalar(name: string): GlobalScalar {
    return kept(this.scalars, name, () => ({ cell: new Scalar() }))
  }

  array(name: string): { array: PerlArray } {
    return kept(this.arrays, name, () => ({ array: new PerlArray() }))
  }

  hash(name: string): { hash: PerlHash } {
    return kept(this.hashes, name, () => ({ hash: new PerlHash() }))
  }

  /** Memory that grows; negative to release. */
  account(bytes: number): void {
    this.counted += bytes
    if (this.counted < countedAtOnce && this.counted > -countedAtOnce) return
    const { counted } = this
    this.counted = 0
    this.io.account(counted)
  }

  /** A cell of an array; what lengthens the array is counted first, because the platform ends with one that is too long. */
  cellAt(array: PerlArray, index: number): Scalar | undefined {
    const more = index + 1 - array.cells.length
    if (more > 0) this.account(64 * more)
    return array.cell(index)
  }

  restoreTo(height: number): void {
    while (this.restores.length > height) this.restores.pop()?.()
  }

  fail(text: string): void {
    this.failure.cell.value = new Both(text, codes[text] ?? 5)
  }

  /** As perl leaves `$!` when it has opened a file: it asked whether it is a terminal. */
  hasOpened(): void {
    this.fail('Inappropriate ioctl for device')
  }

  /** As messages have it. */
  place(line: number): string {
    return `${fromShell(this.scriptName)} line ${line}${this.tail(', ')}`
  }

  /** Where in its input it is. */
  tail(start = ', '): string {
    const read = this.lastRead
    if (read === undefined || read.count === 0) return ''
    return `${start}<${read.name}> ${this.recordName()} ${read.count}`
  }

  private recordName(): string {
    return this.inputSeparator.cell.value === '\n' ? 'line' : 'chunk'
  }

  die(message: string): never {
    throw new PerlDie(message).at(this.place(this.lineNow))
  }

  /** Hands over what was printed, when it is much. */
  drain(): Promise<void> | undefined {
    if (this.written.size === 0) return undefined
    const waits: Promise<void>[] = []
    for (const handle of this.written) {
      const one = handle === this.stderr ? this.complain() : handle.output?.drain()
      if (one !== undefined) waits.push(one)
    }
    this.written.clear()
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
  }

  warn(text: string): void {
    this.stderr.output?.write(text)
    this.written.add(this.stderr)
  }

  /** Writes standard error, after what perl would have written to standard output by now. */
  async complain(): Promise<void> {
    const { output } = this.stdout
    if (output instanceof BufferedSink) await output.settle()
    await this.stderr.output?.flush()
  }

  async flushAll(): Promise<void> {
    for (const { output } of this.handles.values()) await output?.flush()
    for (const { output } of this.opened) await output?.flush()
  }

  /** All that was opened, to be closed at the end. */
  readonly opened = new Set<FileHandle>()

  async closeAll(): Promise<void> {
    for (const handle of [...this.opened]) await handle.close()
    await this.stdout.output?.flush()
  }
}

function kept<Item>(map: Map<string, Item>, name: string, make: () => Item): Item {
  const known = map.get(name)
  if (known !== undefined) return known
  const made = make()
  map.set(name, made)
  return made
}
