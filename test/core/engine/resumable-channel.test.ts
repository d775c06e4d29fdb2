import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Link, type ResumableChannel, resumableChannel } from '../../../src/engine/resumable-channel.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function end(maxHeldBytes = 1_000_000) {
  const got: unknown[] = []
  const lost: string[] = []
  const channel = resumableChannel({
    encode: (message) => encoder.encode(JSON.stringify(message)),
    decode: (bytes) => JSON.parse(decoder.decode(bytes)),
    onLost: ({ message }) => lost.push(message),
    maxHeldBytes,
  })
  channel.addEventListener('message', ({ data }) => got.push(data))
  return { channel, got, lost }
}

/** A connection that loses everything after a number of frames. */
function connect(a: ResumableChannel, b: ResumableChannel, frames: number): { cut(): void } {
  let left = frames
  const link = (to: ResumableChannel): Link => ({
    send(frame) {
      left -= 1
      if (left >= 0) void to.receive(frame)
    },
    close() {},
  })
  const [toB, toA] = [link(b), link(a)]
  const [haveA, haveB] = [a.received, b.received]
  a.attach(toB, haveB)
  b.attach(toA, haveA)
  return {
    cut() {
      left = 0
      a.detach(toB)
      b.detach(toA)
    },
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

test('every message arrives once and in order, however often the connection breaks', async () => {
  const step = fc.oneof(fc.constantFrom('a', 'b'), fc.nat(6))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const [a, b] = [end(), end()]
      const posted = { a: [] as number[], b: [] as number[] }
      let connection: { cut(): void } | undefined
      let count = 0
      for (const each of steps) {
        if (typeof each === 'number') {
          connection?.cut()
          connection = connect(a.channel, b.channel, each)
        } else {
          count += 1
          posted[each].push(count)
          ;(each === 'a' ? a : b).channel.postMessage(count, [])
          if (count % 3 === 0) await settled()
        }
      }
      await settled()
      connection?.cut()
      connect(a.channel, b.channel, Infinity)
      await settled()
      expect(b.got).toEqual(posted.a)
      expect(a.got).toEqual(posted.b)
      expect([...a.lost, ...b.lost]).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('what was confirmed is not held', async () => {
  const [a, b] = [end(2000), end()]
  connect(a.channel, b.channel, Infinity)
  for (let i = 0; i < 200; i += 1) {
    a.channel.postMessage('x'.repeat(50), [])
    await settled()
  }
  expect(b.got).toHaveLength(200)
  expect(a.lost).toEqual([])
})

test('a side that reads nothing loses the channel, not the memory of the other', async () => {
  const a = end(1000)
  for (let i = 0; i < 50; i += 1) a.channel.postMessage('x'.repeat(50), [])
  await settled()
  expect(a.lost[0]).toBe('The other side does not read')
})

test('frames that can not have been sent are refused', async () => {
  const { channel } = end()
  await expect(channel.receive(new Uint8Array(3))).rejects.toThrow('Not a frame')
  await expect(channel.receive(new Uint8Array([0, 0, 0, 2, 0, 0, 0, 0]))).rejects.toThrow('A message is missing')
  await expect(channel.receive(new Uint8Array([0, 0, 0, 0, 0, 0, 0, 9]))).rejects.toThrow('never sent')
  expect(() => channel.attach({ send() {}, close() {} }, 5)).toThrow('other messages')
})
