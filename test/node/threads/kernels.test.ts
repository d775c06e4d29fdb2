/** The vector code finds and counts what the portable code does. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBytesBy, findBytesIn } from '../../../node/threads/find-bytes.js'
import { type ByteSet, byteSequences, findSequences } from '../../../src/search/bytes/byte-sequences.js'
import { findBytes, findFolded } from '../../../src/search/bytes/find-bytes.js'
import { createKernels } from '../../../src/search/bytes/kernels/kernels.js'
import { countBreaks } from '../../../src/text/lines/count-line-breaks.js'
import { timed } from '../../core/processor-time.js'
import { scaled } from '../../scale.js'

const kernels = createKernels(4096, 64)
if (kernels === undefined) throw new Error('this Node has no WebAssembly with vectors')
const { buffer } = kernels
const quick = findBytesBy(kernels)

/** Few different bytes, so that parts of needles are everywhere; letters, their neighbours and bytes beyond ASCII among them. */
const byte = fc.constantFrom(0x0a, 0x0d, 0x41, 0x61, 0x62, 0x40, 0x60, 0x5b, 0x7b, 0xc1, 0xe1, 0x00)
const bytes = (maxLength: number, minLength = 0) =>
  fc
    .uint8Array({ minLength, maxLength })
    .chain((random) =>
      fc.array(byte, { minLength: random.length, maxLength: random.length }).map((all) => Uint8Array.from(all)),
    )

/** Put where the kernels can see it, between bytes that are not part of it and must not be found. */
function placed(haystack: Uint8Array, at: number): Uint8Array {
  buffer.fill(0x61)
  buffer.set(haystack, at)
  return buffer.subarray(at, at + haystack.length)
}

