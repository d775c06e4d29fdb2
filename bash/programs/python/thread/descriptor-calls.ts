/** System calls on descriptors: reading, writing, pipes and mapped files. */
import type { Bytes } from '../../../../src/fs/types.js'
import { type Asking, ask, settled } from './ask.js'
import { SystemFailure } from './errno.js'
import type { Open, OpenDevice, OpenFile } from './open-files.js'
import { appendFlag, sizeOf } from './path-calls.js'
import { guarded, type Process } from './process.js'

const accessModes = 3
const readOnly = 0
const writeOnly = 1
const nonBlocking = 2048
const pollIn = 1
const pollOut = 4
const pollInvalid = 32
const pollBytes = 8
const pageBytes = 65536
const mapPrivate = 2
const mapWritable = 2
const fileTypes = { directory: 3, file: 4 }

interface Mapping {
  open: OpenFile
  offset: number
  length: number
  /** Changes go to the file. */
  writes: boolean
}

export function descriptorCalls(process: Process) {
  const { memory, files } = process
  const mappings = new Map<number, Mapping>()

  function place(descriptor: number): Exclude<Open, { kind: 'stream' }> {
    const open = files.get(descriptor)
    if (open.kind === 'stream') throw new SystemFailure('ESPIPE')
    return open
  }

  function* readFrom(open: Open, count: number, at?: number): Asking<Bytes> {
    if (open.kind === 'directory') throw new SystemFailure('EISDIR')
    if ((open.flags & accessModes) === writeOnly) throw new SystemFailure('EBADF')
    if (open.kind === 'stream') {
      if (at !== undefined) throw new SystemFailure('ESPIPE')
      yield* files.saveAll()
      const waits = !(open.flags & nonBlocking) || (yield* ask('readable', [open.stream], 0)).length > 0
      if (!waits) throw new SystemFailure('EAGAIN')
      return (yield* ask('read', open.stream, count)).bytes
    }
    if (open.kind === 'file') return yield* open.content.read(at ?? open.at, count)
    return open.bytes?.subarray(at ?? open.at, (at ?? open.at) + count) ?? open.read(count)
  }

  function* writeTo(open: Open, bytes: Bytes, at?: number): Asking<void> {
    if (open.kind === 'directory' || (open.flags & accessModes) === readOnly) throw new SystemFailure('EBADF')
    if (open.kind === 'device') yield* settled(open.write(bytes))
    else if (open.kind === 'stream') yield* ask('write', open.stream, bytes)
    else {
      // At the end, even where a place was given, as on Linux.
      const place = open.flags & appendFlag ? yield* open.content.size() : (at ?? open.at)
      if (at === undefined) open.at = place
      sizeOf(BigInt(place + bytes.length))
      yield* open.content.write(place, bytes)
    }
  }

  function* read(descriptor: number, vectors: number, count: number, done: number, at?: number): Asking<undefined> {
    const open = files.get(descriptor)
    let total = 0
    for (const { address, length } of memory.vectors(vectors, count)) {
      if (length === 0) continue
      const bytes = yield* readFrom(open, length, at === undefined ? undefined : at + total)
      memory.bytes().set(bytes, address)
      total += bytes.length
      if (at === undefined && open.kind !== 'stream') open.at += bytes.length
      if (bytes.length < length) break
    }
    memory.putWord(done, total)
  }

  function* write(descriptor: number, vectors: number, count: number, done: number, at?: number): Asking<undefined> {
    const open = files.get(descriptor)
    let total = 0
    for (const { address, length } of memory.vectors(vectors, count)) {
      // A copy, because what is given away may be kept.
      const bytes = memory.bytes().slice(address, address + length)
      yield* writeTo(open, bytes, at === undefined ? undefined : at + total)
      total += length
      if (at === undefined && open.kind !== 'stream') open.at += length
    }
    memory.putWord(done, total)
  }

  function* sizeOfOpen(open: Open): Asking<number> {
    if (open.kind === 'file') return yield* open.content.size()
    return open.kind === 'device' ? (open.bytes?.length ?? 0) : 0
  }

  function* seek(descriptor: number, offset: bigint, whence: number, to: number): Asking<undefined> {
    const open = place(descriptor)
    const base = [0, open.at, yield* sizeOfOpen(open)][whence]
    if (base === undefined) throw new SystemFailure('EINVAL')
    open.at = sizeOf(BigInt(base) + offset)
    if (open.kind === 'directory' && open.at === 0) delete open.entries
    memory.putLong(to, open.at)
  }

  /** Which of them are ready. Waits only when none is. */
  function* poll(address: number, count: number, timeoutMs: number): Asking<number> {
    const asked = Array.from({ length: count }, (_, index) => {
      const at = address + index * pollBytes
      const descriptor = memory.view().getInt32(at, true)
      const open = descriptor >= 0 && files.has(descriptor) ? files.get(descriptor) : undefined
      return { at, descriptor, open, events: memory.view().getInt16(at + 4, true) }
    })
    const isSource = ({ open, events }: (typeof asked)[number]) => open?.kind === 'stream' && (events & pollIn) !== 0
    const always = asked.some(
      (one) => (one.open === undefined && one.descriptor >= 0) || (one.open && readyAtOnce(one.open, one.events)),
    )
    const streams = asked.filter(isSource).map(({ open }) => (open as { stream: number }).stream)
    yield* files.saveAll()
    let readable: number[] = []
    if (streams.length > 0) readable = yield* ask('readable', streams, always ? 0 : timeoutMs)
    else if (!always && timeoutMs > 0) yield* ask('sleep', timeoutMs)
    let ready = 0
    for (const one of asked) {
      let found = one.open === undefined ? (one.descriptor < 0 ? 0 : pollInvalid) : readyAtOnce(one.open, one.events)
      if (isSource(one) && readable.includes((one.open as { stream: number }).stream)) found |= pollIn
      memory.view().setInt16(one.at + 6, found, true)
      if (found !== 0) ready += 1
    }
    return ready
  }

  function readyAtOnce(open: Open, events: number): number {
    return open.kind === 'stream' ? events & pollOut : events & (pollIn | pollOut)
  }

  function* map(
    length: number,
    protection: number,
    flags: number,
    descriptor: number,
    offset: bigint,
    to: number,
    found: number,
  ): Asking<undefined> {
    const open = files.get(descriptor)
    if (open.kind !== 'file') throw new SystemFailure('ENODEV')
    const address = process.allocate(length, pageBytes)
    if (address === 0) throw new SystemFailure('ENOMEM')
    memory.bytes().fill(0, address, address + length)
    const content = yield* open.content.read(Number(offset), length)
    memory.bytes().set(content, address)
    const writes = (flags & mapPrivate) === 0 && (protection & mapWritable) !== 0
    mappings.set(address, { open, offset: Number(offset), length, writes })
    memory.putWord(to, 1)
    memory.putWord(found, address)
  }

  function* saveMapping(address: number): Asking<undefined> {
    const mapping = mappings.get(address)
    if (!mapping?.writes) return
    const { open, offset, length } = mapping
    const size = Math.min(length, (yield* open.content.size()) - offset)
    if (size > 0) yield* open.content.write(offset, memory.bytes().slice(address, address + size))
  }

  function control(descriptor: number, command: number, given: number): number {
    const open = files.get(descriptor)
    const argument = given === 0 ? 0 : memory.word(given)
    switch (command) {
      case 0:
      case 1030: {
        const copy = files.add(open, argument)
        if (command === 1030) files.setCloseOnExec(copy, true)
        return copy
      }
      case 1:
        return files.closesOnExec(descriptor) ? 1 : 0
      case 2:
        files.setCloseOnExec(descriptor, (argument & 1) !== 0)
        return 0
      case 3:
        return open.flags
      case 4:
        open.flags = (open.flags & ~(appendFlag | nonBlocking)) | (argument & (appendFlag | nonBlocking))
        return 0
      // Locks: nothing else has the file while this runs.
      case 12:
        memory.view().setInt16(argument, 2, true)
        return 0
      case 13:
      case 14:
        return 0
      default:
        throw new SystemFailure('EINVAL')
    }
  }

  const calls = {
    __syscall_fcntl64: control,
    /** It reaches nobody: see library/network.py. */
    __syscall_socket: () => files.add(unconnected()),
    __syscall_ioctl(descriptor: number) {
      const open = files.get(descriptor)
      if (open.kind === 'device' && open.name === socketName) return 0
      throw new SystemFailure('ENOTTY')
    },
    __syscall_dup: (descriptor: number) => files.add(files.get(descriptor)),
    *__syscall_dup3(from: number, to: number): Asking<number> {
      const open = files.get(from)
      if (from === to) throw new SystemFailure('EINVAL')
      if (files.has(to)) yield* files.close(to)
      files.put(to, open)
      return to
    },
    *__syscall_pipe(to: number): Asking<undefined> {
      const { read: reader, write: writer } = yield* ask('pipe')
      memory.putWord(to, files.add({ kind: 'stream', stream: reader, flags: readOnly }))
      memory.putWord(to + 4, files.add({ kind: 'stream', stream: writer, flags: writeOnly }))
    },
    __syscall_poll: poll,
    *__syscall_ftruncate64(descriptor: number, size: bigint): Asking<undefined> {
      const open = files.get(descriptor)
      if (open.kind !== 'file' || (open.flags & accessModes) === readOnly) throw new SystemFailure('EINVAL')
      yield* open.content.resize(sizeOf(size))
    },
    *__syscall_fallocate(descriptor: number, _mode: number, offset: bigint, length: bigint): Asking<undefined> {
      const open = files.get(descriptor)
      if (open.kind !== 'file') throw new SystemFailure('ENODEV')
      const end = sizeOf(offset + length)
      if (end > (yield* open.content.size())) yield* open.content.resize(end)
    },
    __syscall_fadvise64: () => 0,
    __syscall_fdatasync: (descriptor: number) => sync(descriptor),
    _mmap_js: map,
    _msync_js: (address: number) => saveMapping(address),
    *_munmap_js(address: number): Asking<undefined> {
      yield* saveMapping(address)
      if (mappings.delete(address)) process.free(address)
    },
  }

  function* sync(descriptor: number): Asking<undefined> {
    const open = files.get(descriptor)
    if (open.kind === 'file') yield* open.content.save()
    else if (open.kind === 'stream') throw new SystemFailure('EINVAL')
  }

  const standardCalls = {
    fd_read: (descriptor: number, vectors: number, count: number, done: number) =>
      read(descriptor, vectors, count, done),
    fd_write: (descriptor: number, vectors: number, count: number, done: number) =>
      write(descriptor, vectors, count, done),
    fd_pread: (descriptor: number, vectors: number, count: number, at: bigint, done: number) =>
      read(descriptor, vectors, count, done, sizeOf(at)),
    fd_pwrite: (descriptor: number, vectors: number, count: number, at: bigint, done: number) =>
      write(descriptor, vectors, count, done, sizeOf(at)),
    fd_seek: seek,
    fd_sync: sync,
    fd_close: (descriptor: number) => files.close(descriptor),
    /** The C library takes a character device, which none is here, for a terminal. */
    fd_fdstat_get(descriptor: number, to: number) {
      const { kind } = files.get(descriptor)
      memory.bytes().fill(0, to, to + 24)
      memory.bytes()[to] = kind === 'stream' ? 0 : kind === 'directory' ? fileTypes.directory : fileTypes.file
    },
  }

  const all = (table: object, sign: number) =>
    Object.fromEntries(
      Object.entries(table).map(([name, call]) => [
        name,
        guarded(call as (...given: unknown[]) => Asking<number | undefined> | number | undefined, sign),
      ]),
    )
  return { env: all(calls, -1), standard: all(standardCalls, 1) }
}

const socketName = 'socket'
const socketMode = 0o140777

function unconnected(): OpenDevice {
  const facts = { mode: socketMode, size: 0, inode: 0, modifiedMs: 0, accessedMs: 0, changedMs: 0 }
  const refuse = () => {
    throw new SystemFailure('ENOTCONN')
  }
  return { kind: 'device', name: socketName, read: refuse, write: refuse, facts, at: 0, flags: 2 }
}
