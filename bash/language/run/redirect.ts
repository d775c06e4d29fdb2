/** Redirections. */
import { FsError, isFsError } from '../../../src/errors.js'
import type { Bytes } from '../../../src/fs/types.js'
import { encodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { ShellFiles } from '../../io/program.js'
import { type ByteReader, type ByteWriter, concat, readerOf } from '../../io/streams.js'
import { expandFields, expandText } from '../expand/expand-word.js'
import { assignElement, assignText, readElement, readText, targetOf } from '../expand/variable-access.js'
import type { Redirection } from '../syntax/ast.js'
import { OpenFile } from './state/descriptors.js'
import { CommandFailure } from './state/jumps.js'
import type { Shell } from './state/shell.js'
import { type Steps, wait } from './state/steps.js'

/** What was in place before, to be restored after the command. */
export type Saved = Array<{ descriptor: number; file: OpenFile | undefined }>

const maxDescriptor = 255
/** Here-documents up to this size are pipes in bash, which cannot be read again. */
const pipeBytes = 64 * 1024

export function* redirect(shell: Shell, redirections: readonly Redirection[]): Steps<Saved> {
  const saved: Saved = []
  try {
    for (const redirection of redirections) yield* redirectOne(shell, redirection, saved)
  } catch (error) {
    restore(shell, saved)
    throw error
  }
  return saved
}

export function restore(shell: Shell, saved: Saved): void {
  for (const { descriptor, file } of saved.reverse()) shell.descriptors.restore(descriptor, file)
}

/** Keeps the redirections, as `exec` does. */
export function keep(saved: Saved): void {
  for (const { file } of saved) file?.release()
}

function* redirectOne(shell: Shell, redirection: Redirection, saved: Saved): Steps<void> {
  const { operator, target } = redirection
  const put = (descriptor: number, file: OpenFile | undefined) => {
    if (descriptor > maxDescriptor) throw new CommandFailure(`${descriptor}: Bad file descriptor`)
    saved.push({ descriptor, file: shell.descriptors.replace(descriptor, file) })
  }
  if (operator === '<<' || operator === '<<<') {
    const text = yield* expandText(shell, target)
    const bytes = encodeText(operator === '<<<' ? `${text}\n` : text)
    const file = new OpenFile({ reader: readerOf(bytes), seekable: bytes.length > pipeBytes })
    place(shell, redirection, 0, file, put)
    return
  }
  if (operator === '<&' || operator === '>&') {
    const text = yield* oneField(shell, redirection)
    if (duplicate(shell, redirection, text, put)) return
    if (operator === '<&' || (redirection.descriptor ?? 1) !== 1) {
      throw new CommandFailure(`${target.source}: ambiguous redirect`)
    }
    const file = yield* openTarget(shell, '>', text)
    put(1, file)
    put(2, file)
    return
  }
  const path = yield* oneField(shell, redirection)
  const file = yield* openTarget(shell, operator, path)
  if (operator === '&>' || operator === '&>>') {
    put(1, file)
    put(2, file)
    return
  }
  place(shell, redirection, operator === '<' || operator === '<>' ? 0 : 1, file, put)
}

type Put = (descriptor: number, file: OpenFile | undefined) => void

/** Puts a file at the redirection's descriptor, or at one that the shell chooses. */
function place(shell: Shell, { descriptor, variable }: Redirection, standard: number, file: OpenFile, put: Put): void {
  if (variable === undefined) {
    put(descriptor ?? standard, file)
    return
  }
  const chosen = shell.descriptors.free()
  shell.descriptors.set(chosen, file)
  assignTarget(shell, variable, String(chosen))
}

/** `{name}` or `{name[subscript]}` */
function assignTarget(shell: Shell, text: string, value: string): void {
  const target = targetOf(shell, text)
  if (target?.subscript === undefined) assignText(shell, text, value)
  else assignElement(shell, target.name, target.subscript, value)
}

function readTarget(shell: Shell, text: string): string | undefined {
  const target = targetOf(shell, text)
  if (target?.subscript === undefined) return readText(shell, text)
  return readElement(shell, target.name, target.subscript)
}

function* oneField(shell: Shell, { target }: Redirection): Steps<string> {
  const fields = yield* expandFields(shell, [target])
  if (fields.length !== 1) throw new CommandFailure(`${target.source}: ambiguous redirect`)
  return fields[0] as string
}

/** `2>&1`, `3<&-`, `4>&3-`; false when the text is not a descriptor. */
function duplicate(shell: Shell, redirection: Redirection, text: string, put: Put): boolean {
  const [, digits, dash] = /^(\d*)(-?)$/.exec(text) ?? []
  if (digits === undefined || text === '') return false
  const { descriptor, variable, operator } = redirection
  if (digits === '') {
    const closed =
      variable === undefined ? (descriptor ?? (operator === '<&' ? 0 : 1)) : Number(readTarget(shell, variable))
    if (variable === undefined) put(closed, undefined)
    else shell.descriptors.close(closed)
    return true
  }
  const from = Number(digits)
  const file = shell.descriptors.get(from)
  if (file === undefined) throw new CommandFailure(`${digits}: Bad file descriptor`)
  place(shell, redirection, operator === '<&' ? 0 : 1, file, put)
  // As in bash, the other one stays closed after the command.
  if (dash === '-' && from !== redirection.descriptor) shell.descriptors.close(from)
  return true
}

function* openTarget(shell: Shell, operator: Redirection['operator'], path: string): Steps<OpenFile> {
  const [, digits] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path) ?? []
  const standard = ['/dev/stdin', '/dev/stdout', '/dev/stderr'].indexOf(path)
  const descriptor = digits === undefined ? standard : Number(digits)
  if (descriptor >= 0) {
    const file = shell.descriptors.get(descriptor)
    if (file === undefined) throw new CommandFailure(`${path}: No such file or directory`)
    return file
  }
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) throw new CommandFailure(`${path}: network is not supported by this shell`, 2)
  try {
    return yield* openFile(shell, operator, path)
  } catch (error) {
    if (isFsError(error)) throw new CommandFailure(`${path}: ${describeError(error)}`)
    throw error
  }
}

