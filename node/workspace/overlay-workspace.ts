import { memory } from '../../src/fs/backends/memory.js'
import { mount } from '../../src/fs/backends/mount.js'
import { overlay } from '../../src/fs/backends/overlay.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { hostRules, toVirtual } from '../disk/host-path.js'
import { stateHomes } from '../state/state-directory.js'
import { type Directory, openRoots, userGitFor } from './directory-workspace.js'
import { type GitPatch, gitPatch } from './overlay-patch.js'
import { rulesAboveOnDisk } from './rules-above.js'

export interface OverlayWorkspace extends Workspace {
  /** All changes so far in the first directory. */
  patch(): Promise<GitPatch>
  /** Closes the directories and discards the changes. */
  close(): Promise<void>
}

/**
 * A workspace over directories on disk whose changes all stay in memory: the disk is never written. Changes that others
 * make on disk are visible, except in files that were changed here.
 */
export function openOverlayWorkspace(
  directories: readonly [Directory, ...Directory[]],
  options: Omit<WorkspaceOptions, 'fs' | 'roots' | 'pathRules' | 'journal' | 'locks'> = {},
): OverlayWorkspace {
  const hidden = stateHomes(undefined)
  const opened = openRoots(directories, { hidden }).map(({ root, disk }) => ({
    root,
    disk,
    files: overlay(disk, memory()),
  }))
  // As many as directories, so at least one.
  const [first, ...rest] = opened as [(typeof opened)[0], ...typeof opened]
  const workspace = createWorkspace({
    ...options,
    git: { ...userGitFor({}), rulesAbove: rulesAboveOnDisk, ...options.git },
    fs: mount(Object.fromEntries(opened.map(({ root, files }) => [root.path, files]))),
    roots: [first.root, ...rest.map(({ root }) => root)],
    hidden: hidden.map((directory) => toVirtual(directory)),
    pathRules: hostRules(opened.map(({ root }) => root.path)),
  })
  return {
    ...workspace,
    patch: () => gitPatch(first.disk, first.files),
    async close() {
      const shellEnds = workspace.shell?.close()
      for (const { disk } of opened) disk.close()
      await shellEnds
    },
  }
}
