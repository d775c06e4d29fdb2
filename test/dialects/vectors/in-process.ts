import { callTool, offeredTools, ToolProtocolError } from '../../../src/tools/call-tool.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import type { Answer } from './match-answer.js'
import type { Connection, Connector } from './workspace-stage.js'

/** Calls tools without a protocol in between; the answers are what a server would send. */
export const inProcess: Connector = { speaks: 'calls', connect }

async function connect(workspace: Workspace, dialect: Dialect): Promise<Connection> {
  const session = {}
  return {
    async request(method, params) {
      if (method === 'tools/list') return sent({ tools: offeredTools(dialect, workspace) })
      const { name, arguments: args } = params as { name: string; arguments: unknown }
      try {
        return sent(await callTool(workspace, dialect, name, args, { onFault, session }))
      } catch (error) {
        if (!(error instanceof ToolProtocolError)) throw error
        return { error: { code: error.code, message: error.message } }
      }
    },
    close: async () => {},
  }
}

/** An internal fault fails the test. */
function onFault(fault: unknown): never {
  throw fault
}

/** Drops what JSON drops, such as a key whose value is undefined. */
function sent(result: object): Answer {
  return { result: JSON.parse(JSON.stringify(result)) }
}
