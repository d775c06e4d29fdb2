/** The vector code finds and counts what the portable code does. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBytesIn, findBytesWith } from '../../node/find-bytes.js'
import { createKernels } from '../../node/kernels.js'
import { findBytes, findFolded } from '../../src/search/find-bytes.js'
import { countBreaks } from '../../src/text/count-breaks.js'

const kernels = createKernels(4096)
if (kernels === undefined) throw new Error('this Node has no WebAssembly with vectors')
const { buffer } = kernels
const quick = findBytesWith(kernels)

/** Few different bytes, so that parts of needles are everywhere; letters, their neighbours and bytes beyond ASCII among them. */
const byte = fc.constantFrom(0x0a, 0x0d, 0x41, 0x61, 0x62, 0x40, 0x60, 0x5b, 0x7b, 0xc1, 0xe1, 0x00)
const bytes = (maxLength: number, minLength = 0) =>
  fc
    .uint8Array({ minLength, maxLength })
    .chain((random) =>
      fc.array(byte, { minLength: random.length, maxLength: random.length }).map((all) => Uint8Array.from(all)),
    )

/** Put where the kernels can see it, between bytes that are no part of it and must not be found. */
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
      { seed: 1, numRuns: 2000 },
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
      { seed: 2, numRuns: 2000 },
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
      { seed: 3, numRuns: 500 },
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
})
