/** What a command leaves that does not reach its end, whatever ended it: its own writes up to then, once, under its own label. */
import { expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { limitBytes, roomFor } from '../../src/fs/backends/limit-bytes.js'
import { memory } from '../../src/fs/backends/memory.js'
import { mount } from '../../src/fs/backends/mount.js'
import { overlay } from '../../src/fs/backends/overlay.js'
import { createJobs } from '../../src/shell/jobs.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const workerFile = built('node/emulated-worker.js')
const shell = emulatedShell({ worker: workerFile, maxMemoryBytes: 32 << 20, workers: 1 })
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Exceeds the memory of a command. */
const bomb = 'x=$(head -c 9000000 /dev/zero | tr "\\0" a)'
const saved = 'bash: what it had changed by then is saved\n'

function open(tree: Record<string, string> = {}, options: Partial<WorkspaceOptions> = {}): Workspace {
  return createWorkspace({ fs: memory(tree), shell, ...options })
}

const read = async ({ fs, root }: Workspace, path: string) =>
  text(await fs.readFile(`${root === '/' ? '' : root}/${path}`))
const labels = async ({ history }: Workspace) => (await history.list()).map(({ label }) => label).reverse()

test.each(['/', '/w', '/tmp/w', '/tmp/deep/w'])(
  'shell and tools see the same after a kill, in a workspace at %s',
  async (root) => {
    const at = root === '/' ? '' : root
    const fs = overlay(memory({ [`${at}/d/b.txt`]: 'b\n' }), memory())
    const workspace = open({}, { fs, roots: [{ path: root, access: 'read-write' }] })
    const killed = `echo 2 >> d/a.txt; ${bomb}; echo never >> d/a.txt`
    const commands = ['echo 1 > d/a.txt', killed, 'echo 3 >> d/a.txt; cat d/a.txt']
    await run(workspace, commands[0] as string)
    expect(await run(workspace, killed)).toMatchObject({ exitCode: 137, stderr: expect.stringContaining(saved) })
    expect(await read(workspace, 'd/a.txt')).toBe('1\n2\n')
    expect(await run(workspace, commands[2] as string)).toMatchObject({ exitCode: 0, stdout: '1\n2\n3\n' })
    expect(await read(workspace, 'd/a.txt')).toBe('1\n2\n3\n')
    await run(workspace, 'tail d/a.txt; ls -lR')
    expect(await labels(workspace)).toEqual(commands)
    for (const _ of commands) await workspace.history.undo()
    expect((await run(workspace, 'find . -type f | sort; cat d/b.txt')).stdout).toBe('./d/b.txt\nb\n')
  },
)

test('what a tool changes between two commands is seen by the second, in a workspace below /tmp', async () => {
  const workspace = open({ '/tmp/w/a': 'one' }, { roots: [{ path: '/tmp/w', access: 'read-write' }] })
  await run(workspace, 'echo two > a')
  await workspace.changes.run({ label: 'tool', scopes: [{ path: '/tmp/w/a' }] }, (draft) =>
    draft.write('/tmp/w/a', new TextEncoder().encode('three')),
  )
  expect((await run(workspace, 'cat a; chmod 600 a; rm a; ls')).stdout).toBe('three')
  expect(await labels(workspace)).toEqual(['echo two > a', 'tool', 'cat a; chmod 600 a; rm a; ls'])
})

test('rm leaves a mount point, and what it removed beside it is saved', async () => {
  const fs = mount({ '/': memory({ '/d/a': 'a', '/b': 'b' }), '/d/e': memory({ '/x/y': 'y' }) })
  const workspace = open({}, { fs })
  const { stderr } = await run(workspace, 'rm -rf d; find . | sort; mv d c')
  expect(stderr).toContain("rm: cannot remove 'd/e': Device or resource busy")
  expect(stderr).not.toContain('saved')
  expect((await run(workspace, 'find . | sort; echo y > d/e/z')).stdout).toBe('.\n./b\n./d\n./d/e\n')
  await workspace.history.undo()
  await workspace.history.undo()
  expect((await run(workspace, 'cat d/a d/e/x/y')).stdout).toBe('ay')
})

test('scratch space lies around a workspace below /tmp, and is not part of it', async () => {
  const workspace = open({ '/tmp/up/w/a': 'a\n' }, { roots: [{ path: '/tmp/up/w', access: 'read-write' }] })
  const command = `
    echo x > /tmp/x; mkdir /tmp/d; cp a /tmp/d; ls /tmp; ls /tmp/up; find /tmp -type f | sort
    mv /tmp/x moved; mv a /tmp/d/b; ls . /tmp/d; rm -r /tmp/d; cd /tmp; ls; rmdir /tmp/up/w`
  const { stdout, stderr } = await run(workspace, command)
  expect(stdout.trim().split('\n')).toEqual([
    ...['d', 'up', 'x', 'w', '/tmp/d/a', '/tmp/up/w/a', '/tmp/x'],
    ...['.:', 'moved', '', '/tmp/d:', 'a', 'b', 'up'],
  ])
  expect(stderr).toContain("rmdir: failed to remove '/tmp/up/w'")
  expect((await workspace.history.list()).map(({ steps }) => steps.map(({ path }) => path).sort())).toEqual([
    ['/tmp/up/w/a', '/tmp/up/w/moved'],
  ])
})

test('what is left of a killed command reaches no later one', async () => {
  const workspace = open({ '/a.txt': 'a\n' })
  const killed = `for i in 1 2 3 4 5; do while :; do cp a.txt "$i-$RANDOM"; done & done; ${bomb}`
  for (let round = 0; round < 2; round += 1) {
    await run(workspace, killed)
    const names = async () => (await workspace.fs.readDir('/')).map(({ name }) => name).sort()
    const before = await names()
    expect((await run(workspace, 'tail -n 1 a.txt; ls')).stdout.split('\n').slice(1, -1).sort()).toEqual(before)
    expect(await names()).toEqual(before)
  }
  expect((await labels(workspace)).filter((label) => label !== killed)).toEqual([])
})

test.each<[name: string, script: string, options: Parameters<typeof run>[2], ended: string]>([
  ['by its time', 'echo a > a; while :; do :; done', { timeoutMs: 300 }, 'timeout'],
  ['by its output', 'echo a > a; yes', { onOutputLimit: 'end', maxStreamBytes: 1000 }, 'output-limit'],
  ['by its statements', 'echo a > a; while :; do :; done', { maxStatements: 50 }, 'statement-limit'],
  ['by its memory', `echo a > a; ${bomb}`, {}, 'exit'],
])('a command that is ended %s has made what it wrote', async (_, script, options, ended) => {
  const workspace = open()
  const ran = await run(workspace, script, options)
  expect([ran.ended, ran.stderr.endsWith(saved)]).toEqual([ended, true])
  expect([await read(workspace, 'a'), await labels(workspace)]).toEqual(['a\n', [script]])
})

test('a command that its caller or the end of the session stops has made what it wrote', async () => {
  const workspace = open()
  const abort = new AbortController()
  const onOutput = () => abort.abort()
  const aborted = 'echo a > a; cat a; while :; do :; done'
  expect((await run(workspace, aborted, { signal: abort.signal, onOutput })).ended).toBe('aborted')
  const closed = 'echo b > b; cat b; while :; do :; done'
  const ran = await run(workspace, closed, { onOutput: () => void workspace.shell?.close() })
  expect([ran.ended, ran.stderr]).toEqual(['aborted', saved])
  expect([await read(workspace, 'a'), await read(workspace, 'b')]).toEqual(['a\n', 'b\n'])
  expect(await labels(workspace)).toEqual([aborted, closed])
})

test('a command that changed nothing reports no changes, and one that conflicts no saved ones', async () => {
  const workspace = open({ '/a': 'a\n' })
  expect((await run(workspace, 'while :; do :; done', { timeoutMs: 200 })).stderr).toBe('')
  const onOutput = () => void workspace.fs.exact.writeFile('/a', new TextEncoder().encode('by others'))
  const ran = await run(workspace, 'cat a; echo mine > a; while :; do :; done', { timeoutMs: 500, onOutput })
  expect(ran.stderr).toBe('bash: /a: changed by someone else while the command ran; none of its changes were saved\n')
  expect(await read(workspace, 'a')).toBe('by others')
})

test('a command whose changes have no room says so in words', async () => {
  const workspace = open({}, { fs: limitBytes(memory(), roomFor(1000)) })
  const ran = await run(workspace, 'head -c 5000 /dev/zero > a; echo made')
  expect([ran.stdout, ran.exitCode]).toEqual(['made\n', 1])
  expect(ran.stderr).toBe('bash: /a: No space left on device; none of its changes were saved\n')
  expect(await workspace.fs.readDir('/')).toEqual([])
})

test('a program of the host that goes on after its command changes nothing more', async () => {
  let late: Promise<unknown> = Promise.resolve()
  const over = new AbortController()
  const programs = {
    linger(_: readonly string[], { fs }: { fs: WorkspaceOptions['fs'] }) {
      late = new Promise((resolve) =>
        over.signal.addEventListener('abort', () => resolve(fs.writeFile('/late', new Uint8Array()))),
      )
      return 0
    },
  }
  const own = emulatedShell({ worker: workerFile, programs })
  const workspace = open({}, { shell: own })
  await run(workspace, 'linger; echo a > a')
  over.abort()
  await expect(late).rejects.toMatchObject({ code: 'ABORTED' })
  expect((await run(workspace, 'ls')).stdout).toBe('a\n')
  await workspace.shell?.close()
})

test('a job in the background reports what became of its changes', async () => {
  const workspace = open()
  if (workspace.shell === undefined) throw new Error('no shell')
  const jobs = createJobs(workspace.shell)
  const { id } = jobs.start({ command: `echo printed; echo a > a; ${bomb}`, cwd: '/' })
  let output = ''
  await expect
    .poll(() => {
      const news = jobs.poll(id)
      output += news?.output.map(({ bytes }) => text(bytes)).join('') ?? ''
      return news?.job.state.name
    })
    .toBe('ended')
  expect(output).toBe(`printed\nbash: killed: out of memory, a command may use 32 MB\n${saved}`)
  await jobs.close()
})
