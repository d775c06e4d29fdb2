import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import http from 'isomorphic-git/http/node'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { cloneRepository, repositoryName } from '../../../src/git/commands/clone.js'
import type { CloneStep } from '../../../src/git/commands/fetch-origin.js'
import { fetchHttp } from '../../../src/git/fetch-http.js'
import { gitClone } from '../../../src/ops/git/clone.js'
import { gitLog } from '../../../src/ops/git/log.js'
import { gitStatus } from '../../../src/ops/git/status.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { GitHttp } from '../../../src/workspace/git-settings.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { withoutSessions } from '../../change-ids.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { initialized, startRaw } from '../serve/raw-server.js'
import { objectName, plantPack } from './plant-objects.js'
import { gitEnvironment, openStage, type Stage } from './real-git.js'
import { type GitServer, serveGit } from './serve-git.js'
import { packPiece, serveUploadPack } from './serve-upload-pack.js'

let stage: Stage
let server: GitServer
beforeEach(async () => {
  stage = await openStage()
  stage.write('a.txt', 'a\n')
  stage.write('d/run.sh', '#!/bin/sh\n')
  fs.chmodSync(path.join(stage.directory, 'd/run.sh'), 0o755)
  stage.git('add', '.')
  stage.git('commit', '-qm', 'first')
  stage.git('commit', '-q', '--allow-empty', '-m', 'second')
  server = await serveGit(stage.directory)
})
afterEach(async () => {
  await server.close()
  stage.close()
})

test('a repository is cloned into memory as one change', async () => {
  const workspace = createWorkspace({ fs: memory(), git: { http: { client: http } } })
  const { url } = server
  const run = (input: object) => gitClone.run(gitClone.input.parse({ url, ...input }), workspace, {})
  expect(await run({ directory: 'copy' })).toEqual({
    root: '/copy',
    branch: 'main',
    oid: stage.git('rev-parse', 'HEAD').trim(),
    files: 2,
  })
  const status = await gitStatus.run(gitStatus.input.parse({ directory: 'copy' }), workspace, {})
  expect(status).toMatchObject({
    branch: 'main',
    upstream: { name: 'origin/main', ahead: 0, behind: 0 },
    staged: [],
    unstaged: [],
    untracked: [],
  })
  expect((await workspace.fs.stat('/copy/d/run.sh')).mode).toBe(0o755)
  await expect(run({ directory: 'copy' })).rejects.toMatchObject({ code: 'EXISTS' })
  await workspace.history.undo()
  expect(await workspace.fs.readDir('/')).toEqual([])
  await run({ directory: 'shallow', depth: 1 })
  const log = await gitLog.run(gitLog.input.parse({ directory: 'shallow' }), workspace, {})
  expect(log.commits.map(({ message }) => message)).toEqual(['second\n'])
})

test('the real git reads a clone on the disk; a failed fetch leaves nothing behind', async () => {
  const target = await openStage({ init: false })
  try {
    const workspace = { ...target.workspace, git: { ...target.workspace.git, http: { client: http } } }
    const run = (url: string) => gitClone.run(gitClone.input.parse({ url, directory: 'copy' }), workspace, {})
    await expect(run(server.url.replace('.git', 'nothing'))).rejects.toMatchObject({
      facts: { reason: 'unknown-repository' },
    })
    await expect(run('ext::sh -c x')).rejects.toMatchObject({ facts: { reason: 'invalid-name' } })
    await expect(run('file:///etc')).rejects.toMatchObject({ facts: { reason: 'invalid-name' } })
    expect(fs.readdirSync(target.directory)).toEqual([])
    await run(server.url)
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: path.join(target.directory, 'copy'), env: gitEnvironment, encoding: 'utf8' })
    expect(git('fsck', '--strict')).toBe('')
    expect(git('status', '--porcelain', '--branch')).toBe('## main...origin/main\n')
  } finally {
    target.close()
  }
})

