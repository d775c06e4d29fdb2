import type { Shell } from '../../src/shell/types.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'

export interface EpisodeShellOptions {
  /** Variables that a command gets unless it is given others of the same name. */
  env: Readonly<Record<string, string>>
  maxStatements: number
  /** Called when a command was ended by the machine's clock: another run may end otherwise. */
  onWallClock: (command: string) => void
}

/** The shell with the variables and limits of an episode. */
export function episodeShell(
  shell: NonNullable<WorkspaceOptions['shell']>,
  { env, maxStatements, onWallClock }: EpisodeShellOptions,
): (workspace: Workspace) => Shell {
  return (workspace) => {
    const plain = typeof shell === 'function' ? shell(workspace) : shell
    return {
      ...plain,
      async exec(request) {
        const result = await plain.exec({ maxStatements, ...request, env: { ...env, ...request.env } })
        if (result.byWallClock) onWallClock(request.command)
        return result
      },
    }
  }
}
