/** The system calls that the engine imports, on files in memory. There are no others, so a database reaches nothing else. */
import { encodeText } from '../../../io/byte-text.js'
import type { TimeZone } from '../../data/time-zone.js'
import { partsAt } from '../../data/time-zone.js'
import { errno } from '../../python/thread/errno.js'
import type { HeldFile, HeldFiles } from './held-files.js'
import type { EngineMemory } from './memory.js'

export interface SystemGiven {
  memory: EngineMemory
  files: HeldFiles
  cwd(): string
  /** The absolute path of what the engine names. */
  path(given: string): string
  nowMs(): number
  random(): number
  zone: TimeZone
  /** Memory of the engine, for files that it maps. */
  allocate(alignment: number, size: number): number
}

interface Open {
  file: HeldFile
  path: string
  at: number
  isWritable: boolean
}

const createFlag = 0o100
const exclusiveFlag = 0o200
const truncateFlag = 0o1000
const accessMode = 3
const regularFile = 0o100644
const readOnlyFile = 0o100444
const symbolicLink = 0o120777
const characterDevice = 0o20666
const directory = 0o40755
const unlocked = 2
const randomDevice = '/dev/urandom'
const firstDescriptor = 3

class Failure extends Error {
  constructor(readonly number: number) {
    super('failed')
  }
}

const fail = (name: string): never => {
  throw new Failure(errno[name] as number)
}

