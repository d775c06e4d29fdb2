/**
 * Checks a pack that a server has sent before other code unpacks it, which trusts the sizes in it: it must be whole, and everything in it
 * within the limits. A megabyte can claim to be a gigabyte, and differences can multiply that.
 */
import { sha1 } from '../../fs/digests/sha1.js'
import type { Bytes } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { toHex } from '../../text/hex.js'
import { damaged } from '../damaged.js'
import { createBudget, limits, tooLarge } from '../limits.js'
import { deltaSizes } from './delta.js'
import { inflateSync } from './inflate.js'
import { maxRatio } from './pack-reader.js'

const headerBytes = 12
const checksumBytes = 20

/** Types of objects that are stored as a difference to another one. */
const ofsDelta = 6
const refDelta = 7

export interface CheckPackOptions {
  /** Called from time to time; may throw. */
  check?: () => void
  onProgress?: (progress: { done: number; total: number }) => void
}

/** What errors call it. */
export const receivedPack = 'the pack that the server has sent'

/** The number of objects in it. */
export async function checkPack(pack: Bytes, { check, onProgress }: CheckPackOptions = {}): Promise<number> {
  const subject = receivedPack
  const end = pack.length - checksumBytes
  if (end < headerBytes) throw damaged(subject)
  const view = new DataView(pack.buffer, pack.byteOffset, pack.length)
  const total = view.getUint32(8)
  if (view.getUint32(0) !== 0x5041434b || view.getUint32(4) !== 2) throw damaged(subject)
  if (toHex(await sha1(pack.subarray(0, end))) !== toHex(pack.subarray(end))) throw damaged(subject)
  const turn = yieldBetweenSteps(check)
  const budget = createBudget()
  let at = headerBytes

  function next(): number {
    if (at >= end) throw damaged(subject)
    at += 1
    return pack[at - 1] as number
  }

  function skipDistance(): void {
    let byte = next()
    while (byte >= 0x80) byte = next()
  }

  for (let done = 0; done < total; done += 1) {
    const pause = turn()
    if (pause) {
      onProgress?.({ done, total })
      await pause
    }
    let byte = next()
    const type = (byte >> 4) & 7
    let size = byte & 15
    for (let factor = 16; byte >= 0x80 && factor < 2 ** 50; factor *= 128) {
      byte = next()
      size += (byte & 0x7f) * factor
    }
    if (type === 0 || type === 5) throw damaged(subject)
    if (type === ofsDelta) skipDistance()
    if (type === refDelta) at += 20
    hold(size)
    // Without this, a pack of a few bytes could have much memory reserved.
    if (size > (end - at) * maxRatio) throw damaged(subject)
    const found = inflateSync(pack.subarray(at, end), size)
    if (found?.ends !== true || found.content.length !== size) throw damaged(subject)
    // A checksum follows the compressed bytes.
    at += found.end + 4
    if (type < ofsDelta) continue
    const sizes = deltaSizes(found.content)
    if (sizes === undefined) throw damaged(subject)
    hold(sizes.result)
  }
  if (at !== end) throw damaged(subject)
  return total

  function hold(size: number): void {
    if (size > limits.wholeBytes) throw tooLarge('an object', limits.wholeBytes)
    budget.spend(size)
  }
}
