/** Counts lines, words, characters and bytes. */
import type { Bytes, Stat } from '../../../../src/fs/types.js'
import { countLineFeeds } from '../../../../src/text/lines/count-line-breaks.js'
import { decodeText, sequenceLength } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import { textLocale } from '../../../io/locale.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteReader, concat, readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { quoted, quotedName, shownName } from '../../quoting.js'
import { charWidth, codePointAt, isSpace } from '../common/char-width.js'
import { misuse, openInput, orStdin, requireInput } from '../common/inputs.js'
import { plainCounter } from './plain-words.js'

const kinds = ['lines', 'words', 'characters', 'bytes', 'width'] as const
type Kind = (typeof kinds)[number]
type Counts = Record<Kind, number>

const defaultKinds: readonly Kind[] = ['lines', 'words', 'bytes']
const lineFeed = 10
const tabColumns = 8
/** The width of numbers when the sizes of the files are not known. */
const unknownWidth = 7

export const wc = defineProgram({
  name: 'wc',
  usage: '[OPTION]... [FILE]...',
  options: {
    bytes: { names: ['-c', '--bytes'] },
    characters: { names: ['-m', '--chars'] },
    lines: { names: ['-l', '--lines'] },
    words: { names: ['-w', '--words'] },
    width: { names: ['-L', '--max-line-length'] },
    files: { names: ['--files0-from'], value: 'required' },
  },
  async run(io, given) {
    const asked = kinds.filter((kind) => given.has(kind))
    const shown = asked.length > 0 ? asked : defaultKinds
    const listed = given.value('files')
    if (listed !== undefined && given.operands[0] !== undefined) {
      const message = `extra operand ${quoted(given.operands[0])}`
      throw misuse(io, `${message}\nfile operands cannot be combined with --files0-from`)
    }
    const names = listed === undefined ? given.operands : await listedNames(io, listed)
    const inputs = listed === undefined ? orStdin(names) : names
    const width = await numberWidth(io, inputs, shown.length, listed !== undefined)
    const total = noCounts()
    let status = 0
    for (const name of inputs) {
      const { counts, failure } = await countInput(io, name, shown)
      if (failure !== undefined) {
        await io.error(`${shownName(name)}: ${failure}`)
        status = 1
      }
      if (counts === undefined) continue
      await io.stdout.write(line(counts, shown, width, name === '-' && names.length === 0 ? undefined : name))
      for (const kind of kinds)
        total[kind] = kind === 'width' ? Math.max(total[kind], counts[kind]) : total[kind] + counts[kind]
    }
    if (inputs.length > 1) await io.stdout.write(line(total, shown, width, 'total'))
    return status
  },
})

async function listedNames(io: ProgramIo, from: string): Promise<string[]> {
  const reader = await requireInput(io, from, (reason) => `cannot open ${quotedName(from)} for reading: ${reason}`)
  const names = decodeText(await readAll(reader)).split('\0')
  if (names.at(-1) === '') names.pop()
  return names
}

function line(counts: Counts, shown: readonly Kind[], width: number, name: string | undefined): string {
  const numbers = shown.map((kind) => String(counts[kind]).padStart(width)).join(' ')
  return name === undefined ? `${numbers}\n` : `${numbers} ${name.includes('\n') ? shownName(name) : name}\n`
}

/** As wide as the size of all files together, so that the numbers align. */
async function numberWidth(io: ProgramIo, names: readonly string[], columns: number, isList: boolean): Promise<number> {
  if (names.length === 0 || isList) return 1
  if (names.length === 1 && columns === 1) return 1
  let least = 1
  let size = 0
  for (const name of names) {
    const found = await statOf(io, name)
    if (found === undefined) continue
    if (found.kind === 'file') size += found.size ?? 0
    else least = unknownWidth
  }
  return Math.max(least, String(size).length)
}

async function statOf(io: ProgramIo, name: string): Promise<Pick<Stat, 'kind' | 'size'> | undefined> {
  try {
    if (name === '-') return (await io.stdin.stat?.()) ?? { kind: 'other' }
    return await io.fs.stat(name)
  } catch {
    return undefined
  }
}

