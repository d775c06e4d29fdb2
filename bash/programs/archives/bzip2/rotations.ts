/** The Burrows-Wheeler transform: the last bytes of all rotations of a block, in the order of the rotations. */
import { suffixOrder } from './suffix-order.js'

export interface Transformed {
  lastBytes: Uint8Array
  /** The place of the block itself among its rotations. */
  origin: number
}

/**
 * Rotations are sorted as suffixes: those of the least rotation have the same order, if it is not a repetition.
 * If it is, the rotations of what is repeated are sorted, and each occurs as many times.
 */
export function transform(block: Uint8Array): Transformed {
  const length = block.length
  const least = leastRotation(block)
  const turned = new Uint8Array(length)
  turned.set(block.subarray(least))
  turned.set(block.subarray(0, least), length - least)
  const period = periodOf(turned)
  const order = suffixOrder(turned.subarray(0, period), 256)
  const times = length / period
  const lastBytes = new Uint8Array(length)
  // Where the block starts in the rotation that is sorted.
  const home = (length - least) % period
  let origin = 0
  for (let index = 0; index < period; index += 1) {
    const start = order[index] as number
    if (start === home) origin = index * times
    lastBytes.fill(turned[start === 0 ? period - 1 : start - 1] as number, index * times, (index + 1) * times)
  }
  return { lastBytes, origin }
}

function leastRotation(block: Uint8Array): number {
  const length = block.length
  let [best, other, same] = [0, 1, 0]
  while (best < length && other < length && same < length) {
    const left = block[(best + same) % length] as number
    const right = block[(other + same) % length] as number
    if (left === right) {
      same += 1
      continue
    }
    if (left > right) best += same + 1
    else other += same + 1
    if (best === other) other += 1
    same = 0
  }
  return Math.min(best, other)
}

/** The length of the shortest text that this is a repetition of. The text is its own least rotation. */
function periodOf(text: Uint8Array): number {
  let period = 1
  for (let at = 1; at < text.length; at += 1) {
    const [here, before] = [text[at] as number, text[at - period] as number]
    if (here !== before) period = at + 1
  }
  return text.length % period === 0 ? period : text.length
}
