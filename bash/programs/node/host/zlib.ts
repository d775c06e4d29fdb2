/**
 * What is behind the module `zlib`: streams of which all bytes are there. Inflating is the same on every platform. For compressing, the platform's
 * own zlib is asked where there is one, because others choose other bytes; brotli is the platform's alone.
 */
import { copiedBytes } from '../../../../src/text/copied-bytes.js'
import { joinBytes } from '../../../../src/text/join-bytes.js'
import {
  Z_BUF_ERROR,
  Z_FINISH,
  Z_NEED_DICT,
  type Z_NO_FLUSH,
  Z_OK,
  Z_STREAM_END,
  ZStream,
  zlibDeflate,
  zlibDeflateInit2,
  zlibDeflateSetDictionary,
  zlibInflate,
  zlibInflateInit2,
  zlibInflateReset,
  zlibInflateSetDictionary,
} from '../../../../src/text/pako.js'
import type { Value } from '../engine/machine.js'

type Bytes = Uint8Array

/** As the library has checked them. */
export interface ZlibOptions {
  level: number
  windowBits: number
  memLevel: number
  strategy: number
  finishFlush: number
  maxOutputLength: number
  /** Where the stream was flushed, and how. */
  flushes: ReadonlyArray<[at: number, how: number]>
  /** Of brotli. */
  params?: Record<string, number>
}

/** The output, or what went wrong in the words of zlib. */
type Outcome = Bytes | { message: string; code: string; errno: number } | { tooLarge: true } | { missing: true }

interface Given {
  options: ZlibOptions
  dictionary: Bytes | null
  /** Every platform has to give the same bytes. */
  isReproducible: boolean
}

/** Not imported: browsers load this module too, and have nothing like it. */
const ofPlatform = globalThis.process?.getBuiltinModule?.('node:zlib') as Platform | undefined

/** Its functions by their names. */
type Platform = Record<string, (bytes: Bytes, options: object) => Bytes>
type Compressor = 'Deflate' | 'Gzip' | 'DeflateRaw'

const chunkBytes = 65_536

export function zlib(kind: string, bytes: Bytes, given: Given): Value {
  const outcome = run(kind, bytes, given)
  return outcome instanceof Uint8Array ? copiedBytes(outcome) : { ...outcome }
}

function run(kind: string, bytes: Bytes, given: Given): Outcome {
  if (kind.startsWith('Brotli')) return brotli(kind, bytes, given)
  if (kind === 'Deflate' || kind === 'Gzip' || kind === 'DeflateRaw') {
    // The platform's can't be flushed without waiting.
    return ofPlatform === undefined || given.isReproducible || given.options.flushes.length > 0
      ? deflated(kind, bytes, given)
      : deflatedByPlatform(kind, bytes, given)
  }
  return inflated(kind, bytes, given)
}

/** Members of gzip may follow each other. What `Unzip` takes for gzip by its first bytes is so too. */
function mayFollow(kind: string, [first, second]: Bytes): boolean {
  return kind === 'Gunzip' || (kind === 'Unzip' && first === 0x1f && (second === 0x8b || second === undefined))
}

/** For zlib, bits for the format are in the size of the window. */
function windowOf(kind: string, bits: number): number {
  if (kind.endsWith('Raw')) return -bits
  // Each member says which format it has.
  if (kind === 'Unzip') return bits + 32
  return kind === 'Gunzip' || kind === 'Gzip' ? bits + 16 : bits
}

