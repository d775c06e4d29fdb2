/** Compresses a stream in bzip2 format. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ByteReader } from '../../../io/streams.js'
import type { Meter } from '../codec.js'
import { bitWriter } from './bit-writer.js'
import { combined, crcTable, initialCrc } from './crc.js'
import { writeBlock } from './write-block.js'

const unit = 100_000
/** What a block leaves free at its end. */
const reserve = 19
const longestRun = 255
/** What sorting a block needs, in bytes for each of its bytes. */
const sortingShare = 12

/** The level, 1 to 9, is the size of a block in units of 100,000 bytes. */
export async function* bzip2Pieces(reader: ByteReader, level: number, meter: Meter): AsyncGenerator<Bytes> {
  const out = bitWriter()
  const limit = level * unit - reserve
  const block = new Uint8Array(level * unit)
  meter.account(level * unit * sortingShare)
  let size = 0
  let crc = initialCrc
  let streamCrc = 0
  let runByte = -1
  let runLength = 0

  /** Four equal bytes are followed by how many more there are. */
  function addRun(): void {
    if (runLength === 0) return
    for (let times = 0; times < runLength; times += 1) {
      crc = (crc << 8) ^ (crcTable[(crc >>> 24) ^ runByte] as number)
    }
    const shown = Math.min(4, runLength)
    block.fill(runByte, size, size + shown)
    size += shown
    if (runLength >= 4) {
      block[size] = runLength - 4
      size += 1
    }
    runLength = 0
  }

  function endBlock(): void {
    if (size === 0) return
    meter.step()
    writeBlock(out, block.subarray(0, size), ~crc)
    streamCrc = combined(streamCrc, ~crc)
    size = 0
    crc = initialCrc
  }

  for (const byte of [0x42, 0x5a, 0x68, 0x30 + level]) out.put(8, byte)
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    for (let at = 0; at < chunk.length; at += 1) {
      if (size >= limit) {
        endBlock()
        yield out.take()
      }
      const byte = chunk[at] as number
      if (byte === runByte && runLength < longestRun) {
        runLength += 1
        continue
      }
      addRun()
      runByte = byte
      runLength = 1
    }
  }
  addRun()
  endBlock()
  for (const byte of [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]) out.put(8, byte)
  out.put(16, streamCrc >>> 16)
  out.put(16, streamCrc & 0xffff)
  out.finish()
  yield out.take()
}
