/** The command, started by a person in a terminal. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { startedWith } from '../../../node/cli/welcome.js'
import { writeArchive } from '../../../src/entries/archive.js'
import { cliCommand, runCli, temporaryDirectory } from './run-cli.js'

/** Of util-linux: runs a command on a new terminal. */
const script = '/usr/bin/script'
const ctrlC = '\x03'
const eraseLine = '\r\u001b[K'

test('the server prints what it is and how to connect, and Ctrl-C ends it', async (context) => {
  const root = await temporaryDirectory()
  const { command, shown, exit } = await inTerminal(context, [root], { until: 'stop with Ctrl-C.' })
  expect(exit).toEqual([0, null])
  const lines = shown.split('\r\n')
  expect(lines[0]).toMatch(/^polyfs is an MCP server: /)
  expect(lines).toContain(`  claude mcp add files -- node ${command.slice(1).join(' ')}`)
})

test('without arguments it explains itself in ten lines, and ends', async (context) => {
  const { shown, exit } = await inTerminal(context, [])
  expect(exit).toEqual([0, null])
  const lines = shown.trimEnd().split('\r\n')
  expect(lines.length).toBeLessThanOrEqual(10)
  expect(lines[0]).toMatch(/^polyfs \S+: file tools for AI agents, as an MCP server\.$/)
  const next = lines.filter((line) => line.startsWith('  ')).map((line) => /(?<=cli\.js ).*?(?= {2})/.exec(line)?.[0])
  expect(next).toEqual(['init', '--memory --http 7373', '--overlay --http 7373 .'])
  expect(Math.max(...lines.map((line) => line.replace(/node \S*cli\.js/g, 'polyfs').length))).toBeLessThan(110)
})

test('without arguments and without a terminal it is a server as before', async () => {
  expect(await runCli([])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'polyfs: no directory to serve; name one, or use --memory (polyfs --help shows the options)\n',
  })
})

test('the commands it suggests name it as it was started', () => {
  expect(startedWith('/usr/local/bin/polyfs', {})).toBe('polyfs')
  expect(startedWith('/cache/node_modules/.bin/polyfs', { npm_command: 'exec' })).toBe('npx polyfs')
  expect(startedWith(join(process.cwd(), 'dist/node/cli.js'), {})).toBe(`node ${join('dist', 'node', 'cli.js')}`)
})

test('copying a tree shows how far it is, and erases that', async (context) => {
  const source = await temporaryDirectory()
  await writeFile(join(source, 'a.txt'), 'a')
  const { shown } = await inTerminal(context, ['--memory', '--from', source], { until: 'stop with Ctrl-C.' })
  const [, first, rest = ''] = shown.split(eraseLine)
  expect(first).toBe(`copying ${source}: 1 entries, 0.0 MB`.slice(0, 79))
  expect(rest).toMatch(/^polyfs is an MCP server: /)
})

test('copying an archive into a store shows how far it is, and that it is stored', async (context) => {
  const source = join(await temporaryDirectory(), 'a.zip')
  await writeFile(source, await writeArchive([{ path: 'a.txt', kind: 'file', bytes: new Uint8Array(2_000_000) }]))
  const store = await temporaryDirectory()
  const given = ['--store', store, '--from', source]
  const { shown } = await inTerminal(context, given, { until: 'stop with Ctrl-C.' })
  const lines = shown.split(eraseLine)
  expect(lines[1]).toBe(`unpacking ${source}`.slice(0, 79))
  expect(lines.at(-2)).toBe('storing 1 entries, 2.0 MB')
  expect(lines.at(-1)).toMatch(/^polyfs is an MCP server: /)
})

test.each(['--memory', '--store'])('without a terminal, copying a tree with %s shows nothing', async (flag) => {
  const source = await temporaryDirectory()
  await writeFile(join(source, 'a.txt'), 'a')
  const given = flag === '--memory' ? [flag] : [flag, await temporaryDirectory()]
  expect(await runCli([...given, '--from', source])).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('eval run shows how many episodes are done, and erases that', async (context) => {
  const out = join(await temporaryDirectory(), 'out')
  const { shown, exit } = await inTerminal(context, ['eval', 'run', 'examples/tasks/crlf-edit', '--out', out])
  expect(exit).toEqual([0, null])
  const lines = shown.split(eraseLine)
  expect(lines.slice(0, 3)).toEqual(['', '0/1  running', '1/1  1 passed'])
  expect(lines).toHaveLength(4)
})

test('a benchmark shows its rounds on a terminal only', async (context) => {
  const program = `
    import { compare } from ${JSON.stringify(new URL('../../bench/measure.mjs', import.meta.url).href)}
    await compare({ ours: async () => {}, theirs: async () => {}, rounds: 2 })`
  const { shown } = await onTerminal(context, [process.execPath, '--input-type=module', '--eval', program])
  expect(shown.split(eraseLine)).toEqual(['', 'warming up', 'round 1 of 2', 'round 2 of 2', ''])
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
})

test('eval check shows which task it is at', async (context) => {
  const { shown, exit } = await inTerminal(context, ['eval', 'check', 'examples/tasks/crlf-edit'])
  expect(exit).toEqual([0, null])
  expect(shown.split(eraseLine)).toEqual([
    '',
    '0/1  checking crlf-edit',
    'ok      crlf-edit\r\n1 task checked, 0 problems, 0 skipped\r\n',
  ])
})

interface InTerminal {
  command: string[]
  shown: string
  exit: unknown[]
}

/** Runs the command on a terminal of 80 columns to its end, for which it gets Ctrl-C once it has printed `until`. */
async function inTerminal(context: TestContext, given: string[], { until }: { until?: string } = {}) {
  const { command, args, env } = await cliCommand(given)
  return onTerminal(context, [command, ...args], { env, until })
}

async function onTerminal(
  context: TestContext,
  command: string[],
  { env = {}, until }: { env?: NodeJS.ProcessEnv | undefined; until?: string | undefined } = {},
): Promise<InTerminal> {
  if (process.platform !== 'linux' || !existsSync(script)) context.skip(`no terminal can be made: ${script} is missing`)
  // `exec` replaces the shell, so that only the command gets Ctrl-C.
  const line = `stty cols 80; exec ${command.map((word) => `'${word}'`).join(' ')}`
  const terminal = spawn(script, ['-qec', line, '/dev/null'], {
    stdio: 'pipe',
    env: { ...process.env, npm_command: undefined, ...env },
  })
  onTestFinished(() => void terminal.kill('SIGKILL'))
  const closed = once(terminal, 'close')
  let shown = ''
  let isAsked = until === undefined
  for await (const chunk of terminal.stdout) {
    shown += chunk
    if (isAsked || until === undefined || !shown.includes(until)) continue
    isAsked = true
    terminal.stdin.write(ctrlC)
  }
  return { command, shown, exit: await closed }
}