function* openFile(shell: Shell, operator: Redirection['operator'], path: string): Steps<OpenFile> {
  const { files } = shell
  switch (operator) {
    case '<':
      return new OpenFile({ reader: yield* wait(files.openRead(path)), seekable: true, path })
    case '<>':
      return new OpenFile({ ...(yield* openBoth(files, path)), seekable: true, path })
    case '>>':
    case '&>>':
      return new OpenFile({ writer: yield* wait(files.openWrite(path, { append: true })), path })
    case '>':
    case '&>':
      if (shell.options.has('noclobber')) yield* refuseExisting(files, path)
      return new OpenFile({ writer: yield* wait(files.openWrite(path)), path })
    default:
      return new OpenFile({ writer: yield* wait(files.openWrite(path)), path })
  }
}

function* refuseExisting(files: ShellFiles, path: string): Steps<void> {
  try {
    const { kind } = yield* wait(files.stat(path))
    if (kind !== 'file') return
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) return
    throw error
  }
  throw new CommandFailure(`${path}: cannot overwrite existing file`)
}

/** A file that is read and written at one position. */
function* openBoth(files: ShellFiles, path: string): Steps<{ reader: ByteReader; writer: ByteWriter }> {
  const pipe = yield* wait(files.openPipe(path))
  if (pipe !== undefined) return pipe
  try {
    yield* wait(files.openRead(path))
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
    const created = yield* wait(files.openWrite(path))
    yield* wait(created.close())
  }
  let position = 0
  const chunkBytes = 64 * 1024
  const reader: ByteReader = {
    async read() {
      const bytes = await files.readFile(path, { start: position, end: position + chunkBytes })
      position += bytes.length
      return bytes.length > 0 ? bytes : undefined
    },
    unread(bytes) {
      position -= bytes.length
    },
    close() {},
  }
  async function write(bytes: Bytes): Promise<void> {
    const before = await files.readFile(path)
    const start = before.subarray(0, position)
    const gap = new Uint8Array(Math.max(0, position - before.length))
    await files.writeFile(path, concat([start, gap, bytes, before.subarray(position + bytes.length)]))
    position += bytes.length
  }
  return { reader, writer: { write, close: async () => {} } }
}

/** What writes to a closed descriptor. */
export const closedWriter: ByteWriter = {
  write: () => Promise.reject(new FsError('DENIED', { path: '-' })),
  close: async () => {},
}
