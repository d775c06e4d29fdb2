/** What is unpacked equals what was packed, for answers of all kinds in any order. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FileAnswer } from '../../bash/worker/messages.js'
import { packed, unpacked } from '../../bash/worker/packed-answers.js'

const kind = fc.constantFrom('file' as const, 'directory' as const, 'symlink' as const, 'other' as const)
const number = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(2 ** 53 - 1))
const stat = fc.record(
  {
    kind,
    size: number,
    modifiedMs: number,
    createdMs: number,
    accessedMs: number,
    changedMs: number,
    inode: number,
    userId: number,
    groupId: number,
    mode: fc.integer({ min: 0, max: 0o7777 }),
  },
  { requiredKeys: ['kind'] },
)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom(16_384, 16_385, 300_000).map((length) => new Uint8Array(length).fill(length % 251)),
)
const name = fc.string({ minLength: 1 }).filter((text) => !/[/\0]/.test(text))
const value = fc.oneof(
  stat,
  fc.record({ stat, bytes }),
  fc.record({ stat }),
  fc.array(fc.record({ name, kind })),
  bytes,
  fc.string(),
  fc.constant(undefined),
)
const answer = fc.oneof(
  fc.record({ value }),
  fc.constant({ error: { code: 'NOT_FOUND' as const, facts: { path: '/a' } } }),
)

test('unpacked, also after a message, answers are what they were', () => {
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 30 }), (list) => {
      const answers = list.map((one, call) => ({ call: call * 7, ...one }) as FileAnswer)
      const sent = structuredClone({ ...packed(answers) })
      expect(unpacked(sent).map(plain)).toEqual(answers.map(plain))
    }),
    { numRuns: 300 },
  )
})

test('a part of a large file takes no more than its own bytes along', () => {
  const whole = new Uint8Array(1_000_000).map((_, index) => index)
  const part = whole.subarray(100, 100 + 20_000)
  for (const value of [
    part,
    { stat: { kind: 'file' as const }, bytes: part },
    { stat: { kind: 'file' as const }, bytes: part.subarray(0, 10) },
  ]) {
    const { answers, bytes } = packed([{ call: 1, value }])
    const [given] = answers as { value: Uint8Array | { bytes: Uint8Array } }[]
    const sent = bytes ?? (given?.value instanceof Uint8Array ? given.value : given?.value.bytes)
    expect(sent?.buffer.byteLength).toBe(sent?.length)
    expect(plain(unpacked(packed([{ call: 1, value }])))).toEqual(plain([{ call: 1, value }]))
  }
})

/** Parts of one buffer count as arrays of their own. */
function plain(given: unknown): unknown {
  if (given instanceof Uint8Array) return { bytes: Buffer.from(given).toString('latin1') }
  if (Array.isArray(given)) return given.map(plain)
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(Object.entries(given).map(([key, inner]) => [key, plain(inner)]))
}
