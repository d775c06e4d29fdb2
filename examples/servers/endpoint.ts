/** The endpoint that every host in this folder serves: each name is a workspace in memory, made on first use. */
import { createWorkspace, memory, polyfs } from 'polyfs'
import { mcpEndpoint, type WorkspaceHandler, workspaceHandler } from 'polyfs/workers'

const maxWorkspaces = 100

export function startEndpoint(token: string | undefined) {
  const opened = new Map<string, WorkspaceHandler>()
  return mcpEndpoint({
    // Without a token every request is refused.
    token: () => token,
    workspace(name) {
      const handler = opened.get(name)
      if (handler !== undefined || opened.size >= maxWorkspaces) return handler
      const made = workspaceHandler({ workspace: createWorkspace({ fs: memory() }), dialect: polyfs })
      opened.set(name, made)
      return made
    },
  })
}
