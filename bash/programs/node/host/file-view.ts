/** The files as the script sees them, without waiting: what was fetched, and what the script changed since. */
import type { Bytes, Kind } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { concat } from '../../../io/streams.js'
import { codeOf } from '../../error-codes.js'
import { Failure } from './failure.js'
import { type FileEntry, joined, type Known, knownFiles, maxLinks, nameOf, parentOf } from './known-files.js'
import { modulePrefetch } from './module-prefetch.js'
import { Miss } from './speculation.js'

export interface FileView {
  stat(path: string, follow: boolean): FileEntry
  read(path: string): Bytes
  list(path: string): Array<[name: string, kind: Kind]>
  readLink(path: string): string
  realPath(path: string): string
  write(path: string, data: Bytes, options: { append: boolean; exclusive: boolean; mode?: number }): void
  makeDir(path: string, mode?: number): void
  remove(path: string, kind: 'file' | 'directory'): void
  rename(from: string, to: string): void
  symlink(target: string, path: string): void
  setMode(path: string, mode: number): void
  setModified(path: string, modifiedMs: number): void
  /** Forgets everything, after something else changed files. */
  forget(): void
  /** Fetches these, if they exist. */
  fetchAll(paths: readonly string[]): Promise<void>
}

const maxMissed = 100

type Effect = (run: () => Promise<void> | undefined, bytes?: number) => void

