import zlibOfNode from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type ZlibOptions, zlib } from '../../bash/programs/node/host/zlib.js'
import { seededRandom } from '../../src/text/seeded-random.js'
import { seeded } from '../scale.js'
import { bothNodes, otherVersion } from './same-as-node.js'

const usual: ZlibOptions = {
  level: -1,
  windowBits: 15,
  memLevel: 8,
  strategy: 0,
  finishFlush: 4,
  maxOutputLength: 2 ** 26,
  flushes: [],
}

/** Text with repetitions, bytes without any, and both. */
function generated(random: () => number): Buffer {
  const size = Math.floor(random() ** 3 * 200_000)
  const words = Array.from({ length: 50 }, () => Math.floor(random() * 1e9).toString(36))
  const share = random()
  const pieces: Buffer[] = []
  for (let length = 0; length < size; length += pieces.at(-1)?.length ?? 0) {
    const word = words[Math.floor(random() * words.length)] as string
    pieces.push(Buffer.from(random() < share ? `${word} ` : [random() * 256, random() * 256]))
  }
  return Buffer.concat(pieces)
}

/** What begins as one of the formats may. */
function begun(random: () => number): Buffer {
  const bytes = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, random() * 256]
  const start = Buffer.from(random() < 0.5 ? bytes : [0x78, 0x9c, random() * 256])
  const at = Math.floor(random() * start.length)
  if (random() < 0.5) start[at] = random() * 256
  return start.subarray(0, Math.floor(random() * (start.length + 1)))
}

/** Cut off, with a wrong bit, or with something behind. */
function damaged(bytes: Buffer, random: () => number): Buffer {
  const kind = Math.floor(random() * 5)
  const at = Math.floor(random() * bytes.length)
  if (kind === 0) return bytes.subarray(0, at)
  if (kind === 1) return Buffer.concat([bytes, Buffer.from([random() * 256, random() * 256, 0])])
  if (kind === 2) return Buffer.concat([bytes, bytes])
  if (kind === 3) return Buffer.concat([bytes, begun(random)])
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8))
  return copy
}

const formats = [
  ['Gzip', 'Gunzip'],
  ['Deflate', 'Inflate'],
  ['DeflateRaw', 'InflateRaw'],
  ['Gzip', 'Unzip'],
  ['Deflate', 'Unzip'],
] as const

type Compress = (bytes: Uint8Array, options?: object) => Buffer
const ofNode = (name: string) =>
  (zlibOfNode as unknown as Record<string, Compress>)[`${name[0]?.toLowerCase()}${name.slice(1)}Sync`] as Compress

function verdictOfNode(kind: string, bytes: Buffer): unknown {
  try {
    return ofNode(kind)(bytes).toString('base64')
  } catch (error) {
    const { message, code, errno } = error as NodeJS.ErrnoException
    return { message, code, errno }
  }
}

test('inflating gives the bytes and the errors of the real zlib, whatever is wrong', () => {
  const random = seededRandom(seeded(1))
  for (let count = 0; count < 150; count += 1) {
    const [deflate, inflate] = formats[count % formats.length] as (typeof formats)[number]
    const whole = ofNode(deflate)(generated(random), { level: Math.floor(random() * 10) })
    const bytes = random() < 0.3 ? whole : damaged(whole, random)
    const found = zlib(inflate, bytes, { options: usual, dictionary: null, isReproducible: false })
    const ours = found instanceof Uint8Array ? Buffer.from(found).toString('base64') : found
    expect(ours, `${inflate} ${bytes.toString('hex').slice(0, 400)}`).toEqual(verdictOfNode(inflate, bytes))
  }
})

test('what has to be the same everywhere is compressed without the platform, and well', () => {
  const random = seededRandom(seeded(2))
  for (let count = 0; count < 30; count += 1) {
    const [deflate, inflate] = formats[count % formats.length] as (typeof formats)[number]
    const bytes = generated(random)
    const options = {
      ...usual,
      level: Math.floor(random() * 10),
      flushes: [[bytes.length >> 1, 3]] as [[number, number]],
    }
    const found = zlib(deflate, bytes, { options, dictionary: null, isReproducible: true }) as Uint8Array
    expect(ofNode(inflate)(found).equals(bytes)).toBe(true)
    const theirs = ofNode(deflate)(bytes, { level: options.level }).length
    expect(found.length).toBeLessThanOrEqual(theirs * 1.1 + 100)
  }
})

