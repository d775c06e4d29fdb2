/** The changes of a tree in a database or a store, each within a transaction that is in progress. */
import { FsError } from '../../../errors.js'
import { basename, dirname, isWithin } from '../../path.js'
import type { AtomicAction, StageOptions } from '../../transactional-types.js'
import type { Bytes, WriteOptions } from '../../types.js'
import { type DirectoryEntryOf, type FileEntryOf, ownerWrites, requireRight, type TreeEntryOf } from './entries.js'

/** A tree while it is changed. */
export interface ChangeableTree<Content, Child> {
  /** The entry itself; undefined if only it is missing. Throws if a parent is missing, inaccessible, a link, or not a directory. */
  find(path: string): TreeEntryOf<Content, Child> | undefined
  directory(entry: DirectoryEntryOf<Child>): { readonly entries: EntriesOf<Content, Child> }
  /** The directory at a path, to be changed. */
  owned(path: string): OwnedDirectory<Content, Child>
  /** Gives the entry at a path, which may be `/`, other facts. */
  amend(path: string, facts: Partial<Pick<TreeEntryOf<Content, Child>, 'mode' | 'modifiedMs' | 'changedMs'>>): void
  makeDirectory(): Child
  /** The content of this file is no longer used by it. */
  replaced(file: FileEntryOf<Content>): void
  /** The content of this file, which was replaced in the same change, is used in another place. */
  stillUsed(file: FileEntryOf<Content>): void
}

/** The entries of a directory by name. */
export interface EntriesOf<Content, Child> {
  get(name: string): TreeEntryOf<Content, Child> | undefined
  readonly size: number
}

/** A directory that nothing else shares. The calls change what is stored of it too. */
export interface OwnedDirectory<Content, Child> {
  readonly entries: EntriesOf<Content, Child>
  set(name: string, entry: TreeEntryOf<Content, Child>): void
  delete(name: string): void
  /** Sets the directory's times after its names changed. */
  touch(atMs: number): void
}

/** Where the contents of files are. */
export interface ContentStore<Content> {
  /** The name of this content, stored now unless it was before. */
  put(bytes: Bytes, hash: string): Content
  hashOf(content: Content): string | undefined
  sha256(bytes: Bytes): string
}

export interface Mutations<Content> {
  write(path: string, data: Bytes, options: WriteOptions): void
  stage(path: string, content: StagedContent<Content>, options: StageOptions): void
  /** Writes a file as part of a change. */
  put(action: AtomicAction & { do: 'write' }): void
  /** Throws `CONFLICT` unless the file has this content. */
  expect(path: string, hash: string | undefined): void
  makeDir(path: string): void
  symlink(target: string, path: string): void
  remove(path: string): void
  rename(from: string, to: string): void
  amend(path: string, facts: { mode?: number; modifiedMs?: number }): void
}

/** Bytes, or content that is stored already. */
export type StagedContent<Content> = { bytes: Bytes } | { id: Content; size: number }

