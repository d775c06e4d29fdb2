import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseArguments, type ServeArguments } from '../../../node/cli/arguments.js'
import { runCli, temporaryDirectory } from './run-cli.js'

async function parsed(...argv: string[]): Promise<ServeArguments> {
  const found = await parseArguments(['--dialect', 'replay', ...argv])
  if (found.command !== 'serve') throw new Error(`parsed as ${found.command}`)
  return found
}

async function profileOf(content: unknown): Promise<string> {
  const file = path.join(await temporaryDirectory(), 'profile.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

test.each<[argv: string[], sandbox: string, allowNetwork: boolean]>([
  [['--mcp-server', '--allow-write', 'w'], 'off', false],
  [['--mcp-server', '--sandbox', '--allow-write', 'w'], 'auto', true],
  [['--allow-write', 'w', '--sandbox'], 'auto', true],
  [['--allow-write', 'w', '--sandbox', '--deny-network'], 'auto', false],
  [['--allow-write', 'w', '--deny-network'], 'auto', false],
  [['--allow-write', 'w', '--sandbox', 'require'], 'require', false],
  [['--allow-write', 'w', '--sandbox=auto'], 'auto', false],
  [['--allow-write', 'w', '--sandbox', 'require', '--allow-network', '-v'], 'require', true],
  [['--allow-write', 'w', '--sandbox', '--sandbox-memory', '1G'], 'auto', true],
])('%j is accepted', async (argv, sandbox, allowNetwork) => {
  expect(await parsed(...argv)).toMatchObject({
    sandbox,
    allowNetwork,
    commands: true,
    directories: [{ directory: 'w', access: 'read-write' }],
    warnings: argv.includes('-v') ? ['polyfs: -v has no effect: there is nothing more to print'] : [],
  })
})

test('the directories of a profile follow those of the command line, writable ones first', async () => {
  const file = await profileOf({ read_only: ['/r'], read_write: ['/w1', '/w2'] })
  expect(await parsed('--sandbox-profile', file, '--allow-read', '/first')).toMatchObject({
    directories: [
      { directory: '/first', access: 'read-only' },
      { directory: '/w1', access: 'read-write' },
      { directory: '/w2', access: 'read-write' },
      { directory: '/r', access: 'read-only' },
    ],
    sandbox: 'auto',
    allowNetwork: true,
    warnings: [],
  })
})

test('what a profile denies is denied, and what it can not do here is reported', async () => {
  const file = await profileOf({ read_write: ['/w'], allow_network: false, allow_exec: false, extra_rules: ['(deny)'] })
  expect(await parsed('--sandbox-profile', file)).toMatchObject({
    allowNetwork: false,
    commands: false,
    warnings: [
      'polyfs: extra_rules of the sandbox profile has no effect: it is for the sandbox of macOS',
      'polyfs: the sandbox profile allows no commands: execute_command is not offered',
    ],
  })
})

test.each([
  ['{', /^--sandbox-profile .*profile.json: .*JSON/],
  ['[]', /profile.json: not a JSON object$/],
  [{ read_write: 'w' }, /profile.json: read_write is not a list of texts$/],
  [{ read_only: [''] }, /profile.json: read_only is not a list of texts$/],
  [{ allow_exec: 1 }, /profile.json: allow_exec is not true or false$/],
])('the profile %j is refused', async (content, message) => {
  await expect(parsed('--sandbox-profile', await profileOf(content))).rejects.toThrow(message)
})

test('a profile that is missing is refused', async () => {
  await expect(parsed('--sandbox-profile', '/no/such/profile')).rejects.toThrow('ENOENT')
})

test.each([
  [['--mcp-server'], '--mcp-server is an option of the dialect replay'],
  [['--deny-network'], '--deny-network is an option of the dialect replay'],
  [['-v'], '--verbose is an option of the dialect replay'],
  [['--sandbox'], '--sandbox takes auto, require or off'],
  [['--sandbox', 'soon'], "--sandbox takes auto, require or off, not 'soon'"],
])('%j is refused in other dialects', async (argv, message) => {
  await expect(parseArguments(['root', ...argv])).rejects.toThrow(message)
})

test('a configuration of the original starts, and serves', async () => {
  const directory = await temporaryDirectory()
  await mkdir(path.join(directory, 'w'))
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
  const argv = ['--mcp-server', '--allow-write', path.join(directory, 'w'), '--sandbox', '--deny-network', '-v']
  const { code, stdout, stderr } = await runCli(
    ['--dialect', 'replay', ...argv],
    `${JSON.stringify({ ...request, params: { name: 'list_allowed_directories', arguments: {} } })}\n`,
  )
  expect(code).toBe(0)
  expect(stdout).toContain('w (read-write)')
  // Without bubblewrap there is one more line, which says that commands are not confined.
  expect(stderr).toMatch(
    /^polyfs: -v has no effect.*\n(polyfs: commands are not confined, and may use the network: .*\n)?$/,
  )
})
