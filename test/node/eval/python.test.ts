import { execFile, spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadSuite } from '../../../harness/tasks/load-suite.js'
import { serveEpisodes } from '../../../node/eval/serve/server.js'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { built } from '../cli/built.js'
import { suiteFiles } from './greeting-suite.js'

const clients = fileURLToPath(new URL('../../../clients/python', import.meta.url))
const isOld = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status !== 0

beforeEach((context) => context.skip(isOld, 'Python 3.9 or newer is not installed'))

test.for([['check_client.py'], ['check_recipes.py', 'token-of-the-test']] as const)(
  'the client in Python works with the server: %s',
  { timeout: 120_000 },
  async ([script, token]) => {
    const server = await serveEpisodes({
      suite: await loadSuite(memory(suiteFiles), '/suite'),
      shell: emulatedShell({ worker: built('node/emulated-worker.js') }),
      ...(token !== undefined && { token }),
    })
    onTestFinished(() => server.close())
    const file = fileURLToPath(new URL(`./python/${script}`, import.meta.url))
    expect(await python([file, server.url], token)).toEqual({ code: 0, stdout: 'all is as expected\n', stderr: '' })
  },
)

test('a redirect gets no token, and says what to correct', async () => {
  const got: unknown[] = []
  const thief = createServer((request, response) => {
    got.push(request.headers)
    response.end('{"tasks": []}')
  })
  const place = await listening(thief)
  const redirecting = createServer((_request, response) =>
    response.writeHead(307, { location: `${place}/tasks` }).end(),
  )
  const url = await listening(redirecting)
  const script = `from polyfs_eval import Client\ntry:\n  Client(${JSON.stringify(url)}).tasks()\nexcept Exception as error:\n  print(type(error).__name__, error)`
  expect(await python(['-c', script], 'token-of-the-test')).toEqual({
    code: 0,
    stdout: `PolyfsError ${url}/tasks redirects to ${place}/tasks: give Client the address of the server itself\n`,
    stderr: '',
  })
  expect(got).toEqual([])
})

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function python(
  args: readonly string[],
  token?: string,
): Promise<{ code: number | string | null; stdout: string; stderr: string }> {
  const PYTHONPATH = [clients, path.join(clients, 'recipes')].join(path.delimiter)
  const { POLYFS_TOKEN: _, ...inherited } = process.env
  const env = { ...inherited, PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1', ...(token && { POLYFS_TOKEN: token }) }
  return new Promise((resolve) => {
    execFile('python3', args, { env, timeout: 110_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr }),
    )
  })
}
