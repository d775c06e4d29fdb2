/** What we compute ourselves because it is faster, compared with the platform on every file of this repository: data of real sizes. */
import { isUtf8 as isUtf8OfNode } from 'node:buffer'
import { createHash } from 'node:crypto'
import { gzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { portableSha1 } from '../../src/fs/digests/sha1.js'
import { portableSha256, sha256InPieces } from '../../src/fs/digests/sha256.js'
import { crc32 } from '../../src/text/crc32.js'
import { decode, isUtf8 } from '../../src/text/decode/decode.js'
import { encodeText, openText } from '../../src/text/decode/document.js'
import { decodeWindows1252, windows1252AsUtf8, windows1252Unit } from '../../src/text/decode/windows-1252.js'
import { deflateSmall } from '../../src/text/deflate-small.js'
import { countBreaks } from '../../src/text/lines/count-line-breaks.js'
import { findLines, utf8Length } from '../../src/text/lines/lines.js'
import { utf8Bytes } from '../../src/text/utf8-bytes.js'
import { trackedFiles } from '../repository-files.js'

const files = [...trackedFiles({ maxBytes: 4 * 1024 * 1024 })]

/** The names of those that differ. */
function differing(isSame: (bytes: Buffer) => boolean): string[] {
  expect(files.length).toBeGreaterThan(1000)
  return files.flatMap(({ path, bytes }) => (isSame(bytes) ? [] : [path]))
}

function ofOpenSsl(algorithm: string, bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest('hex')
}

test('digests are those of OpenSSL', () => {
  const isSame = (bytes: Buffer) => {
    const inPieces = sha256InPieces()
    for (let at = 0; at < bytes.length; at += 10_007) inPieces.add(bytes.subarray(at, at + 10_007))
    const [one, other] = [portableSha1(), ofOpenSsl('sha256', bytes)]
    one.update(bytes)
    if (Buffer.from(one.digest()).toString('hex') !== ofOpenSsl('sha1', bytes)) return false
    return portableSha256(bytes) === other && inPieces.end() === other
  }
  expect(differing(isSame)).toEqual([])
})

test('the checksum is that of zlib, whole and continued', () => {
  const isSame = (bytes: Buffer) => {
    const packed = gzipSync(bytes, { level: 0 })
    const middle = bytes.length >> 1
    const ofZlib = packed.readUInt32LE(packed.length - 8)
    return crc32(bytes) === ofZlib && crc32(bytes.subarray(middle), crc32(bytes.subarray(0, middle))) === ofZlib
  }
  expect(differing(isSame)).toEqual([])
})

test('what is small is compressed so that zlib reads it', () => {
  let small = 0
  const isSame = (bytes: Buffer) => {
    const [raw, zlib] = [deflateSmall(bytes, 'raw'), deflateSmall(bytes, 'zlib')]
    if (raw === undefined || zlib === undefined) return raw === zlib
    small += 1
    return inflateRawSync(raw).equals(bytes) && inflateSync(zlib).equals(bytes)
  }
  expect(differing(isSame)).toEqual([])
  expect(small).toBeGreaterThan(1000)
})

test('text is what the platform decodes and encodes', () => {
  // Byte by byte: the decoder of Node 20 takes Windows-1252 for Latin-1.
  const unitOf = Array.from({ length: 256 }, (_, byte) => windows1252Unit(byte))
  const isSame = (bytes: Buffer) => {
    if (isUtf8(bytes) !== isUtf8OfNode(bytes)) return false
    const units = Uint16Array.from(bytes, (byte) => unitOf[byte] as number)
    const characters = Buffer.from(units.buffer).toString('utf16le')
    if (decodeWindows1252(bytes) !== characters) return false
    if (!Buffer.from(characters).equals(windows1252AsUtf8(bytes))) return false
    const { text, encoding } = decode(bytes)
    if (encoding === 'utf-8' && text !== new TextDecoder().decode(bytes)) return false
    if (utf8Length(text) !== Buffer.byteLength(text) || !Buffer.from(text).equals(utf8Bytes(text))) return false
    return bytes.equals(encodeText(openText(bytes)))
  }
  expect(differing(isSame)).toEqual([])
})

test('lines are those that a regular expression finds', () => {
  const isSame = (bytes: Buffer) => {
    const text = bytes.toString('latin1')
    const { starts } = findLines(text, 'any')
    const expected = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ index, 0: found }) => index + found.length)]
    if (starts.length !== expected.length || starts.some((start, at) => start !== expected[at])) return false
    const { lineFeeds } = countBreaks(bytes)
    return lineFeeds === (text.match(/\n/g) ?? []).length
  }
  expect(differing(isSame)).toEqual([])
})
