/** Compresses small content synchronously, where Node can: a stream of the platform takes longer to begin. */

type Format = 'zlib' | 'raw'

/** Up to this size a stream takes longer. */
const smallBytes = 16_384

/** Not imported: browsers load this module too, and have nothing like it. */
const zlibOfNode = globalThis.process?.getBuiltinModule?.('node:zlib')

/** Whether content of this size can be compressed by `deflateSmall`. */
export function deflatesSmall(size: number): boolean {
  return zlibOfNode !== undefined && size <= smallBytes
}

/** Undefined unless `deflatesSmall`. */
export function deflateSmall(bytes: Uint8Array, format: Format): Uint8Array<ArrayBuffer> | undefined {
  if (zlibOfNode === undefined || bytes.length > smallBytes) return undefined
  // Copied: what Node returns is a part of a larger buffer.
  return new Uint8Array(format === 'zlib' ? zlibOfNode.deflateSync(bytes) : zlibOfNode.deflateRawSync(bytes))
}
