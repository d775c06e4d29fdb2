/** The transactional facet of a tree in memory. */

import { FsError } from '../../errors.js'
import { copiedBytes } from '../../text/copied-bytes.js'
import { sha256, sha256Soon } from '../digests/sha256.js'
import { gather } from '../pieces.js'
import { processMemory } from '../transactional.js'
import type { AtomicAction, StageOptions, StatAndBytes, TransactionalFileSystem } from '../transactional-types.js'
import type { Bytes } from '../types.js'
import type { MemoryMutations, MutationOptions } from './memory-mutations.js'
import { operation, perform, readableFile, statOf } from './memory-nodes.js'
import type { NodeTree } from './memory-tree.js'

export function memoryTransactional(
  tree: NodeTree,
  { write, makeDir, symlink, remove, rename, amend }: MemoryMutations,
  { now, changed }: MutationOptions,
): TransactionalFileSystem {
  function statAndRead(path: string, maxBytes: number): StatAndBytes {
    const node = tree.existing(path)
    const stat = statOf(node)
    if (node.kind !== 'file' || node.bytes.length > maxBytes) return { stat }
    const { bytes } = readableFile(node, path)
    node.digest ??= sha256Soon(bytes)
    return node.digest === undefined ? { stat, bytes } : { stat, bytes, hash: node.digest }
  }

  function stage(path: string, bytes: Bytes, { replaces, mode, hash }: StageOptions): void {
    const replaced = mode === undefined && replaces !== undefined ? perform(replaces, tree.existing) : undefined
    const given = mode ?? replaced?.mode
    write(path, bytes, { digest: hash, ...(given !== undefined && { mode: given }) })
  }

  /** As a file that is staged and renamed into place: it is a new one, and the times of its directory change. */
  function put({ path, bytes, hash, expects, mode, modifiedMs }: AtomicAction & { do: 'write' }): void {
    const before = tree.find(path)
    if (before?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (before?.kind === 'symlink') throw new FsError('IS_LINK', { path })
    expectContent(path, expects)
    const at = now()
    tree.replace(path, {
      kind: 'file',
      bytes: copiedBytes(bytes),
      mode: (mode ?? before?.mode ?? 0o644) & 0o7777,
      modifiedMs: modifiedMs ?? at,
      createdMs: at,
      changedMs: at,
      digest: hash,
      treeLine: undefined,
    })
    changed(path)
  }

  function expectContent(path: string, hash: string | undefined): void {
    if (hash === undefined) return
    const node = tree.find(path)
    if (node?.kind !== 'file') throw new FsError('CONFLICT', { path })
    node.digest ??= sha256(node.bytes)
    if (node.digest !== hash) throw new FsError('CONFLICT', { path })
  }

  function act(action: AtomicAction): void {
    const { path } = action
    if (action.do === 'write') put(action)
    else if (action.do === 'rename') rename(path, action.to)
    else if (action.do === 'setMode') amend(path, { mode: action.mode & 0o7777 })
    else if (action.do === 'remove') {
      expectContent(path, action.expects)
      remove(path)
    } else if (action.do === 'makeDir') {
      makeDir(path)
      if (action.mode !== undefined) amend(path, { mode: action.mode & 0o7777 })
    } else symlink(action.target, path, action)
  }

  return {
    atomic: {
      unit: processMemory,
      onlyTogether: true,
      apply(actions, { before, after } = {}) {
        tree.together(() => {
          before?.()
          for (const action of actions) perform(action.path, (path) => act({ ...action, path }))
          after?.()
        })
      },
    },
    statAndRead: (path, maxBytes) => operation(path, (at) => statAndRead(at, maxBytes)),
    async stageFile(path, content, options) {
      const bytes = content instanceof Uint8Array ? content : await gather(content)
      perform(path, (at) => stage(at, bytes, options))
    },
    rename: (from, to) => operation(from, (at) => perform(to, (target) => rename(at, target))),
    remove: (path) => operation(path, remove),
    sync: {
      statAndRead: (path, maxBytes) => perform(path, (at) => statAndRead(at, maxBytes)),
      stageFile: (path, bytes, options) => void perform(path, (at) => stage(at, bytes, options)),
      rename: (from, to) => void perform(from, (at) => perform(to, (target) => rename(at, target))),
    },
  }
}
