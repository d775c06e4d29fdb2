/** Real programs on trees of the test. */
import { onTestFinished } from 'vitest'
import { type RealShellOptions, realShell, realShellFault } from '../../../../node/shell/layers/real-shell.js'
import type { MemoryTree } from '../../../../src/fs/backends/memory.js'
import { memory } from '../../../../src/fs/backends/memory.js'
import type { ExecRequest, Shell } from '../../../../src/shell/types.js'
import { createWorkspace } from '../../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../../../src/workspace/workspace-options.js'

const fault = realShellFault()
/** Whether this machine can mount layers for commands. */
export const layersWork = fault === undefined
export const layersLack = fault ?? ''

let shared: ((workspace: Workspace) => Shell) | undefined

/** One for all tests of a file: to try the machine takes a while. */
export function sharedShell(workspace: Workspace): Shell {
  shared ??= realShell()
  return shared(workspace)
}

export function openReal(
  tree: MemoryTree,
  { real, ...options }: Partial<WorkspaceOptions> & { real?: RealShellOptions } = {},
): Workspace {
  const shell = real === undefined ? sharedShell : realShell(real)
  const workspace = createWorkspace({ fs: memory(tree), shell, ...options })
  onTestFinished(() => workspace.shell?.close())
  return workspace
}

export async function bash(workspace: Workspace, command: string, more: Partial<ExecRequest> = {}) {
  const { shell, root } = workspace
  if (shell === undefined) throw new Error('the workspace has no shell')
  const request = { command, cwd: root, timeoutMs: 60_000, maxStreamBytes: 1_000_000, ...more }
  const { ended, exitCode, stdout, stderr } = await shell.exec(request)
  const decoder = new TextDecoder()
  return { ended, exitCode, stdout: decoder.decode(stdout.bytes), stderr: decoder.decode(stderr.bytes) }
}
