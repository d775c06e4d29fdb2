import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { type MemoryTree, memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'

/** The answer of a call, and all files afterwards if it changed something. */
export interface Called {
  /** Of a success. */
  text?: string
  /** The envelope of a failure. */
  error?: unknown
}

export type Options = Omit<WorkspaceOptions, 'fs' | 'roots'> & {
  /** Links by their path. */
  links?: Record<string, string>
}

/** A workspace in memory that speaks this dialect; beside its root lies a file that must not be reachable. */
export async function stage(tree: MemoryTree, { links = {}, ...options }: Options = {}) {
  const placed = Object.entries(tree).map(([path, content]) => [`/w/${path}`, content])
  const fs = memory({ '/w/': '', '/outside/secret.txt': 'secret', ...Object.fromEntries(placed) })
  for (const [path, target] of Object.entries(links)) await fs.symlink?.(target, `/w/${path}`)
  const workspace = createWorkspace({ ...options, fs, roots: [{ path: '/w', access: 'read-write' }] })
  return {
    fs,
    workspace,
    files: () => files(fs),
    async call(tool: string, args: object): Promise<Called> {
      const { content, isError, ...rest } = await callTool(workspace, clarvis, tool, args)
      if (content.length !== 1 || content[0]?.type !== 'text' || Object.keys(rest).length > 0) {
        throw new TypeError('this dialect answers with one text and nothing else')
      }
      const { text } = content[0]
      return isError ? { error: JSON.parse(text) } : { text }
    },
  }
}

async function files(fs: FileSystem): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { path, kind } of walk(fs, '/w')) {
    const name = path.slice('/w/'.length)
    if (kind === 'directory') found[`${name}/`] = ''
    else if (kind === 'symlink') found[name] = `-> ${await fs.readLink?.(path)}`
    else found[name] = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await fs.readFile(path))
  }
  return found
}