export function mutationsOf<Content, Child>(
  tree: ChangeableTree<Content, Child>,
  { contents, now }: { contents: ContentStore<Content>; now: () => number },
): Mutations<Content> {
  type FileEntry = FileEntryOf<Content>
  type TreeEntry = TreeEntryOf<Content, Child>

  function existing(path: string): TreeEntry {
    const entry = path === '/' ? undefined : tree.find(path)
    if (entry === undefined) throw new FsError(path === '/' ? 'IS_ROOT' : 'NOT_FOUND', { path })
    return entry
  }

  function vacant(path: string): void {
    if (path === '/' || tree.find(path) !== undefined) throw new FsError('EXISTS', { path })
  }

  function requireWritable(path: string): void {
    const parent = tree.find(dirname(path))
    if (parent !== undefined) requireRight(parent, ownerWrites, path)
  }

  /** Puts an entry under a path, or removes the one that exists. The parent's times change only with its names. */
  function place(path: string, entry: TreeEntry | undefined): void {
    const name = basename(path)
    const before = tree.find(path)
    const keepsNames = before !== undefined && entry !== undefined
    if (!keepsNames) requireWritable(path)
    const parent = tree.owned(dirname(path))
    if (entry === undefined) parent.delete(name)
    else parent.set(name, entry)
    if (!keepsNames) parent.touch(now())
    if (before?.kind === 'file' && !(entry?.kind === 'file' && entry.content === before.content)) {
      tree.replaced(before)
    }
  }

  /** The entry that a write to this path replaces. */
  function replaceable(path: string, { exclusive = false }: WriteOptions): FileEntry | undefined {
    const before = tree.find(path)
    if (before?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (before !== undefined && exclusive) throw new FsError('EXISTS', { path })
    if (before?.kind === 'symlink') throw new FsError('IS_LINK', { path })
    return before
  }

  function fileEntry(content: StagedContent<Content>, mode: number, createdMs?: number): FileEntry {
    const at = now()
    const { id, size } = 'id' in content ? content : stored(content.bytes)
    return {
      kind: 'file',
      mode: mode & 0o7777,
      modifiedMs: at,
      createdMs: createdMs ?? at,
      changedMs: at,
      size,
      content: id,
    }
  }

  function stored(bytes: Bytes): { id: Content; size: number } {
    return { id: contents.put(bytes, contents.sha256(bytes)), size: bytes.length }
  }

  function expect(path: string, hash: string | undefined): void {
    if (hash === undefined) return
    const entry = tree.find(path)
    if (entry?.kind !== 'file' || contents.hashOf(entry.content) !== hash) throw new FsError('CONFLICT', { path })
  }

  return {
    expect,

    write(path, data, options) {
      const before = replaceable(path, options)
      if (before !== undefined) requireRight(before, ownerWrites, path)
      place(path, fileEntry({ bytes: data }, before?.mode ?? options.mode ?? 0o644, before?.createdMs))
    },

    stage(path, content, { replaces, mode, ifWritable }) {
      const before = replaceable(path, {})
      if (before !== undefined) requireRight(before, ownerWrites, path)
      const replaced = replaces === undefined ? undefined : existing(replaces)
      if (replaced?.kind === 'file' && ifWritable) requireRight(replaced, ownerWrites, replaces ?? path)
      place(path, fileEntry(content, mode ?? before?.mode ?? replaced?.mode ?? 0o644))
    },

    put({ path, bytes, hash, expects, mode, modifiedMs, ifWritable }) {
      const before = replaceable(path, {})
      if (before !== undefined && ifWritable) requireRight(before, ownerWrites, path)
      expect(path, expects)
      // Like a file that is renamed into place, it needs a directory that may be written.
      requireWritable(path)
      const id = contents.put(bytes, hash)
      const entry = fileEntry({ id, size: bytes.length }, mode ?? before?.mode ?? 0o644, before?.createdMs)
      place(path, modifiedMs === undefined ? entry : { ...entry, modifiedMs })
    },

    makeDir(path) {
      vacant(path)
      const at = now()
      const times = { modifiedMs: at, createdMs: at, changedMs: at }
      place(path, { kind: 'directory', mode: 0o755, ...times, child: tree.makeDirectory() })
    },

    symlink(target, path) {
      vacant(path)
      const at = now()
      place(path, { kind: 'symlink', target, mode: 0o777, modifiedMs: at, createdMs: at, changedMs: at })
    },

    remove(path) {
      const entry = existing(path)
      if (entry.kind === 'directory' && tree.directory(entry).entries.size > 0) throw new FsError('NOT_EMPTY', { path })
      place(path, undefined)
    },

    rename(from, to) {
      if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
      const source = existing(from)
      if (from === to) return
      const isDirectory = source.kind === 'directory'
      if (isDirectory && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
      const replaced = tree.find(to)
      if (replaced?.kind === 'directory') {
        if (!isDirectory) throw new FsError('IS_A_DIRECTORY', { path: to })
        if (tree.directory(replaced).entries.size > 0) throw new FsError('NOT_EMPTY', { path: to })
      } else if (replaced !== undefined && isDirectory) throw new FsError('NOT_A_DIRECTORY', { path: to })
      requireWritable(from)
      requireWritable(to)
      place(from, undefined)
      // The bytes of the moved file are still in use.
      if (source.kind === 'file') tree.stillUsed(source)
      if (replaced !== undefined) place(to, undefined)
      place(to, { ...source, changedMs: now() })
    },

    amend(path, facts) {
      const entry = tree.find(path)
      if (entry === undefined) throw new FsError('NOT_FOUND', { path })
      if (entry.kind === 'symlink') throw new FsError('IS_LINK', { path })
      tree.amend(path, { ...facts, changedMs: now() })
    },
  }
}

/** Does one action of an atomic change. */
export function perform(changes: Mutations<unknown>, action: AtomicAction): void {
  const { path } = action
  if (action.do === 'write') changes.put(action)
  else if (action.do === 'rename') changes.rename(path, action.to)
  else if (action.do === 'setMode') changes.amend(path, { mode: action.mode })
  else if (action.do === 'remove') {
    changes.expect(path, action.expects)
    changes.remove(path)
  } else if (action.do === 'makeDir') {
    changes.makeDir(path)
    if (action.mode !== undefined) changes.amend(path, { mode: action.mode })
  } else {
    if (action.verbatim) throw new FsError('OUTSIDE', { path })
    changes.symlink(action.target, path)
  }
}
