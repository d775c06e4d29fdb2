/** A command's files for one program: relative paths, devices, and what of a system lies around the workspace. */
import { FsError, isFsError } from '../../src/errors.js'
import { dirname, isWithin, resolve } from '../../src/fs/path.js'
import type { Bytes, Entry, Stat } from '../../src/fs/types.js'
import type { CommandTree } from './command-tree.js'
import type { ShellFiles } from './program.js'
import { linkTarget, shownPath, shownTarget, throughScratch } from './scratch-names.js'
import { type ByteReader, type ByteWriter, readAll, readerOf } from './streams.js'
import type { SystemFiles } from './system-files.js'

export interface ShellFilesOptions {
  cwd: string
  umask: number
  system: SystemFiles
  /** The open descriptors, for `/dev/stdin`, `/dev/fd/3` and the like. */
  reader(descriptor: number): ByteReader | undefined
  writer(descriptor: number): ByteWriter | undefined
  random(): number
  /** Where absolute paths below `/tmp` lead, when the workspace has no `/tmp`. */
  scratch?: string | undefined
}

const standard: Readonly<Record<string, number>> = { '/dev/stdin': 0, '/dev/stdout': 1, '/dev/stderr': 2 }
const devices = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/full', ...Object.keys(standard)]
const endlessChunk = 64 * 1024

