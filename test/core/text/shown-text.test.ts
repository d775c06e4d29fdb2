/** What is shown of any bytes can be edited without changing another byte, and written again as the same bytes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectFormat, detectFromStart, type TextFormat } from '../../../src/text/decode/detect.js'
import { encodeAs, encodeShown, openShown, showRange } from '../../../src/text/decode/shown-text.js'
import { decodeWindows1252, encodeWindows1252 } from '../../../src/text/decode/windows-1252.js'
import { changedSpans } from '../../../src/text/edit/changed-spans.js'
import { applyEdits } from '../../../src/text/edit/edit.js'
import { replaceSpans } from '../../../src/text/spans.js'
import { scaled } from '../../scale.js'

const utf8 = (text: string) => new TextEncoder().encode(text)
const bytesOf = (latin1: string) => Uint8Array.from(latin1, (character) => character.charCodeAt(0))
const wide = (text: string) => Array.from(text, (unit) => [unit.charCodeAt(0), 0]).flat()

/** Bytes of all kinds, mixed. */
const someBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'word ', '\n', '\r\n', 'é', '“x”', '日本', '😀', '\ufffd').map(utf8),
      fc.constantFrom('\xe9', '\x80', '\x81', '\xc3', '\xa9', '\xe2\x82', '\xf0\x9f', '\xe9\xa0\xbb').map(bytesOf),
      fc.uint8Array({ maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Uint8Array.from(pieces.flatMap((piece) => [...piece])))

describe('Windows-1252', () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)

  it('has one character for each byte, as the Encoding standard says', () => {
    expect(new Set(decodeWindows1252(all)).size).toBe(256)
    expect(encodeWindows1252(decodeWindows1252(all))).toEqual(all)
    // Node's decoder of this name is that of the standard only where ICU is complete, so a part is spelt out.
    expect(decodeWindows1252(bytesOf('\x80\x82\x85\x8a\x8d\x91\x92\x93\x94\x96\x97\x99\x9f\xa0\xe9\xff'))).toBe(
      '€‚…Š\u008d‘’“”–—™Ÿ\u00a0éÿ',
    )
  })

  it('names the first character that it does not have', () => {
    expect(encodeWindows1252('é→😀')).toEqual({ unencodable: '→' })
    expect(encodeWindows1252('😀')).toEqual({ unencodable: '😀' })
    expect(encodeWindows1252('\u0080')).toEqual({ unencodable: '\u0080' })
  })
})

describe('what a file is', () => {
  const probable: TextFormat = { encoding: 'windows-1252', bom: false, guess: 'probable' }
  const unknown: TextFormat = { ...probable, guess: 'unknown' }
  const stray: TextFormat = { encoding: 'utf-8', bom: false, hasStrayBytes: true }
  const plain: TextFormat = { encoding: 'utf-8', bom: false }

  it.each<[string, Uint8Array, TextFormat | 'binary']>([
    ['nothing', new Uint8Array(), plain],
    ['ASCII', utf8('hello\n'), plain],
    ['UTF-8', utf8('héllo 日本 😀\n'), plain],
    ['UTF-8 with its mark', utf8('\ufeffhé'), { encoding: 'utf-8', bom: true }],
    ['UTF-8 with its mark and a stray byte', Uint8Array.of(0xef, 0xbb, 0xbf, 0xe9), { ...stray, bom: true }],
    ['UTF-16 with its mark', Uint8Array.of(0xff, 0xfe, 0x61, 0), { encoding: 'utf-16le', bom: true }],
    [
      'UTF-16 with its mark, in the other order',
      Uint8Array.of(0xfe, 0xff, 0, 0x61),
      { encoding: 'utf-16be', bom: true },
    ],
    ['UTF-16 without a mark', Uint8Array.from(wide('hello\n')), { encoding: 'utf-16le', bom: false }],
    [
      'the same in the other order',
      Uint8Array.from([0, ...wide('hello\n')].slice(0, -1)),
      { encoding: 'utf-16be', bom: false },
    ],
    ['three wide characters', Uint8Array.from(wide('abc')), 'binary'],
    ['numbers of two bytes', Uint8Array.from(wide('\x01\x02\x03\x04\x05')), 'binary'],
    ['wide text with a NUL', Uint8Array.from(wide('hello\0world')), 'binary'],
    ['Latin-1', bytesOf('caf\xe9\n'), probable],
    ['French quotes', bytesOf('\xab\xa0caf\xe9\xa0\xbb, \xe0 c\xf4t\xe9\n'), probable],
    ['curly quotes', bytesOf('it\x92s \x93here\x94\n'), probable],
    [
      'Cyrillic in KOI8-R',
      bytesOf('\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2! \xeb\xc1\xcb \xc4\xc5\xcc\xc1?\n'),
      unknown,
    ],
    ['Shift-JIS', bytesOf('\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd\x81B\n'), unknown],
    ['a log with a broken line', Uint8Array.from([...utf8('é ok\nü ok\n'), ...bytesOf('caf\xe9 broken\n')]), stray],
    ['a NUL near the start', bytesOf('a\0b'), 'binary'],
    ['control characters', bytesOf('\x01\x02\xff\x03abc\x04'), 'binary'],
    ['a NUL far from the ends and a stray byte', bytesOf(`${'a'.repeat(9000)}\0\xe9${'a'.repeat(9000)}`), 'binary'],
    ['a NUL far from the ends', bytesOf(`${'a'.repeat(9000)}\0${'a'.repeat(9000)}`), plain],
    ['escape sequences and Latin-1', bytesOf('\x1b[31mcaf\xe9\x1b[0m\n'), probable],
  ])('%s', (_what, bytes, format) => {
    expect(detectFormat(bytes)).toEqual(format)
    expect(openShown(bytes)?.format ?? 'binary').toEqual(format)
  })

  it('is the same by the beginning, wherever that is cut', () => {
    for (const [text, format] of [
      [utf8('日本語 😀 '.repeat(50)), plain],
      [bytesOf('caf\xe9 cr\xe8me '.repeat(50)), probable],
      [Uint8Array.from(wide('wide text '.repeat(50))), { encoding: 'utf-16le', bom: false }],
    ] as const) {
      for (let end = 100; end < 130; end += 1) expect(detectFromStart(text.subarray(0, end))).toEqual(format)
    }
  })
})

