import { contentHash, contentHashSync } from '../../change/hash.js'
import { entriesOf, type MemoryNode } from '../../fs/backends/memory-nodes.js'

const encoder = new TextEncoder()

/** Of names, kinds, modes and contents. The node must be from a snapshot: others may still change. */
export async function treeHash(node: MemoryNode): Promise<string> {
  if (node.treeDigest !== undefined) return node.treeDigest
  const content = encoder.encode(`${node.kind} ${node.mode.toString(8)}\n${await contentOf(node)}`)
  const hash = contentHashSync(content) ?? (await contentHash(content))
  // Trees share their nodes, so each is hashed once.
  node.treeDigest = hash
  return hash
}

async function contentOf(node: MemoryNode): Promise<string> {
  if (node.kind === 'symlink') return node.target
  if (node.kind === 'file') {
    node.digest ??= contentHashSync(node.bytes) ?? (await contentHash(node.bytes))
    return node.digest
  }
  let lines = ''
  for (const { name } of entriesOf(node)) {
    const child = node.children.get(name) as MemoryNode
    lines += `${child.treeDigest ?? (await treeHash(child))} ${name}\0`
  }
  return lines
}
