import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeText } from '../../../src/text/decode/document.js'
import {
  chunkBytes,
  createLineIndex,
  type LineSource,
  type ReadLinesOptions,
  readLines,
} from '../../../src/text/lines/line-reader.js'
import { splitLines } from '../../../src/text/lines/lines.js'

/** Returns the same buffer each time: a reader that retains a chunk sees it change. */
function sourceOf(size: number, fill: (into: Uint8Array, start: number) => void) {
  const buffer = new Uint8Array(chunkBytes)
  const reads = { bytes: 0, most: 0 }
  const source: LineSource = {
    size,
    async read({ start, end }) {
      const length = Math.min(end, size) - start
      reads.bytes += length
      reads.most = Math.max(reads.most, length)
      const chunk = buffer.subarray(0, length)
      fill(chunk, start)
      return chunk
    },
  }
  return { source, reads }
}

function fromBytes(bytes: Uint8Array) {
  return sourceOf(bytes.length, (into, start) => into.set(bytes.subarray(start, start + into.length)))
}

function fromText(text: string) {
  return fromBytes(new TextEncoder().encode(text))
}

const read = (text: string, options: Partial<ReadLinesOptions>) =>
  readLines(fromText(text).source, { start: 1, count: 100, maxLineBytes: 1000, ...options })

const line = (text: string, truncated = false) => ({ text, truncated })

describe('lines by number', () => {
  it('from a line on', async () => {
    expect(await read('a\nb\r\nc\rd\n', { start: 2, count: 2 })).toEqual({
      encoding: 'utf-8',
      bom: false,
      lines: [line('b'), line('c')],
      firstLine: 2,
      more: true,
    })
  })

  it('to the end, with or without a final line ending', async () => {
    expect(await read('a\nb\n', { start: 2 })).toMatchObject({ lines: [line('b')], more: false })
    expect(await read('a\nb', { start: 2 })).toMatchObject({ lines: [line('b')], more: false })
    expect(await read('a\n\n', { start: 2 })).toMatchObject({ lines: [line('')], more: false })
  })

  it('past the end do not exist, and it says where the end is', async () => {
    expect(await read('a\nb\n', { start: 3 })).toMatchObject({ lines: [], lineCount: 2, more: false })
    expect(await read('', {})).toMatchObject({ lines: [], more: false })
    expect(await read('\ufeff', { countLines: true })).toMatchObject({ lines: [], lineCount: 0, bom: true })
  })

  it('from the end', async () => {
    expect(await read('a\nb\nc\n', { start: -2 })).toEqual({
      encoding: 'utf-8',
      bom: false,
      lines: [line('b'), line('c')],
      more: false,
    })
    expect(await read('a\nb\nc', { start: -2, count: 1 })).toMatchObject({ lines: [line('b')], more: true })
    expect(await read('a\nb\n', { start: -9 })).toMatchObject({ lines: [line('a'), line('b')], firstLine: 1 })
    expect(await read('a\nb\nc', { start: -1, countLines: true })).toMatchObject({
      lines: [line('c')],
      firstLine: 3,
      lineCount: 3,
    })
  })

  it('that are too long are cut between characters', async () => {
    expect(await read('aé€😀\nb\n', { maxLineBytes: 9 })).toMatchObject({ lines: [line('aé€', true), line('b')] })
    expect(await read('aé€😀\nb\n', { maxLineBytes: 10 })).toMatchObject({ lines: [line('aé€😀'), line('b')] })
    expect(await read('aé€😀\nb\n', { maxLineBytes: 2 })).toMatchObject({ lines: [line('a', true), line('b')] })
  })

  it('up to so many bytes in all, but always one', async () => {
    expect(await read('aaa\nbbb\nccc\n', { maxBytes: 7 })).toMatchObject({
      lines: [line('aaa'), line('bbb')],
      more: true,
    })
    expect(await read('aaa\nbbb\n', { maxBytes: 1 })).toMatchObject({ lines: [line('aaa')], more: true })
  })

  it('in a stretch of so many bytes, which cuts the last of them', async () => {
    const within = async (maxBytes: number, start = 1) => {
      const { lines, more } = await read('aa\r\nbbb\n\nc\n', { start, maxBytes, maxLineBytes: maxBytes, stretch: true })
      return [...lines.map(({ text, truncated }) => (truncated ? `${text}…` : text)), ...(more ? ['more'] : [])]
    }
    expect(await within(11)).toEqual(['aa', 'bbb', '', 'c'])
    expect(await within(9)).toEqual(['aa', 'bbb', '', 'more'])
    expect(await within(8)).toEqual(['aa', 'bbb', 'more'])
    expect(await within(6)).toEqual(['aa', 'bb…', 'more'])
    expect(await within(4)).toEqual(['aa', 'more'])
    expect(await within(3, 2)).toEqual(['bbb', 'more'])
    expect(await within(1)).toEqual(['a…', 'more'])
  })

  it('in a stretch at the end, if they begin in it', async () => {
    const last = async (count: number, maxBytes: number) => {
      const options = { start: -count, maxBytes, maxLineBytes: maxBytes, stretch: true }
      return (await read('aa\nbbb\n\ncc\n', options)).lines.map(({ text }) => text)
    }
    expect(await last(9, 11)).toEqual(['aa', 'bbb', '', 'cc'])
    expect(await last(9, 10)).toEqual(['bbb', '', 'cc'])
    expect(await last(2, 10)).toEqual(['', 'cc'])
    expect(await last(9, 3)).toEqual(['cc'])
    expect(await last(9, 1)).toEqual(['c'])
  })

  it.each(['utf-16le', 'utf-16be'] as const)('of %s', async (encoding) => {
    const text = 'a\u0a0d\r\n😀b\n\u0d0ac\rd'
    const bytes = encodeText({ text, encoding, bom: true, trailingByte: 0x0a })
    const whole = await readLines(fromBytes(bytes).source, { start: 1, count: 9, maxLineBytes: 100, countLines: true })
    expect(whole).toEqual({
      encoding,
      bom: true,
      lines: [line('a\u0a0d'), line('😀b'), line('\u0d0ac'), line('d\ufffd')],
      firstLine: 1,
      lineCount: 4,
      more: false,
    })
    const cut = await readLines(fromBytes(bytes).source, { start: -3, count: 1, maxLineBytes: 3 })
    expect(cut.lines).toEqual([line('', true)])
  })

  it('are those of the whole text, from either end and across chunks', async () => {
    const run = fc.constantFrom(0, 1, 3, chunkBytes - 2, chunkBytes - 1, chunkBytes, chunkBytes / 2 - 1)
    const ending = fc.constantFrom('\n', '\r\n', '\r', '\r\r\n', '\n\r')
    const parts = fc.array(fc.tuple(run, ending), { minLength: 1, maxLength: 6 })
    const encoding = fc.constantFrom('utf-8', 'utf-16le', 'utf-16be')
    await fc.assert(
      fc.asyncProperty(parts, encoding, fc.boolean(), async (pieces, encoding, terminated) => {
        const whole = pieces.map(([length, end], index) => String(index).repeat(length) + end).join('')
        const text = terminated ? whole : `${whole}end`
        const expected = splitLines(text)
        const { source } = fromBytes(encodeText({ text, encoding, bom: encoding !== 'utf-8' }))
        const index = createLineIndex()
        for (let number = 1; number <= expected.length + 1; number += 1) {
          const options = { count: 2, maxLineBytes: 10 }
          const width = encoding === 'utf-8' ? 10 : 5
          const texts = (lines: readonly { text: string }[]) => lines.map((one) => one.text)
          const cut = (lines: readonly string[]) => lines.map((one) => one.slice(0, width))
          const forwards = await readLines(source, { start: number, index, ...options })
          expect(texts(forwards.lines)).toEqual(cut(expected.slice(number - 1, number + 1)))
          expect(forwards.more).toBe(number + 1 < expected.length)
          const backwards = await readLines(source, { start: -number, ...options })
          const from = Math.max(0, expected.length - number)
          expect(texts(backwards.lines)).toEqual(cut(expected.slice(from, from + 2)))
        }
        expect(index.lineCount).toBe(expected.length)
      }),
      {
        numRuns: 40,
        // Two line ends on both sides of where a chunk begins, counted from the end.
        examples: [
          [
            [
              [0, '\n'],
              [0, '\n'],
              [0, '\n'],
              [chunkBytes - 2, '\n'],
            ],
            'utf-8',
            true,
          ],
          [
            [
              [0, '\n'],
              [0, '\n'],
              [chunkBytes - 2, '\n'],
            ],
            'utf-16le',
            true,
          ],
        ],
      },
    )
  })
})

