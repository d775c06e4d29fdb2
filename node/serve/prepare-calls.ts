/** Prepares the first calls while the client is busy elsewhere: Node compiles a function when it first runs. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { memory } from '../../src/fs/backends/memory.js'
import { callTool } from '../../src/tools/call-tool.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'

/** What clients call first, in the names of our own dialect. A dialect without such a tool rejects the call, which costs nothing. */
const firstCalls: ReadonlyArray<[name: string, args: Record<string, unknown>]> = [
  ['read_file', { path: 'a.txt' }],
  ['grep', { pattern: 'two' }],
  ['edit_file', { path: 'a.txt', old_string: 'two', new_string: '2' }],
  ['list_dir', { path: '.' }],
]

/** Calls tools on files of its own in memory; nobody else sees them. Lets other work go first after each call. */
export async function prepareCalls(dialect: Dialect): Promise<void> {
  const workspace = createWorkspace({ fs: memory({ 'a.txt': 'one\ntwo\n' }) })
  for (const [name, args] of firstCalls) {
    await nextTurn()
    await callTool(workspace, dialect, name, args)
  }
}
