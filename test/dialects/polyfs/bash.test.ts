import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { nodeShell } from '../../../node/shell/node-shell.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { type ToolSet, tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { temporaryDirectory } from '../../node/cli/run-cli.js'

async function open(): Promise<ToolSet & { root: string }> {
  const root = await temporaryDirectory()
  const stateDirectory = await temporaryDirectory()
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory, fsync: false })
  onTestFinished(() => workspace.close())
  return { root, ...tools(workspace) }
}

test('undo after a command that touched forty files brings them all back', async () => {
  const { root, callText } = await open()
  mkdirSync(join(root, 'd'))
  const files = Array.from({ length: 40 }, (_, at) => join(root, 'd', `f${at}.txt`))
  for (const file of files) writeFileSync(file, 'before\n')
  const command = 'for f in d/*.txt; do echo after > $f; done; rm d/f7.txt; echo new > new.txt'
  expect(await callText('bash', { command })).toMatch(/^\[exit code 0\]\n\[change 1-[0-9a-f]{8}: 41 paths\]$/)
  expect(await callText('history', { action: 'undo' })).toMatch(/^took back \S+: 41 paths\n/)
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(files.map(() => 'before\n'))
  expect(readdirSync(root)).toEqual(['d'])
})

test('output too long for its budget is stored in a file that read_file can read to the end', async () => {
  const { call, callText } = await open()
  const { content, facts } = await call('bash', { command: 'seq 1 5000', max_tokens: 500 })
  const [shown = ''] = content.map(({ text }) => text)
  expect(shown).toMatch(/^1\n2\n[\s\S]*\n… \d+ lines left out …\n[\s\S]*\n4999\n5000$/)
  const [path] = (facts as { output: string[] }).output
  expect(await callText('read_file', { path, offset: -1 })).toMatch(/^5000\t5000\n/)
  expect(await callText('grep', { pattern: '^4321$', path })).toContain('4321: 4321')
  expect(await callText('bash', { command: `tail -n 1 ${path}` })).toBe('5000\n[exit code 0]')
  expect(await callText('list_dir', { depth: 3, ignored: true })).toBe('(no entries)')
})

test('a command that is cancelled ends', async () => {
  const { callText } = await open()
  const controller = new AbortController()
  const running = callText('bash', { command: 'echo begun; sleep 60' }, { signal: controller.signal })
  setTimeout(() => controller.abort(), 200)
  expect(await running).toContain('[cancelled]')
})

const emulated = emulatedShell({
  worker: fileURLToPath(new URL('../../../dist/node/emulated-worker.js', import.meta.url)),
})

function openInMemory(): ToolSet {
  const fs = memory({ '/work/d/e/f.txt': 'f\n' })
  return tools(createWorkspace({ fs, roots: [{ path: '/work', access: 'read-write' }], shell: emulated }))
}

describe('in the emulated shell', () => {
  test.each<[string, string]>([
    ['echo a | grep b', '[exit code 1; in the pipeline, command 2 (grep b) failed with 1]'],
    [
      'grep b /work/d/e/f.txt | cat',
      '[exit code 0; in the pipeline, command 1 (grep b /work/d/e/f.txt) failed with 1]',
    ],
    [
      'set -o pipefail; false | (exit 3) | cat',
      '[exit code 3; in the pipeline, command 1 (false) failed with 1, command 2 (( exit 3 )) failed with 3]',
    ],
    ['yes | head -1', '[exit code 0]'],
    ['echo a | cat', '[exit code 0]'],
    ['false | true; true', '[exit code 0]'],
    ['false | true && false', '[exit code 1]'],
    ['f() { false | cat; }; f', '[exit code 0]'],
    ['(false | cat)', '[exit code 0]'],
    ['false', '[exit code 1]'],
  ])('%s: the failing command of a pipeline is named', async (command, expected) => {
    expect((await openInMemory().callText('bash', { command })).split('\n').at(-1)).toBe(expected)
  })

  test('a session ends its commands one after the other, and others run beside', async () => {
    const { callText } = openInMemory()
    const both = [
      callText('bash', { command: 'sleep 0.2; export N=1; cd d', session: 's' }),
      callText('bash', { command: 'echo "$N"; cd e', session: 's' }),
      callText('bash', { command: 'cat f.txt', session: 's' }),
    ]
    expect(await Promise.all(both)).toEqual([
      '[exit code 0]\n[new session, now in d]',
      '1\n[exit code 0]\n[session, now in d/e]',
      'f\n[exit code 0]\n[session, now in d/e]',
    ])
    expect(await callText('workspace', {})).toContain('sessions: s in d/e')
  })

  test('there are at most sixteen; the one that was not used for the longest time is forgotten', async () => {
    const { callText } = openInMemory()
    const run = (session: string) => callText('bash', { command: 'cd d', session })
    for (let at = 0; at < 16; at += 1) await run(`s${at}`)
    expect(await run('s0')).toContain('[exit code 1]\n[session, now in d]')
    await run('another')
    expect(await callText('bash', { command: 'pwd', session: 's0' })).toContain('[session, now in d]')
    expect(await callText('bash', { command: 'pwd', session: 's1' })).toBe(
      '/work\n[exit code 0]\n[new session, now in .]',
    )
  })

  test('a session whose directory is gone says so, and begins anew', async () => {
    const { callText } = openInMemory()
    await callText('bash', { command: 'cd d/e', session: 's' })
    await callText('delete', { path: 'd/e', recursive: true })
    expect(await callText('bash', { command: 'pwd', session: 's' })).toMatch(/^not_found: d\/e does not exist/)
    expect(await callText('bash', { command: 'pwd', session: 's' })).toBe('/work\n[exit code 0]\n[session, now in .]')
  })

  test('two clients have sessions of their own', async () => {
    const fs = memory({ '/work/d/f.txt': '' })
    const workspace = createWorkspace({ fs, roots: [{ path: '/work', access: 'read-write' }], shell: emulated })
    const [one, two] = [tools(workspace), tools(workspace)]
    expect(await one.callText('bash', { command: 'cd d', session: 's' })).toContain('now in d]')
    expect(await two.callText('bash', { command: 'pwd', session: 's' })).toBe(
      '/work\n[exit code 0]\n[new session, now in .]',
    )
  })

  test('each command of a session is a change in the history', async () => {
    const { callText } = openInMemory()
    await callText('bash', { command: 'cd d; echo 1 > one', session: 's' })
    await callText('bash', { command: 'echo 2 > two', session: 's' })
    expect(await callText('history', { action: 'list' })).toMatch(/echo 2 > two: d\/two\n.*cd d; echo 1 > one: d\/one/)
  })
})

