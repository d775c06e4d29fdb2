/**
 * SQLite in WebAssembly with its own layer of files (the "unix" VFS), whose system calls reach a disk that forgets. The debug build of
 * sql.js, because only there the calls have names.
 */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fromSqlJs, type SqlJs } from '../../../src/fs/backends/sqlite/adapters.js'
import type { SqliteDatabase } from '../../../src/fs/backends/sqlite/database.js'
import type { ForgetfulFiles, OpenFile } from './lost-writes.js'

const require = createRequire(import.meta.url)

interface Sql {
  Database: new (data: Uint8Array) => SqlJs & { close(): void }
}

type Imports = Record<string, (...args: never[]) => unknown>

export interface FilesDatabase {
  database: SqliteDatabase
  close(): void
}

const [ok, badDescriptor, noEntry, notSupported] = [0, 8, 44, 138]
const [regularFile, directory] = [0o100644, 0o40755]
const [createFlag, deleteDirectoryFlag] = [64, 512]
const [getLock, unlocked] = [12, 2]

/** Returns a function that opens the database `db` on a disk, with the settings given first. */
export async function sqliteOnFiles(): Promise<(disk: ForgetfulFiles, settings: readonly string[]) => FilesDatabase> {
  let memory = new WebAssembly.Memory({ initial: 1 })
  /** The disk of each database by its name, which sql.js chooses. */
  const disks = new Map<string, ForgetfulFiles>()
  let next: ForgetfulFiles | undefined
  const open = new Map<number, { file: OpenFile | undefined; disk: ForgetfulFiles; position: number; name: string }>()
  const devices = new Map<ForgetfulFiles, number>()
  let [lastDescriptor, lastDevice] = [100, 0]

  const view = () => new DataView(memory.buffer)

  function textAt(pointer: number): string {
    const bytes = new Uint8Array(memory.buffer, pointer)
    return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString()
  }

  /** A file of a database as `db`, `db-wal`, `db-journal`; the directory as ''. */
  function locate(pointer: number): { disk: ForgetfulFiles; name: string } | undefined {
    const [, base, suffix = ''] = /^\/*(dbfile_\d+)(-\w+)?$/.exec(textAt(pointer)) ?? []
    if (base === undefined) return next && { disk: next, name: '' }
    const disk = disks.get(base) ?? next
    if (disk === undefined) return undefined
    disks.set(base, disk)
    return { disk, name: `db${suffix}` }
  }

  function writeStat(at: number, disk: ForgetfulFiles, name: string): number {
    const [mode, size] = name === '' ? [directory, 0] : [regularFile, disk.files()[name]?.length ?? 0]
    const inode = ['', 'db', 'db-journal', 'db-wal'].indexOf(name) + 1
    new Uint8Array(memory.buffer, at, 96).fill(0)
    const stat = view()
    // SQLite knows a file again by both numbers, and keeps its locks by them.
    stat.setUint32(at, devices.get(disk) ?? 0, true)
    stat.setUint32(at + 4, mode, true)
    stat.setUint32(at + 8, 1, true)
    stat.setBigInt64(at + 24, BigInt(size), true)
    stat.setInt32(at + 32, 4096, true)
    stat.setBigInt64(at + 88, BigInt(inode), true)
    return ok
  }

  function statPath(pointer: number, at: number): number {
    const found = locate(pointer)
    if (found === undefined) return -noEntry
    const { disk, name } = found
    return name === '' || disk.has(name) ? writeStat(at, disk, name) : -noEntry
  }

  /** The buffers of a vectored call. */
  function buffers(at: number, count: number): Uint8Array[] {
    return Array.from({ length: count }, (_, index) => {
      const [start, length] = [view().getUint32(at + index * 8, true), view().getUint32(at + index * 8 + 4, true)]
      return new Uint8Array(memory.buffer, start, length)
    })
  }

  const calls: Imports = {
    __syscall_openat(_directory: number, pointer: number, flags: number): number {
      const found = locate(pointer)
      if (found === undefined) return -noEntry
      const { disk, name } = found
      if (name !== '' && !disk.has(name) && (flags & createFlag) === 0) return -noEntry
      lastDescriptor += 1
      const file = name === '' ? undefined : disk.open(name)
      open.set(lastDescriptor, { file, disk, position: 0, name })
      return lastDescriptor
    },
    __syscall_fstat64(descriptor: number, at: number): number {
      const found = open.get(descriptor)
      return found === undefined ? -badDescriptor : writeStat(at, found.disk, found.name)
    },
    __syscall_stat64: statPath,
    __syscall_lstat64: statPath,
    __syscall_newfstatat: (_directory: number, pointer: number, at: number) => statPath(pointer, at),
    __syscall_faccessat(_directory: number, pointer: number): number {
      const found = locate(pointer)
      return found !== undefined && (found.name === '' || found.disk.has(found.name)) ? ok : -noEntry
    },
    __syscall_ftruncate64(descriptor: number, size: bigint): number {
      open.get(descriptor)?.file?.truncate(Number(size))
      return ok
    },
    __syscall_unlinkat(_directory: number, pointer: number, flags: number): number {
      const found = locate(pointer)
      if (found === undefined || (flags & deleteDirectoryFlag) > 0 || !found.disk.has(found.name)) return -noEntry
      found.disk.remove(found.name)
      return ok
    },
    __syscall_fcntl64(_descriptor: number, command: number, given: number): number {
      // Nobody else has a lock.
      if (command === getLock) view().setInt16(view().getUint32(given, true), unlocked, true)
      return ok
    },
    __syscall_fchmod: () => ok,
    __syscall_fchown32: () => ok,
    __syscall_utimensat: () => ok,
    // Shared memory of several processes, which a database that is held exclusively does without.
    _mmap_js: () => -notSupported,
    fd_close: (descriptor: number) => (open.delete(descriptor) ? ok : badDescriptor),
    fd_seek(descriptor: number, offset: bigint, whence: number, at: number): number {
      const found = open.get(descriptor)
      if (found?.file === undefined || whence === 1) return badDescriptor
      found.position = Number(offset) + (whence === 2 ? found.file.data.length : 0)
      view().setBigInt64(at, BigInt(found.position), true)
      return ok
    },
    fd_read(descriptor: number, vectors: number, count: number, at: number): number {
      const found = open.get(descriptor)
      if (found?.file === undefined) return badDescriptor
      let total = 0
      for (const buffer of buffers(vectors, count)) {
        const part = found.file.data.subarray(found.position, found.position + buffer.length)
        buffer.set(part)
        found.position += part.length
        total += part.length
      }
      view().setUint32(at, total, true)
      return ok
    },
    fd_write(descriptor: number, vectors: number, count: number, at: number): number {
      const found = open.get(descriptor)
      if (found?.file === undefined) return badDescriptor
      let total = 0
      for (const buffer of buffers(vectors, count)) {
        found.file.write(found.position, buffer)
        found.position += buffer.length
        total += buffer.length
      }
      view().setUint32(at, total, true)
      return ok
    },
    fd_sync(descriptor: number): number {
      const found = open.get(descriptor)
      if (found === undefined) return badDescriptor
      if (found.file === undefined) found.disk.flushNames()
      else found.file.flush()
      return ok
    },
  }

  const build = path.join(path.dirname(require.resolve('sql.js')), 'sql-wasm-debug')
  const compiled = new WebAssembly.Module(fs.readFileSync(`${build}.wasm`))
  const initSqlJs = require(`${build}.js`) as (options: object) => Promise<Sql>
  const { Database } = await initSqlJs({
    instantiateWasm(imports: { env: Imports }, done: (instance: WebAssembly.Instance) => void) {
      const own = Object.fromEntries(
        Object.entries(imports).map(([name, functions]) => [name, replaced(functions, calls)]),
      )
      const instance = new WebAssembly.Instance(compiled, own)
      memory = instance.exports.memory as WebAssembly.Memory
      done(instance)
    },
  })

  return (disk, settings) => {
    next = disk
    lastDevice += 1
    devices.set(disk, lastDevice)
    const database = new Database(new Uint8Array())
    const close = () => {
      database.close()
      devices.delete(disk)
      for (const [base, one] of disks) if (one === disk) disks.delete(base)
    }
    try {
      for (const sql of settings) database.run(sql)
    } catch (error) {
      close()
      throw error
    }
    return { database: fromSqlJs(database), close }
  }
}

function replaced(functions: Imports, by: Imports): Imports {
  return Object.fromEntries(Object.entries(functions).map(([name, one]) => [name, by[name] ?? one]))
}