describe.skipIf(otherVersion)('the module zlib', () => {
  const { both } = bothNodes()
  const start = `const z = require('zlib')
const { createHash } = require('crypto')
const text = Array.from({ length: 3000 }, (_, at) => 'line ' + at + ' of ' + (at * 7919) % 1000).join('\\n')
const shown = (value) => Buffer.isBuffer(value) ? value.length + ' ' + createHash('md5').update(value).digest('hex') : value
const say = (run) => { try { console.log(shown(run())) } catch (e) { console.log(e.name, e.code, e.errno, e.message) } }
const g = z.gzipSync(text), d = z.deflateSync(text), r = z.deflateRawSync(text)
`
  const scripts: Readonly<Record<string, string>> = {
    'compresses at every level to the same bytes': `for (const kind of ['gzip', 'deflate', 'deflateRaw'])
      for (let level = -1; level <= 9; level++) for (const strategy of [0, 1, 2, 3, 4]) say(() => z[kind + 'Sync'](text, { level, strategy }))
      say(() => z.gzipSync(text, { windowBits: 9, memLevel: 1 }))`,
    'decompresses what it made': `say(() => z.gunzipSync(g)); say(() => z.inflateSync(d)); say(() => z.inflateRawSync(r)); say(() => z.unzipSync(g)); say(() => z.unzipSync(d))
      say(() => z.gunzipSync(Buffer.concat([g, g]))); say(() => z.gunzipSync(Buffer.concat([g, Buffer.alloc(10)]))); say(() => z.gunzipSync(Buffer.concat([g, Buffer.from('abcdefg')])))
      say(() => z.gunzipSync(new Uint8Array(g).buffer)); say(() => z.gunzipSync(g, { info: true }).buffer)`,
    'fails as the original': `say(() => z.gunzipSync(g.subarray(0, 30))); say(() => z.gunzipSync(g.subarray(0, 300), { finishFlush: 2 })); say(() => z.gunzipSync('abc')); say(() => z.gzipSync(5)); say(() => z.inflateSync(d, { maxOutputLength: 10 }))
      for (const options of [{ level: 11 }, { level: 'x' }, { level: Infinity }, { level: NaN }, { chunkSize: 3 }, { windowBits: 3 }, { memLevel: 10 }, { strategy: 5 }, { flush: 9 }, { dictionary: 'x' }]) say(() => z.gzipSync('a', options))
      say(() => z.gzip('a'))`,
    'uses dictionaries': `const dictionary = Buffer.from(text.slice(0, 200)), made = z.deflateSync(text, { dictionary }); say(() => made); say(() => z.inflateSync(made)); say(() => z.inflateSync(made, { dictionary })); say(() => z.inflateSync(made, { dictionary: Buffer.from('other') }))
      say(() => z.inflateRawSync(z.deflateRawSync(text, { dictionary }), { dictionary }))`,
    'knows brotli': `const b = z.brotliCompressSync(text); say(() => b); say(() => z.brotliDecompressSync(b)); say(() => z.brotliDecompressSync('no brotli')); say(() => z.brotliDecompressSync(b.subarray(0, 50)))
      say(() => z.brotliCompressSync(text, { params: { [z.constants.BROTLI_PARAM_QUALITY]: 3 } })); say(() => z.brotliCompressSync(text, { params: { 77: 3 } }))`,
    'has constants, codes and sums': `console.log(z.codes, z.constants, z.Z_BEST_SPEED, Object.keys(z).sort().join()); say(() => z.crc32('hello')); say(() => z.crc32(Buffer.from('hello'), 5)); say(() => z.crc32(5))`,
    'calls back': `z.gzip(text, (e, b) => { console.log(e, shown(b)); z.gunzip(b, (e, b) => { console.log(e, b.length); z.gunzip('x', (e, b) => console.log(e.code, e.errno, b)) }) })
      require('util').promisify(z.deflate)(text, { level: 1 }).then((b) => console.log(shown(b)))`,
    streams: `const { pipeline } = require('stream/promises'), { Readable } = require('stream'), fs = require('fs')
      ;(async () => {
        await pipeline(Readable.from([text, text]), z.createGzip({ level: 9 }), fs.createWriteStream('out.gz'))
        say(() => fs.readFileSync('out.gz'))
        let size = 0
        await pipeline(fs.createReadStream('out.gz'), z.createUnzip(), async function* (source) { for await (const chunk of source) size += chunk.length })
        console.log(size)
        await pipeline(Readable.from(['no gzip']), z.createGunzip(), fs.createWriteStream('bad')).catch((e) => console.log(e.code, e.message))
        const stream = z.createDeflateRaw(), parts = []
        stream.on('data', (part) => parts.push(part))
        stream.write(text.slice(0, 5000))
        await new Promise((done) => stream.flush(done))
        say(() => z.inflateRawSync(Buffer.concat(parts), { finishFlush: 2 }))
        stream.end('the end')
        await new Promise((done) => stream.on('end', done))
        say(() => Buffer.concat(parts)); console.log(stream.bytesWritten, stream instanceof z.DeflateRaw, z.Gzip() instanceof z.Gzip, stream.constructor.name)
      })()`,
  }
  for (const [name, script] of Object.entries(scripts)) {
    test(name, async () => {
      const { ours, theirs } = await both({ 'main.cjs': start + script }, ['main.cjs'])
      expect(ours).toEqual(theirs)
    })
  }

  test('is imported by its names', async () => {
    const main = `import fs from 'node:fs'; import { gzipSync, constants, crc32 } from 'node:zlib'; import * as all from 'zlib'; fs.readdirSync('.'); console.log(gzipSync('a').length, constants.Z_FINISH, crc32('b'), Object.keys(all).sort().join())`
    const { ours, theirs } = await both({ 'main.mjs': main }, ['main.mjs'])
    expect(ours).toEqual(theirs)
  })
})
