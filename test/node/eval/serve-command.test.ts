import { expect, onTestFinished, test } from 'vitest'
import { built } from '../cli/built.js'
import { runCli, temporaryDirectory } from '../cli/run-cli.js'
import { startChild } from '../crash/children.js'
import { writeSuite } from './greeting-suite.js'

test('polyfs eval serve serves a suite until it is stopped', { timeout: 60_000 }, async () => {
  const { suite } = await writeSuite(await temporaryDirectory())
  const child = startChild(built('node/cli.js'), 'eval', 'serve', suite, '--http', '0', '--max-calls', '1')
  onTestFinished(() => void child.process.kill('SIGKILL'))
  await child.says(/Stop with Ctrl-C/)
  const [, url] = /^polyfs \S+ serves 1 task at (http:\/\/127\.0\.0\.1:\d+)$/m.exec(child.said()) ?? []
  const ask = async (path: string, body: object) =>
    (await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
  const { id } = await ask('/episodes', { task: 'greeting' })
  const call = { tool: 'bash', args: { command: 'echo hello >greeting.txt' } }
  expect(await ask(`/episodes/${id}/call`, call)).toMatchObject({ isError: false, exhausted: 'calls' })
  expect(await ask(`/episodes/${id}/score`, {})).toMatchObject({ value: 1, passed: true })
  child.process.kill('SIGTERM')
  const { code, complained } = await child.ended
  expect(code).toBe(0)
  expect(complained).toMatch(/^polyfs: skipped container: .*RUN.*\n$/)
})

test.for([
  [[], 'no suite: name a directory of tasks'],
  [['SUITE'], '--http [HOST:]PORT is missing'],
  [['SUITE', '--http', 'x'], "--http takes [HOST:]PORT, not 'x'"],
  [['SUITE', '--http', '0', '--idle', '0'], "--idle takes a whole number from 1, not '0'"],
  [['SUITE', '--http', '0', '--other'], "Unknown option '--other'"],
  [['SUITE-none', '--http', '0'], 'no such directory: SUITE-none'],
  [['SUITE', '--http', '192.0.2.1:0'], 'listen EADDRNOTAVAIL: address not available 192.0.2.1'],
] as const)('polyfs eval serve %j ends with one line', async ([args, message]) => {
  const { suite } = await writeSuite(await temporaryDirectory())
  built('node/cli.js')
  const { code, stderr } = await runCli(['eval', 'serve', ...args.map((arg) => arg.replace('SUITE', suite))])
  expect(stderr).toBe(`polyfs: ${message.replace('SUITE', suite)} (polyfs eval serve --help shows the options)\n`)
  expect(code).toBe(2)
})

test('a token is required where one is given', { timeout: 60_000 }, async () => {
  const directory = await temporaryDirectory()
  const { suite } = await writeSuite(directory)
  const child = startChild(
    built('node/cli.js'),
    'eval',
    'serve',
    suite,
    '--http',
    '0',
    '--token-file',
    `${directory}/token`,
  )
  onTestFinished(() => void child.process.kill('SIGKILL'))
  await child.says(/Stop with Ctrl-C/)
  const [, url = ''] = /at (http:\S+)$/m.exec(child.said()) ?? []
  const [, token = ''] = /Authorization: Bearer (\S+)$/m.exec(child.said()) ?? []
  expect((await fetch(`${url}/tasks`)).status).toBe(401)
  expect((await fetch(`${url}/tasks`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
})
