import { describe, expect, test } from 'vitest'
import { clients } from '../../../node/init/clients.js'
import { copyOf, init } from '../../../node/init/init.js'
import { clientCalled, machines, machineWith, request, server } from './machines.js'

const places = {
  Linux: {
    'claude-desktop': '/home/ann/.config/Claude/claude_desktop_config.json',
    'claude-code': '/home/ann/.claude.json',
    cursor: '/home/ann/.cursor/mcp.json',
    vscode: '/home/ann/.config/Code/User/mcp.json',
    windsurf: '/home/ann/.codeium/windsurf/mcp_config.json',
    zed: '/home/ann/.config/zed/settings.json',
    gemini: '/home/ann/.gemini/settings.json',
    codex: '/home/ann/.codex/config.toml',
  },
  macOS: {
    'claude-desktop': '/Users/ann/Library/Application Support/Claude/claude_desktop_config.json',
    'claude-code': '/Users/ann/.claude.json',
    cursor: '/Users/ann/.cursor/mcp.json',
    vscode: '/Users/ann/Library/Application Support/Code/User/mcp.json',
    windsurf: '/Users/ann/.codeium/windsurf/mcp_config.json',
    zed: '/Users/ann/.config/zed/settings.json',
    gemini: '/Users/ann/.gemini/settings.json',
    codex: '/Users/ann/.codex/config.toml',
  },
  Windows: {
    'claude-desktop': 'C:\\Users\\Ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    'claude-code': 'C:\\Users\\Ann\\.claude.json',
    cursor: 'C:\\Users\\Ann\\.cursor\\mcp.json',
    vscode: 'C:\\Users\\Ann\\AppData\\Roaming\\Code\\User\\mcp.json',
    windsurf: 'C:\\Users\\Ann\\.codeium\\windsurf\\mcp_config.json',
    zed: 'C:\\Users\\Ann\\AppData\\Roaming\\Zed\\settings.json',
    gemini: 'C:\\Users\\Ann\\.gemini\\settings.json',
    codex: 'C:\\Users\\Ann\\.codex\\config.toml',
  },
} as const

describe.each(Object.entries(machines))('on %s', (system, machine) => {
  const files = places[system as keyof typeof places]

  test('configurations are where each client has them', () => {
    expect(Object.fromEntries(clients.map((client) => [client.name, client.file(machine)]))).toEqual(files)
  })

  test('only installed clients are changed', async () => {
    const around = machineWith(machine, { [files.cursor]: '{}\n', [files.codex]: 'model = "x"\n' })
    expect(await init(request(), around)).toBe(true)
    expect([...around.files.keys()].sort()).toEqual(
      [files.cursor, copyOf(files.cursor), files.codex, copyOf(files.codex)].sort(),
    )
  })

  test('a client is found by its directory before it has a configuration', async () => {
    const around = machineWith(machine, { [files.cursor.replace('mcp.json', 'extensions.json')]: '[]' })
    await init(request(), around)
    expect(JSON.parse(around.files.get(files.cursor) ?? '')).toEqual({ mcpServers: { files: server } })
  })

  test.each(clients.map(({ name }) => name))('%s: what is added is removed to the byte', async (name) => {
    const { file, format } = clientCalled(name)
    const texts =
      format === 'toml' ? ['', 'a = 1', 'a = 1\r\n\r\n[b]\r\nc = "d"\r\n'] : ['', '{}', '{ "mcpServers": {}, }', '{\n}']
    for (const text of texts) {
      const around = machineWith(machine, { [file(machine)]: text })
      expect(await init(request({ clients: [name] }), around)).toBe(true)
      expect(around.files.get(file(machine))).toContain('cli.js')
      expect(around.files.get(copyOf(file(machine)))).toBe(text)
      expect(await init(request({ clients: [name], remove: true }), around)).toBe(true)
      expect(Object.fromEntries(around.files)).toEqual({ [file(machine)]: text })
    }
  })

  test.each(clients.map(({ name }) => name))('%s: a file that was made is removed', async (name) => {
    const around = machineWith(machine, {})
    await init(request({ clients: [name] }), around)
    expect([...around.files.keys()]).toEqual([clientCalled(name).file(machine)])
    await init(request({ clients: [name], remove: true }), around)
    expect(around.files.size).toBe(0)
  })
})

