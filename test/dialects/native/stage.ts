import { fileURLToPath } from 'node:url'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { type MemoryTree, memory } from '../../../src/fs/backends/memory.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { textOf } from '../../../src/tools/result-text.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Limits } from '../../../src/workspace/limits.js'

const shell = emulatedShell({
  worker: fileURLToPath(new URL('../../../dist/node/emulated-worker.js', import.meta.url)),
})

/** A project at `/work` beside a file that no tool may reach, and calls of one connection. Failures are texts that begin with `!`. */
export async function open(dialect: Dialect, tree: MemoryTree = {}, limits: Partial<Limits> = {}) {
  const project = Object.fromEntries(Object.entries(tree).map(([path, content]) => [`/work/${path}`, content]))
  const raw = memory({ '/work/': '', ...project, '/outside/secret.txt': 'secret\n' })
  await raw.symlink?.('../outside', '/work/out')
  const workspace = createWorkspace({ fs: raw, roots: [{ path: '/work', access: 'read-write' }], shell, limits })
  const session = {}
  return {
    workspace,
    async call(tool: string, args: object): Promise<string> {
      const result = await callTool(workspace, dialect, tool, args, { session })
      return `${result.isError ? '!' : ''}${textOf(result)}`
    },
    async read(path: string): Promise<string> {
      return new TextDecoder().decode(await raw.readFile(`/work/${path}`))
    },
  }
}
