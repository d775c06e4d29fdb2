/**
 * The runtime's file system as its client uses it: `fs.promises` of Node without the parts it lacks, and with Node's
 * error texts.
 */
import * as Comlink from 'comlink'
import { type ErrorCode, FsError, isFsError } from '../../../../src/errors.js'
import { dirname, join, resolve } from '../../../../src/fs/path.js'
import type { FileSystem } from '../../../../src/fs/types.js'

const errnos: Partial<Record<ErrorCode, [errno: string, text: string]>> = {
  NOT_FOUND: ['ENOENT', 'no such file or directory'],
  EXISTS: ['EEXIST', 'file already exists'],
  NOT_A_DIRECTORY: ['ENOTDIR', 'not a directory'],
  IS_A_DIRECTORY: ['EISDIR', 'illegal operation on a directory'],
  NOT_EMPTY: ['ENOTEMPTY', 'directory not empty'],
  INTO_ITSELF: ['EINVAL', 'invalid argument'],
  IS_ROOT: ['EBUSY', 'resource busy or locked'],
}

/** Node's error; only its text survives between frames. */
export function nodeError(error: unknown, call: string, path: string): unknown {
  if (!isFsError(error)) return error
  const [errno, text] = errnos[error.code] ?? ['EIO', error.code]
  return Object.assign(new Error(`${errno}: ${text}, ${call} '${path}'`), { code: errno })
}

export function hostFs(tree: FileSystem) {
  async function called<Result>(call: string, given: string, run: (path: string) => Promise<Result>): Promise<Result> {
    try {
      return await run(resolve('/', given))
    } catch (error) {
      throw nodeError(error, call, given)
    }
  }

  return {
    readdir: (given: string, options?: { withFileTypes?: boolean } | string | null) =>
      called('scandir', given, async (path) => {
        const entries = (await tree.readDir(path)).sort((a, b) => (a.name < b.name ? -1 : 1))
        if (typeof options !== 'object' || !options?.withFileTypes) return entries.map(({ name }) => name)
        return entries.map(({ name, kind }) => ({ name, 'Symbol(type)': kind === 'directory' ? 2 : 1 }))
      }),
    readFile: (given: string, encoding?: string | null) =>
      called('open', given, async (path) => {
        const bytes = new Uint8Array(await tree.readFile(path))
        return encoding ? new TextDecoder().decode(bytes) : bytes
      }),
    writeFile: (given: string, data: string | Uint8Array) =>
      called('open', given, (path) =>
        tree.writeFile(path, typeof data === 'string' ? new TextEncoder().encode(data) : data),
      ),
    mkdir: (given: string, options?: { recursive?: boolean }) =>
      called('mkdir', given, (path) => (options?.recursive ? makeDirs(tree, path) : tree.makeDir(path))),
    rm: (given: string, options?: { recursive?: boolean; force?: boolean }) =>
      called('rm', given, async (path) => {
        try {
          await remove(tree, path, options?.recursive ?? false)
        } catch (error) {
          if (!(options?.force && isFsError(error, 'NOT_FOUND'))) throw error
        }
      }),
    rename: (given: string, to: string) => called('rename', given, (path) => tree.rename(path, resolve('/', to))),
    watch: (given: string, _options: unknown, listener?: (event: string, filename: string) => void) =>
      called('watch', given, async (path) => {
        const unwatch = await tree.watch?.(path, (change) => {
          listener?.('change', change.path.slice(change.path.lastIndexOf('/') + 1))
        })
        return Comlink.proxy({ close: () => unwatch?.() })
      }),
  }
}

export async function makeDirs(tree: FileSystem, path: string): Promise<void> {
  try {
    await tree.makeDir(path)
  } catch (error) {
    if (isFsError(error, 'EXISTS') && (await tree.stat(path)).kind === 'directory') return
    if (!isFsError(error, 'NOT_FOUND')) throw error
    await makeDirs(tree, dirname(path))
    await tree.makeDir(path)
  }
}

export async function remove(tree: FileSystem, path: string, recursive: boolean): Promise<void> {
  if ((await tree.stat(path)).kind === 'directory') {
    if (!recursive) throw new FsError('IS_A_DIRECTORY', { path })
    for (const { name } of await tree.readDir(path)) await remove(tree, join(path, name), true)
  }
  await tree.remove(path)
}

/**
 * A tree in the client's format: `d` is a directory, `f` a file with content `c`, which has one character per byte when
 * `b` is set.
 */
interface Packed {
  d?: Record<string, Packed>
  f?: { c: string; b?: boolean }
}

export async function loadTree(tree: FileSystem, payload: Uint8Array, at: string): Promise<void> {
  await load(JSON.parse(new TextDecoder().decode(payload)), resolve('/', at))

  async function load({ d, f }: Packed, path: string): Promise<void> {
    if (f !== undefined) {
      await tree.writeFile(path, f.b ? Uint8Array.from(f.c, (c) => c.charCodeAt(0)) : new TextEncoder().encode(f.c))
      return
    }
    if (path !== '/') await makeDirs(tree, path)
    for (const [name, node] of Object.entries(d ?? {})) await load(node, join(path, name))
  }
}

export async function serializeTree(tree: FileSystem, given: string): Promise<Uint8Array> {
  return new TextEncoder().encode(JSON.stringify(await pack(resolve('/', given))))

  async function pack(path: string): Promise<Packed> {
    if ((await tree.stat(path)).kind !== 'directory') {
      const c = Array.from(await tree.readFile(path), (byte) => String.fromCharCode(byte)).join('')
      return { f: { c, b: true } }
    }
    const d: Record<string, Packed> = {}
    for (const { name } of await tree.readDir(path)) d[name] = await pack(join(path, name))
    return { d }
  }
}
