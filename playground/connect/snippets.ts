/** Code and configurations to copy. Those for pages are checked by a test against the package. */

export interface Snippet {
  title: string
  /** What to do with it. */
  about: string
  text: string
}

const install = 'npm install polyfs'

export const pageSnippets: readonly Snippet[] = [
  {
    title: 'Any page',
    about: `${install} @modelcontextprotocol/client`,
    text: `import { Client } from '@modelcontextprotocol/client'
import { opfs, serveFiles } from 'polyfs/web'

// The browser's own storage; openDirectory() lets the user pick a folder instead.
const files = await serveFiles({ fs: await opfs('project') })

const client = new Client({ name: 'my page', version: '1' })
await client.connect(files.connect())
await client.callTool({ name: 'write_file', arguments: { path: 'hello.txt', content: 'hello' } })
const { tools } = await client.listTools()
console.log(tools.map(({ name }) => name))
`,
  },
  {
    title: 'React',
    about: `${install} @modelcontextprotocol/client react`,
    text: `import { Client } from '@modelcontextprotocol/client'
import { type FileEndpoint, opfs, serveFiles } from 'polyfs/web'
import { useEffect, useState } from 'react'

/** The client is undefined until the files are open. */
export function useFiles(name: string): Client | undefined {
  const [client, setClient] = useState<Client>()
  useEffect(() => {
    const opening = open(name)
    void opening.then((opened) => setClient(opened.client))
    return () => {
      setClient(undefined)
      void opening.then(({ files }) => files.close())
    }
  }, [name])
  return client
}

async function open(name: string): Promise<{ files: FileEndpoint; client: Client }> {
  const files = await serveFiles({ fs: await opfs(name) })
  const client = new Client({ name: 'my page', version: '1' })
  await client.connect(files.connect())
  return { files, client }
}
`,
  },
  {
    title: 'AI SDK',
    about: `${install} ai and a provider`,
    text: `import { jsonSchema, type LanguageModel, stepCountIs, streamText, type ToolSet } from 'ai'
import { aiSdkTools } from 'polyfs'
import { opfs, serveFiles } from 'polyfs/web'

const files = await serveFiles({ fs: await opfs('project') })
const tools = aiSdkTools(await files.listTools(), { jsonSchema, callTool: files.callTool })

export async function ask(model: LanguageModel, prompt: string): Promise<void> {
  const { textStream } = streamText({ model, prompt, tools: tools as ToolSet, stopWhen: stepCountIs(20) })
  for await (const text of textStream) console.log(text)
}
`,
  },
]

/** A checkout: a package of this name could be anybody's as long as this one is not published. */
const program = '/path/to/polyfs/dist/node/cli.js'

/** The command as it is entered into configurations: beside the client's own connection it opens the page. */
const command = { command: 'node', args: [program, '--ui', '/path/to/project'] }

const servers = (key: string) => `${JSON.stringify({ [key]: { files: command } }, null, 2)}\n`

export const desktopSnippets: readonly Snippet[] = [
  { title: 'Claude Desktop', about: 'claude_desktop_config.json', text: servers('mcpServers') },
  {
    title: 'Claude Code',
    about: 'In a terminal, or the JSON for Cursor in .mcp.json',
    text: `claude mcp add files -- node ${program} --ui /path/to/project\n`,
  },
  { title: 'Cursor', about: '.cursor/mcp.json', text: servers('mcpServers') },
  {
    title: 'VS Code',
    about: '.vscode/mcp.json',
    text: servers('servers').replace('/path/to/project', '$' + '{workspaceFolder}'),
  },
  {
    title: 'Without a client',
    about: 'In a terminal: the page on a folder, for any client that works there',
    text: `node ${program} ui /path/to/project\n`,
  },
]