describe('text as it is shown', () => {
  it('has no placeholders, and encodes to the same bytes', () => {
    fc.assert(
      fc.property(someBytes, (bytes) => {
        const shown = openShown(bytes)
        if (shown === undefined) return
        expect(encodeShown(shown, bytes, [])).toEqual(bytes)
        const placeholders = (text: string) => text.split('\ufffd').length
        const own = placeholders(new TextDecoder('latin1').decode(bytes).replaceAll('ï¿½', '\ufffd'))
        if (shown.format.encoding === 'utf-8') expect(placeholders(shown.text)).toBe(own)
        if (shown.format.encoding !== 'utf-16le' && shown.format.encoding !== 'utf-16be')
          expect(shown.text.isWellFormed()).toBe(true)
        const isWhole = shown.document?.trailingByte === undefined
        if (!shown.format.hasStrayBytes && isWhole) expect(encodeAs(shown.text, shown.format)).toEqual(bytes)
      }),
      { numRuns: scaled(3000) },
    )
  })

  it('takes edits that change no other byte', () => {
    const edit = fc.record({
      from: fc.nat(40),
      length: fc.nat(6),
      text: fc.constantFrom('', 'x', 'é', '€ é', 'long é text\n'),
    })
    fc.assert(
      fc.property(someBytes, fc.array(edit, { minLength: 1, maxLength: 4 }), (bytes, wanted) => {
        const shown = openShown(bytes)
        if (shown === undefined || shown.text === '') return
        let [at, spans] = [0, [] as { start: number; end: number; text: string }[]]
        for (const { from, length, text } of wanted) {
          const start = atCharacter(shown.text, at + from)
          const end = atCharacter(shown.text, start + length)
          if (start > shown.text.length) break
          spans = [...spans, { start, end, text }]
          at = end + 1
        }
        const encoded = encodeShown(shown, bytes, spans)
        if (!(encoded instanceof Uint8Array)) throw new Error(`unencodable ${encoded.unencodable}`)
        const outside = pieces(shown.text, spans)
        // The bytes of each unchanged piece, one after the other, with something encoded in between.
        const offsets = byteOffsets(shown, bytes)
        let place = 0
        for (const [index, { start, end }] of outside.entries()) {
          const kept = bytes.subarray(offsets[start], offsets[end])
          if (index > 0) place = indexOf(encoded, kept, place)
          expect(encoded.subarray(place, place + kept.length)).toEqual(kept)
          place += kept.length
        }
        expect(encoded.subarray(encoded.length - (bytes.length - (offsets[outside.at(-1)?.start ?? 0] ?? 0)))).toEqual(
          bytes.subarray(offsets[outside.at(-1)?.start ?? 0]),
        )
      }),
      { numRuns: scaled(3000) },
    )
  })

  it('keeps the bytes of characters that a replacement leaves, and writes new ones as UTF-8', () => {
    const bytes = Uint8Array.from([...utf8('hé ok\n'), ...bytesOf('br\xe9ken caf\xe9\n')])
    const shown = openShown(bytes)
    if (shown === undefined) throw new Error('binary')
    const outcome = applyEdits(shown.text, [
      { kind: 'literal', find: 'bréken café', replace: 'broken café é' },
      { kind: 'lines', first: 1, last: 1, lines: ['hé é ok'] },
    ])
    if (outcome.ended !== 'applied') throw new Error('refused')
    const encoded = encodeShown(shown, bytes, changedSpans(outcome.edits, outcome.text)) as Uint8Array
    expect(new TextDecoder('latin1').decode(encoded)).toBe('hÃ© Ã© ok\nbroken cafÃ© Ã©\n'.replace('cafÃ©', 'café'))
  })

  it('of a removed line leaves the line after it as it is', () => {
    const bytes = Uint8Array.from([...bytesOf('\xe9\n'), ...utf8('é\nü\n')])
    const shown = openShown(bytes)
    if (shown === undefined) throw new Error('binary')
    const outcome = applyEdits(shown.text, [{ kind: 'lines', first: 1, last: 1, lines: [] }])
    if (outcome.ended !== 'applied') throw new Error('refused')
    expect(encodeShown(shown, bytes, changedSpans(outcome.edits, outcome.text))).toEqual(utf8('é\nü\n'))
  })

  it('in ranges, one after the other, is the whole', () => {
    fc.assert(
      fc.property(someBytes, fc.integer({ min: 4, max: 9 }), (bytes, count) => {
        const shown = openShown(bytes)
        if (shown === undefined || shown.format.bom) return
        const { encoding } = shown.format
        let text = ''
        for (let offset = 0; offset < bytes.length; ) {
          const part = bytes.subarray(offset, offset + count)
          const before = bytes.subarray(Math.max(0, offset - 3), offset)
          const last = offset + count >= bytes.length
          const range = showRange(part, { encoding, before, last, offset })
          expect(range.start).toBe(0)
          text += range.text
          offset += range.lengthOf(range.text)
          if (range.text === '') break
        }
        expect(text).toBe(shown.text)
      }),
      { numRuns: scaled(2000) },
    )
  })

  it('in a range that begins anywhere begins with a whole character', () => {
    const bytes = utf8('aé日😀b')
    const characters = ['a', 'é', '日', '😀', 'b']
    for (let offset = 0; offset < bytes.length; offset += 1) {
      const before = bytes.subarray(Math.max(0, offset - 3), offset)
      const range = showRange(bytes.subarray(offset), { encoding: 'utf-8', before, last: true, offset })
      const starts = characters.map((_, index) => utf8(characters.slice(0, index).join('')).length)
      expect(range.text).toBe(characters.filter((_, index) => (starts[index] as number) >= offset).join(''))
    }
  })
})