describe('a file of a gigabyte', () => {
  const size = 2 ** 30
  const width = 64
  const template = new TextEncoder().encode(`${'x'.repeat(width - 1)}\n`.repeat(chunkBytes / width + 1))
  const wanted = 12_000_000
  const needle = new TextEncoder().encode('needle')

  function gigabyte(bytes = size) {
    return sourceOf(bytes, (into, start) => {
      const phase = start % width
      into.set(template.subarray(phase, phase + into.length))
      const at = (wanted - 1) * width - start
      if (at >= 0 && at + needle.length <= into.length) into.set(needle, at)
    })
  }
  const needleLine = line(`needle${'x'.repeat(width - 1 - 6)}`)

  it('is read in chunks, no further than the lines asked for; an index makes the second time short', async () => {
    const { source, reads } = gigabyte()
    const index = createLineIndex()
    const options = { start: wanted, count: 1, maxLineBytes: 2000, index }
    expect(await readLines(source, options)).toMatchObject({ lines: [needleLine], firstLine: wanted, more: true })
    expect(reads.most).toBe(chunkBytes)
    expect(reads.bytes).toBeLessThan(wanted * width + 3 * chunkBytes)
    expect(index.lines.length).toBeLessThanOrEqual(size / chunkBytes)

    reads.bytes = 0
    expect(await readLines(source, options)).toMatchObject({ lines: [needleLine] })
    expect(reads.bytes).toBeLessThan(3 * chunkBytes)
  })

  it('is read from the end without reading what comes before', async () => {
    const { source, reads } = gigabyte()
    const { lines, firstLine } = await readLines(source, { start: -10, count: 10, maxLineBytes: 2000 })
    expect({ lines: lines.length, firstLine }).toEqual({ lines: 10, firstLine: undefined })
    expect(reads.bytes).toBeLessThan(2 * chunkBytes)
  })

  it('is counted on request', async () => {
    const bytes = size / 8
    const { source } = gigabyte(bytes)
    const lineCount = bytes / width
    const counted = await readLines(source, { start: -1, count: 1, maxLineBytes: 10, countLines: true })
    expect(counted).toEqual({
      encoding: 'utf-8',
      bom: false,
      lines: [line('xxxxxxxxxx', true)],
      firstLine: lineCount,
      lineCount,
      more: false,
    })
  })

  it('and of a single line no more than the limit', async () => {
    const { source, reads } = sourceOf(size / 16, (into) => into.fill(0x61))
    const { lines, more } = await readLines(source, { start: 1, count: 5, maxLineBytes: 4 })
    expect({ lines, more }).toEqual({ lines: [line('aaaa', true)], more: false })
    expect(reads.most).toBe(chunkBytes)
  })
})
