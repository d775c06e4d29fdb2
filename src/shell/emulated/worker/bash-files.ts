/** Adapts our files to just-bash: composed operations, POSIX errors, devices and command paths. */

import { FsError, isFsError } from '../../../errors.js'
import { basename, dirname, join, resolve } from '../../../fs/path.js'
import type { Bytes, Stat } from '../../../fs/types.js'
import type { CommandMode } from './command-mode.js'
import type { Devices } from './devices.js'
import { reasonOf, toErrno } from './errno.js'
import type { IFileSystem } from './just-bash.js'
import type { RemoteFiles } from './remote-files.js'
import { bytesOf, textOf } from './string-bytes.js'

type FsStat = Awaited<ReturnType<IFileSystem['stat']>>

/** Without modes every file counts as executable. */
const unknownMode = 0o755

export interface BashFilesOptions {
  devices: Devices
  /** True for names that exist in `/bin` and `/usr/bin`. */
  isCommand: (name: string) => boolean
  mode: CommandMode
  /** Called with the reason when a file can't be opened for writing. */
  onRefused: (reason: string) => void
  /** Called after a write to a device; the result, if any, is awaited before more is written. */
  afterOutput: () => Promise<void> | undefined
  /** Reading a larger file fails. */
  maxFileBytes: number
}

export function bashFiles(
  files: RemoteFiles,
  { devices, isCommand, mode: commandMode, onRefused, afterOutput, maxFileBytes }: BashFilesOptions,
): IFileSystem {
  const isProgram = (path: string) => ['/bin', '/usr/bin'].includes(dirname(path)) && isCommand(basename(path))

  /** Runs an operation and reports failures like the system call of this name. */
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

  async function linkStat(path: string): Promise<FsStat> {
    if (devices.has(path) || isProgram(path)) return fsStat({ kind: 'file', size: 0, mode: 0o755 }, path)
    const found = await files.stat(path)
    // Directories are identified by their real path, so that none is copied into itself under another name. There are
    // no hard links.
    const isElsewhere = found.kind === 'directory' && files.capabilities.symlinks
    return fsStat(found, isElsewhere ? await files.realPath(path) : path)
  }

  async function followedStat(path: string): Promise<FsStat> {
    const found = await linkStat(path)
    return found.isSymbolicLink ? linkStat(await files.realPath(path)) : found
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
        if ((await followedStat(path)).isDirectory) return
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
    if (commandMode.keepsTimes > 0 && kind !== 'symlink' && modifiedMs !== undefined)
      await files.setModified?.(to, modifiedMs)
  }

  async function copyEntry(from: string, to: string, stat: Stat): Promise<void> {
    if (stat.kind === 'symlink') {
      await required(files.symlink, 'symlink', to)(await required(files.readLink, 'readlink', from)(from), to)
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
    await followedStat(path)
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
        await followedStat(path)
        return true
      } catch (error) {
        if (isFsError(error)) return false
        throw error
      }
    },
    stat: (path) => call('stat', path, 'read', () => followedStat(path)),
    lstat: (path) => call('lstat', path, 'read', () => linkStat(path)),
    mkdir: (path, { recursive = false } = {}) =>
      call('mkdir', path, 'write', () => (recursive ? makeDirs(path) : files.makeDir(path))),
    readdir: (path) =>
      call('scandir', path, 'read', async () => (await files.readDir(path)).map(({ name }) => name).sort()),
    readdirWithFileTypes: (path) =>
      call('scandir', path, 'read', async () => {
        const all = (await files.readDir(path)).sort((a, b) => (a.name < b.name ? -1 : 1))
        const entries = commandMode.hidesLinks > 0 ? all.filter(({ kind }) => kind !== 'symlink') : all
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
      call('chmod', path, 'write', () => required(files.setMode, 'chmod', path)(path, mode & 0o7777)),
    symlink: (target, path) =>
      call('symlink', path, 'write', () => required(files.symlink, 'symlink', path)(target, path)),
    link: (path) => call('link', path, 'write', async () => required<[], void>(undefined, 'link', path)()),
    readlink: (path) => call('readlink', path, 'read', () => required(files.readLink, 'readlink', path)(path)),
    realpath: (path) => call('realpath', path, 'read', () => files.realPath(path)),
    utimes: (path, _accessed, modified) => call('utime', path, 'write', () => setTime(path, modified)),
  }
}

/** The method, or one that fails with `UNSUPPORTED`. */
function required<Given extends unknown[], Result>(
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

/** Without an identity, `cp` and `mv` of just-bash replace nothing, because it might be the same file. */
function fsStat({ kind, size = 0, mode = unknownMode, modifiedMs = 0 }: Stat, identity: string): FsStat {
  return { ...kindFlags(kind), mode, size, mtime: new Date(modifiedMs), identity }
}
