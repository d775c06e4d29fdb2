/** Reads the nodes of memfs directly: its own functions resolve the path again for every step of reading a file. */
import { FsError } from '../../errors.js'
import { resolve, split } from '../path.js'
import { posixRules } from '../path-rules.js'
import type { Bytes, Entry, Kind, Stat } from '../types.js'

/** A name in a directory: the part of memfs's object that is used here. */
export interface MemfsLink {
  readonly children: ReadonlyMap<string, MemfsLink | undefined>
  getNode(): MemfsNode
}

/** The file, directory or link that a name refers to. */
export interface MemfsNode {
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly mtime: Date
  readonly btime: Date
  readonly atime: Date
  readonly ctime: Date
  /** May be longer than the file. */
  readonly buf: Bytes
  getSize(): number
  /** Sets the access time too. */
  read(into: Bytes, offset: number, length: number, position: number): number
  isFile(): boolean
  isDirectory(): boolean
  isSymlink(): boolean
  canRead(uid: number, gid: number): boolean
  canExecute(uid: number, gid: number): boolean
}

/** The entry itself; undefined if only it is missing. Throws if a parent is missing, inaccessible, a link, or not a directory. */
export function findLink(root: MemfsLink, path: string): MemfsLink | undefined {
  const names = split(posixRules.isPlain?.(path) ? path : resolve('/', path))
  let link = root
  for (let depth = 0; depth < names.length; depth += 1) {
    const next = entered(link, path).children.get(names[depth] as string)
    if (next !== undefined) link = next
    else if (depth === names.length - 1) return undefined
    else throw new FsError('NOT_FOUND', { path })
  }
  return link
}

/** Throws unless the entry is a readable file. */
export function readableFile(link: MemfsLink | undefined, path: string): MemfsNode {
  if (link === undefined) throw new FsError('NOT_FOUND', { path })
  const node = link.getNode()
  if (node.isDirectory()) throw new FsError('IS_A_DIRECTORY', { path })
  if (node.isSymlink()) throw new FsError('IS_LINK', { path })
  if (!node.canRead(node.uid, node.gid)) throw new FsError('DENIED', { path })
  return node
}

/** Throws unless the entry is a directory that may be listed. */
export function readableDirectory(link: MemfsLink | undefined, path: string): MemfsLink {
  const node = directory(link, path).getNode()
  if (!node.canRead(node.uid, node.gid)) throw new FsError('DENIED', { path })
  return link as MemfsLink
}

/** Throws unless the entry is a directory whose entries may be accessed. */
export function entered(link: MemfsLink | undefined, path: string): MemfsLink {
  const node = directory(link, path).getNode()
  if (!node.canExecute(node.uid, node.gid)) throw new FsError('DENIED', { path })
  return link as MemfsLink
}

function directory(link: MemfsLink | undefined, path: string): MemfsLink {
  if (link === undefined) throw new FsError('NOT_FOUND', { path })
  const node = link.getNode()
  if (node.isSymlink()) throw new FsError('IS_LINK', { path })
  if (!node.isDirectory()) throw new FsError('NOT_A_DIRECTORY', { path })
  return link
}

/** Not a copy. Stays unchanged when the file is written: memfs truncates the file first, and then allocates new memory. */
export function bytesOf(node: MemfsNode): Bytes {
  const { buffer, byteOffset } = node.buf
  return new Uint8Array(buffer, byteOffset, node.getSize())
}

export function entriesOf({ children }: MemfsLink): Entry[] {
  const entries: Entry[] = []
  for (const [name, child] of children) {
    if (child !== undefined && name !== '.' && name !== '..') entries.push({ name, kind: kindOf(child.getNode()) })
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function statOf(node: MemfsNode): Stat {
  const kind = kindOf(node)
  const common = {
    kind,
    modifiedMs: node.mtime.getTime(),
    createdMs: node.btime.getTime(),
    accessedMs: node.atime.getTime(),
    changedMs: node.ctime.getTime(),
    mode: node.mode & 0o7777,
  }
  return kind === 'file' ? { ...common, size: node.getSize() } : common
}

function kindOf(node: MemfsNode): Kind {
  if (node.isFile()) return 'file'
  if (node.isDirectory()) return 'directory'
  return node.isSymlink() ? 'symlink' : 'other'
}
