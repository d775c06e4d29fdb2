/** A copy of bytes. Not `slice`: of a `Buffer` of Node that is a view of the same memory. */
export function copiedBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