async function countInput(
  io: ProgramIo,
  name: string,
  shown: readonly Kind[],
): Promise<{ counts?: Counts; failure?: string }> {
  let reader: ByteReader
  try {
    reader = await openInput(io, name)
  } catch (error) {
    const failure = describeError(error)
    // A directory can be opened and counts as empty.
    return failure === 'Is a directory' ? { counts: noCounts(), failure } : { failure }
  }
  return { counts: await count(reader, shown, textLocale(io.env).isBytes) }
}

function noCounts(): Counts {
  return { lines: 0, words: 0, characters: 0, bytes: 0, width: 0 }
}

async function count(reader: ByteReader, shown: readonly Kind[], isBytes: boolean): Promise<Counts> {
  const counts = noCounts()
  const isSimple = shown.every((kind) => kind === 'lines' || kind === 'bytes')
  const full = isSimple ? undefined : fullCounter(counts, { needsWidth: shown.includes('width'), isBytes })
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    counts.bytes += chunk.length
    if (full !== undefined) full.chunk(chunk)
    else if (shown.includes('lines')) counts.lines += countLineFeeds(chunk, 0, chunk.length)
  }
  full?.end()
  return counts
}

function fullCounter(
  counts: Counts,
  { needsWidth, isBytes }: { needsWidth: boolean; isBytes: boolean },
): { chunk(chunk: Bytes): void; end(): void } {
  let inWord = false
  let column = 0
  /** The beginning of a character whose end is in the next chunk. */
  let rest: Bytes | undefined

  function endWord(): void {
    if (inWord) counts.words += 1
    inWord = false
  }

  function ascii(byte: number): void {
    if (byte > 0x20 && byte < 0x7f) {
      inWord = true
      column += 1
      return
    }
    if (byte === 0x20) column += 1
    else if (byte === 9) column += tabColumns - (column % tabColumns)
    else if (byte === lineFeed || byte === 12 || byte === 13) {
      if (byte === lineFeed) counts.lines += 1
      if (column > counts.width) counts.width = column
      column = 0
    } else if (byte !== 11) return
    endWord()
  }

  function wide(codePoint: number): void {
    const width = charWidth(codePoint)
    if (width < 0) return
    column += width
    if (isSpace(codePoint)) endWord()
    else inWord = true
  }

  function scan(bytes: Bytes, isLast: boolean): void {
    let at = 0
    // Columns are counted one by one.
    const countPlain = needsWidth ? undefined : plainCounter(bytes)
    while (at < bytes.length) {
      const plain = countPlain?.(at, inWord)
      if (plain !== undefined && plain.until > at) {
        counts.words += plain.words
        counts.lines += plain.lines
        counts.characters += plain.until - at
        inWord = plain.isInWord
        at = plain.until
        continue
      }
      const byte = bytes[at] as number
      if (byte < 0x80) {
        ascii(byte)
        counts.characters += 1
        at += 1
        continue
      }
      if (isBytes) {
        // A character that is not printed, and neither part of a word nor its end.
        counts.characters += 1
        at += 1
        continue
      }
      const length = sequenceLength(bytes, at)
      if (length === 0) {
        if (!isLast && at + 4 > bytes.length && mayContinue(bytes, at)) {
          rest = bytes.slice(at)
          return
        }
        at += 1
        continue
      }
      wide(codePointAt(bytes, at, length))
      counts.characters += 1
      at += length
    }
  }

  return {
    chunk(chunk) {
      const bytes = rest === undefined ? chunk : concat([rest, chunk])
      rest = undefined
      scan(bytes, false)
    },
    end() {
      if (rest !== undefined) scan(rest, true)
      endWord()
      if (column > counts.width) counts.width = column
    },
  }
}

/** True when more bytes could make a character of the bytes at the end. */
function mayContinue(bytes: Bytes, at: number): boolean {
  const first = bytes[at] as number
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || at + length <= bytes.length) return false
  for (let next = at + 1; next < bytes.length; next += 1) if (((bytes[next] as number) & 0xc0) !== 0x80) return false
  return true
}