test('the git tool clones with the fetch of the platform, and stops when it is cancelled', async () => {
  const { url } = server
  const { call, callText } = tools(createWorkspace({ fs: memory(), git: { http: fetchHttp() } }))
  expect(await callText('git', { action: 'clone', url, path: 'copy' })).toMatch(
    /^cloned into copy: main, 2 files\n\[change /,
  )
  expect(await callText('read_file', { path: 'copy/a.txt', format: 'raw' })).toMatch(/^a\n/)
  const silent = createServer(() => asked.abort())
  const asked = new AbortController()
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
  const nobody = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.git`
  const stopped = await call('git', { action: 'clone', url: nobody, path: 'none' }, { signal: asked.signal })
  expect(stopped.content[0]?.text).toMatch(/^aborted: /)
  silent.closeAllConnections()
  await new Promise((closed) => silent.close(closed))
  expect(await tools(createWorkspace({ fs: memory() })).callText('git', { action: 'clone', url, path: 'copy' })).toBe(
    'unsupported: This workspace was given no network to clone from. Ask the user for a copy, or to allow the network (--allow-network, or network in a page).',
  )
})

test('the reasons why nothing was cloned are distinguished', async () => {
  const answers: Record<string, [status: number, type: string, body: string]> = {
    '/private': [401, 'text/plain', 'Repository not found.'],
    '/forbidden': [403, 'text/plain', ''],
    '/gone': [410, 'text/plain', ''],
    '/page': [200, 'text/html', '<!doctype html>'],
    '/empty': [200, 'application/x-git-upload-pack-advertisement', ''],
    '/broken': [500, 'text/plain', ''],
  }
  const other = createServer(({ url = '' }, response) => {
    const [status, type, body] = answers[url.replace(/\/info.*/, '')] ?? [404, 'text/plain', '']
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening))
  const base = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const workspace = createWorkspace({ fs: memory(), git: { http: fetchHttp() } })
  const reasonOf = (url: string, options: object = {}) =>
    gitClone.run(gitClone.input.parse({ url, directory: 'copy', ...options }), workspace, {}).then(
      () => 'none',
      ({ facts }) => facts.reason,
    )
  const reasons: Record<string, string> = {}
  for (const path of [...Object.keys(answers), '/none']) reasons[path] = await reasonOf(base + path)
  expect(reasons).toEqual({
    '/private': 'login-required',
    '/forbidden': 'login-required',
    '/gone': 'unknown-repository',
    '/page': 'not-a-git-server',
    '/empty': 'not-a-git-server',
    '/broken': 'network',
    '/none': 'unknown-repository',
  })
  expect(await reasonOf(server.url, { branch: 'missing' })).toBe('unknown-branch')
  other.closeAllConnections()
  await new Promise((closed) => other.close(closed))
  expect(await reasonOf(`${base}/none`)).toBe('network')
  expect(await workspace.fs.readDir('/')).toEqual([])
})

test('a clone reports its phases, and nothing is left of one that is too large', async () => {
  stage.write('zeros', new Uint8Array(2_000_000))
  stage.write('again', new Uint8Array(2_000_000))
  stage.git('add', '.')
  stage.git('commit', '-qm', 'large')
  const workspace = createWorkspace({ fs: memory(), git: { http: fetchHttp() } })
  const { url } = server
  const clone = (options: object) => cloneRepository(workspace, { url, directory: '/', ...options }, {})
  const large = (subject: RegExp) => ({ facts: { reason: 'too-large', subject: expect.stringMatching(subject) } })
  await expect(clone({ maxFetchedBytes: 3000 })).rejects.toMatchObject(large(/^what the server sends/))
  await expect(clone({ maxCheckedOutBytes: 3_000_000 })).rejects.toMatchObject(large(/^what would be written/))
  expect(await workspace.fs.readDir('/')).toEqual([])
  const steps: CloneStep[] = []
  await clone({ onStep: (step: CloneStep) => steps.push(step) })
  const phases = steps.map(({ phase }) => phase)
  expect([...new Set(phases)]).toEqual(expect.arrayContaining(['connect', 'receive', 'unpack', 'write']))
  expect(phases[0]).toBe('connect')
  expect(steps.at(-1)).toEqual({ phase: 'write', done: 4, total: 4 })
  expect((await workspace.fs.readDir('/')).map(({ name }) => name).sort()).toEqual([
    '.git',
    'a.txt',
    'again',
    'd',
    'zeros',
  ])
})

test('a login in the address is sent, and neither stored nor printed', async () => {
  const secret = 'hunter2'
  const seen = new Set<string | undefined>()
  const client: GitHttp['client'] = {
    request(given) {
      seen.add(given.headers?.Authorization)
      expect(given.url).not.toContain(secret)
      return fetchHttp().client.request(given)
    },
  }
  const url = server.url.replace('//', `//ada:${secret}@`)
  const workspace = createWorkspace({ fs: memory(), git: { http: { client } } })
  const { callText, call } = tools(workspace)
  expect(withoutSessions(await callText('git', { action: 'clone', url, path: 'copy' }))).toBe(
    'cloned into copy: main, 2 files\nthe login in the address was used, and is not stored in the clone\n[change 1]',
  )
  expect([...seen]).toEqual([`Basic ${btoa(`ada:${secret}`)}`])
  const config = new TextDecoder().decode(await workspace.fs.readFile('/copy/.git/config'))
  expect(config).toContain(`url = ${server.url}\n`)
  expect(await filesWith(workspace, secret)).toEqual([])
  expect(JSON.stringify(await workspace.history.list())).not.toContain(secret)
  for (const wrong of [
    url.replace('.git', 'none'),
    url.replace('http:', 'ftp:'),
    url.replace(/:\d+/, ':1'),
    `${url} x`,
  ]) {
    const { isError, content } = await call('git', { action: 'clone', url: wrong, path: 'other' })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).not.toContain(secret)
  }
  expect(repositoryName(`https://ada:${secret}@example.org`)).toBe('example.org')
})