export function fileView(io: ProgramIo, effect: Effect): FileView {
  const known = knownFiles(io)
  const modules = modulePrefetch(known)

  /** Names that were looked for in vain: scripts look for them in the directories above, up to the top. */
  const missed = new Set<string>()

  async function near(path: string): Promise<void> {
    await known.fetchNear(path)
    await modules.fetchFrom(path)
  }

  function need(at: string, wanted: string): Known {
    const found = known.get(at)
    if (found !== undefined) return found
    // At the top there is more than is listed: scratch space and the directories of the system.
    const isAtTop = parentOf(at) === '/'
    const parent = isAtTop ? undefined : known.get(parentOf(at))
    if (typeof parent === 'object' && 'children' in parent && !parent.children?.has(nameOf(at))) {
      if (missed.size < maxMissed) missed.add(nameOf(at))
      return 'absent'
    }
    throw new Miss(async () => {
      await near(wanted)
      if (isAtTop) for (const name of missed) await known.fetch(`/${name}`)
    })
  }

  /** Where a path leads. */
  function find(path: string, follow: boolean, links = 0): { at: string; entry: Known } {
    const names = path.split('/').filter((name) => name !== '' && name !== '.')
    let at = '/'
    for (const [index, name] of names.entries()) {
      if (name === '..') {
        at = parentOf(at)
        continue
      }
      const next = joined(at, name)
      const entry = need(next, joined(at, names.slice(index).join('/')))
      const isLast = index === names.length - 1
      if (entry === 'absent') {
        if (isLast) return { at: next, entry }
        throw new Failure('ENOENT')
      }
      if ('refused' in entry) {
        if (isLast) return { at: next, entry }
      } else if (entry.kind === 'symlink' && (follow || !isLast)) {
        if (links >= maxLinks) throw new Failure('ELOOP')
        const target = entry.target ?? ''
        const base = target.startsWith('/') ? target : joined(at, target)
        return find([base, ...names.slice(index + 1)].join('/'), follow, links + 1)
      } else if (!isLast && entry.kind !== 'directory') throw new Failure('ENOTDIR')
      at = next
    }
    return { at, entry: need(at, at) }
  }

  function existing(path: string, follow: boolean): { at: string; entry: FileEntry } {
    const { at, entry } = find(path, follow)
    if (entry === 'absent') throw new Failure('ENOENT')
    if ('refused' in entry) throw new Failure(entry.refused)
    if (path.endsWith('/') && entry.kind !== 'directory') throw new Failure('ENOTDIR')
    return { at, entry }
  }

  function directoryOf(at: string): void {
    const parent = need(parentOf(at), parentOf(at))
    if (parent === 'absent') throw new Failure('ENOENT')
    if (!('refused' in parent) && parent.kind !== 'directory') throw new Failure('ENOTDIR')
  }

  function made(kind: Kind, mode: number): FileEntry {
    return { kind, mode, size: 0, modifiedMs: io.now(), createdMs: io.now(), inode: known.newInode() }
  }

  function contentOf(at: string, entry: FileEntry): Bytes {
    if (entry.refusal !== undefined) throw new Failure(entry.refusal)
    if (entry.content === undefined) {
      throw new Miss(() => known.fetchContent(at))
    }
    if (entry.tail !== undefined && entry.tail.length > 0) {
      entry.content = concat([entry.content, ...entry.tail])
      entry.tail = []
    }
    return entry.content
  }

  function createFile(at: string, data: Bytes, mode: number): void {
    directoryOf(at)
    known.place(at, { ...made('file', mode & ~io.umask), size: data.length, content: data, tail: [] })
    effect(() => io.fs.writeFile(at, data, { mode: mode & ~io.umask }), data.length)
  }

  function appendTo(at: string, entry: FileEntry, data: Bytes): void {
    if (entry.content !== undefined) {
      entry.tail ??= []
      entry.tail.push(data)
    }
    entry.size += data.length
    effect(async () => {
      const writer = await io.fs.openWrite(at, { append: true })
      await writer.write(data)
      await writer.close()
    }, data.length)
  }

  function replace(at: string, entry: FileEntry, data: Bytes): void {
    entry.content = data
    entry.tail = []
    entry.size = data.length
    delete entry.refusal
    effect(() => io.fs.writeFile(at, data), data.length)
  }

  /** Directories are moved for real at once, because what is below them may not be known here. */
  function moveDirectory(from: string, to: string): never {
    throw new Miss(async () => {
      try {
        await io.fs.rename(from, to)
      } catch (error) {
        return { $fail: codeOf(error) }
      } finally {
        known.forget()
      }
      return null
    }, true)
  }

  return {
    stat: (path, follow) => existing(path, follow).entry,
    read(path) {
      const { at, entry } = existing(path, true)
      if (entry.kind === 'directory') throw new Failure('EISDIR')
      return contentOf(at, entry)
    },
    list(path) {
      const { at, entry } = existing(path, true)
      if (entry.kind !== 'directory') throw new Failure('ENOTDIR')
      if (entry.refusal !== undefined) throw new Failure(entry.refusal)
      if (entry.children === undefined) throw new Miss(() => known.fetchNear(at))
      return [...entry.children].sort(([one], [other]) => (one < other ? -1 : 1))
    },
    readLink(path) {
      const { entry } = existing(path, false)
      if (entry.kind !== 'symlink') throw new Failure('EINVAL')
      return entry.target ?? ''
    },
    realPath: (path) => existing(path, true).at,
    write(path, data, { append, exclusive, mode = 0o666 }) {
      const { at, entry } = find(path, true)
      if (path.endsWith('/')) throw new Failure(entry === 'absent' ? 'ENOENT' : 'EISDIR')
      if (entry === 'absent') return createFile(at, data, mode)
      if (exclusive) throw new Failure('EEXIST')
      if ('refused' in entry) throw new Failure(entry.refused)
      if (entry.kind === 'directory') throw new Failure('EISDIR')
      entry.modifiedMs = io.now()
      if (append || entry.kind === 'other') appendTo(at, entry, data)
      else replace(at, entry, data)
    },
    makeDir(path, mode = 0o777) {
      const { at, entry } = find(path, false)
      if (entry !== 'absent') throw new Failure('refused' in entry ? entry.refused : 'EEXIST')
      directoryOf(at)
      known.place(at, { ...made('directory', mode & ~io.umask), size: 4096, children: new Map() })
      effect(async () => {
        await io.fs.makeDir(at)
        if (mode !== 0o777) await io.fs.setMode(at, mode & ~io.umask)
      })
    },
    remove(path, kind) {
      const { at, entry } = existing(path, false)
      if (kind === 'directory') {
        if (entry.kind !== 'directory') throw new Failure('ENOTDIR')
        if (entry.children === undefined) throw new Miss(() => known.fetchNear(at))
        if (entry.children.size > 0) throw new Failure('ENOTEMPTY')
      } else if (entry.kind === 'directory') throw new Failure('EISDIR')
      known.takeAway(at)
      effect(() => io.fs.remove(at))
    },
    rename(from, to) {
      const source = existing(from, false)
      const target = find(to, false)
      if (source.entry.kind === 'directory') moveDirectory(source.at, target.at)
      if (target.entry !== 'absent') {
        if ('refused' in target.entry) throw new Failure(target.entry.refused)
        if (target.entry.kind === 'directory') throw new Failure('EISDIR')
      } else directoryOf(target.at)
      if (source.at === target.at) return
      known.takeAway(source.at)
      known.place(target.at, source.entry)
      effect(() => io.fs.rename(source.at, target.at))
    },
    symlink(target, path) {
      const { at, entry } = find(path, false)
      if (entry !== 'absent') throw new Failure('refused' in entry ? entry.refused : 'EEXIST')
      directoryOf(at)
      known.place(at, { ...made('symlink', 0o777), target, size: target.length })
      effect(() => io.fs.symlink(target, at))
    },
    setMode(path, mode) {
      const { at, entry } = existing(path, true)
      entry.mode = mode
      effect(() => io.fs.setMode(at, mode))
    },
    setModified(path, modifiedMs) {
      const { at, entry } = existing(path, true)
      entry.modifiedMs = modifiedMs
      effect(() => io.fs.setModified(at, modifiedMs))
    },
    forget() {
      known.forget()
      modules.forget()
    },
    async fetchAll(paths) {
      for (const path of paths) {
        await known.fetch(path)
        await modules.fetchFrom(path)
      }
    },
  }
}
