/** Random permutations of lines. */

import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import type { Output, ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, shownName } from '../../quoting.js'
import { misuse, refuseExtra, requireInput } from '../common/inputs.js'
import { byteLines, byteString, LineOutput } from './byte-lines.js'
import { RandomNumbers } from './random-numbers.js'

export const shuf = defineProgram({
  name: 'shuf',
  usage: '[OPTION]... [FILE]\n-e [OPTION]... [ARG]...\n-i LO-HI [OPTION]...',
  options: {
    echo: { names: ['-e', '--echo'] },
    range: { names: ['-i', '--input-range'], value: 'required' },
    count: { names: ['-n', '--head-count'], value: 'required' },
    output: { names: ['-o', '--output'], value: 'required' },
    source: { names: ['--random-source'], value: 'required' },
    repeat: { names: ['-r', '--repeat'] },
    zero: { names: ['-z', '--zero-terminated'] },
  },
  async run(io, given) {
    const { operands } = given
    const isEcho = given.has('echo')
    const rangeText = given.value('range')
    const range = rangeText === undefined ? undefined : rangeOf(rangeText)
    if (isEcho && range !== undefined) throw misuse(io, 'cannot combine -e and -i options')
    if (!isEcho) refuseExtra(io, operands, range === undefined ? 1 : 0)
    const most = given
      .values('count')
      .map(countOf)
      .reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY)
    const delimiter = given.has('zero') ? '\0' : '\n'
    const source = given.value('source')
    const random = new RandomNumbers(io, source === undefined ? undefined : await randomSource(io, source))
    const isStream = !isEcho && range === undefined
    const lines = isEcho
      ? operands.map((text) => byteString(encodeText(text)))
      : range !== undefined
        ? undefined
        : await readLines(io, operands[0] ?? '-', delimiter)
    const size = lines?.length ?? (range === undefined ? 0 : range.last - range.first + 1)
    const item = (index: number) => lines?.[index] ?? String((range?.first ?? 0) + index)
    const target = await outputOf(io, given.value('output'))
    const output = new LineOutput(target, delimiter)
    if (given.has('repeat')) {
      if (size === 0 && most > 0) throw new ProgramError('no lines to repeat')
      for (let left = most; left > 0; left -= 1) await output.write(item(await random.below(size)))
    } else {
      const isSampled = isStream && most !== Number.POSITIVE_INFINITY && !(await isSmallFile(io, operands[0] ?? '-'))
      const chosen = isSampled ? await sample(io, random, size, most) : undefined
      for (const index of await permutation(io, random, chosen?.length ?? size, most)) {
        await output.write(item(chosen?.[index] ?? index))
      }
    }
    await output.flush()
    await target.close?.()
    return 0
  },
})

function rangeOf(text: string): { first: number; last: number } {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? []
  if (first === undefined || Number(first) > Number(last) + 1)
    throw new ProgramError(`invalid input range: ${quoted(text)}`)
  return { first: Number(first), last: Number(last) }
}

function countOf(text: string): number {
  if (!/^\+?\d+$/.test(text)) throw new ProgramError(`invalid line count: ${quoted(text)}`)
  return Number(text)
}

async function readLines(io: ProgramIo, name: string, delimiter: string): Promise<string[]> {
  const reader = await requireInput(io, name, (reason) =>
    reason === 'Is a directory' ? `read error: ${reason}` : `${shownName(name)}: ${reason}`,
  )
  const all: string[] = []
  for await (const { lines, bytes } of byteLines(reader, delimiter)) {
    for (const line of lines) all.push(line)
    io.account(bytes * 2)
  }
  return all
}

async function randomSource(io: ProgramIo, name: string): Promise<ByteReader> {
  return requireInput(io, name, (reason) => `${shownName(name)}: ${reason}`)
}

async function outputOf(
  io: ProgramIo,
  name: string | undefined,
): Promise<Pick<Output, 'write'> & { close?(): Promise<void> }> {
  if (name === undefined) return io.stdout
  const file = await io.fs.openWrite(name)
  return { write: (data) => file.write(data as Bytes), close: () => file.close() }
}

/** Small files are read whole even when few lines are wanted. */
async function isSmallFile(io: ProgramIo, name: string): Promise<boolean> {
  const found = name === '-' ? await io.stdin.stat?.() : await io.fs.stat(name)
  return found?.kind === 'file' && (found.size ?? 0) <= 8 * 1024 * 1024
}

/** A sample of the indexes, as if the lines were read one by one. */
async function sample(io: ProgramIo, random: RandomNumbers, size: number, most: number): Promise<number[]> {
  const chosen = Array.from({ length: Math.min(size, most) }, (_, index) => index)
  if (size < most) return chosen
  // A place is drawn for the line after the last one too.
  for (let index = chosen.length; index <= size; index += 1) {
    const place = await random.below(index + 1)
    if (place < most && index < size) chosen[place] = index
    io.step()
  }
  return chosen
}

/** The first `most` of a random permutation. Only what is moved is kept, so that a large range takes no memory. */
async function permutation(io: ProgramIo, random: RandomNumbers, size: number, most: number): Promise<number[]> {
  const moved = new Map<number, number>()
  const chosen: number[] = []
  for (let index = 0; index < Math.min(size, most); index += 1) {
    const other = index + (await random.below(size - index))
    chosen.push(moved.get(other) ?? other)
    moved.set(other, moved.get(index) ?? index)
    if (index % 4096 === 0) io.account(4096 * 32)
    io.step()
  }
  return chosen
}
