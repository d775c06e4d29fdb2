import type { openEpisode } from '../../../harness/episode/episode.js'
import type { loadDialect } from '../../../src/dialects/registry.js'
import type { callTool } from '../../../src/tools/call-tool.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'

/** The parts of the project that a run uses: its sources, or what was built from them. */
export interface Engine {
  openEpisode: typeof openEpisode
  loadDialect: typeof loadDialect
  callTool: typeof callTool
  shell: NonNullable<WorkspaceOptions['shell']>
}

export function transcript(engine: Engine): Promise<{ answers: string[]; hash: string }>
