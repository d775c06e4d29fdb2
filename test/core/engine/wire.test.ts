import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeMessage, encodeMessage, largeBytes, storedIn } from '../../../src/engine/wire.js'

/** Everything that calls of a workspace take and return. */
const messages = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$', '__proto__', 'part', 'of')), tie('value'), { maxKeys: 5 }),
  ),
})).value

test('every message is the same after it was sent', () => {
  fc.assert(
    fc.property(messages, (message) => {
      expect(decodeMessage(encodeMessage(message))).toEqual(message)
    }),
  )
})

test('a missing argument stays in its place', () => {
  expect(decodeMessage(encodeMessage(['run', undefined, { a: undefined, b: 1 }]))).toEqual(['run', undefined, { b: 1 }])
})

test('large texts and bytes are stored, and not part of the message', () => {
  const large = { text: `${'ä'.repeat(largeBytes + 1)}`, bytes: new Uint8Array(largeBytes + 1).fill(7), small: 'x' }
  const stored = new Map<string, Uint8Array>()
  const bytes = encodeMessage(large, (value) => {
    const name = `value ${stored.size}`
    stored.set(name, value)
    return name
  })
  expect(bytes.length).toBeLessThan(500)
  expect(storedIn(bytes)).toEqual(['value 0', 'value 1'])
  const got = decodeMessage(bytes, stored) as typeof large
  expect(got.text === large.text && Buffer.from(got.bytes).equals(large.bytes) && got.small).toBe('x')
  expect(() => decodeMessage(bytes)).toThrow('Not a message')
})

test('a text that UTF-8 can not express is sent as it is', () => {
  const text = `${'x'.repeat(largeBytes)}\ud800`
  expect(decodeMessage(encodeMessage(text, () => 'stored'))).toBe(text)
})

test('no bytes do anything but fail or give a message', () => {
  const given = encodeMessage({ call: 1, name: 'run', given: ['readBytes', new Uint8Array([1, 2, 3])] })
  fc.assert(
    fc.property(fc.nat(given.length - 1), fc.nat(255), fc.nat(given.length), (at, byte, end) => {
      const broken = given.slice(0, end)
      if (at < end) broken[at] = byte
      try {
        decodeMessage(broken)
      } catch (error) {
        expect((error as Error).message).toBe('Not a message')
      }
    }),
  )
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const head = new TextEncoder().encode(`{"value":${deep},"parts":[]}`)
  const nested = new Uint8Array([...new Uint8Array(new Uint32Array([head.length]).buffer).reverse(), ...head])
  expect(() => decodeMessage(nested)).toThrow('Not a message')
})
