/**
 * Uses a container with the real client and a stand-in for its host: mounting, programs that write while they run,
 * servers, and copying back.
 */
import { describe, expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { bootWebContainer, missingHeaders } from '../../../web/webcontainer/webcontainer.js'
import { bootFromStandIn } from './boot.js'

const request = { cwd: '/', timeoutMs: 60_000, maxStreamBytes: 100_000 }
const textOf = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes)

test('a page has one container', async () => {
  const container = await bootFromStandIn()
  expect(await bootWebContainer()).toBe(container)
})

describe('a workspace in a container', () => {
  const open = () =>
    createWorkspace({
      fs: memory({
        '/w/package.json': '{}\n',
        '/w/src/a.js': 'one\n',
        '/w/src/old.js': 'old\n',
        '/w/logo.bin': Uint8Array.of(0, 200, 255),
        '/w/node_modules/x/index.js': 'heavy',
        '/w/empty/': '',
      }),
      roots: [{ path: '/w', access: 'read-write' }],
    })

  test('is mounted, changed, and copied back as one change', async () => {
    const container = await bootFromStandIn()
    const { fs, shell } = container
    // Other suites use the same one.
    await shell.exec({ ...request, command: 'rm -rf -- *' })
    const workspace = open()
    await container.mount(workspace)
    expect((await fs.readDir('/')).map(({ name }) => name).sort()).toEqual(['empty', 'logo.bin', 'package.json', 'src'])
    expect([...(await fs.readFile('/logo.bin'))]).toEqual([0, 200, 255])

    const install = await shell.exec({ ...request, command: 'npm install' })
    expect({ ...install, stdout: textOf(install.stdout), stderr: textOf(install.stderr) }).toEqual({
      ended: 'exit',
      exitCode: 0,
      stdout: '⠙\nadded 1 package in 1s\n',
      stderr: '',
    })
    await shell.exec({ ...request, command: 'echo two >> src/a.js; rm src/old.js; mkdir -p lib; echo new > lib/b.js' })

    expect(await container.copyBack(workspace)).toEqual({
      written: ['/w/lib/b.js', '/w/package-lock.json', '/w/src/a.js'],
      removed: ['/w/src/old.js'],
    })
    expect(new TextDecoder().decode(await workspace.fs.readFile('/w/src/a.js'))).toBe('one\ntwo\n')
    expect((await workspace.fs.readDir('/w/node_modules')).map(({ name }) => name)).toEqual(['x'])
    expect(await container.copyBack(workspace)).toEqual({ written: [], removed: [] })
    const [record] = await workspace.history.list()
    expect(record?.label).toBe('webcontainer')
    await workspace.history.undo()
    expect(new TextDecoder().decode(await workspace.fs.readFile('/w/src/old.js'))).toBe('old\n')
  })

  test('a file that was changed on both sides is a conflict, and nothing is changed', async () => {
    const container = await bootFromStandIn()
    const workspace = open()
    await container.mount(workspace)
    await container.fs.writeFile('/package.json', new TextEncoder().encode('theirs'))
    await container.fs.writeFile('/src/a.js', new TextEncoder().encode('theirs'))
    await workspace.changes.run({ label: 'edit', scopes: [{ path: '/w/src/a.js' }] }, (draft) =>
      draft.write('/w/src/a.js', new TextEncoder().encode('ours')),
    )
    await expect(container.copyBack(workspace)).rejects.toMatchObject({
      code: 'CONFLICT',
      facts: { path: '/w/src/a.js' },
    })
    expect(new TextDecoder().decode(await workspace.fs.readFile('/w/package.json'))).toBe('{}\n')
  })
})

describe('programs', () => {
  test('a server is reported with the address of its preview, and runs until it is ended', async () => {
    const container = await bootFromStandIn()
    const end = new AbortController()
    const ready = new Promise((resolve) => container.onServer(resolve))
    const running = container.shell.exec({ ...request, command: 'npm run dev', signal: end.signal })
    expect(await ready).toEqual({ port: 5173, url: 'http://localhost:5173/preview' })
    end.abort()
    const { ended, exitCode, stdout } = await running
    expect({ ended, exitCode, stdout: textOf(stdout) }).toEqual({
      ended: 'aborted',
      exitCode: undefined,
      stdout: '  ready\n',
    })
  })

  test('output is reported as it arrives', async () => {
    const { shell } = await bootFromStandIn()
    const end = new AbortController()
    let printed = ''
    const running = shell.exec({
      ...request,
      command: 'tick 100000',
      signal: end.signal,
      onOutput({ bytes }) {
        printed += new TextDecoder().decode(bytes)
        if (printed.includes('tick 5\n')) end.abort()
      },
    })
    const { ended, stdout } = await running
    expect(ended).toBe('aborted')
    expect(textOf(stdout).startsWith('tick 1\ntick 2\ntick 3\n')).toBe(true)
  })

  test('one that writes too much is ended, and one that takes too long', async () => {
    const { shell } = await bootFromStandIn()
    const much = await shell.exec({ ...request, command: 'tick 100000', maxStreamBytes: 10, onOutputLimit: 'end' })
    expect([much.ended, textOf(much.stdout), much.stdout.cut]).toEqual(['output-limit', 'tick 1\ntic', true])
    expect((await shell.exec({ ...request, command: 'tick 100000', timeoutMs: 200 })).ended).toBe('timeout')
    expect((await shell.exec({ ...request, command: 'tick 2' })).exitCode).toBe(0)
  })

  test('they get the size of their terminal, and its changes', async () => {
    const { shell } = await bootFromStandIn()
    const end = new AbortController()
    let printed = ''
    const running = shell.exec({
      ...request,
      command: 'show-size',
      signal: end.signal,
      onOutput({ bytes }) {
        printed += new TextDecoder().decode(bytes)
        if (printed === '500x50\n') shell.resize({ cols: 120, rows: 30 })
        if (printed.includes('120x30')) end.abort()
      },
    })
    expect([(await running).ended, printed]).toEqual(['aborted', '500x50\n120x30\n'])
    const next = await shell.exec({ ...request, command: 'show-size', maxStreamBytes: 6, onOutputLimit: 'end' })
    expect(textOf(next.stdout)).toBe('120x30')
    shell.resize({ cols: 500, rows: 50 })
  })

  test('a program that was aborted before its start is not started', async () => {
    const { shell } = await bootFromStandIn()
    await expect(shell.exec({ ...request, command: 'echo', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    })
  })
})

test('missing headers of a page are named', () => {
  expect(missingHeaders(new Headers())).toEqual([
    'Cross-Origin-Opener-Policy: same-origin',
    'Cross-Origin-Embedder-Policy: require-corp',
  ])
  const coep = { 'Cross-Origin-Embedder-Policy': 'credentialless' }
  expect(missingHeaders(new Headers(coep))).toEqual(['Cross-Origin-Opener-Policy: same-origin'])
  expect(missingHeaders(new Headers({ ...coep, 'Cross-Origin-Opener-Policy': 'same-origin; report-to="x"' }))).toEqual(
    [],
  )
})
