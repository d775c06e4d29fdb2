/** The nodes that a tree in memory begins with. */

import { FsError } from '../../errors.js'
import { copiedBytes } from '../../text/copied-bytes.js'
import { basename, dirname } from '../path.js'
import type { Bytes } from '../types.js'
import { putChild } from './memory-children.js'
import { checkedPath, type DirectoryNode } from './memory-nodes.js'
import { newDirectory, type OwnedDirectory } from './memory-tree.js'

/** Files by path; a key that ends in `/` is an empty directory. Parents are made as needed. */
export type MemoryTree = Readonly<Record<string, string | Bytes>>

export function seeded(tree: MemoryTree, at: number): DirectoryNode {
  const root = newDirectory(at)
  const directories = new Map<string, OwnedDirectory>([['/', root]])

  function directoryAt(path: string): OwnedDirectory {
    const known = directories.get(path)
    if (known !== undefined) return known
    const parent = directoryAt(dirname(path))
    const name = basename(path)
    if (parent.children.places.has(name)) throw new FsError('NOT_A_DIRECTORY', { path })
    const made = newDirectory(at)
    putChild(parent.children, name, made)
    directories.set(path, made)
    return made
  }

  for (const [key, content] of Object.entries(tree)) {
    const path = checkedPath(key)
    if (key.endsWith('/') || path === '/') {
      directoryAt(path)
      continue
    }
    if (directories.has(path)) throw new FsError('IS_A_DIRECTORY', { path })
    const bytes = typeof content === 'string' ? encoder.encode(content) : copiedBytes(content)
    putChild(directoryAt(dirname(path)).children, basename(path), {
      kind: 'file',
      bytes,
      mode: 0o644,
      modifiedMs: at,
      createdMs: at,
      changedMs: at,
      digest: undefined,
      treeLine: undefined,
    })
  }
  return root
}

const encoder = new TextEncoder()