test.each([301, 302, 307, 308])('a redirect with %i carries no login to another origin', async (status) => {
  const got: (string | undefined)[] = []
  const place = new URL(server.url)
  const other = createServer(({ headers }, response) => {
    got.push(headers.authorization)
    response.writeHead(404).end()
  })
  const moved = createServer(({ url }, response) => response.writeHead(status, { location: `${thief}${url}` }).end())
  for (const each of [other, moved]) await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))
  const thief = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const url = `http://ada:hunter2@127.0.0.1:${(moved.address() as AddressInfo).port}${place.pathname}`
  const { call } = tools(createWorkspace({ fs: memory(), git: { http: fetchHttp() } }))
  expect((await call('git', { action: 'clone', url, path: 'copy' })).isError).toBe(true)
  expect(got.length).toBeGreaterThan(0)
  expect(got.filter((each) => each !== undefined)).toEqual([])
  for (const each of [other, moved]) each.close()
})

async function filesWith(workspace: Workspace, text: string, directory = '/'): Promise<string[]> {
  const found: string[] = []
  for (const { name, kind } of await workspace.fs.readDir(directory)) {
    const inside = path.posix.join(directory, name)
    if (kind === 'directory') found.push(...(await filesWith(workspace, text, inside)))
    else if (Buffer.from(await workspace.fs.readFile(inside)).includes(text)) found.push(inside)
  }
  return found
}

test('a pack without end is refused, and no longer read', async () => {
  let isClosed = false
  const endless = await serveUploadPack('1'.repeat(40), async (response) => {
    response.on('close', () => {
      isClosed = true
    })
    const piece = packPiece(
      Buffer.concat([Buffer.from('PACK\0\0\0\x02\x7f\xff\xff\xff', 'latin1'), Buffer.alloc(60_000)]),
    )
    while (!isClosed) {
      if (!response.write(piece)) await new Promise((drained) => response.once('drain', drained).once('close', drained))
    }
  })
  const { url } = endless
  const workspace = createWorkspace({ fs: memory(), git: { http: fetchHttp({ maxFetchedBytes: 16 * 1024 * 1024 }) } })
  await expect(cloneRepository(workspace, { url, directory: '/' }, {})).rejects.toMatchObject({
    facts: { reason: 'too-large', subject: 'what the server sends, the limit is 16 MiB' },
  })
  await vi.waitFor(() => expect(isClosed).toBe(true))
  expect(await workspace.fs.readDir('/')).toEqual([])
  await endless.close()
})

test('a pack is refused when one of its objects can not be decoded', async () => {
  const blob = Buffer.from('content\n')
  plantPack(stage.directory, [
    { oid: objectName('blob', blob), type: 'blob', content: blob },
    { oid: '2'.repeat(40), type: 'named-delta', baseName: '3'.repeat(40), content: Buffer.from([1, 1, 1, 0x78]) },
  ])
  const packs = path.join(stage.directory, '.git/objects/pack')
  const [name = ''] = fs.readdirSync(packs).filter((each) => each.endsWith('.pack'))
  const pack = fs.readFileSync(path.join(packs, name))
  const { url, close } = await serveUploadPack(objectName('blob', blob), async (response) => {
    response.end(Buffer.concat([packPiece(pack), Buffer.from('0000')]))
  })
  const workspace = createWorkspace({ fs: memory(), git: { http: fetchHttp() } })
  await expect(cloneRepository(workspace, { url, directory: '/' }, {})).rejects.toMatchObject({
    facts: { reason: 'damaged-repository', subject: 'the pack that the server has sent' },
  })
  await close()
})

test('the command clones with --allow-network, and says what is missing without it', async () => {
  const root = await temporaryDirectory()
  const clone = async (...flags: string[]) => {
    const started = await initialized(await startRaw([...flags, root]))
    const { result } = await started.call(1, 'git', { action: 'clone', url: server.url, path: 'copy' })
    started.child.stdin?.end()
    await started.closed
    return { text: result?.content?.[0]?.text, isError: result?.isError ?? false }
  }
  expect(await clone()).toEqual({
    text: 'unsupported: This workspace was given no network to clone from. Ask the user for a copy, or to allow the network (--allow-network, or network in a page).',
    isError: true,
  })
  expect(fs.readdirSync(root)).toEqual([])
  expect(await clone('--allow-network')).toEqual({ text: 'cloned into copy: main, 2 files', isError: false })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: path.join(root, 'copy'), env: gitEnvironment, encoding: 'utf8' })
  expect(git('fsck', '--strict') + git('status', '--porcelain')).toBe('')
  expect(git('log', '--format=%s')).toBe('second\nfirst\n')
})
