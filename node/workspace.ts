import path from 'node:path'
import type { Root } from '../src/fs/confine.js'
import { mount } from '../src/fs/mount.js'
import { posixRules, windowsRules } from '../src/fs/path-rules.js'
import { createWorkspace, type Workspace, type WorkspaceOptions } from '../src/workspace.js'
import { type NodeFileSystem, type NodeFsOptions, nodeFs } from './fs.js'
import { toVirtual } from './host-path.js'

export interface Directory {
  directory: string
  access: Root['access']
}

export interface DirectoryWorkspace extends Workspace {
  /** The file systems behind the roots, in the order given. */
  readonly disks: readonly NodeFileSystem[]
  /** Releases the directories. */
  close(): void
}

export type DirectoryWorkspaceOptions = Omit<WorkspaceOptions, 'fs' | 'roots' | 'rules'> & NodeFsOptions

/**
 * A workspace over directories of the disk, under the paths they have there. A directory named twice is one root, writable if
 * either is. Throws an `FsError` for one that is missing, unreadable or no directory.
 */
export function openDirectories(
  directories: readonly [Directory, ...Directory[]],
  options: DirectoryWorkspaceOptions = {},
): DirectoryWorkspace {
  const roots = new Map<string, { root: Root; disk: NodeFileSystem }>()
  for (const { directory, access } of directories) {
    const disk = nodeFs(directory, options)
    const point = toVirtual(disk.root)
    const given = toVirtual(path.resolve(directory))
    const known = roots.get(point)
    if (known !== undefined) disk.close()
    roots.set(point, {
      disk: known?.disk ?? disk,
      root: {
        path: point,
        access: known?.root.access === 'read-write' ? 'read-write' : access,
        aliases: [...(known?.root.aliases ?? []), ...(given === point ? [] : [given])],
      },
    })
  }
  const all = [...roots.values()]
  const disks = all.map(({ disk }) => disk)
  const workspace = createWorkspace({
    ...options,
    fs: mount(Object.fromEntries(all.map(({ root, disk }) => [root.path, disk]))),
    // One for each of the directories, of which there is at least one.
    roots: all.map(({ root }) => root) as [Root, ...Root[]],
    rules: process.platform === 'win32' ? windowsRules : posixRules,
  })
  return {
    ...workspace,
    disks,
    close() {
      for (const disk of disks) disk.close()
    },
  }
}
