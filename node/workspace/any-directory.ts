import path from 'node:path'
import { memory } from '../../src/fs/backends/memory.js'
import { protectedName } from '../../src/fs/gate/protected-names.js'
import { split } from '../../src/fs/path.js'
import { posixRules, windowsRules } from '../../src/fs/path-rules.js'
import { createWorkspace, type Workspace } from '../../src/workspace.js'
import { type DirectoryWorkspace, type DirectoryWorkspaceOptions, openDirectories } from './directory-workspace.js'

/** How many of the directories chosen last stay open, for calls that are still under way. */
const keptOpen = 4

export interface AnyDirectory extends Workspace {
  /** The workspaces chosen last. */
  readonly chosen: readonly DirectoryWorkspace[]
  /** Releases them. */
  close(): void
}

export interface AnyDirectoryOptions extends DirectoryWorkspaceOptions {
  /** Told of each directory that was chosen. */
  onChosen?: (workspace: DirectoryWorkspace) => void
}

/**
 * A workspace with nothing in it, for dialects in which the agent chooses the directory to work in: `openWorkspace` takes any
 * directory of this machine. One that lies inside a protected name, such as `.git`, can only be read.
 */
export function anyDirectory({ onChosen, ...options }: AnyDirectoryOptions = {}): AnyDirectory {
  const { protect = {}, readOnly = false } = options
  const rules = process.platform === 'win32' ? windowsRules : posixRules
  const chosen: DirectoryWorkspace[] = []

  async function openWorkspace(given: string): Promise<Workspace> {
    // Refuses what is no path at all.
    rules.parse(given)
    const directory = path.resolve(given)
    let workspace = await openDirectories([{ directory, access: 'read-write' }], options)
    if (split(workspace.root).some((name) => protectedName([name], protect) !== undefined)) {
      workspace.close()
      workspace = await openDirectories([{ directory, access: 'read-only' }], options)
    }
    chosen.push(workspace)
    if (chosen.length > keptOpen) chosen.shift()?.close()
    onChosen?.(workspace)
    return workspace
  }

  return {
    ...createWorkspace({ fs: memory({}), readOnly, openWorkspace }),
    chosen,
    close() {
      for (const workspace of chosen.splice(0)) workspace.close()
    },
  }
}
