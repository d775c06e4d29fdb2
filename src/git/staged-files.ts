/**
 * The file system for isomorphic-git: reads go through the gate, and writes are collected until they become part of one
 * change.
 */
import type { Draft } from '../change/draft.js'
import type { Streamed } from '../change/streamed-content.js'
import { FsError, isFsError } from '../errors.js'
import { basename, dirname, join, resolve } from '../fs/path.js'
import { gather } from '../fs/pieces.js'
import type { ByteRange, Bytes, FileSystem, Kind, Stat } from '../fs/types.js'

export interface StagedFiles {
  /** The `fs` argument of isomorphic-git. */
  readonly client: { promises: Record<(typeof methods)[number], (...given: never[]) => Promise<unknown>> }
  /** `modifiedMs` sets the file's own time, as in a draft. */
  write(path: string, content: Bytes | Streamed, options?: { modifiedMs?: number }): Promise<void>
  /** The bytes written here; undefined for a file that was not written, or is streamed. */
  written(path: string): Bytes | undefined
  /** The current entry at a path; undefined where there is none, or none that may be seen. */
  stat(path: string): Promise<Stat | undefined>
  /** Names in a directory; empty where there is no directory. */
  list(path: string): Promise<string[]>
  /** Returns a function that reads a file, as a whole or in part. */
  reader(path: string): (range?: ByteRange) => Promise<Bytes>
  /** Removes a file, or a directory that will be empty. */
  remove(path: string): void
  /** Adds all writes to a change. */
  draftInto(draft: Draft): Promise<void>
}

const methods = [
  'readFile',
  'writeFile',
  'mkdir',
  'rmdir',
  'unlink',
  'stat',
  'lstat',
  'readdir',
  'readlink',
  'symlink',
] as const

/** isomorphic-git reads packs as a whole. */
const maxPackBytes = 1024 * 1024 * 1024

type Written =
  | { kind: 'file'; content: Bytes | Streamed; modifiedMs?: number }
  | { kind: 'directory' }
  | { kind: 'removed' }

