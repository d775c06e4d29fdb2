/** Sorts, merges and checks lines. Input that is larger than memory should hold is sorted in runs on files. */
import { isFsError } from '../../../../src/errors.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { Output, ProgramIo } from '../../../io/program.js'
import { type ByteReader, type ByteWriter, pipe, readAll, readerOf } from '../../../io/streams.js'
import { gunzipped, gzipped } from '../../archives/compression.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quotedName, shownName } from '../../quoting.js'
import { openInput, orStdin, requireInput } from '../common/inputs.js'
import { byteLines, bytesOf, LineOutput } from './byte-lines.js'
import { mergeSources } from './merge.js'
import { type Entry, type LineOrder, lineOf } from './order.js'
import { rewriteHistoricKeys, type SortRules, sortOptions, sortRules } from './rules.js'

const mostHeldBytes = 64 * 1024 * 1024
/** What a line takes in memory besides its text. */
const lineOverhead = 32

export const sort = defineProgram({
  name: 'sort',
  usage: '[OPTION]... [FILE]...',
  options: sortOptions,
  unsupported: ['--debug', '--compress-program'],
  usageStatus: 2,
  rewrite: rewriteHistoricKeys,
  async run(io, given) {
    const rules = await sortRules(io, given)
    const listed = given.value('files')
    if (listed !== undefined && given.operands[0] !== undefined) {
      const extra = `extra operand ${quotedName(given.operands[0])}`
      throw new ProgramError(`${extra}\nfile operands cannot be combined with --files0-from`, 2)
    }
    const names = orStdin(listed === undefined ? given.operands : await listedNames(io, listed))
    if (rules.check !== undefined) return check(io, names, rules)
    if (!rules.isMerge) return sortAll(io, names, rules)
    const opened = await openAll(io, names)
    const readers = readsOutput(io, names, rules)
      ? await Promise.all(opened.map((reader) => inMemory(io, reader)))
      : opened
    return writeSorted(io, rules, (emit) =>
      mergeSources(
        readers.map((reader) => byteLines(reader, rules.delimiter)),
        rules.order,
        emit,
      ),
    )
  },
})

async function listedNames(io: ProgramIo, from: string): Promise<string[]> {
  const reader = await requireInput(io, from, (reason) => `open failed: ${shownName(from)}: ${reason}`, 2)
  const names = decodeText(await readAll(reader)).split('\0')
  if (names.at(-1) === '') names.pop()
  if (names.length === 0) throw new ProgramError(`no input from ${quotedName(from)}`, 2)
  return names
}

async function openSource(io: ProgramIo, name: string, failure = 'cannot read'): Promise<ByteReader> {
  try {
    return await openInput(io, name)
  } catch (error) {
    const reason = describeError(error)
    const what = reason === 'Is a directory' ? 'read failed' : failure
    throw new ProgramError(`${what}: ${shownName(name)}: ${reason}`, 2)
  }
}

async function openAll(io: ProgramIo, names: readonly string[]): Promise<ByteReader[]> {
  const readers: ByteReader[] = []
  for (const name of names) readers.push(await openSource(io, name))
  return readers
}

async function inMemory(io: ProgramIo, reader: ByteReader): Promise<ByteReader> {
  const all = await readAll(reader)
  io.account(all.length)
  return readerOf(all)
}

/** A merge into one of its inputs has to read it first. */
function readsOutput(io: ProgramIo, names: readonly string[], { output }: SortRules): boolean {
  return output !== undefined && names.some((name) => io.path(name) === io.path(output))
}

async function check(io: ProgramIo, names: readonly string[], rules: SortRules): Promise<number> {
  const [name = '-', extra] = names
  if (extra !== undefined) {
    throw new ProgramError(
      `extra operand ${quotedName(extra)} not allowed with -${rules.check === 'quiet' ? 'C' : 'c'}`,
      2,
    )
  }
  const reader = await openSource(io, name, 'open failed')
  let previous: Entry | undefined
  let number = 0
  for await (const { lines } of byteLines(reader, rules.delimiter)) {
    for (const line of lines) {
      const entry = rules.order.entry(line)
      number += 1
      const order = previous === undefined ? -1 : rules.order.compare(previous, entry)
      if (order > 0 || (order === 0 && rules.isUnique)) {
        if (rules.check === 'quiet') return 1
        await io.stderr.write(bytesOf(`${io.name}: ${name}:${number}: disorder: ${line}\n`))
        return 1
      }
      previous = entry
    }
  }
  return 0
}