describe('polyfs init', () => {
  const linux = machines.Linux
  const file = clientCalled('cursor').file(linux)

  test('shows a diff, asks, and changes nothing after a no', async () => {
    const around = machineWith(linux, { [file]: '{\n  // mine\n  "mcpServers": {}\n}\n' }, [false])
    expect(await init(request({ yes: false }), around)).toBe(false)
    expect(around.questions).toEqual(['Add it to Cursor?'])
    expect(around.files.get(file)).toBe('{\n  // mine\n  "mcpServers": {}\n}\n')
    expect(around.shown()).toBe(`Cursor: ${file}

--- ${file}
+++ ${file}
@@ -1,4 +1,12 @@
 {
   // mine
-  "mcpServers": {}
+  "mcpServers": {
+    "files": {
+      "command": "/usr/bin/node",
+      "args": [
+        "/opt/polyfs/dist/node/cli.js",
+        "/home/ann/project"
+      ]
+    }
+  }
 }

Cursor: left as it is
`)
  })

  test('asks for each client on its own', async () => {
    const zed = clientCalled('zed').file(linux)
    const around = machineWith(linux, { [file]: '{}', [zed]: '{}' }, [false, true])
    expect(await init(request({ yes: false }), around)).toBe(false)
    expect(around.files.get(file)).toBe('{}')
    expect(JSON.parse(around.files.get(zed) ?? '')).toEqual({
      context_servers: { files: { source: 'custom', ...server, env: {} } },
    })
  })

  test('--dry-run changes nothing', async () => {
    const around = machineWith(linux, { [file]: '{}' })
    expect(await init(request({ dryRun: true, yes: false }), around)).toBe(true)
    expect(Object.fromEntries(around.files)).toEqual({ [file]: '{}' })
    expect(around.shown()).toContain('+    "files": {')
  })

  test('a second time there is nothing to change', async () => {
    const around = machineWith(linux, { [file]: '{}' })
    await init(request(), around)
    const after = around.files.get(file)
    expect(await init(request(), around)).toBe(true)
    expect(around.files.get(file)).toBe(after)
    expect(around.shown()).toContain(`Cursor: nothing to change in ${file}`)
  })

  test('an entry of ours is replaced, and the copy still has what was there first', async () => {
    const around = machineWith(linux, { [file]: '{ "a": 1 }' })
    await init(request(), around)
    const moved = { ...server, args: ['/opt/polyfs/dist/node/cli.js', '/elsewhere'] }
    await init(request({ server: moved }), around)
    expect(JSON.parse(around.files.get(file) ?? '')).toEqual({ a: 1, mcpServers: { files: moved } })
    expect(around.files.get(copyOf(file))).toBe('{ "a": 1 }')
    await init(request({ remove: true }), around)
    expect(Object.fromEntries(around.files)).toEqual({ [file]: '{ "a": 1 }' })
  })

  test('what the user changed in between stays when the entry is removed', async () => {
    const around = machineWith(linux, { [file]: '{\n  "mcpServers": {}\n}\n' })
    await init(request(), around)
    around.files.set(file, (around.files.get(file) ?? '').replace('{\n', '{\n  // a note\n  "b": 2,\n'))
    const edited = around.files.get(file)
    await init(request({ remove: true }), around)
    expect(around.files.get(file)).toBe('{\n  // a note\n  "b": 2\n}\n')
    expect(around.files.get(copyOf(file))).toBe(edited)
  })

  test("another server's entry of the same name is neither replaced nor removed", async () => {
    const text = '{ "mcpServers": { "files": { "command": "npx", "args": ["other-server"] } } }'
    const around = machineWith(linux, { [file]: text })
    expect(await init(request(), around)).toBe(false)
    expect(around.shown()).toContain('has another server called files; choose a name with --name')
    expect(await init(request({ remove: true }), around)).toBe(true)
    expect(Object.fromEntries(around.files)).toEqual({ [file]: text })
    expect(await init(request({ name: 'polyfs' }), around)).toBe(true)
  })

  test.each([
    ['{ "mcpServers": ', 'is not valid JSON: ValueExpected in line 1'],
    ['[]', 'is not a JSON object'],
    ['{ "mcpServers": [] }', 'has something else than an object as mcpServers'],
    ['{ "mcpServers": {}, "mcpServers": {} }', 'has "mcpServers" twice'],
  ])('%j is not changed', async (text, reason) => {
    const around = machineWith(linux, { [file]: text })
    expect(await init(request(), around)).toBe(false)
    expect(around.shown()).toBe(`Cursor: not changed, because ${file} ${reason}\n`)
    expect(Object.fromEntries(around.files)).toEqual({ [file]: text })
  })

  test.each([
    ['a = ', 'is not valid TOML'],
    ['mcp_servers = { other = { command = "x" } }\n', 'form'],
    ['mcp_servers.files = { command = "polyfs" }\n', 'TOML'],
  ])('the TOML %j is not changed', async (text, reason) => {
    const codex = clientCalled('codex').file(linux)
    const around = machineWith(linux, { [codex]: text })
    expect(await init(request(), around)).toBe(false)
    expect(around.shown()).toContain('Codex: not changed, because ')
    expect(around.shown()).toMatch(new RegExp(`${reason}|TOML`))
    expect(Object.fromEntries(around.files)).toEqual({ [codex]: text })
  })

  test('a file that changes while the question stands is not overwritten', async () => {
    const around = machineWith(linux, { [file]: '{}' })
    around.ask = async () => {
      around.files.set(file, '{ "new": true }')
      return true
    }
    expect(await init(request({ yes: false }), around)).toBe(false)
    expect(Object.fromEntries(around.files)).toEqual({ [file]: '{ "new": true }' })
    expect(around.shown()).toContain('was changed meanwhile')
  })

  test('says so where no client is found', async () => {
    const around = machineWith(linux, {})
    expect(await init(request(), around)).toBe(false)
    expect(around.shown()).toMatch(/^No client was found here\. Name one/)
  })
})
