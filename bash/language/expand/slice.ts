/** `${x:offset:length}` of texts and arrays. */

export function sliceText(text: string, offset: number, length: number | undefined, fault: () => unknown): string {
  // Without pairs of surrogates a character is a unit.
  const characters = /[\ud800-\udbff]/.test(text) ? [...text] : text
  const size = characters.length
  const start = offset < 0 ? size + offset : offset
  if (start < 0 || start > size) return ''
  const end = length === undefined ? size : length < 0 ? size + length : Math.min(size, start + length)
  if (end < start) throw fault()
  const piece = characters.slice(start, end)
  return typeof piece === 'string' ? piece : piece.join('')
}

export interface SliceRange {
  offset: number
  length: number | undefined
}

/** `indexes`: those of the values in a sparse array; absent: they are counted. */
export function sliceList(
  values: readonly string[],
  indexes: readonly number[] | undefined,
  { offset, length }: SliceRange,
  fault: () => unknown,
): readonly string[] {
  if (length !== undefined && length < 0) throw fault()
  const end = indexes === undefined ? values.length : (indexes.at(-1) ?? -1) + 1
  const start = offset < 0 ? end + offset : offset
  if (start < 0) return []
  const first = indexes === undefined ? start : indexes.findIndex((index) => index >= start)
  if (first < 0) return []
  return values.slice(first, length === undefined ? undefined : first + length)
}
