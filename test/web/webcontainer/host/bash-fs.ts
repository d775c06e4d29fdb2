/** A tree in memory with the interface of just-bash. */
import type { IFileSystem } from 'just-bash/browser'
import { isFsError } from '../../../../src/errors.js'
import { dirname, join, resolve } from '../../../../src/fs/path.js'
import type { FileSystem } from '../../../../src/fs/types.js'
import { makeDirs, nodeError, remove } from './host-fs.js'

export function bashFs(tree: FileSystem): IFileSystem {
  const toText = (bytes: Uint8Array, encoding: unknown) =>
    encoding === 'binary' || encoding === 'latin1'
      ? Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
      : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const toBytes = (content: string | Uint8Array, encoding: unknown) => {
    if (typeof content !== 'string') return content
    if (encoding === 'binary' || encoding === 'latin1') return Uint8Array.from(content, (c) => c.charCodeAt(0))
    return new TextEncoder().encode(content)
  }
  const encodingOf = (options: unknown) =>
    typeof options === 'object' && options !== null && 'encoding' in options ? options.encoding : options

  async function called<Result>(call: string, path: string, run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      throw nodeError(error, call, path)
    }
  }

  async function bytesAt(path: string): Promise<Uint8Array> {
    return path === '/dev/null' ? new Uint8Array() : new Uint8Array(await tree.readFile(path))
  }

  async function put(path: string, bytes: Uint8Array): Promise<void> {
    if (path !== '/dev/null') await tree.writeFile(path, bytes)
  }

  async function stat(path: string) {
    const { kind, size = 0, mode = 0o755, modifiedMs = 0 } = await tree.stat(path)
    const flags = { isFile: kind === 'file', isDirectory: kind === 'directory', isSymbolicLink: kind === 'symlink' }
    return { ...flags, mode, size, mtime: new Date(modifiedMs) }
  }

  async function copy(from: string, to: string): Promise<void> {
    if ((await tree.stat(from)).kind !== 'directory') return tree.writeFile(to, await bytesAt(from))
    await makeDirs(tree, to)
    for (const { name } of await tree.readDir(from)) await copy(join(from, name), join(to, name))
  }

  const unsupported = async (path: string): Promise<never> => {
    throw new Error(`ENOSYS: function not implemented, '${path}'`)
  }

  return {
    readFile: (path, options) => called('open', path, async () => toText(await bytesAt(path), encodingOf(options))),
    readFileBuffer: (path) => called('open', path, () => bytesAt(path)),
    writeFile: (path, content, options) => called('open', path, () => put(path, toBytes(content, encodingOf(options)))),
    appendFile: (path, content, options) =>
      called('open', path, async () => {
        const old = await bytesAt(path).catch((error) => {
          if (isFsError(error, 'NOT_FOUND')) return new Uint8Array()
          throw error
        })
        const more = toBytes(content, encodingOf(options))
        const whole = new Uint8Array(old.length + more.length)
        whole.set(old)
        whole.set(more, old.length)
        await put(path, whole)
      }),
    exists: (path) =>
      tree.stat(path).then(
        () => true,
        () => false,
      ),
    stat: (path) => called('stat', path, () => stat(path)),
    lstat: (path) => called('lstat', path, () => stat(path)),
    mkdir: (path, options) =>
      called('mkdir', path, () => (options?.recursive ? makeDirs(tree, path) : tree.makeDir(path))),
    readdir: (path) => called('scandir', path, async () => (await tree.readDir(path)).map(({ name }) => name).sort()),
    rm: (path, options) =>
      called('rm', path, () => remove(tree, path, options?.recursive ?? false)).catch((error) => {
        if (!(options?.force && String(error).includes('ENOENT'))) throw error
      }),
    cp: (from, to) => called('cp', from, () => copy(from, to)),
    mv: (from, to) => called('rename', from, () => tree.rename(from, to)),
    resolvePath: (base, path) => resolve(base, path),
    getAllPaths: () => [],
    chmod: async (path, mode) => tree.setMode?.(path, mode & 0o7777),
    symlink: (_target, path) => unsupported(path),
    link: (_from, path) => unsupported(path),
    readlink: (path) => unsupported(path),
    realpath: async (path) => {
      await called('realpath', path, () =>
        tree.stat(path === '/' ? path : join(dirname(path), path.slice(path.lastIndexOf('/') + 1))),
      )
      return path
    },
    utimes: async (path, _accessed, modified) => tree.setModified?.(path, modified.getTime()),
  }
}
