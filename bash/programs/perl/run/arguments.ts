/** The files that are named as arguments, as `<>` reads them one after the other, and edits them in place. */
import { isFsError } from '../../../../src/errors.js'
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import { replaceFile } from '../../sed/in-place.js'
import { textOf } from '../values/numbers.js'
import type { Value } from '../values/values.js'
import { bytesOfText, fromShell, toShell } from './bytes.js'
import { FileHandle, Input, TextSink } from './handles.js'
import type { Runtime } from './runtime.js'

interface Edited {
  path: string
  stat: Stat
  sink: TextSink
}

export class ArgumentFiles {
  private readonly handle = new FileHandle('')
  private hasBegun = false
  /** Nothing was read of the file that is open. */
  private isUnread = false
  private edited: Edited | undefined

  constructor(
    private readonly runtime: Runtime,
    /** Of `-i`: the suffix for what was there before. */
    private readonly suffix: string | undefined,
    operands: readonly string[],
  ) {
    runtime.handles.set('ARGV', this.handle)
    this.handle.isOpen = false
    const names = runtime.array('ARGV').array
    for (const [index, operand] of operands.entries()) {
      const cell = names.cell(index)
      if (cell !== undefined) cell.value = fromShell(operand)
    }
  }

  /** A line that needs no waiting; null when there may be one. */
  ready(): string | null {
    const { input } = this.handle
    const separator = this.runtime.inputSeparator.cell.value
    if (input === undefined || typeof separator === 'object') return null
    const line = input.ready(separator === undefined ? undefined : textOf(separator))
    if (line === null || line === undefined) return null
    this.counted()
    return line
  }

  async next(): Promise<Value> {
    const { runtime, handle } = this
    for (;;) {
      if (handle.input === undefined) {
        if (!(await this.open())) return undefined
      }
      const separator = runtime.inputSeparator.cell.value
      const wait = runtime.drain()
      if (wait !== undefined) await wait
      let line = await handle.input?.read(separator === undefined ? undefined : textOf(separator))
      // All of an empty file is one empty text.
      if (line === undefined && separator === undefined && this.isUnread) line = ''
      if (line !== undefined) {
        this.counted()
        return line
      }
      handle.input = undefined
      await this.finish()
    }
  }

  private counted(): void {
    this.isUnread = false
    this.handle.count += 1
    this.runtime.lastRead = this.handle
  }

  private async open(): Promise<boolean> {
    const { runtime, handle } = this
    const names = runtime.array('ARGV').array
    await this.finish()
    if (!this.hasBegun && names.cells.length === 0) names.cells.push(undefined)
    const isFirst = !this.hasBegun
    this.isUnread = true
    this.hasBegun = true
    while (names.cells.length > 0) {
      const cell = names.cells.shift()
      const name = cell === undefined ? '-' : textOf(cell.value)
      runtime.scalar('ARGV').cell.set(name)
      if (name === '-' && (isFirst || cell !== undefined)) {
        if (this.suffix !== undefined && cell !== undefined) {
          runtime.warn("Can't open -: No such file or directory.\n")
          continue
        }
        handle.input = runtime.handles.get('STDIN')?.input
        handle.isOpen = true
        return true
      }
      if (await this.openFile(name)) return true
    }
    return false
  }

  private async openFile(name: string): Promise<boolean> {
    const { runtime, handle } = this
    const { fs } = runtime.io
    const path = toShell(name)
    try {
      const stat = await fs.stat(path)
      if (this.suffix !== undefined && stat.kind !== 'file') {
        runtime.warn(`Can't do inplace edit: ${name} is not a regular file${runtime.tail()}.\n`)
        return false
      }
      if (stat.kind === 'directory') {
        // As perl, which opens it and reads nothing.
        return false
      }
      handle.input = new Input(await fs.openRead(path), (size) => runtime.account(size))
      handle.isOpen = true
      runtime.hasOpened()
      if (this.suffix !== undefined) {
        const sink = new TextSink((size) => runtime.account(size))
        this.edited = { path, stat, sink }
        const output = new FileHandle('ARGVOUT')
        output.output = sink
        runtime.selected = output
        runtime.handles.set('ARGVOUT', output)
      }
      return true
    } catch (error) {
      if (!isFsError(error)) throw error
      runtime.fail(describeError(error))
      runtime.warn(`Can't open ${name}: ${describeError(error)}${runtime.tail()}.\n`)
      return false
    }
  }

  /** The file that was read to its end is replaced. */
  async finish(): Promise<void> {
    const { edited, runtime } = this
    if (edited === undefined) return
    this.edited = undefined
    runtime.selected = runtime.stdout
    const { path, stat, sink } = edited
    await replaceFile(runtime.io, path, bytesOfText(sink.pieces.join('')), stat, this.suffix)
  }

  /** Whether a file is being edited whose end was not reached. */
  get isWithin(): boolean {
    return this.edited !== undefined
  }
}
