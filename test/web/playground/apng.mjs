/** Animated PNG from screenshots: a shared palette, and of each frame only what differs from the one before. */
import { deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
/** The index of pixels that stay as they are. */
const unchanged = 0

/**
 * @param {readonly { png: Buffer, delayMs: number }[]} frames
 * @returns {Buffer}
 */
export function animated(frames) {
  const pictures = frames.map(({ png, delayMs }) => ({ ...decode(png), delayMs }))
  const [{ width, height }] = pictures
  const { palette, indexOf } = paletteOf(pictures)
  const shown = new Uint8Array(width * height)
  const parts = []
  for (const { pixels, delayMs } of pictures) {
    const part = changedPart(pixels, { width, height, shown, indexOf })
    const last = parts.at(-1)
    if (part === undefined && last) last.delayMs += delayMs
    else if (part) parts.push({ ...part, delayMs })
  }
  return Buffer.concat([signature, ...chunks({ width, height, palette, parts })])
}

function* chunks({ width, height, palette, parts }) {
  yield chunk('IHDR', Buffer.concat([numbers(4, width, height), Buffer.from([8, 3, 0, 0, 0])]))
  yield chunk('acTL', numbers(4, parts.length, 0))
  yield chunk('PLTE', Buffer.from(palette.flat()))
  yield chunk('tRNS', Buffer.from([0]))
  let sequence = 0
  for (const [index, { left, top, width: across, height: down, data, delayMs }] of parts.entries()) {
    const place = numbers(4, sequence, across, down, left, top)
    sequence += 1
    yield chunk('fcTL', Buffer.concat([place, numbers(2, Math.min(65_535, delayMs), 1000), Buffer.from([0, 1])]))
    if (index === 0) yield chunk('IDAT', data)
    else {
      yield chunk('fdAT', Buffer.concat([numbers(4, sequence), data]))
      sequence += 1
    }
  }
  yield chunk('IEND', Buffer.alloc(0))
}

/** The smallest rectangle with all changes, compressed; undefined if nothing has changed. */
function changedPart(pixels, { width, height, shown, indexOf }) {
  let [left, top, right, bottom] = [width, height, -1, -1]
  const next = new Uint8Array(width * height)
  for (let at = 0; at < next.length; at += 1) {
    const index = indexOf(pixels[3 * at], pixels[3 * at + 1], pixels[3 * at + 2])
    if (index === shown[at]) continue
    next[at] = index
    shown[at] = index
    const [x, y] = [at % width, Math.floor(at / width)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = y
  }
  if (right < 0) return undefined
  const across = right - left + 1
  const rows = []
  for (let y = top; y <= bottom; y += 1) {
    // Before each row, the number of its filter: none.
    rows.push(Buffer.from([0]), next.subarray(y * width + left, y * width + left + across))
  }
  const data = deflateSync(Buffer.concat(rows), { level: 9 })
  return { left, top, width: across, height: bottom - top + 1, data }
}

/** The most frequent colours, and for each colour the nearest of them. */
function paletteOf(pictures) {
  const counts = new Map()
  for (const { pixels } of pictures) {
    for (let at = 0; at < pixels.length; at += 3) {
      const key = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2]
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([key]) => key)
  const palette = [[0, 0, 0]]
  const known = new Map()
  for (const key of sorted) {
    if (palette.length === 256) break
    const colour = [key >> 16, (key >> 8) & 255, key & 255]
    // Half of the palette is for colours that are rare, and like no other.
    if (palette.length > 128 && palette.slice(1).some((other) => distance(other, colour) < 600)) continue
    known.set(key, palette.length)
    palette.push(colour)
  }
  return { palette, indexOf }

  function indexOf(red, green, blue) {
    const key = (red << 16) | (green << 8) | blue
    const found = known.get(key)
    if (found !== undefined) return found
    let [best, least] = [unchanged + 1, Number.POSITIVE_INFINITY]
    for (let index = 1; index < palette.length; index += 1) {
      const far = distance(palette[index], [red, green, blue])
      if (far < least) [best, least] = [index, far]
    }
    known.set(key, best)
    return best
  }
}

function distance([r, g, b], [red, green, blue]) {
  return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
}

/**
 * The pixels of a PNG of eight bits per channel, without interlacing, as browsers write screenshots.
 *
 * @param {Buffer} png
 * @returns {{ width: number, height: number, pixels: Uint8Array }}
 */
export function decode(png) {
  const parts = chunksOf(png)
  const header = parts.find(({ type }) => type === 'IHDR')?.body
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const channels = { 2: 3, 6: 4 }[header[9]]
  if (channels === undefined || header[8] !== 8 || header[12] !== 0) throw new Error('Not a PNG of this kind')
  const data = parts.filter(({ type }) => type === 'IDAT').map(({ body }) => body)
  const raw = unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels)
  const pixels = new Uint8Array(width * height * 3)
  for (let at = 0; at < width * height; at += 1) pixels.set(raw.subarray(at * channels, at * channels + 3), at * 3)
  return { width, height, pixels }
}

/**
 * @param {Buffer} png
 * @returns {{ type: string, body: Buffer }[]}
 */
export function chunksOf(png) {
  const found = []
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    found.push({ type: png.toString('latin1', at + 4, at + 8), body: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return found
}

function unfiltered(given, rowBytes, channels) {
  const rows = given.length / (rowBytes + 1)
  const out = new Uint8Array(rows * rowBytes)
  for (let row = 0; row < rows; row += 1) {
    const filter = given[row * (rowBytes + 1)]
    for (let x = 0; x < rowBytes; x += 1) {
      const at = row * rowBytes + x
      const left = x < channels ? 0 : out[at - channels]
      const up = row === 0 ? 0 : out[at - rowBytes]
      const corner = x < channels || row === 0 ? 0 : out[at - rowBytes - channels]
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]
      out[at] = given[row * (rowBytes + 1) + 1 + x] + predicted
    }
  }
  return out
}

function paeth(left, up, corner) {
  const estimate = left + up - corner
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([numbers(4, data.length), body, numbers(4, crc32(body))])
}

function numbers(size, ...values) {
  const buffer = Buffer.alloc(size * values.length)
  for (const [index, value] of values.entries()) buffer.writeUIntBE(value, index * size, size)
  return buffer
}

const table = Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value >>> 0
})

/** Node 20 has none. */
function crc32(data) {
  let value = 0xffffffff
  for (const byte of data) value = table[(value ^ byte) & 255] ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
