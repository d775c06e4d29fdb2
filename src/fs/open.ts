import { FsError } from '../errors.js'
import type { ByteSource, FileSystem } from './types.js'

/** A file to read piece by piece, on every backend: held open where the backend can, by ranged reads where it can't. */
export async function openFile(fs: FileSystem, path: string): Promise<ByteSource> {
  if (fs.open !== undefined) return fs.open(path)
  const { kind, size } = await fs.stat(path)
  if (kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
  if (kind === 'symlink') throw new FsError('IS_LINK', { path })
  if (kind !== 'file' || size === undefined) throw new FsError('SPECIAL_FILE', { path })
  return { size, read: (range) => fs.readFile(path, range), close: async () => {} }
}