describe('the kernels', () => {
  it('find what the portable search finds', () => {
    const cases = fc.record({ haystack: bytes(300), needle: bytes(12, 1), from: fc.nat(310), at: fc.nat(70) })
    fc.assert(
      fc.property(cases, ({ haystack, needle, from, at }) => {
        const expected = from > haystack.length ? -1 : findBytes(haystack, needle, from)
        expect(quick(placed(haystack, at), needle, from)).toBe(expected)
        if (from <= haystack.length) expect(findBytesIn(haystack, needle, from)).toBe(expected)
      }),
      { numRuns: scaled(2000) },
    )
  })

  it('find letters in either case as the portable search does', () => {
    const cases = fc.record({ haystack: bytes(300), needle: bytes(12, 1), from: fc.nat(300), at: fc.nat(70) })
    fc.assert(
      fc.property(cases, ({ haystack, needle, from, at }) => {
        const small = needle.map((each) => (each >= 0x41 && each <= 0x5a ? each + 0x20 : each))
        const expected = from > haystack.length ? -1 : findFolded(haystack, small)(from)
        expect(quick.folded?.(placed(haystack, at), small, from)).toBe(expected)
      }),
      { numRuns: scaled(2000) },
    )
  })

  it('count line feeds and notice carriage returns', () => {
    fc.assert(
      fc.property(bytes(900), fc.nat(70), (all, at) => {
        const expected = { lineFeeds: all.filter((each) => each === 0x0a).length, hasReturns: all.includes(0x0d) }
        expect(kernels.countBreaks(placed(all, at))).toEqual(expected)
        expect(countBreaks(all)).toEqual(expected)
        expect(countBreaks(placed(all, at))).toEqual(expected)
      }),
      { numRuns: scaled(500) },
    )
    const many = new Uint8Array(4096).fill(0x0a)
    expect(kernels.countBreaks(placed(many, 0))).toEqual({ lineFeeds: 4096, hasReturns: false })
    expect(countBreaks(many)).toEqual({ lineFeeds: 4096, hasReturns: false })
  })

  it('keep more needles apart than they have places for', () => {
    const haystack = placed(new TextEncoder().encode('needle-7 needle-23 needle-30'), 0)
    const needles = Array.from({ length: 40 }, (_, i) => new TextEncoder().encode(`needle-${i} `))
    for (let round = 0; round < 2; round += 1) {
      expect(needles.map((needle) => quick(haystack, needle, 0)).filter((at) => at >= 0)).toEqual([0, 9])
    }
  })

  it('find one of several sequences as the portable search does', () => {
    const set = fc.array(byte, { minLength: 1, maxLength: 5 }).map((members) => {
      const bytesOfSet: ByteSet = new Uint8Array(256)
      for (const member of members) bytesOfSet[member] = 1
      return bytesOfSet
    })
    const several = fc.array(fc.array(set, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 8 })
    const cases = fc.record({ haystack: bytes(300), several, from: fc.nat(300), at: fc.nat(70) })
    fc.assert(
      fc.property(cases, ({ haystack, several: wanted, from, at }) => {
        const sequences = byteSequences(wanted)
        const expected = findSequences(haystack, sequences, from)
        expect(quick.sequences?.(placed(haystack, at), sequences, from)).toBe(expected)
      }),
      { numRuns: scaled(1500) },
    )
  })

  it('find a byte, and nothing behind the end', () => {
    fc.assert(
      fc.property(bytes(100), byte, fc.nat(110), fc.nat(70), (all, wanted, until, at) => {
        expect(quick.place?.(placed(all, at), wanted, until)).toBe(all.subarray(0, until).indexOf(wanted))
      }),
      { numRuns: scaled(1000) },
    )
  })

  it('find the line feeds around an offset, and check for ASCII', () => {
    fc.assert(
      fc.property(bytes(100), fc.nat(100), fc.nat(70), (all, place, at) => {
        const from = Math.min(place, all.length)
        expect(quick.feedAfter?.(placed(all, at), from)).toBe(all.indexOf(0x0a, from))
        expect(quick.feedBefore?.(placed(all, at), from)).toBe(all.subarray(0, from).lastIndexOf(0x0a))
        expect(quick.isAscii?.(placed(all, at), 0, from)).toBe(all.subarray(0, from).every((each) => each < 0x80))
      }),
      { numRuns: scaled(1000) },
    )
  })

  it('collect the lines that contain a needle', () => {
    fc.assert(
      fc.property(bytes(400), bytes(3, 1), fc.nat(70), (all, needle, at) => {
        fc.pre(!needle.includes(0x0a))
        expect(linesByKernels(placed(all, at), needle)).toEqual(linesWith(all, needle))
      }),
      { numRuns: scaled(1500) },
    )
  })

  it('copy the lines that have a needle in them, and say when they are not ASCII', () => {
    const cases = fc.record({
      all: fc.boolean().chain((ascii) => bytes(400).map((each) => (ascii ? each.filter((one) => one < 0x80) : each))),
      needle: bytes(3, 1),
      units: fc.nat(40),
      at: fc.nat(70),
    })
    fc.assert(
      fc.property(cases, ({ all, needle, units, at }) => {
        fc.pre(!needle.includes(0x0a))
        const expected = linesWith(all, needle).map(([line, start, feed, place]) => {
          const end = feed < all.length && feed > start && all[feed - 1] === 0x0d ? feed - 1 : feed
          const shown = Math.min(end - start, units)
          const reported: CopiedLine = [
            line + 1,
            shown < end - start,
            place - start,
            [...all.subarray(start, start + shown)],
          ]
          return { reported, counted: shown < end - start ? Math.min(end - start, 3 * units) : shown }
        })
        const copied = copiedBy(placed(all, at), needle, units)
        if (copied === 'not ASCII') expect(all.some((each) => each >= 0x80)).toBe(true)
        else {
          const textBytes = expected.reduce((sum, { counted }) => sum + counted, 0)
          expect(copied).toEqual({ lines: expected.map(({ reported }) => reported), textBytes })
          expect(expected.every(({ reported }) => reported[3].every((each) => each < 0x80))).toBe(true)
        }
      }),
      { numRuns: scaled(1500) },
    )
  })

  it('count and copy the lines that have a whole word in them, and say when bytes beside it are not ASCII', () => {
    const part = fc.constantFrom(
      'ab',
      'a',
      'b',
      '_',
      '-',
      ' ',
      '\n',
      '\r\n',
      'é',
      '9',
      'Z',
      '[',
      '@',
      '`',
      '{',
      '^',
      '/',
      ':',
    )
    const cases = fc.record({
      text: fc.array(part, { maxLength: 60 }).map((parts) => parts.join('')),
      word: fc.constantFrom('ab', 'a', 'a-b', 'ab_9'),
    })
    fc.assert(
      fc.property(cases, ({ text, word }) => {
        const haystack = placed(new TextEncoder().encode(text), 0)
        const needle = new TextEncoder().encode(word)
        const matched = text.split('\n').flatMap((line, i) => (new RegExp(`\\b${word}\\b`).test(line) ? [i + 1] : []))
        const count = kernels.countLines(haystack, needle, { folded: false, isWord: true })
        const copied = copiedBy(haystack, needle, 1000, true)
        if (count === -1) expect(text).toContain('é')
        else expect({ text, count }).toEqual({ text, count: matched.length })
        if (copied !== 'not ASCII') expect(copied.lines.map(([line]) => line)).toEqual(matched)
        else expect(text).toContain('é')
      }),
      { numRuns: scaled(3000) },
    )
  })

  it('take no longer for a word that repeats itself', () => {
    const large = createKernels(4 << 20)!
    const needle = new Uint8Array(256).fill(0x61)
    large.buffer.fill(0x61)
    const options = { folded: false, isWord: true }
    const { result, ms } = timed(1000, () => large.countLines(large.buffer, needle, options))
    expect(result).toBe(0)
    expect(ms).toBeLessThan(1000)
  })

  it('are what the build makes of their source', async () => {
    const folder = new URL('../../../src/search/bytes/kernels/', import.meta.url)
    const { kernelModule } = await import('../../../build/compile-kernels.mjs')
    const source = readFileSync(new URL('kernels.simd', folder), 'utf8')
    expect(readFileSync(new URL('code.ts', folder), 'utf8')).toBe(kernelModule(source))
  })
})

