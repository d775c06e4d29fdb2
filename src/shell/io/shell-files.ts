/** A command's files for one program: relative paths, devices, and the programs in `/bin` and `/usr/bin`. */
import { FsError } from '../../errors.js'
import { basename, dirname, resolve } from '../../fs/path.js'
import type { Bytes, Entry, Stat } from '../../fs/types.js'
import type { CommandTree } from '../language/host.js'
import type { ShellFiles } from '../programs/program.js'
import type { ByteReader, ByteWriter } from './streams.js'

export interface ShellFilesOptions {
  cwd: string
  umask: number
  isProgram(name: string): boolean
  /** The open descriptors, for `/dev/stdin`, `/dev/fd/3` and the like. */
  reader(descriptor: number): ByteReader | undefined
  writer(descriptor: number): ByteWriter | undefined
  random(): number
}

const programDirectories = ['/bin', '/usr/bin']
const standard: Readonly<Record<string, number>> = { '/dev/stdin': 0, '/dev/stdout': 1, '/dev/stderr': 2 }
const devices = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/full', ...Object.keys(standard)]
const endlessChunk = 64 * 1024

export function shellFiles(tree: CommandTree, options: ShellFilesOptions): ShellFiles {
  const { cwd, umask } = options

  function absolute(path: string): string {
    if (path === '') throw new FsError('NOT_FOUND', { path })
    return resolve(cwd, path)
  }

  /** The stat of what is not in the tree. */
  function special(path: string): Stat | undefined {
    if (isDevice(path)) return { kind: 'other', size: 0, mode: 0o666 }
    if (path === '/dev' || path === '/dev/fd' || programDirectories.includes(path) || path === '/usr') {
      return { kind: 'directory', mode: 0o755 }
    }
    return programDirectories.includes(dirname(path)) && options.isProgram(basename(path))
      ? { kind: 'file', size: 0, mode: 0o755 }
      : undefined
  }

  function isDevice(path: string): boolean {
    return devices.includes(path) || descriptorOf(path) !== undefined
  }

  async function orSpecial(path: string, look: (path: string) => Promise<Stat>): Promise<Stat> {
    const at = absolute(path)
    const found = isDevice(at) ? special(at) : undefined
    if (found !== undefined) return found
    try {
      return await withPath(path, () => look(at))
    } catch (error) {
      const other = special(at)
      if (other !== undefined) return other
      throw error
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

  return {
    capabilities: tree.capabilities,
    stat: (path) => orSpecial(path, tree.stat),
    lstat: (path) => orSpecial(path, tree.lstat),
    async readDir(path) {
      const at = absolute(path)
      return withPath(path, async (): Promise<Entry[]> => tree.readDir(at))
    },
    async openRead(path) {
      const at = absolute(path)
      if (isDevice(at)) return readDevice(at)
      return withPath(path, () => tree.openRead(at))
    },
    async openWrite(path, { append = false, exclusive = false } = {}) {
      const at = absolute(path)
      if (isDevice(at)) return writeDevice(at)
      return withPath(path, () => tree.openWrite(at, { append, exclusive, mode: 0o666 & ~umask }))
    },
    readFile: async (path, range) => withPath(path, () => tree.readFile(absolute(path), range)),
    writeFile: async (path, data, { mode = 0o666 & ~umask } = {}) =>
      withPath(path, () => tree.writeFile(absolute(path), data, { mode })),
    makeDir: async (path) => withPath(path, () => tree.makeDir(absolute(path), { mode: 0o777 & ~umask })),
    remove: async (path) => withPath(path, () => tree.remove(absolute(path))),
    rename: async (from, to) => tree.rename(absolute(from), absolute(to)),
    symlink: async (target, path) => withPath(path, () => tree.symlink(target, absolute(path))),
    readLink: async (path) => withPath(path, () => tree.readLink(absolute(path))),
    realPath: async (path) => withPath(path, () => tree.realPath(absolute(path))),
    setMode: async (path, mode) => withPath(path, () => tree.setMode(absolute(path), mode)),
    setModified: async (path, modifiedMs) => withPath(path, () => tree.setModified(absolute(path), modifiedMs)),
  }
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
      back.unshift(bytes)
    },
    close() {
      back = []
    },
  }
}
