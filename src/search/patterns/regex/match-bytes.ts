import type { ByteSet } from '../../bytes/byte-sequences.js'
import { type Node, partsOf, some } from './ast.js'
import { rangesOf } from './code-points.js'

/**
 * Every byte that a match can have in it, so that a match never goes beyond a run of them. A character beyond ASCII stands for all bytes
 * of such. Undefined where a look around may reach further, or where such runs would be whole lines.
 */
export function matchBytes(root: Node): ByteSet | undefined {
  if (some(root, ({ kind }) => kind === 'look' || kind === 'back-reference')) return undefined
  const bytes = new Uint8Array(256)
  add(root, bytes)
  return breaks.some((byte) => bytes[byte] === 0) ? bytes : undefined
}

/** What stands in every line of source text that is long. */
const breaks = new TextEncoder().encode(' "(,;=')

function add(node: Node, bytes: ByteSet): void {
  for (const part of partsOf(node)) add(part, bytes)
  if (node.kind !== 'set') return
  for (const [low, high] of rangesOf(node.set)) {
    for (let code = low; code <= high && code < 0x80; code += 1) bytes[code] = 1
    if (high >= 0x80) bytes.fill(1, 0x80)
  }
}