describe('in the shell of this computer', () => {
  test('a session keeps directory and variables, and its changes can be undone', async () => {
    const { root, callText } = await open()
    mkdirSync(join(root, 'd'))
    expect(await callText('bash', { command: 'cd d; export A="x y"', session: 's' })).toBe(
      '[exit code 0]\n[new session, now in d]',
    )
    expect(await callText('bash', { command: 'echo "$A" | tee out >&2; echo end', session: 's' })).toMatch(
      /^x y\nend\n\[exit code 0\]\n\[session, now in d\]\n\[change 1-\w{8}: 1 path\]$/,
    )
    expect(readFileSync(join(root, 'd/out'), 'utf8')).toBe('x y\n')
    expect(await callText('history', { action: 'undo' })).toMatch(/^took back \S+: 1 path\nd\/out\n\[change 2-/)
    expect(readdirSync(join(root, 'd'))).toEqual([])
  })

  test('a session that leaves the workspace stays where it was', async () => {
    const { callText } = await open()
    expect(await callText('bash', { command: 'cd /', session: 's' })).toBe('[exit code 0]\n[new session, now in .]')
  })

  test('output and errors are in the order in which programs wrote them', async () => {
    const { callText } = await open()
    const command = 'for i in $(seq 1 200); do echo o$i; echo e$i >&2; done; sh -c "echo in; echo out >&2"; (exit 7)'
    const lines = Array.from({ length: 200 }, (_, at) => `o${at + 1}\ne${at + 1}`).join('\n')
    expect(await callText('bash', { command })).toBe(`${lines}\nin\nout\n[exit code 7]`)
  })

  test.each(['BASH_ENV', 'SHELLOPTS', 'A.B', 'BASH_FUNC_f%%'])('a session may have a variable %s', async (name) => {
    const { root, callText } = await open()
    writeFileSync(join(root, 'env.sh'), 'echo read >> log\n')
    const set: Record<string, string> = {
      BASH_ENV: 'export BASH_ENV="$PWD/env.sh"',
      SHELLOPTS: 'set -x; export SHELLOPTS',
      'A.B': 'true',
      'BASH_FUNC_f%%': 'f() { echo called; }; export -f f',
    }
    await callText('bash', { command: set[name], session: 's' })
    expect(await callText('bash', { command: 'echo 1; echo 2 >&2', session: 's' })).toMatch(/1\n(.*\n)*2\n/)
    if (name === 'BASH_ENV') expect(readFileSync(join(root, 'log'), 'utf8')).toBe('read\n')
  })

  test('what a command sees of its surroundings is the same as with two pipes', async () => {
    const root = await temporaryDirectory()
    const shell = nodeShell({ hostPath: (path) => path })
    onTestFinished(() => shell.close())
    const run = async (mergeStreams: boolean) => {
      const command =
        'env | sort | grep -v POLYFS; echo "$0 $# $- $SHLVL $_ $PPID"; ls /proc/self/fd | wc -l; trap -p; set -o; nosuch; (exit 5)'
      const { stdout, stderr, exitCode } = await shell.exec({
        command,
        cwd: root,
        timeoutMs: 60_000,
        maxStreamBytes: 1e6,
        mergeStreams,
      })
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
      return { text: decode(stdout.bytes) + decode(stderr.bytes), exitCode }
    }
    expect(await run(true)).toEqual(await run(false))
  })
})

test('processes that a command leaves running are mentioned', async () => {
  const { callText } = await open()
  const left = '[processes that it started go on; what they print from now on is lost, unless it goes to a file]'
  expect(await callText('bash', { command: 'sleep 30 & echo $! > pid' })).toContain(left)
  expect(
    await callText('bash', { command: 'kill $(cat pid); while kill -0 $(cat pid) 2>/dev/null; do sleep 0.05; done' }),
  ).not.toContain(left)
  expect(await callText('bash', { command: 'sleep 0.1 & wait' })).not.toContain(left)
})