export function shellFiles(tree: CommandTree, options: ShellFilesOptions): ShellFiles {
  const { cwd, umask } = options

  /** `..` leads to the parent of where a link leads, so what is before it is resolved first. */
  async function absolute(given: string): Promise<string> {
    if (given === '') throw new FsError('NOT_FOUND', { path: given })
    const path = throughScratch(given, options.scratch)
    if (!path.includes('..')) return resolve(cwd, path)
    let at = path.startsWith('/') ? '/' : cwd
    for (const name of path.split('/')) at = name === '..' ? dirname(await withoutLinks(at)) : resolve(at, name)
    return at
  }

  async function withoutLinks(path: string): Promise<string> {
    try {
      return await tree.realPath(path)
    } catch (error) {
      // Directories above the roots can't be looked at, and contain no links that lead further.
      if (isFsError(error, 'OUTSIDE', 'DENIED') || special(path) !== undefined) return path
      throw error
    }
  }

  /** A path that ends with a slash is a directory's, and a link there is followed. */
  async function requireDirectory(path: string, at: string): Promise<void> {
    if (!namesDirectory(path)) return
    if ((special(at) ?? (await tree.stat(at))).kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
  }

  /** The stat of what is not in the tree. */
  function special(path: string): Stat | undefined {
    if (isDevice(path)) return { kind: 'other', size: 0, mode: 0o666 }
    return options.system.stat(path)
  }

  function isDevice(path: string): boolean {
    return devices.includes(path) || descriptorOf(path) !== undefined
  }

  async function orSpecial(path: string, look: (path: string) => Promise<Stat>): Promise<Stat> {
    const at = await withPath(path, () => absolute(path))
    const found = isDevice(at) ? special(at) : undefined
    if (found !== undefined) return found
    try {
      const stat = await withPath(path, () => (namesDirectory(path) ? tree.stat(at) : look(at)))
      if (stat.kind !== 'directory' && namesDirectory(path)) throw new FsError('NOT_A_DIRECTORY', { path })
      return stat
    } catch (error) {
      const other = special(at)
      if (other !== undefined) return other
      throw error
    }
  }

  function systemContent(at: string): Bytes | undefined {
    const content = options.system.read(at)
    if (content === undefined && special(at)?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path: at })
    return content
  }

  /** What the workspace has comes first. */
  async function orSystem<Result>(look: () => Promise<Result>, other: () => Result | undefined): Promise<Result> {
    try {
      return await look()
    } catch (error) {
      const found = isFsError(error, 'NOT_FOUND', 'OUTSIDE', 'DENIED') ? other() : undefined
      if (found === undefined) throw error
      return found
    }
  }

  /** A directory that only the system has is made in the workspace when something is put there. */
  async function inSystem<Result>(at: string, put: () => Promise<Result>): Promise<Result> {
    try {
      return await put()
    } catch (error) {
      const above = dirname(at)
      if (!isFsError(error, 'NOT_FOUND') || options.system.stat(above)?.kind !== 'directory') throw error
      if (await isThere(above)) throw error
      await inSystem(above, () => tree.makeDir(above, {}))
      return put()
    }
  }

  async function isThere(at: string): Promise<boolean> {
    try {
      await tree.stat(at)
      return true
    } catch (error) {
      if (isFsError(error)) return false
      throw error
    }
  }

  async function unlessSystem<Result>(at: string, change: () => Promise<Result>): Promise<Result> {
    try {
      return await change()
    } catch (error) {
      const isSystem = isFsError(error, 'NOT_FOUND') && special(at) !== undefined
      throw isSystem ? new FsError('DENIED', { path: at }) : error
    }
  }

  function randomBytes(): Bytes {
    const bytes = new Uint8Array(endlessChunk)
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(options.random() * 256)
    return bytes
  }

  function readDevice(path: string): ByteReader {
    const descriptor = descriptorOf(path)
    if (descriptor !== undefined) {
      const reader = options.reader(descriptor)
      if (reader === undefined) throw new FsError('NOT_FOUND', { path })
      return { ...reader, close() {} }
    }
    if (path === '/dev/zero' || path === '/dev/full') return endless(() => new Uint8Array(endlessChunk))
    if (path === '/dev/random' || path === '/dev/urandom') return endless(randomBytes)
    return endless(() => undefined)
  }

  function writeDevice(path: string): ByteWriter {
    const descriptor = descriptorOf(path)
    if (descriptor === undefined) {
      const write = () => (path === '/dev/full' ? Promise.reject(new FsError('NO_SPACE', { path })) : undefined)
      return { write, close: async () => {} }
    }
    const writer = options.writer(descriptor)
    if (writer === undefined) throw new FsError('NOT_FOUND', { path })
    return { write: (bytes) => writer.write(bytes), close: async () => {} }
  }

  async function openRead(path: string): Promise<ByteReader> {
    const at = await absolute(path)
    if (isDevice(at)) return readDevice(at)
    await requireDirectory(path, at)
    return orSystem(
      () => tree.openRead(at),
      () => {
        const content = systemContent(at)
        return content && readerOf(content)
      },
    )
  }

  /** What can't be opened with the others may be what only the system has. */
  async function openAll(directory: string, names: readonly string[]): Promise<Array<ByteReader | FsError>> {
    const at = await withPath(directory, () => absolute(directory))
    const alone = (name = '') => {
      const path = `${directory.replace(/\/$/, '')}/${name}`
      return withPath(path, () => openRead(path)).catch(asFailure)
    }
    if (isWithin('/dev', at)) return Promise.all(names.map(alone))
    const opened = await tree.openAll(at, names)
    if (!opened.some(isFailure)) return opened
    return Promise.all(opened.map((one, index) => (isFailure(one) ? alone(names[index]) : one)))
  }

  return {
    capabilities: tree.capabilities,
    stat: (path) => orSpecial(path, tree.stat),
    lstat: (path) => orSpecial(path, tree.lstat),
    readDir: (path) =>
      withPath(path, async (): Promise<Entry[]> => {
        const at = await absolute(path)
        return orSystem(
          () => tree.readDir(at),
          () => options.system.list(at),
        )
      }),
    openRead: (path) => withPath(path, () => openRead(path)),
    openAll,
    openWrite: (path, { append = false, exclusive = false } = {}) =>
      withPath(path, async () => {
        const at = await absolute(path)
        if (isDevice(at)) return writeDevice(at)
        if (namesDirectory(path)) throw new FsError('IS_A_DIRECTORY', { path })
        return inSystem(at, () => tree.openWrite(at, { append, exclusive, mode: 0o666 & ~umask }))
      }),
    readFile: (path, range) =>
      withPath(path, async () => {
        const at = await absolute(path)
        if (isDevice(at)) return readAll(readDevice(at))
        await requireDirectory(path, at)
        return orSystem(
          () => tree.readFile(at, range),
          () => systemContent(at)?.slice(range?.start, range?.end),
        )
      }),
    writeFile: (path, data, { mode = 0o666 & ~umask } = {}) =>
      withPath(path, async () => {
        if (namesDirectory(path)) throw new FsError('IS_A_DIRECTORY', { path })
        const at = await absolute(path)
        return inSystem(at, () => tree.writeFile(at, data, { mode }))
      }),
    makePipe: (path) =>
      withPath(path, async () => {
        const at = await absolute(path)
        const { makePipe } = tree
        if (makePipe === undefined) throw new FsError('UNSUPPORTED', { path, operation: 'mkfifo' })
        return inSystem(at, () => makePipe(at, 0o666 & ~umask))
      }),
    async openPipe(path) {
      const { openPipe } = tree
      return openPipe && withPath(path, async () => openPipe(await absolute(path)))
    },
    makeDir: (path) =>
      withPath(path, async () => {
        const at = await absolute(path)
        return inSystem(at, () => tree.makeDir(at, { mode: 0o777 & ~umask }))
      }),
    remove: (path) =>
      withPath(path, async () => {
        const at = await absolute(path)
        if (namesDirectory(path) && (await tree.lstat(at)).kind !== 'directory') {
          throw new FsError('NOT_A_DIRECTORY', { path })
        }
        return unlessSystem(at, () => tree.remove(at))
      }),
    rename: async (from, to) => tree.rename(await absolute(from), await absolute(to)),
    symlink: (target, path) =>
      withPath(path, async () => {
        const at = await absolute(path)
        return tree.symlink(linkTarget(target, at, options.scratch), at)
      }),
    readLink: (path) =>
      withPath(path, async () => {
        const at = await absolute(path)
        return shownTarget(await tree.readLink(at), at, options.scratch)
      }),
    realPath: (path) =>
      withPath(path, async () => {
        const at = await absolute(path)
        await requireDirectory(path, at)
        return orSystem(
          async () => shownPath(await tree.realPath(at), options.scratch),
          () => (special(at) === undefined ? undefined : at),
        )
      }),
    setMode: (path, mode) =>
      withPath(path, async () => {
        const at = await absolute(path)
        return unlessSystem(at, () => tree.setMode(at, mode))
      }),
    setModified: (path, modifiedMs) => withPath(path, async () => tree.setModified(await absolute(path), modifiedMs)),
  }
}

function isFailure(opened: ByteReader | FsError): opened is FsError {
  return isFsError(opened)
}

function asFailure(error: unknown): FsError {
  if (!isFsError(error)) throw error
  return error
}

/** Failures name the path as it was given. */
async function withPath<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof FsError && 'path' in error.facts) {
      throw new FsError(error.code, { ...error.facts, path } as never)
    }
    throw error
  }
}

function namesDirectory(path: string): boolean {
  return path.endsWith('/') || path.endsWith('/.')
}

function descriptorOf(path: string): number | undefined {
  const [, digits] = /^\/dev\/fd\/(\d+)$/.exec(path) ?? []
  return digits === undefined ? standard[path] : Number(digits)
}

function endless(next: () => Bytes | undefined): ByteReader {
  let back: Bytes[] = []
  return {
    async read() {
      return back.shift() ?? next()
    },
    unread(bytes) {
      if (bytes.length > 0) back.unshift(bytes)
    },
    close() {
      back = []
    },
  }
}
