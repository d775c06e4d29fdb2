/** The tools and the history of the open workspace, for the agent: calls go through MCP, so that the traffic shows them. */
import type { AgentHistory, AgentTools } from '../../agent/tools.js'
import type { App } from '../page/app.js'
import type { Connection } from '../page/connection.js'

/** Connects with the first call, and again for another workspace. */
export function agentTools(app: App): AgentTools {
  let opened: { files: unknown; connection: Promise<Connection> } | undefined

  function connection(): Promise<Connection> {
    const { files } = app.workspace
    if (opened?.files === files) return opened.connection
    void opened?.connection.then((before) => before.close()).catch(() => {})
    opened = { files, connection: app.connect('polyfs', 'agent') }
    return opened.connection
  }

  return {
    async listTools() {
      return (await connection()).listTools()
    },
    async callTool(name, args, options) {
      const result = await (await connection()).callTool(name, args, options)
      // Reports of changes come through another channel; after one more question to the worker they are here.
      await app.workspace.files.about()
      return result
    },
  }
}

export function agentHistory(app: App): AgentHistory {
  return {
    checkpoint: async (name) => (await app.workspace.files.run('setCheckpoint', { name })).id,
    undo: (ids, { redo = [], overlaps = 'refuse' } = {}) =>
      app.workspace.files.run('undoChanges', { ids: [...ids], redo: [...redo], overlaps }),
    watch: (onChange) =>
      app.on('changed', (record) => {
        if (record.checkpoint === undefined && !app.isOfUser(record)) onChange(record.id)
      }),
  }
}
