/** Parts of text by their places. */
import { indexOf, textOf } from '../values/numbers.js'
import type { Scalar, Value } from '../values/values.js'
import type { Compiler } from './compiler.js'

/** The part's place in a text of this length; undefined outside of it. */
export function partOf(
  length: number,
  startValue: Value,
  lengthValue: Value,
): [start: number, end: number] | undefined {
  let start = indexOf(startValue)
  if (start < 0) start += length
  let end = length
  if (lengthValue !== undefined) {
    const count = indexOf(lengthValue)
    end = count < 0 ? length + count : start + count
  }
  if (start > length || (start < 0 && end < 0)) return undefined
  if (start < 0 && lengthValue === undefined) start = 0
  start = Math.max(0, start)
  return [start, Math.max(start, Math.min(length, end))]
}

export function replacePart(
  runtime: Compiler['runtime'],
  cell: Scalar,
  start: Value,
  length: Value,
  by: string,
): string {
  const text = textOf(cell.value)
  const span = partOf(text.length, start, length)
  if (span === undefined) return runtime.die('substr outside of string')
  cell.set(text.slice(0, span[0]) + by + text.slice(span[1]))
  return text.slice(span[0], span[1])
}
