import type { loadDialect } from '../../../../src/dialects/registry.js'
import type { memory } from '../../../../src/fs/backends/memory.js'
import type { callTool } from '../../../../src/tools/dialect.js'
import type { createWorkspace, Workspace, WorkspaceOptions } from '../../../../src/workspace.js'

/** The parts of the project that a run uses: its sources, or what was built from them. */
export interface Engine {
  createWorkspace: typeof createWorkspace
  memory: typeof memory
  loadDialect: typeof loadDialect
  callTool: typeof callTool
  shell: NonNullable<WorkspaceOptions['shell']>
}

export function openReproducible(engine: Engine): { workspace: Workspace; nextCall(): void }

export function transcript(engine: Engine): Promise<{ answers: string[]; hash: string }>