export function stageFiles(fs: FileSystem): StagedFiles {
  const written = new Map<string, Written>()

  async function stat(path: string): Promise<Stat | undefined> {
    const own = written.get(path)
    if (own?.kind === 'removed') return undefined
    if (own !== undefined) return { kind: own.kind, ...(own.kind === 'file' && sizeOf(own.content)) }
    try {
      return await fs.stat(path)
    } catch (error) {
      // Refusals of the gate are hidden from isomorphic-git, which prints unexpected errors.
      if (isFsError(error)) return undefined
      throw error
    }
  }

  async function statOf(given: string) {
    const path = resolve('/', given)
    const found = await stat(path)
    if (found === undefined) throw nodeError('ENOENT', path)
    return nodeStat(found)
  }

  async function readFile(given: string, options?: { encoding?: string } | string): Promise<Bytes | string> {
    const path = resolve('/', given)
    const own = written.get(path)
    const bytes =
      own?.kind === 'file' ? await wholeOf(own.content) : own === undefined ? await readBelow(path) : undefined
    if (bytes === undefined) throw nodeError(own?.kind === 'directory' ? 'EISDIR' : 'ENOENT', path)
    const encoding = typeof options === 'string' ? options : options?.encoding
    return encoding === 'utf8' ? new TextDecoder().decode(bytes) : bytes
  }

  async function readBelow(path: string): Promise<Bytes> {
    try {
      if (path.endsWith('.pack')) {
        const { size = 0 } = await fs.stat(path)
        if (size > maxPackBytes) throw new FsError('TOO_LARGE', { path, size, limit: maxPackBytes })
      }
      return await fs.readFile(path)
    } catch (error) {
      throw asNodeError(error, path)
    }
  }

  async function readdir(given: string): Promise<string[]> {
    const path = resolve('/', given)
    const names = new Set<string>()
    if (written.get(path)?.kind !== 'removed') {
      const entries = await fs.readDir(path).catch((error) => {
        if (isFsError(error, 'NOT_FOUND') && [...written.keys()].some((at) => at.startsWith(`${path}/`))) return []
        throw asNodeError(error, path)
      })
      for (const { name } of entries) names.add(name)
    }
    for (const [at, { kind }] of written) {
      if (dirname(at) !== path) continue
      if (kind === 'removed') names.delete(basename(at))
      else names.add(basename(at))
    }
    return [...names]
  }

  async function mkdir(given: string): Promise<void> {
    const path = resolve('/', given)
    if ((await stat(path)) !== undefined) throw nodeError('EEXIST', path)
    written.set(path, { kind: 'directory' })
  }

  async function remove(given: string): Promise<void> {
    const path = resolve('/', given)
    if ((await stat(path)) === undefined) throw nodeError('ENOENT', path)
    written.set(path, { kind: 'removed' })
  }

  async function write(path: string, content: Bytes | Streamed, options: { modifiedMs?: number } = {}): Promise<void> {
    for (let at = dirname(path); at !== '/' && !written.has(at); at = dirname(at)) {
      if ((await stat(at)) !== undefined) break
      written.set(at, { kind: 'directory' })
    }
    written.set(path, { kind: 'file', content, ...options })
  }

  async function writeFile(given: string, data: Bytes | string): Promise<void> {
    const path = resolve('/', given)
    await write(path, typeof data === 'string' ? new TextEncoder().encode(data) : data)
  }

  return {
    client: {
      promises: {
        readFile,
        writeFile,
        mkdir,
        rmdir: remove,
        unlink: remove,
        stat: statOf,
        lstat: statOf,
        readdir,
        async readlink(given: string) {
          const path = resolve('/', given)
          return (await fs.readLink?.(path).catch((error) => Promise.reject(asNodeError(error, path)))) ?? ''
        },
        async symlink(_target: string, path: string) {
          throw new FsError('UNSUPPORTED', { path, operation: 'symlink' })
        },
      },
    },

    write,
    written(path) {
      const own = written.get(path)
      return own?.kind === 'file' && own.content instanceof Uint8Array ? own.content : undefined
    },

    stat,
    async list(path) {
      try {
        return await readdir(path)
      } catch (error) {
        const { code } = error as { code?: unknown }
        if (code === 'ENOENT' || code === 'ENOTDIR') return []
        throw error
      }
    },
    reader(path) {
      const own = written.get(path)
      if (own?.kind !== 'file') return (range) => fs.readFile(path, range)
      const { content } = own
      return async (range) => (await wholeOf(content)).subarray(range?.start, range?.end)
    },
    remove(path) {
      written.set(path, { kind: 'removed' })
    },

    async draftInto(draft) {
      const inOrder = [...written].sort(([a], [b]) => (a < b ? -1 : 1))
      // Removals first, so that a file can replace a directory and the reverse.
      for (const [path, { kind }] of [...inOrder].reverse()) {
        const current = (await draft.entry(path)).image.kind
        if (current !== 'absent' && current !== kind) await draft.remove(path)
      }
      for (const [path, file] of inOrder) {
        if (file.kind === 'removed') continue
        await draft.makeParents(file.kind === 'directory' ? join(path, 'x') : path)
        if (file.kind !== 'file') continue
        const { content, modifiedMs } = file
        await draft.write(path, content, modifiedMs === undefined ? {} : { modifiedMs })
      }
    },
  }
}

function sizeOf(content: Bytes | Streamed): { size?: number } {
  const size = content instanceof Uint8Array ? content.length : content.size
  return size === undefined ? {} : { size }
}

async function wholeOf(content: Bytes | Streamed): Promise<Bytes> {
  return content instanceof Uint8Array ? content : gather(content.pieces)
}

const errnos: Partial<Record<string, string>> = {
  NOT_FOUND: 'ENOENT',
  NOT_A_DIRECTORY: 'ENOTDIR',
  IS_A_DIRECTORY: 'EISDIR',
  EXISTS: 'EEXIST',
}

/** isomorphic-git recognizes Node's error codes; other errors pass through unchanged. */
function asNodeError(error: unknown, path: string): unknown {
  const errno = isFsError(error) ? errnos[error.code] : undefined
  return errno === undefined ? error : nodeError(errno, path)
}

function nodeError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}

const typeBits: Record<Kind, number> = { file: 0o100000, directory: 0o040000, symlink: 0o120000, other: 0o010000 }

function nodeStat({ kind, size = 0, mode = kind === 'directory' ? 0o755 : 0o644, modifiedMs = 0 }: Stat) {
  return {
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'directory',
    isSymbolicLink: () => kind === 'symlink',
    mode: typeBits[kind] | mode,
    size,
    mtimeMs: modifiedMs,
    ctimeMs: modifiedMs,
    uid: 0,
    gid: 0,
    dev: 0,
    ino: 0,
  }
}