type FoundLine = [line: number, start: number, feed: number, at: number]

function linesByKernels(haystack: Uint8Array, needle: Uint8Array): FoundLine[] {
  const reported: FoundLine[] = []
  let line = 0
  for (let from = 0; from < haystack.length; line += 1) {
    const { count, numbers } = quick.lines?.(haystack, needle, from, { folded: false, max: 2 }) ?? fail()
    for (let i = 0; i < 4 * count; i += 4) {
      const [feeds = 0, start = 0, feed = 0, at = 0] = numbers.subarray(i, i + 4)
      line += feeds
      reported.push([line, start, feed, at])
      from = feed + 1
    }
    if (count < 2) break
  }
  return reported
}

type CopiedLine = [line: number, cut: boolean, column: number, bytes: number[]]

/** In a room for very few of them. */
function copiedBy(haystack: Uint8Array, needle: Uint8Array, units: number, isWord = false) {
  const lines: CopiedLine[] = []
  const progress = { from: 0, line: 1, at: 0, textBytes: 0 }
  while (progress.from < haystack.length) {
    progress.at = 0
    const count = kernels!.collectLines(haystack, needle, progress, { folded: false, units, isWord })
    if (count < 0) return 'not ASCII'
    for (let i = 0, at = 0; i < 3 * count; i += 3) {
      const [line = 0, reported = 0, column = 0] = kernels!.lineNumbers.subarray(i, i + 3)
      const shown = reported < 0 ? ~reported : reported
      lines.push([line, reported < 0, column, [...kernels!.gathered.subarray(at, at + shown)]])
      at += shown
    }
  }
  return { lines, textBytes: progress.textBytes }
}

function linesWith(all: Uint8Array, needle: Uint8Array): FoundLine[] {
  const reported: FoundLine[] = []
  for (let start = 0, line = 0; start < all.length; line += 1) {
    const found = all.indexOf(0x0a, start)
    const feed = found < 0 ? all.length : found
    const at = findBytes(all.subarray(0, feed), needle, start)
    if (at >= 0) reported.push([line, start, feed, at])
    start = feed + 1
  }
  return reported
}

function fail(): never {
  throw new Error('the kernels can search this')
}
