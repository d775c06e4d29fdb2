import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { looksBinary } from '../../../src/text/decode/decode.js'
import { encodeReplaced, encodeText, openText } from '../../../src/text/decode/document.js'
import { applyEdits } from '../../../src/text/edit/edit.js'
import { replaceSpans } from '../../../src/text/spans.js'
import corpus from '../../data/encodings.json' with { type: 'json' }

/** The data spell bytes as Latin-1 characters. */
function bytesOf(spelt: string): Uint8Array {
  return Uint8Array.from(spelt, (character) => character.charCodeAt(0))
}

interface Case {
  name: string
  bytes: string
  edited: string | null
  fill?: { text: string; times: number }
}

describe.each(corpus.cases as Case[])('$name', ({ bytes: spelt, edited, fill }) => {
  const filling = fill ? fill.text.repeat(fill.times) : ''
  const bytes = bytesOf(filling + spelt)

  it('opens and encodes to the same bytes', () => {
    expect(Buffer.compare(encodeText(openText(bytes)), bytes)).toBe(0)
  })

  it(edited === null ? 'has nothing to edit' : 'takes an edit that changes no other byte', () => {
    const document = openText(bytes)
    const outcome = applyEdits(document.text, [{ kind: 'literal', find: corpus.find, replace: corpus.replace }])
    if (edited === null) {
      expect(outcome).toMatchObject({ ended: 'refused', edit: 0, failure: { code: 'NO_MATCH' } })
      return
    }
    if (outcome.ended !== 'applied') throw new Error('refused')
    const written = encodeText({ ...document, text: outcome.text })
    expect(Buffer.compare(written, bytesOf(filling + edited))).toBe(0)
  })
})

describe('a document', () => {
  it('gives back any bytes', () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc
        .constantFrom('', '\ufeff', 'é', '😀', '\u{10080}', '\r\n', '\n', 'a')
        .map((text) => new TextEncoder().encode(text)),
      fc
        .constantFrom([0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb], [0xed, 0xa0, 0x80])
        .map((bytes) => Uint8Array.from(bytes)),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const bytes = Uint8Array.from(parts.flatMap((part) => [...part]))
        expect([...encodeText(openText(bytes))]).toEqual([...bytes])
      }),
      { numRuns: 2000 },
    )
  })

  it('represents each invalid byte as one lone surrogate', () => {
    expect(openText(Uint8Array.of(0x61, 0xe9, 0xc3, 0xa9, 0x80))).toEqual({
      text: 'a\udce9é\udc80',
      encoding: 'utf-8',
      bom: false,
    })
  })

  it('stores the odd last byte of UTF-16 separately', () => {
    expect(openText(Uint8Array.of(0xfe, 0xff, 0x00, 0x61, 0x62))).toEqual({
      text: 'a',
      encoding: 'utf-16be',
      bom: true,
      trailingByte: 0x62,
    })
  })

  it('has no bytes for a lone surrogate that never was a byte', () => {
    expect(() => encodeText({ text: 'a\ud83d', encoding: 'utf-8', bom: false })).toThrow('INTERNAL')
  })
})

describe('a file that looks binary', () => {
  const nulAt = (at: number, start: number[] = []) => {
    const bytes = new Uint8Array(100).fill(0x61)
    bytes.set(start)
    bytes[at] = 0
    return bytes
  }
  it.each([
    { name: 'a NUL at the start', bytes: nulAt(5), rule: {}, binary: true },
    { name: 'a NUL at the end', bytes: nulAt(95), rule: {}, binary: true },
    { name: 'a NUL in the middle', bytes: nulAt(50), rule: {}, binary: false },
    {
      name: 'a NUL at the end, looking at the start',
      bytes: nulAt(95),
      rule: { ends: 'first' as const },
      binary: false,
    },
    { name: 'UTF-16', bytes: nulAt(5, [0xff, 0xfe]), rule: {}, binary: false },
    { name: 'UTF-16, marks ignored', bytes: nulAt(5, [0xff, 0xfe]), rule: { textMark: 'none' as const }, binary: true },
    { name: 'UTF-8 with a mark', bytes: nulAt(5, [0xef, 0xbb, 0xbf]), rule: {}, binary: true },
    {
      name: 'UTF-8 with a mark, any mark',
      bytes: nulAt(5, [0xef, 0xbb, 0xbf]),
      rule: { textMark: 'any' as const },
      binary: false,
    },
  ])('$name: $binary', ({ bytes, rule, binary }) => {
    expect(looksBinary(bytes, 10, rule)).toBe(binary)
  })
})

it('spans that are replaced give the bytes of the whole text, and no others change', () => {
  const content = fc.array(fc.oneof(fc.constantFrom('a', '\r\n', 'é', '😀', '\ufeff', '\x00'), fc.constant(0xff)))
  const places = fc.array(fc.nat(40), { maxLength: 6 })
  fc.assert(
    fc.property(content, places, fc.constantFrom('', 'x', 'ü\n'), (parts, given, text) => {
      const bytes = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))))
      const document = openText(bytes)
      const sorted = given.map((at) => Math.min(at, document.text.length)).sort((a, b) => a - b)
      const spans = sorted.flatMap((start, index) => {
        const end = sorted[index + 1]
        return index % 2 === 0 && end !== undefined ? [{ start, end, text }] : []
      })
      // Half a character is never replaced.
      fc.pre(spans.every(({ start, end }) => [start, end].every((at) => !isInside(document.text, at))))
      const whole = encodeText({ ...document, text: replaceSpans(document.text, spans) })
      expect(Buffer.compare(encodeReplaced(document, bytes, spans), whole)).toBe(0)
    }),
  )
})

/** Between the halves of a character. */
function isInside(text: string, at: number): boolean {
  return /^[\udc00-\udfff]/.test(text.slice(at)) && /[\ud800-\udbff]$/.test(text.slice(0, at))
}
