/** What the clients of the page must see, in every browser. */
import type { ClientName } from './clients.js'
import type { Way } from './page.js'

const versions: Record<ClientName, string | undefined> = {
  'v2 legacy': '2025-11-25',
  'v2 modern': '2026-07-28',
  v1: undefined,
}
export const clients = Object.keys(versions) as ClientName[]

export function seenBy(name: ClientName, way: Way) {
  const tools = ['read_file', 'write_file', 'edit_file', 'multi_edit', 'apply_patch', 'list_dir', 'glob', 'grep']
  return {
    version: versions[name],
    server: 'polyfs',
    tools: ways[way] === 'worker' ? [...tools, 'bash'] : tools,
    list: { content: [{ type: 'text', text: 'notes/\nreadme.md\t8' }], isError: false },
    read: { content: [{ type: 'text', text: '     1\tone\n     2\ttwo' }], isError: false },
    missing: {
      content: [
        { type: 'text', text: '{"error":"not_found","message":"No such file: missing.txt","path":"missing.txt"}' },
      ],
      isError: true,
    },
  }
}

/** Where the files of each are served from. */
export const ways: Record<Way, 'page' | 'worker'> = {
  'a workspace in the page': 'page',
  'a tree in a worker': 'worker',
  'OPFS in a worker': 'worker',
}
