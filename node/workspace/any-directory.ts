import path from 'node:path'
import { memory } from '../../src/fs/backends/memory.js'
import { protectedName } from '../../src/fs/gate/protected-names.js'
import { dirname, split } from '../../src/fs/path.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { compileRules } from '../../src/workspace/rules.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { hostRules, toVirtual } from '../disk/host-path.js'
import { type DirectoryWorkspace, type DirectoryWorkspaceOptions, openDirectories } from './directory-workspace.js'

/** How many recently chosen directories stay open, for calls still in progress. */
const maxOpen = 4

export interface AnyDirectory extends Workspace {
  /** The most recently chosen workspaces. */
  readonly chosen: readonly DirectoryWorkspace[]
  /** Closes them. */
  close(): Promise<void>
}

export interface AnyDirectoryOptions extends DirectoryWorkspaceOptions {
  /** Called for each directory that is chosen. */
  onChosen?: (workspace: DirectoryWorkspace) => void
}

/**
 * An empty workspace, for dialects in which the agent chooses the directory to work in: `openWorkspace` takes any
 * directory of this machine. A directory inside a protected name, such as `.git`, is read-only.
 */
export function anyDirectory({ onChosen, rules = [], ...options }: AnyDirectoryOptions = {}): AnyDirectory {
  const { protect = {}, readOnly = false } = options
  // No network share: an agent must not choose a server that the user's password hash is sent to.
  const pathRules = hostRules([])
  const chosen: DirectoryWorkspace[] = []

  async function openWorkspace(given: string): Promise<Workspace> {
    // Fails for an invalid path.
    pathRules.parse(given)
    const directory = path.resolve(given)
    // Patterns are read from every directory above: an agent must not get around a rule by the directory it chooses.
    const ruled = {
      ...options,
      internals: {
        ...options.internals,
        ...(rules.length > 0 && { compiledRules: compileRules(rules, withThoseAbove(toVirtual(directory))) }),
      },
    }
    let workspace = await openDirectories([{ directory, access: 'read-write' }], ruled)
    if (split(workspace.root).some((name) => protectedName([name], protect) !== undefined)) {
      workspace.close()
      workspace = await openDirectories([{ directory, access: 'read-only' }], ruled)
    }
    chosen.push(workspace)
    if (chosen.length > maxOpen) chosen.shift()?.close()
    onChosen?.(workspace)
    return workspace
  }

  return {
    ...createWorkspace({ fs: memory({}), readOnly, openWorkspace }),
    chosen,
    async close() {
      await Promise.all(chosen.splice(0).map((workspace) => workspace.close()))
    },
  }
}

function withThoseAbove(directory: string): string[] {
  const found = [directory]
  for (let at = directory; at !== '/'; at = dirname(at)) found.push(dirname(at))
  return found
}
