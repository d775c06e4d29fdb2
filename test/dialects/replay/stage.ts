import { replay } from '../../../src/dialects/replay/tools.js'
import { type MemoryTree, memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { callTool, ToolProtocolError } from '../../../src/tools/call-tool.js'
import type { ToolResult } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'

export interface Stage {
  /** The one text a call answers with; a failure as `code message`. */
  say(tool: string, args: object): Promise<string>
  /** The text of every item. */
  items(tool: string, args: object): Promise<string[]>
  result(tool: string, args: object): Promise<ToolResult>
  /** The content of a file as it is now, whatever may be reached. */
  file(path: string): Promise<string>
  fs: FileSystem
}

/** `/w` may be written to, `/ro` only read, and what else there is lies outside. A value that starts with `-> ` is a link. */
export async function stage(tree: Record<string, string | Uint8Array>, options: Partial<WorkspaceOptions> = {}) {
  const files = Object.entries(tree).filter(([, content]) => !isLink(content))
  const fs = memory({ '/w/': '', '/ro/': '', ...Object.fromEntries(files) } as MemoryTree)
  for (const [path, content] of Object.entries(tree)) if (isLink(content)) await fs.symlink?.(content.slice(3), path)
  const workspace = createWorkspace({
    fs,
    roots: [
      { path: '/w', access: 'read-write' },
      { path: '/ro', access: 'read-only' },
    ],
    ...options,
  })
  const result = (tool: string, args: object) => callTool(workspace, replay, tool, args)
  const items = async (tool: string, args: object) => (await result(tool, args)).content.map((item) => item.text ?? '')
  const staged: Stage = {
    result,
    items,
    async say(tool, args) {
      try {
        return (await items(tool, args)).join('')
      } catch (error) {
        if (!(error instanceof ToolProtocolError)) throw error
        return `${error.code} ${error.message}`
      }
    },
    file: async (path) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(await fs.readFile(path)),
    fs,
  }
  return staged
}

function isLink(content: string | Uint8Array): content is string {
  return typeof content === 'string' && content.startsWith('-> ')
}

/** What the original says of a path that may not be used. */
export function notAllowed(path: string): string {
  return `-32001 Path not allowed: ${path} is outside the allowed directories (use list_allowed_directories to see them)`
}
