import type { ByteSet } from '../../bytes/byte-sequences.js'
import { type Node, partsOf, some } from './ast.js'
import { rangesOf } from './code-points.js'

/**
 * Every byte that a match can contain, so that a match never extends beyond a run of them. A character beyond ASCII adds all bytes from 0x80
 * on. Undefined if look-around may read further, or if such runs would usually be whole lines.
 */
export function matchBytes(root: Node): ByteSet | undefined {
  if (some(root, ({ kind }) => kind === 'look' || kind === 'back-reference')) return undefined
  const bytes = new Uint8Array(256)
  add(root, bytes)
  return breaks.some((byte) => bytes[byte] === 0) ? bytes : undefined
}

/** Long lines of source text contain all of these. */
const breaks = new TextEncoder().encode(' "(,;=')

function add(node: Node, bytes: ByteSet): void {
  for (const part of partsOf(node)) add(part, bytes)
  if (node.kind !== 'set') return
  for (const [low, high] of rangesOf(node.set)) {
    for (let code = low; code <= high && code < 0x80; code += 1) bytes[code] = 1
    if (high >= 0x80) bytes.fill(1, 0x80)
  }
}
