import { FsError } from '../errors.js'
import type { ByteSource, FileSystem } from './types.js'

/** Opens a file to read it in pieces, on every backend: by `open` if the backend has it, otherwise by ranged reads. */
export async function openFile(fs: FileSystem, path: string): Promise<ByteSource> {
  if (fs.open !== undefined) return fs.open(path)
  const { kind, size } = await fs.stat(path)
  if (kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
  if (kind === 'symlink') throw new FsError('IS_LINK', { path })
  if (kind !== 'file' || size === undefined) throw new FsError('SPECIAL_FILE', { path })
  return { size, read: (range) => fs.readFile(path, range), close: async () => {} }
}
