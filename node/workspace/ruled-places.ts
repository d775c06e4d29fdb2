/** Where on the disk the rules of a workspace keep something from confined commands. */
import { isFsError } from '../../src/errors.js'
import { basename, dirname, join } from '../../src/fs/path.js'
import type { Entry, FileSystem } from '../../src/fs/types.js'
import { openRepository } from '../../src/git/repository.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { toHost } from '../disk/host-path.js'
import type { Mask } from '../shell/sandbox/masks.js'

/** Looks through the whole tree, past the gate: commands don't go through it. `fs` is what is behind the gate. */
export async function ruledPlaces(workspace: Workspace, fs: FileSystem): Promise<Mask[]> {
  const { decide } = workspace.fs.forObjects
  const masks = new Map<string, Mask>()

  function mask(path: string, kind: Mask['kind'], as: Mask['as']): void {
    const host = toHost(path)
    if (masks.get(host)?.as !== 'hidden') masks.set(host, { path: host, kind, as })
  }

  async function visit(directory: string): Promise<void> {
    const entries = await list(fs, directory)
    const names = new Set(entries.map(({ name }) => name))
    const isRepository = ['HEAD', 'objects', 'refs'].every((name) => names.has(name))
    for (const { name, kind } of entries) {
      if (kind !== 'file' && kind !== 'directory') continue
      const path = join(directory, name)
      if (decide(path, 'read') !== undefined) {
        mask(path, kind, 'hidden')
        continue
      }
      if (decide(path, 'change') !== undefined) mask(path, kind, 'read-only')
      if (kind !== 'directory') continue
      if (!isRepository || name !== 'objects') await visit(path)
      else if (workspace.fs.limitsReading && (await holdsDenied(workspace, directory))) mask(path, kind, 'hidden')
    }
  }

  for (const { path } of workspace.fs.roots) await visit(path)
  return [...masks.values()]
}

async function list(fs: FileSystem, directory: string): Promise<Entry[]> {
  try {
    return await fs.readDir(directory)
  } catch (error) {
    // What this process can't list, its commands can't either; the rest may have gone since.
    if (!isFsError(error, 'DENIED', 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_LINK')) throw error
    return []
  }
}

/** Whether the objects of a repository have the content of a file that may not be read. What can't be found out counts as true. */
async function holdsDenied(workspace: Workspace, gitDirectory: string): Promise<boolean> {
  const at = basename(gitDirectory) === '.git' ? dirname(gitDirectory) : gitDirectory
  try {
    const { objects } = await openRepository(workspace, at, { allowsBare: true })
    await objects.requireAllReadable()
    return false
  } catch (error) {
    if (!isFsError(error)) throw error
    return true
  }
}