function inflated(kind: string, bytes: Bytes, { options, dictionary }: Given): Outcome {
  const stream = new ZStream()
  zlibInflateInit2(stream, windowOf(kind, options.windowBits))
  if (kind === 'InflateRaw' && dictionary !== null) zlibInflateSetDictionary(stream, dictionary)
  stream.input = bytes
  stream.next_in = 0
  stream.avail_in = bytes.length
  const output = outputOf(stream, options.maxOutputLength)
  const hasMembers = mayFollow(kind, bytes)
  const step = () => {
    const status = zlibInflate(stream, options.finishFlush as typeof Z_FINISH)
    if (status !== Z_NEED_DICT || dictionary === null) return status
    return zlibInflateSetDictionary(stream, dictionary) === Z_OK
      ? zlibInflate(stream, options.finishFlush as typeof Z_FINISH)
      : 'bad dictionary'
  }
  for (;;) {
    output.makeRoom()
    let status = step()
    // Zeros may follow the last.
    while (status === Z_STREAM_END && hasMembers && stream.avail_in > 0 && bytes[stream.next_in] !== 0) {
      zlibInflateReset(stream)
      status = step()
    }
    if (status === 'bad dictionary') return failed('Bad dictionary', 'Z_NEED_DICT', Z_NEED_DICT)
    if (status === Z_NEED_DICT) return failed('Missing dictionary', 'Z_NEED_DICT', Z_NEED_DICT)
    if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) {
      return failed(stream.msg || 'Zlib error', codes[-status] ?? 'Z_ERRNO', Number(status))
    }
    if (output.isTooLarge()) return { tooLarge: true }
    if (stream.avail_out === 0 && status !== Z_STREAM_END) continue
    if (status !== Z_STREAM_END && options.finishFlush === Z_FINISH) {
      return failed('unexpected end of file', 'Z_BUF_ERROR', Z_BUF_ERROR)
    }
    return output.all()
  }
}

function deflated(kind: string, bytes: Bytes, { options, dictionary }: Given): Outcome {
  const { level, windowBits, memLevel, strategy } = options
  const stream = new ZStream()
  zlibDeflateInit2(stream, level, 8, windowOf(kind, windowBits), memLevel, strategy as 0)
  if (dictionary !== null) zlibDeflateSetDictionary(stream, dictionary)
  stream.input = bytes
  stream.next_in = 0
  const output = outputOf(stream, options.maxOutputLength)
  for (const [end, how] of [...options.flushes, [bytes.length, options.finishFlush] as const]) {
    stream.avail_in = end - stream.next_in
    for (;;) {
      output.makeRoom()
      const status = zlibDeflate(stream, how as typeof Z_NO_FLUSH)
      if (output.isTooLarge()) return { tooLarge: true }
      if (stream.avail_out > 0 || status === Z_STREAM_END) break
    }
  }
  return output.all()
}

/** Collects what a stream puts out. */
function outputOf(stream: ZStream, maxBytes: number) {
  const chunks: Bytes[] = []
  let size = 0
  const filled = () => (stream.output as Bytes).subarray(0, stream.next_out)
  return {
    makeRoom() {
      if (stream.avail_out > 0) return
      if (stream.next_out > 0) {
        chunks.push(filled())
        size += stream.next_out
      }
      stream.output = new Uint8Array(chunkBytes)
      stream.next_out = 0
      stream.avail_out = chunkBytes
    },
    isTooLarge: () => size + stream.next_out > maxBytes,
    all: () => joinBytes([...chunks, filled()]),
  }
}

function deflatedByPlatform(kind: Compressor, bytes: Bytes, given: Given): Outcome {
  const { options, dictionary } = given
  const { flushes: _, params: __, ...rest } = options
  const own = { ...rest, ...(dictionary !== null && { dictionary }) }
  return byPlatform(() => ofPlatform?.[syncName(kind)]?.(bytes, own))
}

function brotli(kind: string, bytes: Bytes, { options, isReproducible }: Given): Outcome {
  const isPlain = kind === 'BrotliDecompress' || !isReproducible
  const { params, maxOutputLength } = options
  if (!isPlain || options.flushes.length > 0) return { missing: true }
  return byPlatform(() => ofPlatform?.[syncName(kind)]?.(bytes, { ...(params && { params }), maxOutputLength }))
}

const syncName = (kind: string) => `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}Sync`

function byPlatform(compress: () => Bytes | undefined): Outcome {
  try {
    return compress() ?? { missing: true }
  } catch (error) {
    const { message, code = '', errno } = error as { message: string; code?: string; errno?: number }
    if (code === 'ERR_BUFFER_TOO_LARGE') return { tooLarge: true }
    if (errno === undefined) throw error
    return failed(message, code, errno)
  }
}

const codes = ['Z_OK', 'Z_ERRNO', 'Z_STREAM_ERROR', 'Z_DATA_ERROR', 'Z_MEM_ERROR', 'Z_BUF_ERROR', 'Z_VERSION_ERROR']

function failed(message: string, code: string, errno: number): Outcome {
  return { message, code, errno }
}
