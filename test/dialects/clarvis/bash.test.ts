import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type DirectoryWorkspaceOptions, openDirectories } from '../../../node/workspace/directory-workspace.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { callTool, offeredTools } from '../../../src/tools/call-tool.js'
import { temporaryDirectory } from '../../node/cli/run-cli.js'

async function open(options: DirectoryWorkspaceOptions = {}) {
  const root = await temporaryDirectory()
  const stateDirectory = await temporaryDirectory()
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory, ...options })
  onTestFinished(() => workspace.close())
  const bash = async (args: object) => {
    const { content, isError = false } = await callTool(workspace, clarvis, 'bash', args)
    const [item] = content
    return { isError, ...JSON.parse(item?.type === 'text' ? item.text : '') }
  }
  return { root, workspace, bash }
}

test('a command that a signal ends has the exit code a shell would give', async () => {
  const { bash } = await open()
  expect(await bash({ command: 'kill -KILL $$' })).toEqual({
    isError: false,
    exit_code: 137,
    stdout: '',
    stderr: '',
    signal: 'SIGKILL',
    timed_out: false,
  })
})

test('commands are read by the shell that was named', async () => {
  const { bash } = await open({ shellProgram: '/bin/sh' })
  expect(await bash({ command: 'echo $0' })).toMatchObject({ exit_code: 0, stdout: '/bin/sh\n' })
  const { bash: bare } = await open({ shellProgram: 'sh' })
  expect(await bare({ command: 'echo $0 $#; nosuch' })).toMatchObject({
    exit_code: 127,
    stdout: 'sh 0\n',
    stderr: expect.stringMatching(/^sh: /),
  })
})

test('both streams share one budget, and the rest is stored where git ignores it', async () => {
  const { root, bash } = await open({ limits: { maxOutputBytes: 1024 } })
  const { stdout, stderr } = await bash({ command: 'yes | head -c 5000; echo short >&2' })
  const [, log] = /full output written to (\S+) \.\.\.\]$/.exec(stdout) ?? []
  expect(log).toMatch(/^\.clarvis\/bash-\d+-[0-9a-f]{8}\.stdout\.log$/)
  const shown = 1024 - 'short\n'.length
  expect(stdout).toBe(
    `${'y\n'.repeat(shown / 2)}\n[... output truncated: ${shown} of 5000 bytes shown; full output written to ${log} ...]`,
  )
  expect(stderr).toBe('short\n')
  expect(readFileSync(join(root, log as string), 'utf8')).toBe('y\n'.repeat(2500))
  expect(readFileSync(join(root, '.clarvis/.gitignore'), 'utf8')).toBe('*\n')
  expect(readdirSync(join(root, '.clarvis'))).toHaveLength(2)
})

test('stored output older than a day is removed when more is stored', async () => {
  const { root, bash } = await open({ limits: { maxOutputBytes: 1024 } })
  await bash({ command: 'yes | head -c 5000' })
  const [first] = readdirSync(join(root, '.clarvis')).filter((name) => name.endsWith('.log'))
  const yesterday = Date.now() / 1000 - 25 * 60 * 60
  utimesSync(join(root, '.clarvis', first ?? ''), yesterday, yesterday)
  await bash({ command: 'yes | head -c 5000' })
  const logs = readdirSync(join(root, '.clarvis')).filter((name) => name.endsWith('.log'))
  expect(logs).toHaveLength(1)
  expect(logs).not.toContain(first)
})

test('the time a command may take has a default and a ceiling', async () => {
  const { bash } = await open({ limits: { commandTimeoutMs: 2000, maxCommandTimeoutMs: 2100 } })
  const timedOut = (timeout_ms: number) => ({
    isError: true,
    error: 'timeout',
    message: `Command exceeded ${timeout_ms}ms`,
    timeout_ms,
    stdout: 'early\n',
    stderr: '',
  })
  const command = 'echo early; sleep 60'
  expect(await Promise.all([bash({ command }), bash({ command, timeout_ms: 60_000 })])).toEqual([
    timedOut(2000),
    timedOut(2100),
  ])
})

test('a command that writes without end is ended', async () => {
  const { bash } = await open()
  const { isError, error, max_capture_bytes } = await bash({ command: 'yes' })
  expect({ isError, error, max_capture_bytes }).toEqual({
    isError: true,
    error: 'output_limit',
    max_capture_bytes: 8 * 1024 * 1024,
  })
})

test('it is not offered where nothing may be changed, nor where there is to be no shell', async () => {
  const names = (workspace: Parameters<typeof offeredTools>[1]) =>
    offeredTools(clarvis, workspace).map(({ name }) => name)
  expect(names((await open({ readOnly: true })).workspace)).toEqual(['read_file', 'list_dir', 'glob', 'grep'])
  expect(names((await open({ commands: false })).workspace)).not.toContain('bash')
  expect(names((await open()).workspace)).toContain('bash')
})
