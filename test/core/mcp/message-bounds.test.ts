import { describe, expect, test } from 'vitest'
import { messageScanner } from '../../../src/mcp/server/message-bounds.js'
import { timed } from '../processor-time.js'

function refusalOf(text: string, bounds: Parameters<typeof messageScanner>[0]): string | undefined {
  return messageScanner(bounds).push(Buffer.from(text))
}

describe('limits of a message', () => {
  test('nesting is limited; brackets in strings do not count', () => {
    const bounds = { maxDepth: 3 }
    expect(refusalOf('[[[1]],[[2]]]', bounds)).toBe(undefined)
    expect(refusalOf('{"a":{"b":[1]}}', bounds)).toBe(undefined)
    expect(refusalOf('["[[[[", "\\"[[[[", "\\\\", [[1]]]', bounds)).toBe(undefined)
    expect(refusalOf('[[[[', bounds)).toBe('Message nested deeper than 3 levels: send flatter arguments')
    expect(refusalOf('{"a":{"b":[{', bounds)).toBe('Message nested deeper than 3 levels: send flatter arguments')
  })

  test('the number of values is limited; commas in strings do not count', () => {
    const bounds = { maxValues: 4 }
    expect(refusalOf('[1,2,3]', bounds)).toBe(undefined)
    expect(refusalOf('[",,,,,,", "\\",,,,"]', bounds)).toBe(undefined)
    expect(refusalOf('[1,2,3,4]', bounds)).toBe('Message with more than 4 values: split it into several requests')
    expect(refusalOf('{"a":[],"b":', bounds)).toBe(undefined)
    expect(refusalOf('{"a":[],"b":{"c":', bounds)).toBe(
      'Message with more than 4 values: split it into several requests',
    )
  })

  test('a rejected message stays rejected', () => {
    const scanner = messageScanner({ maxDepth: 1 })
    const reason = 'Message nested deeper than 1 levels: send flatter arguments'
    expect(scanner.push(Buffer.from('[['))).toBe(reason)
    expect(scanner.push(Buffer.from(']]'))).toBe(reason)
  })

  test('60 MB of empty objects are rejected within a second of processor time', () => {
    const part = Buffer.from('{},'.repeat(20_000))
    const { result, ms } = timed(1000, () => {
      const scanner = messageScanner()
      let reason = scanner.push(Buffer.from('['))
      for (let sent = 0; sent < 60_000_000; sent += part.length) reason = scanner.push(part)
      return reason
    })
    expect(result).toBe('Message with more than 50000 values: split it into several requests')
    expect(ms).toBeLessThan(1000)
  })
})

test('counts equal those of the parsed message, however it is split into chunks', () => {
  const random = generator(20_261_116)
  for (let round = 0; round < 2000; round += 1) {
    const value = anyValue(random, 5)
    const text = JSON.stringify(value, undefined, random(3))
    const { depth, values, empty } = measure(value)
    const cuts = cut(Buffer.from(text), random)
    const isTaken = (bounds: Parameters<typeof messageScanner>[0]) => {
      const scanner = messageScanner(bounds)
      return cuts.map((part) => scanner.push(part)).at(-1) === undefined
    }
    expect({ text, taken: isTaken({ maxDepth: depth, maxValues: values + empty }) }).toEqual({ text, taken: true })
    if (depth > 0) expect({ text, taken: isTaken({ maxDepth: depth - 1 }) }).toEqual({ text, taken: false })
    expect({ text, taken: isTaken({ maxValues: values - 1 }) }).toEqual({ text, taken: false })
  }
})

test('a long text with quotes near and far ends where it ends, however it is split into chunks', () => {
  const random = generator(20_261_117)
  const gap = () => 'y'.repeat(random(2) === 0 ? random(6) : random(60))
  for (let round = 0; round < 300; round += 1) {
    const text = Array.from({ length: 80 }, () => gap() + awkward[random(awkward.length)]).join('')
    const message = Buffer.from(JSON.stringify([text, [text], text]))
    for (const [maxValues, taken] of [
      [5, true],
      [4, false],
    ] as const) {
      const scanner = messageScanner({ maxValues, maxDepth: 2 })
      const reasons = cut(message, random).map((part) => scanner.push(part))
      expect({ text, taken: reasons.at(-1) === undefined }).toEqual({ text, taken })
    }
  }
})

type Random = (below: number) => number

function generator(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
}

const awkward = ['"', '\\', '{', '}', '[', ']', ',', ':', 'é', '日', '\n', '\u0000', 'x', '\\"', '\\\\']

function anyText(random: Random): string {
  const long = random(8) === 0 ? 'y'.repeat(random(400)) : ''
  return long + Array.from({ length: random(12) }, () => awkward[random(awkward.length)]).join('') + long
}

function anyValue(random: Random, depth: number): unknown {
  const kind = random(depth === 0 ? 3 : 6)
  if (kind === 0) return random(1000) - 500
  if (kind === 1) return [true, false, null][random(3)]
  if (kind === 2) return anyText(random)
  const inner = Array.from({ length: random(5) }, () => anyValue(random, depth - 1))
  return kind < 5 ? inner : Object.fromEntries(inner.map((each, i) => [`${i}${anyText(random)}`, each]))
}

function measure(value: unknown): { depth: number; values: number; empty: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1, empty: 0 }
  const inner = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: inner.reduce((sum, { values }) => sum + values, 1),
    empty: inner.reduce((sum, { empty }) => sum + empty, inner.length === 0 ? 1 : 0),
  }
}

function cut(bytes: Buffer, random: Random): Buffer[] {
  const parts: Buffer[] = []
  const longest = 1 + random(bytes.length + 1)
  for (let at = 0; at < bytes.length; ) {
    const end = at + random(longest + 1)
    parts.push(bytes.subarray(at, end))
    at = end
  }
  return parts
}
