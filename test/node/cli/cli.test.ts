import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { version } from '../../../src/version.js'
import { cliCommand, runCli, temporaryDirectory } from './run-cli.js'

test('the version is the one of the package', async () => {
  expect(version).toBe(manifest.version)
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
})

test('--help names every option', async () => {
  const { code, stdout, stderr } = await runCli(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const options = stdout.match(/--[a-z-]+/g)
  expect([...new Set(options)].sort()).toEqual([
    '--allow',
    '--allow-cwd',
    '--allow-git-writes',
    '--allow-host',
    '--allow-network',
    '--allow-origin',
    '--allow-outside-workspace',
    '--allow-purge',
    '--allow-read',
    '--allow-write',
    '--ask',
    '--ask-timeout',
    '--command-timeout',
    '--deny',
    '--deny-network',
    '--dialect',
    '--dry-run',
    '--export',
    '--forks',
    '--from',
    '--help',
    '--http',
    '--json',
    '--log',
    '--max-file-bytes',
    '--max-memory-bytes',
    '--max-message-bytes',
    '--max-output-bytes',
    '--max-sessions',
    '--mcp-server',
    '--memory',
    '--network',
    '--no-open',
    '--no-shell',
    '--open',
    '--or-any-port',
    '--overlay',
    '--patch-out',
    '--path',
    '--protect-config',
    '--read-only',
    '--remove',
    '--sandbox',
    '--sandbox-file',
    '--sandbox-memory',
    '--sandbox-processes',
    '--sandbox-profile',
    '--save',
    '--session-idle',
    '--shell',
    '--sqlite',
    '--store',
    '--structured',
    '--token-file',
    '--tools',
    '--ui',
    '--version',
    '--workspace',
    '--yes',
  ])
})

test('the tools of a dialect can be listed, with their schemas', async () => {
  const { code, stdout } = await runCli(['tools', '--dialect', 'fs'])
  expect({ code, names: stdout.match(/^\S+/gm) }).toEqual({
    code: 0,
    names: ['fs.list_files', 'fs.read_file', 'fs.search_text'],
  })
  const json = JSON.parse((await runCli(['tools', '--dialect', 'clarvis', '--json'])).stdout)
  expect(json[1]).toEqual({
    name: 'write_file',
    title: 'Write file',
    description: 'Create a file or replace its whole content. The directory must exist.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File to write.' },
        content: { type: 'string', description: 'The whole content, exactly.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
  })
})

test('--tools selects the tools that are served', async () => {
  const names = async (...args: string[]) =>
    (await runCli(['tools', '--dialect', 'clarvis', ...args])).stdout.match(/^\S+/gm)
  expect(await names('--tools', 'read_file,grep')).toEqual(['read_file', 'grep'])
  expect(await names('--tools=-shell,-edit')).toEqual(['read_file', 'list_dir', 'glob', 'grep'])
  const { code, stderr } = await runCli(['--tools', 'no_such', '.'])
  expect({ code, stderr: stderr.split(';')[0] }).toEqual({
    code: 2,
    stderr: "polyfs: polyfs has no tool or group 'no_such'",
  })
})

describe('an invalid command line ends with one line on stderr and code 2', () => {
  async function refusal(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runCli(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    return stderr
  }

  test('unknown flag', async () => {
    expect(await refusal('--frobnicate', '.')).toBe(
      "polyfs: Unknown option '--frobnicate' (polyfs --help shows the options)\n",
    )
  })

  test('no root', async () => {
    expect(await refusal()).toBe(
      'polyfs: no directory to serve; name one, or use --memory (polyfs --help shows the options)\n',
    )
  })

  test('an empty root', async () => {
    expect(await refusal('')).toBe('polyfs: a path is empty (polyfs --help shows the options)\n')
  })

  test('missing root', async () => {
    const missing = join(await temporaryDirectory(), 'missing')
    expect(await refusal(missing)).toBe(`polyfs: no such directory: ${missing}\n`)
  })

  test('a root that is a file', async () => {
    const file = join(await temporaryDirectory(), 'file')
    await writeFile(file, '')
    expect(await refusal(file)).toBe(`polyfs: not a directory: ${file}\n`)
  })

  test('a root behind a broken link', async () => {
    const link = join(await temporaryDirectory(), 'link')
    await symlink('nowhere', link)
    expect(await refusal(link)).toBe(`polyfs: no such directory: ${link}\n`)
  })

  test('a root without permission', async (context) => {
    if (process.getuid?.() === 0) context.skip('root may read everything')
    const closed = join(await temporaryDirectory(), 'closed')
    await mkdir(closed)
    await chmod(closed, 0)
    expect(await refusal(closed)).toBe(`polyfs: no permission to read: ${closed}\n`)
  })

  test('unknown dialect', async () => {
    expect(await refusal('--dialect', 'klingon', '.')).toBe(
      "polyfs: unknown dialect 'klingon'; there is polyfs, clarvis, fs-context, file-editor, fs, replay, anthropic, openai, gemini (polyfs --help shows the options)\n",
    )
  })

  test('memory and directories', async () => {
    expect(await refusal('--memory', '.')).toBe(
      'polyfs: --memory takes no directories; leave out one of the two (polyfs --help shows the options)\n',
    )
  })

  test('an invalid address', async () => {
    for (const address of ['nowhere', '70000', 'a:b', '127.0.0.1:']) {
      expect(await refusal('--memory', '--http', address)).toBe(
        `polyfs: --http takes [HOST:]PORT, not '${address}' (polyfs --help shows the options)\n`,
      )
    }
  })

  test('a port in use', async () => {
    const { createServer } = await import('node:net')
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const stderr = await refusal('--memory', '--http', String(port))
    taken.close()
    expect(stderr).toBe(`polyfs: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`)
  })
})

describe('on standard input and output', () => {
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })

  /** Answers by id; every line of the output must be a message. */
  async function converse(args: string[], ...lines: string[]): Promise<{ replies: unknown[]; stderr: string }> {
    const { code, stdout, stderr } = await runCli(args, `${lines.join('\n')}\n`)
    expect(code).toBe(0)
    return {
      replies: stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      stderr,
    }
  }

  test('end of input ends the server cleanly', async () => {
    expect(await runCli(['--memory'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('an invalid message is answered with a protocol error, and the next one is served', async () => {
    const { replies } = await converse(['--memory'], '{half', '[]', '42', '{"jsonrpc":"1.0","id":9}', '', initialize)
    expect(replies.slice(0, 4)).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request: root must be object' } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request: root must be object' } },
      { jsonrpc: '2.0', id: 9, error: { code: -32600, message: 'Invalid request: jsonrpc must be "2.0"' } },
    ])
    expect(replies[4]).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } })
  })

  test('a malformed call is answered with a short error', async () => {
    const request = (id: number, method: string, params?: unknown) =>
      JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const { replies } = await converse(
      ['--memory', '--dialect', 'replay'],
      initialize,
      request(2, 'tools/call'),
      request(3, 'tools/call', []),
      request(4, 'tools/call', { arguments: {} }),
      request(5, 'tools/call', { name: 'read_file', arguments: 'x' }),
      request(6, 'no/such', {}),
    )
    const errors = (replies as Array<{ id: number; error?: object }>).filter(({ error }) => error)
    expect(errors.sort((a, b) => a.id - b.id).map(({ error }) => error)).toEqual([
      { code: -32602, message: 'Invalid params' },
      { code: -32602, message: 'Invalid params' },
      { code: -32602, message: 'Missing tools/call param: name' },
      { code: -32602, message: 'Invalid params' },
      { code: -32601, message: 'Method not found: no/such' },
    ])
  })
})

test('a root that vanishes later is a tool error', async () => {
  const { Client } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const root = join(await temporaryDirectory(), 'root')
  await mkdir(root)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport(await cliCommand(['--dialect', 'clarvis', root])))
  try {
    await rm(root, { recursive: true })
    const { content, isError } = await client.callTool({ name: 'list_dir', arguments: {} })
    expect({ content, isError }).toEqual({
      isError: true,
      content: [{ type: 'text', text: '{"error":"not_found","message":"No such file: .","path":"."}' }],
    })
  } finally {
    await client.close()
  }
})
