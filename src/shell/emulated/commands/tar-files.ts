/** Reads files into tar entries, and writes entries as files. */
import { isFsError } from '../../../errors.js'
import { dirname, isWithin, join, resolve } from '../../../fs/path.js'
import type { Bytes } from '../../../fs/types.js'
import type { RemoteFiles } from '../worker/remote-files.js'
import { CommandError } from './command.js'
import type { TarEntry } from './tar-format.js'

export async function collectFrom(
  files: RemoteFiles,
  directory: string,
  { names, maxBytes }: { names: readonly string[]; maxBytes: number },
): Promise<TarEntry[]> {
  const entries: TarEntry[] = []
  let room = maxBytes

  async function read(path: string): Promise<Bytes> {
    const bytes = await files.readFile(path)
    room -= bytes.length
    if (room < 0) throw new CommandError(`more than ${maxBytes} bytes`, 2)
    return bytes
  }

  async function add(name: string, path: string): Promise<void> {
    const { kind, mode = kind === 'directory' ? 0o755 : 0o644, modifiedMs = 0 } = await files.stat(path)
    const common = { name, mode, modifiedMs, bytes: new Uint8Array() }
    if (kind === 'file') entries.push({ ...common, kind, bytes: await read(path) })
    else if (kind === 'symlink') entries.push({ ...common, kind, target: (await files.readLink?.(path)) ?? '' })
    else if (kind === 'directory') {
      entries.push({ ...common, kind, name: `${name.replace(/\/$/, '')}/` })
      const inside = (await files.readDir(path)).map((entry) => entry.name).sort()
      for (const inner of inside) await add(`${name.replace(/\/$/, '')}/${inner}`, join(path, inner))
    }
  }

  for (const name of names) await add(name.replace(/^\/+/, ''), resolve(directory, name))
  return entries
}

/** Skips names that lead out of the directory, and returns them. */
export async function unpackInto(
  files: RemoteFiles,
  directory: string,
  entries: readonly TarEntry[],
): Promise<string[]> {
  const refused: string[] = []
  /** Set at the end, because adding entries changes a directory's time. */
  const directories: Array<{ path: string; modifiedMs: number }> = []
  for (const { name, kind, bytes, mode, modifiedMs, target = '' } of entries) {
    const path = resolve(directory, name)
    if (name.startsWith('/') || name.split('/').includes('..') || !isWithin(directory, path)) {
      refused.push(name)
      continue
    }
    if (kind === 'directory') {
      await makeDirs(files, path)
      directories.push({ path, modifiedMs })
    } else {
      await makeDirs(files, dirname(path))
      await removeIfThere(files, path)
      if (kind === 'file') {
        await files.writeFile(path, bytes, { mode })
        await files.setModified?.(path, modifiedMs)
      } else if (isWithin(directory, resolve(dirname(path), target))) await files.symlink?.(target, path)
      else refused.push(name)
    }
  }
  for (const { path, modifiedMs } of directories) await files.setModified?.(path, modifiedMs)
  return refused
}

async function makeDirs(files: RemoteFiles, path: string): Promise<void> {
  try {
    await files.makeDir(path)
  } catch (error) {
    if (isFsError(error, 'EXISTS')) return
    if (!isFsError(error, 'NOT_FOUND')) throw error
    await makeDirs(files, dirname(path))
    await files.makeDir(path)
  }
}

/** Replaces an existing link instead of writing through it. */
async function removeIfThere(files: RemoteFiles, path: string): Promise<void> {
  try {
    await files.remove(path)
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND')) throw error
  }
}
