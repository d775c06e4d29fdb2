/**
 * The protocol's own suite against two servers over HTTP: the command as it is shipped, and the same HTTP server with the tools, resources and
 * prompts that the suite calls by name. The lists beside this file give a reason for every scenario that may fail; counts are of checks.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../node/serve/http.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { cliCommand } from '../node/cli/run-cli.js'
import { longTest } from '../scale.js'
import { fixtures } from './fixtures.js'
import { runSuite, type SuiteResult } from './suite.js'

/** The suite waits two to five seconds for some responses, and skips what follows: retried, for busy machines. */
const again = { retry: 2 }

test('with the fixtures everything passes, except an extension that is not supported', again, async () => {
  const faults: unknown[] = []
  const workspace = createWorkspace({ fs: memory() })
  const server = await serveHttp({ workspace, dialect: fixtures, onFault: (fault) => faults.push(fault) })
  onTestFinished(() => server.close())
  expect(await everyLine(server.url)).toEqual({
    'first line': { passed: 44, failed: 0, failing: [] },
    '2025-11-25': { passed: 84, failed: 0, failing: [] },
    '2026-07-28': { passed: 167, failed: 25, failing: await listed('fixtures-2026-07-28.yml') },
  })
  expect(faults).toEqual([])
})

longTest(
  'the shipped command fails only scenarios that need a fixture',
  async () => {
    expect(await everyLine(await startCommand())).toEqual({
      'first line': { passed: 11, failed: 23, failing: await listed('shipped-0.1.yml') },
      '2025-11-25': { passed: 47, failed: 23, failing: await listed('shipped-2025-11-25.yml') },
      '2026-07-28': { passed: 115, failed: 56, failing: await listed('shipped-2026-07-28.yml') },
    })
  },
  again,
)

async function everyLine(url: string): Promise<Record<string, SuiteResult>> {
  const [first, sessions, stateless] = await Promise.all([
    runSuite({ line: 'conformance-0.1', args: ['--suite', 'all'], url }),
    runSuite({ line: 'conformance-0.2', args: ['--requirements', '2025-11-25'], url }),
    runSuite({ line: 'conformance-0.2', args: ['--requirements', '2026-07-28'], url }),
  ])
  return { 'first line': first, '2025-11-25': sessions, '2026-07-28': stateless }
}

async function listed(list: string): Promise<string[]> {
  const text = await readFile(new URL(list, import.meta.url), 'utf8')
  return [...text.matchAll(/^- (\S+) # /gm)].map(([, name = '']) => name).sort()
}

async function startCommand(): Promise<string> {
  const { command, args, env } = await cliCommand(['--memory', '--http', '0'])
  const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  onTestFinished(async () => {
    server.kill('SIGTERM')
    await once(server, 'close')
  })
  const [announced] = await once(server.stdout, 'data')
  const [, url = ''] = /at (\S+) /.exec(String(announced)) ?? []
  return url
}
