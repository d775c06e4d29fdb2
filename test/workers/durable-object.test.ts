/** Workspaces in Durable Objects, in Cloudflare's own runtime. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../contract/fs/cases/limits.js'
import { type CaseResult, type ContractReport, contractCases } from '../../contract/fs/index.js'
import { sampleOf } from '../describe-contract.js'
import { isFull, onlyInFull } from '../scale.js'
import { testWorker } from './bundle.js'
import { headers, messageIn, newestRequest, type RunningWorker, startWorker, token } from './running-worker.js'

let code: string
let worker: RunningWorker

beforeAll(async () => {
  code = await testWorker()
  worker = await startWorker(code)
})

afterAll(async () => {
  expect(await worker.run('any', 'faults')).toEqual([])
  await worker.stop()
})

describe('the endpoint', () => {
  const list = newestRequest('tools/list', {})

  test('says that it is there, without a token', async () => {
    const response = await worker.fetch('/healthz')
    expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}\n'])
  })

  test.each([
    ['no token', { authorization: '' }, 401],
    ['another token', { authorization: 'Bearer guess' }, 401],
    ['a token with more after it', { authorization: `Bearer ${token}x` }, 401],
    ['another scheme', { authorization: `Basic ${token}` }, 401],
    ['a user that the host refuses', { 'x-user': 'mallory' }, 403],
    ['a page of an unknown origin', { origin: 'https://evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page of an allowed origin', { origin: 'https://app.example' }, 200],
    ['a page of its own origin', { origin: 'http://localhost' }, 200],
  ])('answers %s with the right status', async (_, given, status) => {
    const response = await worker.fetch('/mcp/guarded', { ...list, headers: { ...list.headers, ...given } })
    const { error } = await messageIn(response)
    expect(response.status).toBe(status)
    expect(error === undefined).toBe(status === 200)
  })

  test('lets a page of an allowed origin ask first, and read the answer', async () => {
    const origin = 'https://app.example'
    const asked = await worker.fetch('/mcp/guarded', { method: 'OPTIONS', headers: { origin } })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    const answered = await worker.fetch('/mcp/guarded', { ...list, headers: { ...list.headers, origin } })
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin)
  })

  test.each([
    '/',
    '/mcp',
    '/mcp/',
    '/mcp/a b',
    '/mcp/%2e%2e',
    `/mcp/${'n'.repeat(65)}`,
    '/mcp/a/b/c',
    '/mcp/none/fork',
  ])('has nothing at %s', async (path) => {
    const response = await worker.fetch(path, list)
    expect([response.status, (await messageIn(response)).error?.code]).toEqual([404, -32000])
  })

  test('refuses everything while no token is configured', async () => {
    const open = await startWorker(code, { token: null })
    onTestFinished(() => open.stop())
    const response = await open.fetch('/mcp/a', list)
    expect([response.status, (await messageIn(response)).error?.message]).toEqual([
      503,
      'No token is configured for this server',
    ])
  })

  test('limits messages, and offers no stream that would keep an object awake', async () => {
    await worker.run('small', 'configure', { maxRequestBytes: 1000 })
    const long = newestRequest('tools/call', {
      name: 'write_file',
      arguments: { path: 'a', content: 'x'.repeat(2000) },
    })
    expect((await worker.fetch('/mcp/small', long)).status).toBe(413)
    expect((await worker.fetch('/mcp/small', { headers })).status).toBe(405)
  })

  test('offers the tools of the dialect, except those that run commands', async () => {
    const { result } = await messageIn(await worker.fetch('/mcp/tools', list))
    const { tools } = result as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual([
      'read_file',
      'list_dir',
      'glob',
      'grep',
      'file_info',
      'write_file',
      'edit_file',
      'apply_patch',
      'move',
      'copy',
      'delete',
      'make_dir',
      'history',
      'git',
      'archive',
      'workspace',
    ])
  })
})

describe('the tools', () => {
  test('edit, undo, search, pack and commit', async () => {
    const { call } = worker
    await call('all', 'write_file', { path: 'src/a.ts', content: 'export const one = 1\n' })
    await call('all', 'edit_file', { path: 'src/a.ts', old_string: 'one', new_string: 'two' })
    expect(await call('all', 'grep', { pattern: 't[w]o' })).toContain('1: export const two = 1')
    await call('all', 'history', { action: 'undo' })
    expect(await call('all', 'read_file', { path: 'src/a.ts' })).toContain('export const one = 1')
    await call('all', 'archive', { action: 'create', archive: 'all.zip', paths: ['src'] })
    expect(await call('all', 'archive', { action: 'list', archive: 'all.zip' })).toContain('src/a.ts')
  })

  test('objects that load a library at the same time do not wait for each other', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `zip-${index}`)
    await Promise.all(names.map((name) => worker.call(name, 'write_file', { path: 'f', content: name })))
    const packed = names.map((name) =>
      worker.call(name, 'archive', { action: 'create', archive: 'a.zip', paths: ['f'] }),
    )
    for (const text of await Promise.all(packed)) expect(text).toContain('a.zip')
  })
})

test('64 parallel edits of one file are all in it', async () => {
  const lines = Array.from({ length: 64 }, (_, index) => `line ${index};\n`)
  await worker.call('parallel', 'write_file', { path: 'f', content: lines.join('') })
  const edits = lines.map((_, index) =>
    worker.call('parallel', 'edit_file', { path: 'f', old_string: `line ${index};`, new_string: `edited ${index};` }),
  )
  for (const text of await Promise.all(edits)) expect(text).toMatch(/^edited f: 1 place/)
  const bytes = (await worker.run('parallel', 'raw', 'readFile', ['/f'])) as Uint8Array
  expect(new TextDecoder().decode(bytes)).toBe(lines.join('').replaceAll('line', 'edited'))
})

describe('workspaces', () => {
  test('in large numbers are made and forked, each for itself', async () => {
    const count = isFull ? 1000 : 10
    const names = Array.from({ length: count }, (_, index) => `many-${index}`)
    await inGroups(names, 20, async (name) => {
      await worker.call(name, 'write_file', { path: 'name.txt', content: name })
      await worker.run(name, 'fork', 'attempt')
      await worker.call(`${name}/attempt`, 'edit_file', { path: 'name.txt', old_string: 'many', new_string: 'fork' })
    })
    await inGroups(names, 20, async (name) => {
      expect(await worker.call(name, 'read_file', { path: 'name.txt' })).toContain(`1\t${name}\n`)
      expect(await worker.call(`${name}/attempt`, 'read_file', { path: 'name.txt' })).toContain(
        `1\t${name.replace('many', 'fork')}\n`,
      )
    })
  })

  test('are forked in no time, and a fork is dropped with what only it used', async () => {
    const content = 'x'.repeat(1_000_000)
    await worker.call('forked', 'write_file', { path: 'large', content })
    const before = (await worker.run('forked', 'bytesStored')) as number
    for (let number = 0; number < 20; number += 1) await worker.run('forked', 'fork', `f${number}`)
    expect((await worker.run('forked', 'bytesStored')) as number).toBeLessThan(before + 100_000)
    await expect(worker.run('forked', 'fork', 'f0')).rejects.toThrow('EXISTS')
    await expect(worker.run('forked', 'fork', 'a/b')).rejects.toThrow('INVALID_PATH')
    await worker.run('forked', 'fork', 'of-a-fork', 'f0')
    expect(await worker.call('forked/of-a-fork', 'list_dir', {})).toBe('large')
    await worker.run('forked', 'drop', 'f0')
    expect((await worker.fetch('/mcp/forked/f0', newestRequest('tools/list', {}))).status).toBe(404)
    expect(((await worker.run('forked', 'forks')) as unknown[]).length).toBe(20)
    await expect(worker.run('forked', 'drop', 'main')).rejects.toThrow('UNSUPPORTED')
  })

  test('with more forks than are open at once lose nothing', async () => {
    await worker.call('branches', 'write_file', { path: 'f', content: 'main' })
    const forks = Array.from({ length: 40 }, (_, index) => `f${index}`)
    for (const fork of forks) await worker.run('branches', 'fork', fork)
    for (const round of [1, 2]) {
      await inGroups(forks, 10, async (fork) => {
        await worker.call(`branches/${fork}`, 'write_file', { path: 'f', content: `${fork}, round ${round}` })
      })
    }
    for (const fork of forks) {
      expect(await worker.call(`branches/${fork}`, 'read_file', { path: 'f' })).toContain(`1\t${fork}, round 2\n`)
    }
    expect(await worker.call('branches', 'read_file', { path: 'f' })).toContain('1\tmain\n')
  })

  test('whose tables are of another version are refused with a sentence, and left as they are', async () => {
    await worker.call('newer', 'write_file', { path: 'f', content: 'x' })
    await worker.run('newer', 'sql', "UPDATE polyfs_meta SET value = 99 WHERE name = 'schema'")
    await expect(worker.run('newer', 'evict')).rejects.toThrow('evicted by a test')
    const response = await worker.fetch('/mcp/newer', newestRequest('tools/list', {}))
    expect([response.status, (await messageIn(response)).error]).toEqual([
      500,
      {
        code: -32603,
        message: "The workspace can't be opened: the database has schema version 99; this polyfs needs 1",
      },
    ])
    await worker.run('newer', 'sql', "UPDATE polyfs_meta SET value = 1 WHERE name = 'schema'")
    expect(await worker.call('newer', 'read_file', { path: 'f' })).toContain('1\tx\n')
  })

  test('are copied to another object, with what tools may not write', async () => {
    await worker.call('from', 'write_file', { path: 'd/a.txt', content: 'a\n' })
    await worker.run('from', 'raw', 'makeDir', ['/.git'])
    await worker.run('from', 'raw', 'writeFile', ['/.git/HEAD', new TextEncoder().encode('ref: refs/heads/main\n')])
    await worker.run('from', 'copyTo', 'to')
    expect(await worker.run('to', 'raw', 'readFile', ['/.git/HEAD'])).toEqual(
      new TextEncoder().encode('ref: refs/heads/main\n'),
    )
    expect(await worker.call('to', 'read_file', { path: 'd/a.txt' })).toContain('1\ta\n')
  })
})

describe('what an object has in memory can be lost', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }

  async function begin(at: RunningWorker, workspace: string): Promise<string> {
    const response = await at.fetch(`/mcp/${workspace}`, { method: 'POST', headers, body: JSON.stringify(initialize) })
    expect((await messageIn(response)).error).toBeUndefined()
    return response.headers.get('mcp-session-id') ?? ''
  }

  async function inSession(at: RunningWorker, workspace: string, session: string, name: string, given: object) {
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: given } }
    return at.fetch(`/mcp/${workspace}`, {
      method: 'POST',
      headers: { ...headers, 'mcp-session-id': session },
      body: JSON.stringify(call),
    })
  }

  test('between two calls: files, history, forks and sessions are still there', async () => {
    const session = await begin(worker, 'evicted')
    await inSession(worker, 'evicted', session, 'write_file', { path: 'a.txt', content: 'one\n' })
    await worker.run('evicted', 'fork', 'attempt')
    await worker.call('evicted', 'edit_file', { path: 'a.txt', old_string: 'one', new_string: 'two' })
    const made = await worker.run('evicted', 'madeMs')
    await expect(worker.run('evicted', 'evict')).rejects.toThrow('evicted by a test')
    expect(await worker.run('evicted', 'madeMs')).toBeGreaterThan(made as number)
    const answer = await inSession(worker, 'evicted', session, 'read_file', { path: 'a.txt' })
    expect(JSON.stringify(await messageIn(answer))).toContain('two')
    expect(await worker.call('evicted/attempt', 'read_file', { path: 'a.txt' })).toContain('one')
    await worker.call('evicted', 'history', { action: 'undo' })
    expect(await worker.call('evicted', 'read_file', { path: 'a.txt' })).toContain('one')
  })

  test('while edits arrive: those that were acknowledged are in the file, and all can be made again', async () => {
    const lines = Array.from({ length: 32 }, (_, index) => `line ${index};`)
    await worker.call('shaken', 'write_file', { path: 'f', content: lines.join('\n') })
    const edit = (index: number) => {
      const change = { path: 'f', old_string: `line ${index};`, new_string: `edited ${index};` }
      return worker.call('shaken', 'edit_file', change).then((text) => text.startsWith('edited'))
    }
    const edits = lines.map((_, index) => edit(index).catch(() => false))
    await expect(worker.run('shaken', 'evict')).rejects.toThrow('evicted by a test')
    const acknowledged = await Promise.all(edits)
    const text = async () =>
      new TextDecoder().decode((await worker.run('shaken', 'raw', 'readFile', ['/f'])) as Uint8Array)
    const found = await text()
    expect(lines.filter((_, index) => acknowledged[index] && !found.includes(`edited ${index};`))).toEqual([])
    for (const index of lines.keys()) if (!found.includes(`edited ${index};`)) expect(await edit(index)).toBe(true)
    expect(await text()).toBe(lines.join('\n').replaceAll('line', 'edited'))
    // The endpoint reports calls that the object did not answer.
    await worker.run('any', 'faults')
  })

  test('a session belongs to its workspace', async () => {
    const session = await begin(worker, 'mine')
    const response = await inSession(worker, 'yours', session, 'list_dir', {})
    expect([response.status, (await messageIn(response)).error?.message]).toEqual([404, 'Session not found'])
  })

  test('with the whole process, killed while edits arrive: what was acknowledged is in the file', async (context) => {
    if (process.platform !== 'linux') context.skip('finds the process in /proc')
    const directory = await mkdtemp(join(tmpdir(), 'polyfs-workers-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const first = await startWorker(code, { directory })
    const session = await begin(first, 'killed')
    await first.call('killed', 'write_file', { path: 'f', content: 'begin\n' })
    const acknowledged: number[] = []
    let isRunning = true
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let number = writer; isRunning; number += 4) {
        const edit = { path: 'f', old_string: 'begin\n', new_string: `begin\n<${number}>\n` }
        const text = await first.call('killed', 'edit_file', edit).catch(() => '')
        if (text.startsWith('edited')) acknowledged.push(number)
      }
    })
    await expect.poll(() => acknowledged.length).toBeGreaterThan(isFull ? 200 : 8)
    const killed = await killRuntimes()
    isRunning = false
    await first.stop()
    await Promise.all(writers)
    expect(killed).toBeGreaterThan(0)

    // The runtime of the other tests was killed too.
    await worker.stop()
    worker = await startWorker(code)
    const second = await startWorker(code, { directory })
    onTestFinished(() => second.stop())
    const text = new TextDecoder().decode((await second.run('killed', 'raw', 'readFile', ['/f'])) as Uint8Array)
    const lost = acknowledged.filter((number) => !text.includes(`<${number}>\n`))
    expect(lost).toEqual([])
    expect((await inSession(second, 'killed', session, 'read_file', { path: 'f' })).status).toBe(200)
  })
})

describe('a workspace that nobody uses', () => {
  const secondsInDays = 1 / (24 * 60 * 60)

  test('is cleared, and one that is used stays', async () => {
    for (const name of ['unused', 'in-use']) {
      await worker.run(name, 'configure', { clearAfterDays: 2 * secondsInDays })
      await worker.call(name, 'write_file', { path: 'f', content: name })
      await worker.run(name, 'fork', 'attempt')
    }
    await worker.call('forever', 'write_file', { path: 'f', content: '' })
    const isThere = async (name: string) => ((await worker.run(name, 'raw', 'readDir', ['/'])) as unknown[]).length > 0
    // `raw` is no use of the workspace; a call is.
    await expect
      .poll(async () => {
        await worker.call('in-use', 'list_dir', {})
        return isThere('unused')
      })
      .toBe(false)
    expect(await isThere('in-use')).toBe(true)
    expect(await isThere('forever')).toBe(true)
    expect(await worker.run('unused', 'forks')).toEqual([])
    await worker.call('unused', 'write_file', { path: 'again', content: '' })
    expect(await worker.call('unused', 'list_dir', {})).toBe('again')
  })

  test('is cleared when the host says so, whatever runs, and is as new', async () => {
    await worker.call('cleared', 'write_file', { path: 'f', content: 'before' })
    const running = Array.from({ length: 20 }, (_, index) =>
      worker.call('cleared', 'write_file', { path: `f${index}`, content: `${index}` }).catch(() => ''),
    )
    await worker.run('cleared', 'clear')
    await Promise.all(running)
    await worker.run('cleared', 'clear')
    expect(await worker.call('cleared', 'list_dir', {})).toBe('(no entries)')
    await worker.call('cleared', 'write_file', { path: 'f', content: 'after' })
    expect(await worker.call('cleared', 'read_file', { path: 'f' })).toContain('1\tafter\n')
    expect(await worker.run('cleared', 'sql', 'SELECT count(*) AS count FROM polyfs_changes')).toEqual([{ count: 1 }])
  })
})

describe('the storage of an object keeps the contract', () => {
  const names = sampleOf('a Durable Object')
    .filter((each) => isFull || !limits.includes(each))
    .map(({ name }) => name)
  const results = new Map<string, CaseResult>()

  beforeAll(async () => {
    const report = (await worker.run('contract', 'contract', names)) as ContractReport
    for (const result of report.results) results.set(result.name, result)
  })

  test.for(contractCases.map(({ name }) => name))('%s', (name, context) => {
    if (!names.includes(name)) context.skip(onlyInFull)
    const result = results.get(name)
    if (result?.outcome === 'skipped') context.skip(result.reason)
    expect(result).toEqual({ name, outcome: 'passed' })
  })
})

async function inGroups<Item>(items: readonly Item[], size: number, run: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += size) await Promise.all(items.slice(at, at + size).map(run))
}

/** Kills the runtimes that this process has started; returns how many. */
async function killRuntimes(): Promise<number> {
  let count = 0
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /.exec(status) ?? []
    if (name !== 'workerd' || Number(parent) !== process.pid) continue
    process.kill(Number(id), 'SIGKILL')
    count += 1
  }
  return count
}
