import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { partialObject } from '../../../playground/agent/partial-json.js'

test('an object is known as far as it is written', () => {
  const text = '{"path":"a.txt","edits":[{"old_string":"one\\n","new_string":"t\\u00fcr"},{"old'
  const known = (length: number) => partialObject(text.slice(0, length))
  expect(known(0)).toEqual({})
  expect(known(1)).toEqual({})
  expect(known(5)).toEqual({})
  expect(known(8)).toEqual({})
  expect(known(11)).toEqual({ path: 'a.' })
  expect(known(17)).toEqual({ path: 'a.txt' })
  expect(known(47)).toEqual({ path: 'a.txt', edits: [{ old_string: 'one\n' }] })
  // In the middle of an escape.
  expect(known(64)).toEqual({ path: 'a.txt', edits: [{ old_string: 'one\n', new_string: 't' }] })
})

test('every beginning of any object gives beginnings of its strings, and the whole gives the object', () => {
  const values = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()), fc.boolean()))
  fc.assert(
    fc.property(values, fc.nat(), (object, at) => {
      const text = JSON.stringify(object)
      expect(partialObject(text)).toEqual(JSON.parse(text))
      const part = partialObject(text.slice(0, at % (text.length + 1)))
      for (const [name, value] of Object.entries(part)) {
        if (typeof value === 'string') expect(String(object[name]).startsWith(value.replace(/\uFFFD$/, ''))).toBe(true)
      }
    }),
  )
})
