/** Three-way merges: what they keep, and where they say that versions overlap. `test/node/git/merge-file` compares them with git. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeBytes } from '../../../../src/text/merge/merge-bytes.js'
import { mergeTexts } from '../../../../src/text/merge/merge-texts.js'
import { timed } from '../../processor-time.js'
import { versions } from './generated-texts.js'

const encoder = new TextEncoder()

describe('mergeTexts', () => {
  test('takes the changes of both sides', () => {
    const merged = mergeTexts('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\nE\n')
    expect(merged).toEqual({ text: 'A\nb\nc\nD\nE\n', overlaps: [] })
  })

  test('names what both changed by its lines on either side, and has ours there unless theirs is favoured', () => {
    const [base, ours, theirs] = ['x\ny\na\nb\nc\n', 'x\ny\na\nmine\nmore\nc\n', 'new\nx\ny\na\nb!\nc\n']
    const overlaps = [{ base: { start: 3, end: 4 }, ours: { start: 3, end: 5 }, theirs: { start: 4, end: 5 } }]
    expect(mergeTexts(base, ours, theirs)).toEqual({ text: `new\n${ours}`, overlaps })
    expect(mergeTexts(base, ours, theirs, { favor: 'theirs' })).toEqual({ text: theirs, overlaps })
  })

  test('has ours and then theirs where both are favoured', () => {
    const both = (base: string, ours: string, theirs: string) => mergeTexts(base, ours, theirs, { favor: 'both' }).text
    expect(both('a\nb\nc\n', 'a\nmine\nc\n', 'a\ntheirs\nc\n')).toBe('a\nmine\ntheirs\nc\n')
    expect(both('a\n', 'a\nmine', 'a\ntheirs')).toBe('a\nmine\ntheirs')
    expect(both('', 'x', 'y\n')).toBe('x\ny\n')
  })

  test('lines that touch overlap', () => {
    expect(mergeTexts('a\nb\n', 'A\nb\n', 'a\nB\n').overlaps).toEqual([
      { base: { start: 0, end: 2 }, ours: { start: 0, end: 2 }, theirs: { start: 0, end: 2 } },
    ])
  })

  test('the same change on both sides is not an overlap', () => {
    expect(mergeTexts('a\nb\nc\n', 'a\nc\n', 'a\nc\n')).toEqual({ text: 'a\nc\n', overlaps: [] })
    expect(mergeTexts('a\nb\n', 'x\ny\n', 'x\ny\n')).toEqual({ text: 'x\ny\n', overlaps: [] })
  })

  test('edits with a line between them that nobody changed are merged', () => {
    const change = fc.record({
      kind: fc.constantFrom('none', 'ours', 'theirs'),
      lines: fc.array(fc.nat(9), { maxLength: 3 }),
    })
    const property = fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const texts = { base: '', ours: '', theirs: '', merged: '' }
      for (const [index, { kind, lines }] of changes.entries()) {
        // Every line is another one, so that there is only one way to compare.
        const [old, now] = [`old ${index}\n`, lines.map((each, at) => `new ${index} ${at} ${each}\n`).join('')]
        texts.base += old
        texts.ours += kind === 'ours' ? now : old
        texts.theirs += kind === 'theirs' ? now : old
        texts.merged += kind === 'none' ? old : now
        for (const name of ['base', 'ours', 'theirs', 'merged'] as const) texts[name] += `between ${index}\n`
      }
      expect(mergeTexts(texts.base, texts.ours, texts.theirs)).toEqual({ text: texts.merged, overlaps: [] })
    })
    fc.assert(property, { numRuns: 200 })
  })

  test('one long text with many changes takes no longer than its lines', () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index}\n`)
    const every = (step: number, word: string) =>
      lines.map((line, at) => (at % 100 === step ? `${word} ${line}` : line)).join('')
    const [base, ours, theirs] = [lines.join(''), every(10, 'mine'), every(60, 'theirs')]
    const { result, ms } = timed(5_000, () => mergeTexts(base, ours, theirs))
    expect(result.overlaps).toEqual([])
    expect(ms).toBeLessThan(5_000)
  })
})

describe('mergeBytes', () => {
  const latin = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('latin1')

  test('with one side unchanged it is the other side, and both orders agree on what overlaps', () => {
    const property = fc.property(versions, ([base, ours, theirs]) => {
      expect(latin(mergeBytes(base, ours, base)?.bytes)).toBe(latin(ours))
      expect(latin(mergeBytes(base, base, theirs)?.bytes)).toBe(latin(theirs))
      expect(latin(mergeBytes(base, ours, ours)?.bytes)).toBe(latin(ours))
      const [one, other] = [mergeBytes(base, ours, theirs), mergeBytes(base, theirs, ours)]
      expect(one?.overlaps.length === 0).toBe(other?.overlaps.length === 0)
      if (one?.overlaps.length === 0) expect(latin(one.bytes)).toBe(latin(other?.bytes))
    })
    fc.assert(property, { numRuns: 300 })
  })

  test('keeps encodings, marks, line endings and stray bytes', () => {
    const wide = (text: string) => Uint8Array.from(Buffer.from(`\ufeff${text}`, 'utf16le'))
    const merged = mergeBytes(wide('ä\r\nb\nc\n'), wide('ä\r\nb\nc\nd'), wide('ö\r\nb\nc\n'))
    expect(merged).toEqual({ bytes: wide('ö\r\nb\nc\nd'), overlaps: [] })
    const narrow = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))
    expect(latin(mergeBytes(narrow('\xe4\na\nb\n'), narrow('\xe4\na\nb\n\xff'), narrow('\xe4 \na\nb\n'))?.bytes)).toBe(
      '\xe4 \na\nb\n\xff',
    )
    const marked = mergeBytes(
      encoder.encode('a\nb\nc\n'),
      encoder.encode('a\nb\nC\n'),
      encoder.encode('\ufeffa\nb\nc\n'),
    )
    expect(marked?.bytes).toEqual(encoder.encode('\ufeffa\nb\nC\n'))
  })

  test('an empty version has every encoding', () => {
    const wide = Uint8Array.from(Buffer.from('\ufeffä\n', 'utf16le'))
    expect(mergeBytes(new Uint8Array(), wide, new Uint8Array())?.bytes).toEqual(wide)
  })

  test.each([
    ['binary', Uint8Array.of(0, 1), Uint8Array.of(0, 2), Uint8Array.of(0, 3)],
    [
      'of two encodings',
      encoder.encode('a\n'),
      Uint8Array.from(Buffer.from('\ufeffa\n', 'utf16le')),
      encoder.encode('b\n'),
    ],
    [
      'with an odd last byte on one side',
      Uint8Array.of(0xff, 0xfe, 65, 0),
      Uint8Array.of(0xff, 0xfe, 65, 0, 1),
      Uint8Array.of(0xff, 0xfe, 66, 0),
    ],
  ])('files that are %s are not merged', (_, base, ours, theirs) => {
    expect(mergeBytes(base, ours, theirs)).toBeUndefined()
  })
})