describe('edits one after the other', () => {
  it('are the spans that they change together', () => {
    const one = fc.record({
      find: fc.constantFrom('a', 'b', 'ab', 'c\n', 'x', 'é'),
      replace: fc.constantFrom('', 'a', 'xé', '\n', 'bcb'),
    })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', 'é'), maxLength: 20 })
    fc.assert(
      fc.property(text, fc.array(one, { minLength: 1, maxLength: 6 }), (before, edits) => {
        const outcome = applyEdits(
          before,
          edits.map(({ find, replace }) => ({ kind: 'literal', find, replace, count: 'all', optional: true })),
          { identical: 'allow' },
        )
        if (outcome.ended !== 'applied') return
        const spans = changedSpans(outcome.edits, outcome.text)
        expect(replaceSpans(before, spans)).toBe(outcome.text)
        for (const [index, { start, end }] of spans.entries()) {
          expect(start <= end && (spans[index - 1]?.end ?? -1) < start).toBe(true)
        }
      }),
      { numRuns: scaled(3000) },
    )
  })
})

function atCharacter(text: string, offset: number): number {
  const at = Math.min(text.length, offset)
  return /[\udc00-\udfff]/.test(text[at] ?? '') && /[\ud800-\udbff]/.test(text[at - 1] ?? '') ? at - 1 : at
}

/** The parts of a text outside of spans. */
function pieces(text: string, spans: readonly { start: number; end: number }[]) {
  const ends = [...spans.map(({ start }) => start), text.length]
  const starts = [0, ...spans.map(({ end }) => end)]
  return starts.map((start, index) => ({ start, end: ends[index] as number }))
}

/** Where each unit of a shown text begins in the bytes: by a model that knows nothing of spans. */
function byteOffsets(shown: { text: string; format: TextFormat }, bytes: Uint8Array): number[] {
  const { encoding, bom } = shown.format
  if (encoding === 'windows-1252') return Array.from({ length: bytes.length + 1 }, (_, at) => at)
  if (encoding !== 'utf-8') return Array.from({ length: shown.text.length + 1 }, (_, at) => 2 * at + (bom ? 2 : 0))
  const offsets: number[] = []
  let at = bom ? 3 : 0
  for (const character of shown.text) {
    for (let unit = 0; unit < character.length; unit += 1) offsets.push(at)
    const own = utf8(character)
    const isOwn = own.every((byte, index) => bytes[at + index] === byte)
    at += isOwn ? own.length : 1
  }
  return [...offsets, at]
}

function indexOf(haystack: Uint8Array, needle: Uint8Array, from: number): number {
  for (let at = from; at <= haystack.length - needle.length; at += 1) {
    if (needle.every((byte, index) => haystack[at + index] === byte)) return at
  }
  return -1
}