type Emit = (entry: Entry) => Promise<void> | undefined

async function sortAll(io: ProgramIo, names: readonly string[], rules: SortRules): Promise<number> {
  const { order, delimiter } = rules
  const runs: string[] = []
  let entries: Entry[] = []
  let held = 0

  async function spill(): Promise<void> {
    order.sort(entries)
    runs.push(await writeRun(io, rules, entries))
    entries = []
    io.account(-held)
    held = 0
  }

  try {
    for (const name of names) {
      for await (const { lines, bytes } of byteLines(await openSource(io, name), delimiter)) {
        for (const line of lines) entries.push(order.entry(line))
        const size = bytes + lines.length * lineOverhead
        held += size
        io.account(size)
        io.step(lines.length)
        if (held > mostHeldBytes) await spill()
      }
    }
    if (runs.length === 0) {
      order.sort(entries)
      return await writeSorted(io, rules, (emit) => emitAll(entries, emit))
    }
    await spill()
    const readers = await openAll(io, runs)
    const sources = readers.map((reader) => byteLines(gunzipped(reader, 'a temporary file is damaged', io), delimiter))
    return await writeSorted(io, rules, (emit) => mergeSources(sources, order, emit))
  } finally {
    for (const run of runs) await io.fs.remove(run)
  }
}

async function emitAll(entries: readonly Entry[], emit: Emit): Promise<void> {
  for (const entry of entries) {
    const waiting = emit(entry)
    if (waiting !== undefined) await waiting
  }
}

/** A sorted part of the input in a file of its own, compressed: scratch space is limited. */
async function writeRun(io: ProgramIo, rules: SortRules, entries: readonly Entry[]): Promise<string> {
  const directory = rules.temporary ?? io.env.get('TMPDIR') ?? '/tmp'
  const name = `${directory}/sort${Math.floor(io.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0')}`
  try {
    const file = await io.fs.openWrite(name, { exclusive: true })
    const { reader, writer } = pipe()
    const [, copied] = await Promise.allSettled([writeAll(entries, writer, rules), copy(gzipped(reader, io), file)])
    if (copied.status === 'rejected') throw copied.reason
    await file.close()
  } catch (error) {
    if (!isFsError(error)) throw error
    throw new ProgramError(`cannot create temporary file in ${quotedName(directory)}: ${describeError(error)}`, 2)
  }
  return name
}

async function writeAll(entries: readonly Entry[], writer: ByteWriter, { delimiter }: SortRules): Promise<void> {
  const output = new LineOutput({ write: (data) => writer.write(data as Bytes) }, delimiter)
  try {
    await emitAll(entries, (entry) => output.write(lineOf(entry)))
    await output.flush()
  } finally {
    await writer.close()
  }
}

async function copy(reader: ByteReader, writer: ByteWriter): Promise<void> {
  try {
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) await writer.write(chunk)
  } finally {
    reader.close()
  }
}

/** Writes what `produce` emits in order, once each when lines are to be unique. */
async function writeSorted(io: ProgramIo, rules: SortRules, produce: (emit: Emit) => Promise<void>): Promise<number> {
  const file = rules.output === undefined ? undefined : await openOutput(io, rules.output)
  const target: Pick<Output, 'write'> = file === undefined ? io.stdout : { write: (data) => file.write(data as Bytes) }
  const output = new LineOutput(target, rules.delimiter)
  const write: Emit = (entry) => output.write(lineOf(entry))
  await produce(rules.isUnique ? onceEach(rules.order, write) : write)
  await output.flush()
  await file?.close()
  return 0
}

async function openOutput(io: ProgramIo, name: string) {
  try {
    return await io.fs.openWrite(name)
  } catch (error) {
    throw new ProgramError(`open failed: ${shownName(name)}: ${describeError(error)}`, 2)
  }
}

function onceEach(order: LineOrder, write: Emit): Emit {
  let previous: Entry | undefined
  return (entry) => {
    if (previous !== undefined && order.isSame(previous, entry)) return undefined
    previous = entry
    return write(entry)
  }
}
