/** What an agent works with: tools, and the history of the files they change. */

import type { ModelTool } from '../models/model.js'
import type { Overlaps, UndoOverlap } from '../src/errors.js'
import type { PrintableResult } from '../src/tools/result-text.js'
import type { Workspace } from '../src/workspace/workspace.js'

/** The tools of an agent. `tools(workspace)` fits, and so does what `serveFiles` of `polyfs/web` returns. */
export interface AgentTools {
  listTools(): Promise<readonly ModelTool[]>
  callTool(name: string, args: unknown, options?: { signal?: AbortSignal }): Promise<AgentToolResult>
}

/** The part of MCP's result of a call that an agent uses. */
export interface AgentToolResult extends PrintableResult {
  isError?: boolean
}

/** What MCP's own client offers, as far as it is needed here. */
export interface McpClient {
  listTools(): Promise<{ tools: readonly (Omit<ModelTool, 'description'> & { description?: string | undefined })[] }>
  callTool(
    call: { name: string; arguments: Record<string, unknown> },
    ...options: [undefined, { signal?: AbortSignal }]
  ): Promise<unknown>
}

/** The tools of any MCP server, through a client of the MCP SDK. */
export function mcpTools(client: McpClient): AgentTools {
  return {
    async listTools() {
      const { tools } = await client.listTools()
      return tools.map(({ description = '', ...tool }) => ({ ...tool, description }))
    },
    callTool: (name, args, options = {}) =>
      client.callTool(
        { name, arguments: args as Record<string, unknown> },
        undefined,
        options,
      ) as Promise<AgentToolResult>,
  }
}

/** The history of an agent's files: what makes its work undoable. */
export interface AgentHistory {
  /** Names the current state, and returns its id. */
  checkpoint(name: string): Promise<string>
  /**
   * Undoes changes as one, and does others again that were undone. What others changed since stays; `overlaps` says what becomes of files in
   * which that is not possible. By default nothing is changed then, and it fails with `CONFLICT`.
   */
  undo(changes: readonly string[], options?: UndoOptions): Promise<LeftOut>
  /** Reports the ids of changes until the returned function is called. */
  watch(onChange: (id: string) => void): () => void
}

export interface UndoOptions {
  redo?: readonly string[]
  overlaps?: Overlaps
}

/** What an undo left as it is. */
export interface LeftOut {
  overlaps: readonly UndoOverlap[]
  /** The changes of which something was left, by their ids. */
  left: readonly string[]
}

export function workspaceHistory({
  changes,
  history,
  ready,
}: Pick<Workspace, 'changes' | 'history' | 'ready'>): AgentHistory {
  return {
    async checkpoint(name) {
      await ready
      return (await changes.checkpoint(name)).id
    },
    async undo(ids, options) {
      await ready
      return history.undoAll(ids, options)
    },
    watch: (onChange) =>
      changes.subscribe(({ id, checkpoint }) => {
        if (checkpoint === undefined) onChange(id)
      }),
  }
}
