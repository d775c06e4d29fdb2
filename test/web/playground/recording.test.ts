/** The recording of the demo in the README, which `npm run recording` makes. */
import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { animated, chunksOf, decode } from './apng.mjs'

test('lasts half a minute, and is small', async () => {
  const recording = await readFile(new URL('../../../docs/screenshots/demo.png', import.meta.url))
  expect(recording.length).toBeLessThan(2_000_000)
  const frames = chunksOf(recording).filter(({ type }) => type === 'fcTL')
  const lengthMs = frames.reduce((sum, { body }) => sum + body.readUInt16BE(20), 0)
  expect(frames.length).toBeGreaterThan(20)
  expect(lengthMs).toBeGreaterThan(28_000)
  expect(lengthMs).toBeLessThan(32_000)
  expect(
    (await readFile(new URL('../../../README.md', import.meta.url), 'utf8')).match(/screenshots\/demo\.png/g),
  ).toHaveLength(1)
})

test('a frame has only what differs from the one before', () => {
  const [red, blue] = [
    [255, 0, 0],
    [0, 0, 255],
  ]
  const png = (pixels: number[][]) => picture(3, 2, pixels.flat())
  const first = [red, red, red, red, red, red] as number[][]
  const second = [red, red, red, red, blue, red] as number[][]
  const recording = animated([
    { png: png(first), delayMs: 100 },
    { png: png(first), delayMs: 50 },
    { png: png(second), delayMs: 200 },
  ])
  const frames = chunksOf(recording).filter(({ type }) => type === 'fcTL')
  expect(frames.map(({ body }) => [4, 8, 12, 16].map((at) => body.readUInt32BE(at)))).toEqual([
    [3, 2, 0, 0],
    [1, 1, 1, 1],
  ])
  expect(frames.map(({ body }) => body.readUInt16BE(20))).toEqual([150, 200])
  expect([...decode(png(second)).pixels]).toEqual(second.flat())
})

/** A picture of three channels, each row with another filter. */
function picture(width: number, height: number, pixels: readonly number[]): Buffer {
  const rows = Array.from({ length: height }, (_, y) => {
    const at = (x: number, row: number) => (x < 0 || row < 0 ? 0 : (pixels[row * width * 3 + x] ?? 0))
    const bytes = Array.from({ length: width * 3 }, (_, x) => at(x, y) - (y === 0 ? at(x - 3, y) : at(x, y - 1)))
    return Buffer.from([y === 0 ? 1 : 2, ...bytes])
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const chunk = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    return Buffer.concat([length, Buffer.from(type, 'latin1'), body, Buffer.alloc(4)])
  }
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows)))])
}
