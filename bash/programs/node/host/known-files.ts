/** What is known of the files, and how more is fetched. */
import type { Bytes, Kind, Stat } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { concat } from '../../../io/streams.js'
import { codeOf } from '../../error-codes.js'
import { Failure } from './failure.js'

export interface FileEntry {
  kind: Kind
  mode: number
  size: number
  modifiedMs: number
  createdMs: number
  inode: number
  /** Absent: not fetched. */
  content?: Bytes
  /** What was appended to `content`. */
  tail?: Bytes[]
  /** Why the content can't be read. */
  refusal?: string
  target?: string
  /** Of a directory. Absent: not fetched. */
  children?: Map<string, Kind>
}

/** `refused`: nothing can be said about it, but it may lead further. */
export type Known = FileEntry | 'absent' | { refused: string }

export interface KnownFiles {
  get(at: string): Known | undefined
  /** Enters it into its directory too. */
  place(at: string, entry: FileEntry): void
  takeAway(at: string): void
  forget(): void
  newInode(): number
  /** Fetches a path and what is on the way to it. */
  fetch(path: string): Promise<void>
  /** Also fetches what is beside and below, twice as much each time: a script that reads one file often reads the next. */
  fetchNear(path: string): Promise<void>
  fetchContent(at: string): Promise<void>
}

export const maxLinks = 40
/** Larger files are fetched when they are read, and not before. */
const smallBytes = 256 * 1024
const maxDeviceBytes = 64 * 1024 * 1024
const firstBudget = 16
const maxBudget = 4096

export function knownFiles(io: ProgramIo): KnownFiles {
  const known = new Map<string, Known>()
  let inodes = 1000
  let budget = firstBudget

  return {
    get: (at) => known.get(at),
    place(at, entry) {
      known.set(at, entry)
      childrenOf(parentOf(at))?.set(nameOf(at), entry.kind)
    },
    takeAway(at) {
      known.set(at, 'absent')
      childrenOf(parentOf(at))?.delete(nameOf(at))
    },
    forget: () => known.clear(),
    newInode,
    fetch: (path) => fetch(path),
    fetchNear,
    async fetchContent(at) {
      const entry = await fetchOne(at)
      if (entry !== 'absent' && !('refused' in entry)) await fetchContent(at, entry)
    },
  }

  function newInode(): number {
    inodes += 1
    return inodes
  }

  function childrenOf(at: string): Map<string, Kind> | undefined {
    const entry = known.get(at)
    return typeof entry === 'object' && !('refused' in entry) ? entry.children : undefined
  }

  async function fetch(path: string, links = 0): Promise<void> {
    const names = path.split('/').filter((name) => name !== '' && name !== '.')
    await fetchOne('/')
    let at = '/'
    for (const [index, name] of names.entries()) {
      at = name === '..' ? parentOf(at) : joined(at, name)
      const entry = await fetchOne(at)
      if (entry === 'absent') return
      if ('refused' in entry || entry.kind !== 'symlink') continue
      if (links >= maxLinks) return
      const target = entry.target ?? ''
      const base = target.startsWith('/') ? target : joined(parentOf(at), target)
      return fetch([base, ...names.slice(index + 1)].join('/'), links + 1)
    }
    const entry = known.get(at)
    if (typeof entry !== 'object' || 'refused' in entry) return
    if (entry.kind === 'directory') await fetchChildren(at, entry)
    else if (entry.kind === 'file' && entry.size <= smallBytes) await fetchContent(at, entry)
  }

  async function fetchOne(at: string): Promise<Known> {
    const before = known.get(at)
    if (before !== undefined) return before
    const entry = await look(at)
    known.set(at, entry)
    return entry
  }

  async function look(at: string): Promise<Known> {
    try {
      const stat = await io.fs.lstat(at)
      const entry = entryOf(stat)
      if (stat.kind === 'symlink') entry.target = await io.fs.readLink(at)
      return entry
    } catch (error) {
      const code = codeOf(error)
      return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : { refused: code }
    }
  }

  function entryOf({ kind, mode, size, modifiedMs, createdMs, inode }: Stat): FileEntry {
    const own = newInode()
    return {
      kind,
      mode: mode ?? (kind === 'directory' ? 0o755 : 0o644),
      size: size ?? (kind === 'directory' ? 4096 : 0),
      modifiedMs: modifiedMs ?? 0,
      createdMs: createdMs ?? modifiedMs ?? 0,
      inode: inode ?? own,
    }
  }

  async function fetchChildren(at: string, entry: FileEntry): Promise<void> {
    if (entry.children !== undefined || entry.refusal !== undefined) return
    try {
      entry.children = new Map((await io.fs.readDir(at)).map(({ name, kind }) => [name, kind]))
    } catch (error) {
      entry.refusal = codeOf(error)
    }
  }

  async function fetchContent(at: string, entry: FileEntry): Promise<void> {
    if (entry.content !== undefined || entry.refusal !== undefined) return
    try {
      const content = entry.kind === 'other' ? await readDevice(at) : await io.fs.readFile(at)
      io.account(content.length)
      entry.content = content
      entry.tail = []
      if (entry.kind === 'file') entry.size = content.length
    } catch (error) {
      if (error instanceof Failure) entry.refusal = error.code
      else entry.refusal = codeOf(error)
    }
  }

  async function readDevice(at: string): Promise<Bytes> {
    const reader = await io.fs.openRead(at)
    const chunks: Bytes[] = []
    let size = 0
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
      size += chunk.length
      if (size > maxDeviceBytes) throw new Failure('EFBIG')
      chunks.push(chunk)
    }
    return concat(chunks)
  }

  async function fetchNear(path: string): Promise<void> {
    await fetch(path)
    let left = budget
    budget = Math.min(budget * 2, maxBudget)
    const entry = known.get(path)
    const start =
      typeof entry === 'object' && !('refused' in entry) && entry.kind === 'directory' ? path : parentOf(path)
    const queue = [start]
    for (let at = queue.shift(); at !== undefined && left > 0; at = queue.shift()) {
      const directory = await fetchOne(at)
      if (directory === 'absent' || 'refused' in directory || directory.kind !== 'directory') continue
      await fetchChildren(at, directory)
      for (const name of directory.children?.keys() ?? []) {
        if (left <= 0) break
        left -= 1
        const child = await fetchOne(joined(at, name))
        if (child === 'absent' || 'refused' in child) continue
        if (child.kind === 'file' && child.size <= smallBytes) await fetchContent(joined(at, name), child)
        if (child.kind === 'directory' && name !== 'node_modules' && name !== '.git') queue.push(joined(at, name))
      }
    }
  }
}

export function joined(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
