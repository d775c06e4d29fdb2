import { contentHash, contentHashSync } from '../../change/hash.js'
import type { MemoryNode } from '../../fs/backends/memory-nodes.js'

/** Trees share their nodes, so each is hashed once. */
const hashes = new WeakMap<MemoryNode, string>()
const encoder = new TextEncoder()

/** Of names, kinds, modes and contents. The node must be from a snapshot: others may still change. */
export async function treeHash(node: MemoryNode): Promise<string> {
  const known = hashes.get(node)
  if (known !== undefined) return known
  const content = encoder.encode(`${node.kind} ${node.mode.toString(8)}\n${await contentOf(node)}`)
  const hash = contentHashSync(content) ?? (await contentHash(content))
  hashes.set(node, hash)
  return hash
}

async function contentOf(node: MemoryNode): Promise<string> {
  if (node.kind === 'symlink') return node.target
  if (node.kind === 'file') return contentHashSync(node.bytes) ?? contentHash(node.bytes)
  const lines: string[] = []
  for (const [name, child] of node.children) lines.push(`${hashes.get(child) ?? (await treeHash(child))} ${name}\0`)
  // By code units of the names, which follow hashes of one length.
  return lines.sort((a, b) => (a.slice(64) < b.slice(64) ? -1 : 1)).join('')
}