export function systemCalls(given: SystemGiven): WebAssembly.Imports {
  const { memory, files } = given
  const open = new Map<number, Open | 'random' | 'directory'>()

  const pathAt = (at: number) => given.path(memory.text(at))

  function opened(descriptor: number): Open {
    const found = open.get(descriptor)
    if (found === undefined || typeof found === 'string') return fail('EBADF')
    return found
  }

  function found(path: string): HeldFile {
    if (!files.isKnown(path)) return fail('ENOENT')
    return files.get(path) ?? fail('ENOENT')
  }

  function openAt(path: string, flags: number): number {
    let number = firstDescriptor
    while (open.has(number)) number += 1
    if (path === randomDevice) {
      open.set(number, 'random')
      return number
    }
    if (files.isDirectory(path)) {
      open.set(number, 'directory')
      return number
    }
    if (!files.isKnown(path)) return fail('EACCES')
    const writes = (flags & accessMode) !== 0
    let file = files.get(path)
    if (file === undefined) {
      if ((flags & createFlag) === 0) return fail('ENOENT')
      if (!files.canCreate(path)) return fail('EACCES')
      file = files.create(path)
    } else {
      if ((flags & createFlag) !== 0 && (flags & exclusiveFlag) !== 0) return fail('EEXIST')
      if (writes && !file.isWritable) return fail('EACCES')
      if ((flags & truncateFlag) !== 0) files.resize(file, 0)
    }
    open.set(number, { file, path, at: 0, isWritable: writes })
    return number
  }

  function writeStat(at: number, { mode, size, inode }: { mode: number; size: number; inode: number }): number {
    const view = memory.view()
    memory.bytes().fill(0, at, at + 96)
    view.setUint32(at, 1, true)
    view.setUint32(at + 4, mode, true)
    view.setUint32(at + 8, 1, true)
    view.setBigInt64(at + 24, BigInt(size), true)
    view.setInt32(at + 32, 4096, true)
    view.setBigInt64(at + 88, BigInt(inode), true)
    return 0
  }

  function statOf(file: HeldFile) {
    return { mode: file.isWritable ? regularFile : readOnlyFile, size: file.size, inode: file.inode }
  }

  function stat(path: string, at: number): number {
    if (files.isDirectory(path)) return writeStat(at, { mode: directory, size: 4096, inode: 1 })
    return writeStat(at, statOf(found(path)))
  }

  function lstat(path: string, at: number): number {
    const target = files.linkAt(path)
    if (target !== undefined) return writeStat(at, { mode: symbolicLink, size: target.length, inode: 1 })
    // What is not held is no link: those were resolved when the file was fetched.
    const file = files.get(path)
    return file === undefined ? fail('ENOENT') : writeStat(at, statOf(file))
  }

  /** Calls `each` for the pieces that a vector names, and returns how many bytes it took. */
  function pieces(vector: number, count: number, each: (at: number, length: number) => number): number {
    let total = 0
    for (let index = 0; index < count; index += 1) {
      const view = memory.view()
      const length = view.getUint32(vector + index * 8 + 4, true)
      const done = each(view.getUint32(vector + index * 8, true), length)
      total += done
      if (done < length) break
    }
    return total
  }

  function read(descriptor: number, vector: number, count: number): number {
    if (open.get(descriptor) === 'random')
      return pieces(vector, count, (at, length) => {
        for (let index = 0; index < length; index += 1) memory.bytes()[at + index] = given.random() * 256
        return length
      })
    const stream = opened(descriptor)
    return pieces(vector, count, (at, length) => {
      const part = stream.file.bytes.subarray(stream.at, Math.min(stream.at + length, stream.file.size))
      memory.bytes().set(part, at)
      stream.at += part.length
      return part.length
    })
  }

  function write(descriptor: number, vector: number, count: number): number {
    const stream = opened(descriptor)
    if (!stream.isWritable) return fail('EBADF')
    return pieces(vector, count, (at, length) => {
      const end = stream.at + length
      if (end > stream.file.size) files.resize(stream.file, end)
      stream.file.bytes.set(memory.bytes().subarray(at, at + length), stream.at)
      stream.file.isChanged = true
      stream.at = end
      return length
    })
  }

  function control(descriptor: number, command: number, at: number): number {
    if (open.get(descriptor) === undefined) return fail('EBADF')
    const getLock = 12
    const getFlags = 3
    // One connection after the other works here, so no lock is ever refused.
    if (command === getLock) memory.view().setInt16(memory.view().getUint32(at, true), unlocked, true)
    return command === getFlags ? 2 : 0
  }

  function map(length: number, descriptor: number, offset: number, allocatedAt: number, addressAt: number): number {
    const { file } = opened(descriptor)
    const address = given.allocate(65536, length)
    if (address === 0) return fail('ENOMEM')
    memory.bytes().fill(0, address, address + length)
    memory.bytes().set(file.bytes.subarray(offset, Math.min(offset + length, file.size)), address)
    memory.view().setInt32(allocatedAt, 1, true)
    memory.view().setUint32(addressAt, address, true)
    return 0
  }

  function localTime(seconds: number, at: number): void {
    const { year, month, day, hour, minute, second, offset } = partsAt(seconds, given.zone)
    const start = Date.UTC(year, 0, 1)
    const today = Date.UTC(year, month - 1, day)
    const yearDay = Math.round((today - start) / 86_400_000)
    const weekDay = (((Math.round(today / 86_400_000) + 4) % 7) + 7) % 7
    const fields = [second, minute, hour, day, month - 1, year - 1900, weekDay, yearDay, 0, offset]
    for (const [index, value] of fields.entries()) memory.view().setInt32(at + index * 4, Math.trunc(value), true)
  }

  /** Failures as negative numbers. */
  const call =
    <Given extends unknown[]>(run: (...values: Given) => number) =>
    (...values: Given): number => {
      try {
        return run(...values)
      } catch (error) {
        if (error instanceof Failure) return -error.number
        throw error
      }
    }

  /** The same with a result that is stored, and failures as positive numbers. */
  const stored =
    <Given extends unknown[]>(run: (...values: Given) => number | bigint) =>
    (at: number, ...values: Given): number => {
      try {
        const result = run(...values)
        if (typeof result === 'bigint') memory.view().setBigInt64(at, result, true)
        else memory.view().setUint32(at, result, true)
        return 0
      } catch (error) {
        if (error instanceof Failure) return error.number
        throw error
      }
    }

  const readStored = stored(read)
  const writeStored = stored(write)
  const seekStored = stored((descriptor: number, offset: bigint, whence: number) => {
    const stream = opened(descriptor)
    const from = whence === 0 ? 0 : whence === 1 ? stream.at : stream.file.size
    const at = from + Number(offset)
    if (at < 0) return fail('EINVAL')
    stream.at = at
    return BigInt(at)
  })
  const close = (descriptor: number) => (open.delete(descriptor) ? 0 : (errno.EBADF as number))

  const env = {
    memory: memory.object,
    __syscall_faccessat: call((_at: number, path: number) => {
      found(pathAt(path))
      return 0
    }),
    __syscall_openat: call((_at: number, path: number, flags: number) => openAt(pathAt(path), flags)),
    __syscall_stat64: call((path: number, at: number) => stat(pathAt(path), at)),
    __syscall_lstat64: call((path: number, at: number) => lstat(pathAt(path), at)),
    __syscall_newfstatat: call((_at: number, path: number, at: number) => stat(pathAt(path), at)),
    __syscall_fstat64: call((descriptor: number, at: number) =>
      typeof open.get(descriptor) === 'string'
        ? writeStat(at, { mode: characterDevice, size: 0, inode: 1 })
        : writeStat(at, statOf(opened(descriptor).file)),
    ),
    __syscall_fcntl64: call(control),
    __syscall_ioctl: call(() => fail('ENOTTY')),
    __syscall_ftruncate64: call((descriptor: number, size: bigint) => {
      files.resize(opened(descriptor).file, Number(size))
      return 0
    }),
    __syscall_getcwd: call((at: number, length: number) => {
      const bytes = encodeText(`${given.cwd()}\0`)
      if (bytes.length > length) return fail('ERANGE')
      memory.bytes().set(bytes, at)
      return bytes.length
    }),
    __syscall_readlinkat: call((_at: number, path: number, at: number, length: number) => {
      const target = encodeText(files.linkAt(pathAt(path)) ?? fail('EINVAL')).subarray(0, length)
      memory.bytes().set(target, at)
      return target.length
    }),
    __syscall_unlinkat: call((_at: number, path: number) => (files.remove(pathAt(path)) ? 0 : fail('ENOENT'))),
    __syscall_mkdirat: call(() => fail('EACCES')),
    __syscall_rmdir: call(() => fail('EACCES')),
    // Modes, owners and times are the command's.
    __syscall_fchmod: () => 0,
    __syscall_chmod: () => 0,
    __syscall_fchown32: () => 0,
    __syscall_utimensat: () => 0,
    _mmap_js: call(
      (length: number, _protection: number, _flags: number, descriptor: number, offset: bigint, a: number, b: number) =>
        map(length, descriptor, Number(offset), a, b),
    ),
    _munmap_js: () => 0,
    _localtime_js: (seconds: bigint, at: number) => localTime(Number(seconds), at),
    _tzset_js: (zone: number, daylight: number) => {
      memory.view().setInt32(zone, -given.zone.at(given.nowMs() / 1000).offset, true)
      memory.view().setInt32(daylight, 0, true)
    },
    emscripten_date_now: given.nowMs,
    emscripten_get_now: given.nowMs,
    emscripten_get_heap_max: () => 2 ** 31,
    emscripten_resize_heap: (bytes: number) => (memory.grow(bytes >>> 0) ? 1 : 0),
  }
  const wasi = {
    fd_close: close,
    fd_read: (descriptor: number, vector: number, count: number, at: number) =>
      readStored(at, descriptor, vector, count),
    fd_write: (descriptor: number, vector: number, count: number, at: number) =>
      descriptor < firstDescriptor ? 0 : writeStored(at, descriptor, vector, count),
    fd_seek: (descriptor: number, offset: bigint, whence: number, at: number) =>
      seekStored(at, descriptor, offset, whence),
    fd_sync: () => 0,
    fd_fdstat_get: () => 0,
    environ_sizes_get: (countAt: number, sizeAt: number) => {
      memory.view().setUint32(countAt, 0, true)
      memory.view().setUint32(sizeAt, 0, true)
      return 0
    },
    environ_get: () => 0,
    clock_time_get: (_clock: number, _precision: bigint, at: number) => {
      memory.view().setBigInt64(at, BigInt(Math.round(given.nowMs() * 1e6)), true)
      return 0
    },
  }
  return { env, wasi_snapshot_preview1: wasi }
}
