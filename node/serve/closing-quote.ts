import { createKernels, type Kernels } from '../../src/search/bytes/kernels/kernels.js'
import { backslashesBefore, closingQuote as portable } from '../../src/text/json-scanner.js'

/** How much is looked at first, and at most at once. */
const firstBytes = 1024
const mostBytes = 64 * 1024

/** Made for the first long string: few messages have one. */
let kernels: Kernels | 'none' | undefined

/** Finds the first quote at or after `from`, inside a JSON string, that no backslash escapes; -1 for none. With vector code, where there is some. */
export function closingQuote(bytes: Uint8Array, from: number): number {
  kernels ??= createKernels(mostBytes) ?? 'none'
  if (kernels === 'none') return portable(bytes, from)
  let at = from
  for (let most = firstBytes; at < bytes.length; most = Math.min(4 * most, mostBytes)) {
    const end = Math.min(at + most, bytes.length)
    kernels.buffer.set(bytes.subarray(at, end))
    const found = kernels.closingQuote(kernels.view(end - at), 0)
    if (found !== -1) return at + found
    // An escape may extend beyond this part.
    at = end + (backslashesBefore(bytes, end, at) % 2)
  }
  return -1
}
