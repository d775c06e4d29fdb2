/** What changes the entries of a tree in memory, by the rules of a file system. Paths are normalised. */

import { FsError } from '../../errors.js'
import { copiedBytes } from '../../text/copied-bytes.js'
import { dirname, isWithin } from '../path.js'
import type { Bytes, LinkOptions, WriteOptions } from '../types.js'
import { ownerWrites, requireRight } from './memory-nodes.js'
import { type NodeTree, newDirectory } from './memory-tree.js'

export interface MemoryMutations {
  /** `digest` is the SHA-256 of the bytes, if known. */
  write(path: string, data: Bytes, options: WriteOptions & { digest?: string | undefined }): void
  makeDir(path: string): void
  symlink(target: string, path: string, options?: LinkOptions): void
  remove(path: string): void
  rename(from: string, to: string): void
  /** Gives an entry other metadata. */
  amend(path: string, facts: { mode?: number; modifiedMs?: number }): void
}

/** What mutations know about their surroundings. */
export interface MutationOptions {
  now(): number
  /** Called with the paths of entries that have changed. */
  changed(...paths: string[]): void
}

export function memoryMutations(tree: NodeTree, { now, changed }: MutationOptions): MemoryMutations {
  function vacant(path: string): void {
    if (path === '/' || tree.find(path) !== undefined) throw new FsError('EXISTS', { path })
  }

  function amend(path: string, facts: { mode?: number; modifiedMs?: number }): void {
    const node = tree.existing(path)
    if (node.kind === 'symlink') throw new FsError('IS_LINK', { path })
    const next = { ...facts, changedMs: now() }
    if (node.kind === 'directory') tree.amendDirectory(path, node, next)
    else tree.place(path, { ...node, ...next, treeLine: undefined })
    changed(path)
  }

  function write(path: string, data: Bytes, options: WriteOptions & { digest?: string | undefined }): void {
    const { exclusive = false, mode = 0o644, digest } = options
    const before = tree.find(path)
    if (before?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (before !== undefined && exclusive) throw new FsError('EXISTS', { path })
    if (before?.kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (before !== undefined) requireRight(before, ownerWrites, path)
    const at = now()
    tree.place(path, {
      kind: 'file',
      bytes: copiedBytes(data),
      mode: before?.mode ?? mode & 0o7777,
      modifiedMs: at,
      createdMs: before?.createdMs ?? at,
      changedMs: at,
      digest,
      treeLine: undefined,
    })
    changed(path)
  }

  function makeDir(path: string): void {
    vacant(path)
    tree.place(path, newDirectory(now()))
    changed(path)
  }

  function symlink(target: string, path: string, options?: LinkOptions): void {
    // No link leads out of this tree, so a verbatim target comes from another tree and would lead somewhere else here.
    if (options?.verbatim) throw new FsError('OUTSIDE', { path })
    vacant(path)
    const at = now()
    tree.place(path, { kind: 'symlink', target, mode: 0o777, modifiedMs: at, createdMs: at, changedMs: at })
    changed(path)
  }

  function remove(path: string): void {
    if (path === '/') throw new FsError('IS_ROOT', { path })
    const node = tree.existing(path)
    if (node.kind === 'directory' && node.children.places.size > 0) throw new FsError('NOT_EMPTY', { path })
    tree.place(path, undefined)
    changed(path)
  }

  function rename(from: string, to: string): void {
    if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
    const source = tree.existing(from)
    if (from === to) return
    const isDirectory = source.kind === 'directory'
    if (isDirectory && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
    const replaced = tree.find(to)
    if (replaced?.kind === 'directory') {
      if (!isDirectory) throw new FsError('IS_A_DIRECTORY', { path: to })
      if (replaced.children.places.size > 0) throw new FsError('NOT_EMPTY', { path: to })
    } else if (replaced !== undefined && isDirectory) throw new FsError('NOT_A_DIRECTORY', { path: to })
    tree.requireWritable(dirname(from), from)
    tree.requireWritable(dirname(to), to)
    const moved = tree.toMove(source)
    tree.place(from, undefined)
    if (replaced !== undefined) tree.place(to, undefined)
    tree.place(to, Object.assign(moved, { changedMs: now() }))
    changed(from, to)
  }

  return { write, makeDir, symlink, remove, rename, amend }
}
