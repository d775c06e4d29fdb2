/** Searching bytes with the processor's vector instructions, where WebAssembly has them. The source is `kernels.assemblyscript`. */
import type { Bytes } from '../src/fs/types.js'
import { rareBytes } from '../src/search/find-bytes.js'

/** Works on its own memory only: what is to be searched has to be read into it. */
export interface Kernels {
  /** As many bytes as were asked for. */
  readonly buffer: Buffer
  /** `haystack` must lie in `buffer`. With `folded`, ASCII letters match in either case, and the needle has them small. */
  find(haystack: Bytes, needle: Bytes, from: number, folded: boolean): number
  /** `bytes` must lie in `buffer`. */
  countBreaks(bytes: Bytes): { lineFeeds: number; hasReturns: boolean }
  holds(bytes: Bytes): boolean
}

/** The longest needle. */
export const maxNeedleBytes = 256

const needles = 16
const slotBytes = 2 * maxNeedleBytes
const dataAt = needles * slotBytes
/** Read past the end, and of no meaning. */
const padding = 64

interface Exports {
  /** Line feeds, times two, and one more if there is a carriage return. */
  breaks(from: number, end: number): number
  find(from: number, end: number, needle: number, mask: number, length: number, first: number, second: number): number
}

/** Undefined where WebAssembly or its vectors are missing. */
export function createKernels(bytes: number): Kernels | undefined {
  const compiled = compile()
  if (compiled === undefined) return undefined
  const memory = new WebAssembly.Memory({ initial: Math.ceil((dataAt + bytes + padding) / 65_536) })
  // The module's exports are those of its source.
  const run = new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Exports
  const all = Buffer.from(memory.buffer)
  const slots = new Map<Bytes, Slot>()

  /** A needle is put into the memory once, not for every file. */
  function slotOf(needle: Bytes, folded: boolean): Slot {
    const known = slots.get(needle)
    if (known?.folded === folded) return known
    if (slots.size >= needles) slots.clear()
    const at = slots.size * slotBytes
    const [first, second] = rareBytes(needle)
    all.set(needle, at)
    needle.forEach((byte, i) => {
      all[at + maxNeedleBytes + i] = folded && byte >= 0x61 && byte <= 0x7a ? 0x20 : 0
    })
    const slot = { at, first, second, folded }
    slots.set(needle, slot)
    return slot
  }

  return {
    buffer: all.subarray(dataAt, dataAt + bytes),
    holds: (candidate) => candidate.buffer === memory.buffer,
    find(haystack, needle, from, folded) {
      const { at, first, second } = slotOf(needle, folded)
      const start = haystack.byteOffset
      const end = start + haystack.byteLength
      const found = run.find(start + from, end, at, at + maxNeedleBytes, needle.length, first, second)
      return found < 0 ? -1 : found - start
    },
    countBreaks({ byteOffset, byteLength }) {
      const counted = run.breaks(byteOffset, byteOffset + byteLength)
      return { lineFeeds: counted >> 1, hasReturns: (counted & 1) === 1 }
    },
  }
}

interface Slot {
  at: number
  /** Where the two rarest bytes stand. */
  first: number
  second: number
  folded: boolean
}

function compile(): WebAssembly.Module | undefined {
  try {
    return new WebAssembly.Module(Buffer.from(code, 'base64'))
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError || error instanceof ReferenceError)) throw error
    return undefined
  }
}

const code =
  'AGFzbQEAAAABEgJgB39/f39/f38Bf2ACf38BfwIPAQNlbnYGbWVtb3J5AgABAwMCAAEHGgMGYnJlYWtzAAEEZmluZAAABm1lbW9yeQIACrIEAq' +
  '4CAgN/BnsgASAAayAESSAAIAFLcgRAQX8PCyABIARrIQggAiAFaiwAAP0PIQogAyAFaiwAAP0PIQsgAiAGaiwAAP0PIQwgAyAGaiwAAP0PIQ0D' +
  'QCAAIAhNBEAgACAFaiIB/QAEACAL/VAgCv0jIAAgBmoiB/0ABAAgDf1QIAz9I/1OIg4gAf0ABBAgC/1QIAr9IyAH/QAEECAN/VAgDP0j/U4iD/' +
  '1Q/VMEQCAO/WQgD/1kQRB0ciEHA0AgBwRAIAggACAHaGoiCUkEQEF/DwtBACEBA0AgASAESQR/IAEgAmotAAAgASAJai0AACABIANqLQAAckYF' +
  'QQALBEAgAUEBaiEBDAELCyABIARGBEAgCQ8LIAcgB0EBa3EhBwwBCwsLIABBIGohAAwBCwtBfwv/AQIDfwN7A0AgAEEQaiABTQRA/QwAAAAAAA' +
  'AAAAAAAAAAAAAAIQUgAEHwH2oiAiABSwRAIAAgASAAa0FwcWohAgsDQCAAIAJJBEAgBSAA/QAEACIH/QwKCgoKCgoKCgoKCgoKCgoK/SP9cSEF' +
  'IAYgB/0MDQ0NDQ0NDQ0NDQ0NDQ0NDf0j/VAhBiAAQRBqIQAMAQsLIAMgBf19/X4iBf0bACAF/RsBaiAF/RsCaiAF/RsDamohAwwBCwsgBv1TQQ' +
  'BHIQIDQCAAIAFJBEAgAC0AACIEQQpGBEAgA0EBaiEDBUEBIAIgBEENRhshAgsgAEEBaiEADAELCyADQQF0IAJyCw=='
