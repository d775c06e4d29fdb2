/** System calls that take paths. */
import type { FileFacts, OpenOptions } from '../wire.js'
import { type Asking, ask } from './ask.js'
import { SystemFailure } from './errno.js'
import type { OwnFiles } from './own-files.js'
import { atWorkingDirectory, guarded, type Process, pathAt } from './process.js'

const flag = { write: 1, readWrite: 2, create: 64, exclusive: 128, truncate: 512, directory: 65536, noFollow: 131072 }
export const appendFlag = 1024
const closeOnExec = 524288
const accessModes = 3
const at = { noFollow: 256, removeDirectory: 512, emptyPath: 4096 }
const nowNanoseconds = 0x3fffffff
const omitNanoseconds = 0x3ffffffe
const types = { file: 8, directory: 4, symlink: 10, other: 2 } as const

export function pathCalls(process: Process, own: OwnFiles) {
  const { memory, files } = process
  const path = (directory: number, address: number) => pathAt(process, directory, memory.text(address))

  /** Others see what was written. */
  function* asSeen<Result>(look: Asking<Result>): Asking<Result> {
    yield* files.saveAll()
    return yield* look
  }

  function* facts(of: string, follow: boolean): Asking<FileFacts> {
    return own.facts(of) ?? (yield* asSeen(ask('facts', of, follow)))
  }

  function* open(of: string, flags: number, mode: number): Asking<number> {
    const device = own.open(of, flags)
    if (device !== undefined) return files.add(device)
    const writes = flags & accessModes
    const options: OpenOptions = {
      write: writes === flag.write || writes === flag.readWrite,
      create: (flags & flag.create) !== 0,
      exclusive: (flags & flag.exclusive) !== 0,
      truncate: (flags & flag.truncate) !== 0,
      noFollow: (flags & flag.noFollow) !== 0,
      directory: (flags & flag.directory) !== 0,
      mode: mode & ~process.umask & 0o7777,
    }
    const { value: opened, bytes } = yield* asSeen(ask('open', of, options))
    if ((opened.mode & 0o170000) === 0o40000) {
      return files.add({ kind: 'directory', path: opened.path, facts: opened, at: 0, flags })
    }
    if (opened.stream !== undefined) return files.add({ kind: 'stream', stream: opened.stream, flags })
    const content = files.contentOf(opened, bytes)
    if (options.truncate && (opened.size > 0 || (yield* content.size()) > 0)) yield* content.resize(0)
    return files.add({ kind: 'file', content, at: 0, flags })
  }

  function* remove(of: string, kind: 'file' | 'directory'): Asking<undefined> {
    files.removed(yield* asSeen(ask('remove', of, kind)))
  }

  function* setTimes(directory: number, address: number, times: number): Asking<undefined> {
    const of = address === 0 ? pathOfOpen(directory) : path(directory, address)
    const nanoseconds = times === 0 ? nowNanoseconds : memory.word(times + 24)
    if (nanoseconds === omitNanoseconds) return
    const seconds = times === 0 ? 0 : Number(memory.view().getBigInt64(times + 16, true))
    yield* files.saveAll()
    const wanted = nanoseconds === nowNanoseconds ? yield* ask('now') : seconds * 1000 + nanoseconds / 1e6
    yield* ask('setModified', of, wanted)
    files.othersRan()
  }

  function pathOfOpen(descriptor: number): string {
    const open = files.get(descriptor)
    const of = open.kind === 'file' ? open.content.path : open.kind === 'directory' ? open.path : undefined
    if (of === undefined) throw new SystemFailure('EINVAL')
    return of
  }

  function* setMode(of: string, mode: number): Asking<undefined> {
    yield* asSeen(ask('setMode', of, mode & 0o7777))
    files.othersRan()
  }

  function* entries(descriptor: number): Asking<Array<[string, number]>> {
    const directory = files.get(descriptor)
    if (directory.kind !== 'directory') throw new SystemFailure('ENOTDIR')
    directory.entries ??= [
      ['.', types.directory],
      ['..', types.directory],
      ...(yield* asSeen(ask('list', directory.path))).map(([name, kind]): [string, number] => [name, types[kind]]),
    ]
    return directory.entries
  }

  /** Room for entries of a fixed size, as the C library of the engine expects. */
  function* list(descriptor: number, address: number, room: number): Asking<number> {
    const entryBytes = 280
    const nameAt = 19
    const directory = files.get(descriptor)
    const all = yield* entries(descriptor)
    let written = 0
    for (
      ;
      directory.kind === 'directory' && directory.at < all.length && written + entryBytes <= room;
      directory.at += 1
    ) {
      const [name, type] = all[directory.at] as [string, number]
      const to = address + written
      memory.putLong(to, directory.at + 1)
      memory.putLong(to + 8, directory.at + 1)
      memory.view().setUint16(to + 16, entryBytes, true)
      memory.bytes()[to + 18] = type
      memory.putText(to + nameAt, name)
      written += entryBytes
    }
    return written
  }

  function* access(of: string, wanted: number): Asking<undefined> {
    const allowed = ((yield* facts(of, true)).mode >> 6) & 7
    if (wanted & ~allowed & 7) throw new SystemFailure('EACCES')
  }

  function* changeDirectory(to: string): Asking<undefined> {
    const { mode } = yield* asSeen(ask('facts', to, true))
    if ((mode & 0o170000) !== 0o40000) throw new SystemFailure('ENOTDIR')
    process.cwd = yield* ask('realPath', to)
  }

  function* readLink(directory: number, address: number, to: number, room: number): Asking<number> {
    const target = yield* asSeen(ask('readLink', path(directory, address)))
    const encoded = new TextEncoder().encode(target).subarray(0, room)
    memory.bytes().set(encoded, to)
    return encoded.length
  }

  /** A file system without limits. */
  function putFileSystem(address: number): void {
    memory.bytes().fill(0, address, address + 88)
    const values: Array<[number, number]> = [
      [4, 4096],
      [40, 4096],
      [8, 1e6],
      [12, 5e5],
      [16, 5e5],
      [20, 1e6],
      [24, 1e6],
      [28, 42],
      [36, 255],
    ]
    for (const [offset, value] of values) memory.putWord(address + offset, value)
  }

  function* factsOfOpen(descriptor: number, to: number): Asking<undefined> {
    const open = files.get(descriptor)
    if (open.kind === 'file') {
      yield* open.content.save()
      // It may take what another wrote, and its facts with it.
      const size = yield* open.content.size()
      memory.putFacts(to, { ...open.content.facts, size })
    } else if (open.kind === 'stream') memory.putFacts(to, pipeFacts(open.stream))
    else memory.putFacts(to, open.facts)
  }

  const calls = {
    *__syscall_openat(directory: number, address: number, flags: number, given: number): Asking<number> {
      const mode = given === 0 ? 0 : memory.word(given)
      const descriptor = yield* open(path(directory, address), flags, mode)
      if (flags & closeOnExec) files.setCloseOnExec(descriptor, true)
      return descriptor
    },
    *__syscall_stat64(address: number, to: number): Asking<undefined> {
      memory.putFacts(to, yield* facts(path(atWorkingDirectory, address), true))
    },
    *__syscall_lstat64(address: number, to: number): Asking<undefined> {
      memory.putFacts(to, yield* facts(path(atWorkingDirectory, address), false))
    },
    *__syscall_newfstatat(directory: number, address: number, to: number, flags: number): Asking<undefined> {
      const given = memory.text(address)
      if (given === '' && flags & at.emptyPath) return yield* factsOfOpen(directory, to)
      memory.putFacts(to, yield* facts(pathAt(process, directory, given), !(flags & at.noFollow)))
    },
    __syscall_fstat64: factsOfOpen,
    __syscall_getdents64: list,
    __syscall_faccessat: (directory: number, address: number, wanted: number) =>
      access(path(directory, address), wanted),
    __syscall_chdir: (address: number) => changeDirectory(path(atWorkingDirectory, address)),
    __syscall_fchdir: (descriptor: number) => changeDirectory(pathOfOpen(descriptor)),
    __syscall_getcwd(to: number, room: number) {
      const length = new TextEncoder().encode(process.cwd).length + 1
      if (room < length) throw new SystemFailure('ERANGE')
      memory.putText(to, process.cwd)
      return length
    },
    __syscall_chmod: (address: number, mode: number) => setMode(path(atWorkingDirectory, address), mode),
    __syscall_fchmod: (descriptor: number, mode: number) => setMode(pathOfOpen(descriptor), mode),
    __syscall_fchmodat2: (directory: number, address: number, mode: number) => setMode(path(directory, address), mode),
    /** Everything belongs to the user, so only that user can be given. */
    *__syscall_fchownat(
      directory: number,
      address: number,
      user: number,
      group: number,
      flags: number,
    ): Asking<undefined> {
      yield* facts(path(directory, address), !(flags & at.noFollow))
      requireOwner(user, group)
    },
    __syscall_fchown32(descriptor: number, user: number, group: number) {
      files.get(descriptor)
      requireOwner(user, group)
    },
    *__syscall_mkdirat(directory: number, address: number, mode: number): Asking<undefined> {
      const of = path(directory, address)
      yield* asSeen(ask('makeDir', of, mode & ~process.umask & 0o7777))
    },
    __syscall_mknodat() {
      throw new SystemFailure('EPERM')
    },
    __syscall_readlinkat: readLink,
    __syscall_unlinkat: (directory: number, address: number, flags: number) =>
      remove(path(directory, address), flags & at.removeDirectory ? 'directory' : 'file'),
    __syscall_rmdir: (address: number) => remove(path(atWorkingDirectory, address), 'directory'),
    *__syscall_renameat(fromDirectory: number, from: number, toDirectory: number, to: number): Asking<undefined> {
      const both = yield* asSeen(ask('rename', path(fromDirectory, from), path(toDirectory, to)))
      files.renamed(...both)
    },
    *__syscall_symlinkat(target: number, directory: number, address: number): Asking<undefined> {
      const text = memory.text(target)
      if (text === '') throw new SystemFailure('ENOENT')
      yield* asSeen(ask('symlink', text, path(directory, address)))
    },
    __syscall_utimensat: setTimes,
    *__syscall_truncate64(address: number, size: bigint): Asking<undefined> {
      const descriptor = yield* open(path(atWorkingDirectory, address), flag.write, 0)
      const opened = files.get(descriptor)
      if (opened.kind === 'file') yield* opened.content.resize(sizeOf(size))
      yield* files.close(descriptor)
    },
    *__syscall_statfs64(address: number, _size: number, to: number): Asking<undefined> {
      yield* facts(path(atWorkingDirectory, address), true)
      putFileSystem(to)
    },
    __syscall_fstatfs64(descriptor: number, _size: number, to: number) {
      files.get(descriptor)
      putFileSystem(to)
    },
  }
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      guarded(call as (...given: unknown[]) => Asking<number | undefined> | number | undefined),
    ]),
  )
}

/** A size, or a place in a file, that can be counted. */
export function sizeOf(given: bigint): number {
  if (given < 0n) throw new SystemFailure('EINVAL')
  if (given > maxFileBytes) throw new SystemFailure('EFBIG')
  return Number(given)
}

const maxFileBytes = 2n ** 31n

function requireOwner(user: number, group: number): void {
  const isOwn = (id: number) => id === 1000 || id === -1 || id === 0xffffffff
  if (!isOwn(user) || !isOwn(group)) throw new SystemFailure('EPERM')
}

function pipeFacts(stream: number) {
  return { mode: 0o10600, size: 0, inode: 100_000 + stream, modifiedMs: 0, accessedMs: 0, changedMs: 0 }
}
