/** Our files as just-bash wants them: composed operations, errors named like a system's, devices, and the places of commands. */

import { FsError, isFsError } from '../../../errors.js'
import { basename, dirname, join, resolve } from '../../../fs/path.js'
import type { Bytes, Stat } from '../../../fs/types.js'
import type { Manner } from './command-mode.js'
import type { Devices } from './devices.js'
import { reasonOf, toErrno } from './errno.js'
import type { IFileSystem } from './just-bash.js'
import type { RemoteFiles } from './remote-files.js'
import { bytesOf, textOf } from './string-bytes.js'

type FsStat = Awaited<ReturnType<IFileSystem['stat']>>

/** Where modes are not known every file can be run, as on a disk that has none. */
const unknownMode = 0o755

export interface BashFilesOptions {
  devices: Devices
  /** What is found in `/bin` and `/usr/bin`. */
  isCommand: (name: string) => boolean
  manner: Manner
  /** Told why a file could not be opened for writing. */
  onRefused: (reason: string) => void
  /** After something was written to a device: what to wait for before more is, if anything. */
  afterOutput: () => Promise<void> | undefined
  /** Larger files are not read. */
  maxFileBytes: number
}

export function bashFiles(
  files: RemoteFiles,
  { devices, isCommand, manner, onRefused, afterOutput, maxFileBytes }: BashFilesOptions,
): IFileSystem {
  const isProgram = (path: string) => ['/bin', '/usr/bin'].includes(dirname(path)) && isCommand(basename(path))

  /** Runs one operation under the name of the call that a system would have made. */
  async function call<Result>(
    name: string,
    path: string,
    right: 'read' | 'write',
    run: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      const translated = toErrno(error, name, path, right)
      if (right === 'write' && translated instanceof Error) onRefused(reasonOf(translated))
      throw translated
    }
  }

  async function lookAt(path: string): Promise<FsStat> {
    if (devices.has(path) || isProgram(path)) return fsStat({ kind: 'file', size: 0, mode: 0o755 }, path)
    const found = await files.stat(path)
    // Of directories, so that none is copied into itself by another name. There are no hard links.
    const isElsewhere = found.kind === 'directory' && files.capabilities.symlinks
    return fsStat(found, isElsewhere ? await files.realPath(path) : path)
  }

  async function follow(path: string): Promise<FsStat> {
    const found = await lookAt(path)
    return found.isSymbolicLink ? lookAt(await files.realPath(path)) : found
  }

  async function read(path: string): Promise<Bytes> {
    if (isProgram(path)) return new Uint8Array()
    const bytes = devices.read(path) ?? (await files.readFile(path))
    if (bytes.length > maxFileBytes) {
      throw new FsError('TOO_LARGE', { path, size: bytes.length, limit: maxFileBytes })
    }
    return bytes
  }

  async function write(path: string, bytes: Bytes): Promise<void> {
    await (devices.write(path, bytes) ? afterOutput() : files.writeFile(path, bytes))
  }

  async function append(path: string, bytes: Bytes): Promise<void> {
    await (devices.write(path, bytes) ? afterOutput() : files.append(path, bytes))
  }

  async function makeDirs(path: string): Promise<void> {
    try {
      await files.makeDir(path)
    } catch (error) {
      if (isFsError(error, 'EXISTS')) {
        if ((await follow(path)).isDirectory) return
        throw error
      }
      if (!isFsError(error, 'NOT_FOUND') || path === '/') throw error
      await makeDirs(dirname(path))
      await files.makeDir(path)
    }
  }

  async function removeTree(path: string): Promise<void> {
    if ((await files.stat(path)).kind === 'directory') {
      for (const { name } of await files.readDir(path)) await removeTree(join(path, name))
    }
    await files.remove(path)
  }

  async function copyTree(from: string, to: string, stat: Stat): Promise<void> {
    await copyEntry(from, to, stat)
    const { kind, modifiedMs } = stat
    if (manner.keepsTimes > 0 && kind !== 'symlink' && modifiedMs !== undefined)
      await files.setModified?.(to, modifiedMs)
  }

  async function copyEntry(from: string, to: string, stat: Stat): Promise<void> {
    if (stat.kind === 'symlink') {
      await refuseWithout(files.symlink, 'symlink', to)(await refuseWithout(files.readLink, 'readlink', from)(from), to)
    } else if (stat.kind === 'directory') {
      await makeDirs(to)
      for (const { name } of await files.readDir(from)) {
        const inner = join(from, name)
        await copyTree(inner, join(to, name), await files.stat(inner))
      }
    } else await files.writeFile(to, await files.readFile(from), stat.mode === undefined ? {} : { mode: stat.mode })
  }

  async function copy(from: string, to: string, recursive: boolean): Promise<void> {
    const stat = await files.stat(await files.realPath(from))
    if (stat.kind === 'directory' && !recursive) throw new FsError('IS_A_DIRECTORY', { path: from })
    await copyTree(from, to, stat)
  }

  async function move(from: string, to: string): Promise<void> {
    try {
      await files.rename(from, to)
    } catch (error) {
      if (!isFsError(error, 'CROSS_DEVICE')) throw error
      await copyTree(from, to, await files.stat(from))
      await removeTree(from)
    }
  }

  async function setTime(path: string, modified: Date): Promise<void> {
    await follow(path)
    if (files.setModified !== undefined) await files.setModified(path, modified.getTime())
    else if (Math.abs(Date.now() - modified.getTime()) > 1000)
      throw new FsError('UNSUPPORTED', { path, operation: 'utime' })
  }

  return {
    readFile: (path, options) =>
      call('open', path, 'read', async () => textOf(await read(path), encodingOf(options) ?? 'utf8')),
    readFileBuffer: (path) => call('open', path, 'read', () => read(path)),
    writeFile: (path, content, options) =>
      call('open', path, 'write', () => write(path, bytesOf(content, encodingOf(options)))),
    appendFile: (path, content, options) =>
      call('open', path, 'write', () => append(path, bytesOf(content, encodingOf(options)))),
    exists: async (path) => {
      try {
        await follow(path)
        return true
      } catch (error) {
        if (isFsError(error)) return false
        throw error
      }
    },
    stat: (path) => call('stat', path, 'read', () => follow(path)),
    lstat: (path) => call('lstat', path, 'read', () => lookAt(path)),
    mkdir: (path, { recursive = false } = {}) =>
      call('mkdir', path, 'write', () => (recursive ? makeDirs(path) : files.makeDir(path))),
    readdir: (path) =>
      call('scandir', path, 'read', async () => (await files.readDir(path)).map(({ name }) => name).sort()),
    readdirWithFileTypes: (path) =>
      call('scandir', path, 'read', async () => {
        const all = (await files.readDir(path)).sort((a, b) => (a.name < b.name ? -1 : 1))
        const entries = manner.hidesLinks > 0 ? all.filter(({ kind }) => kind !== 'symlink') : all
        return entries.map(({ name, kind }) => ({ name, ...kindFlags(kind) }))
      }),
    rm: (path, { recursive = false, force = false } = {}) =>
      call('rm', path, 'write', async () => {
        try {
          await (recursive ? removeTree(path) : files.remove(path))
        } catch (error) {
          if (!force || !isFsError(error, 'NOT_FOUND')) throw error
        }
      }),
    cp: (from, to, { recursive = false } = {}) => call('cp', from, 'write', () => copy(from, to, recursive)),
    mv: (from, to) => call('rename', from, 'write', () => move(from, to)),
    resolvePath: resolve,
    getAllPaths: () => [],
    chmod: (path, mode) =>
      call('chmod', path, 'write', () => refuseWithout(files.setMode, 'chmod', path)(path, mode & 0o7777)),
    symlink: (target, path) =>
      call('symlink', path, 'write', () => refuseWithout(files.symlink, 'symlink', path)(target, path)),
    link: (path) => call('link', path, 'write', async () => refuseWithout<[], void>(undefined, 'link', path)()),
    readlink: (path) => call('readlink', path, 'read', () => refuseWithout(files.readLink, 'readlink', path)(path)),
    realpath: (path) => call('realpath', path, 'read', () => files.realPath(path)),
    utimes: (path, _accessed, modified) => call('utime', path, 'write', () => setTime(path, modified)),
  }
}

/** The method, or one that says that the file system lacks it. */
function refuseWithout<Given extends unknown[], Result>(
  method: ((...given: Given) => Promise<Result>) | undefined,
  operation: string,
  path: string,
): (...given: Given) => Promise<Result> {
  if (method !== undefined) return method
  return async () => {
    throw new FsError('UNSUPPORTED', { path, operation })
  }
}

type Encoding = Exclude<NonNullable<Parameters<IFileSystem['readFile']>[1]>, object>

function encodingOf(options: Encoding | { encoding?: Encoding | null } | undefined): Encoding | undefined {
  return (typeof options === 'object' ? options.encoding : options) ?? undefined
}

function kindFlags(kind: Stat['kind']) {
  return { isFile: kind === 'file', isDirectory: kind === 'directory', isSymbolicLink: kind === 'symlink' }
}

/** Without an identity `cp` and `mv` of just-bash replace nothing: it might be the same file. */
function fsStat({ kind, size = 0, mode = unknownMode, modifiedMs = 0 }: Stat, identity: string): FsStat {
  return { ...kindFlags(kind), mode, size, mtime: new Date(modifiedMs), identity }
}
