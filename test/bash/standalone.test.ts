import { afterAll, expect, test } from 'vitest'
import type { Bash, BashOptions } from '../../bash/standalone.js'
import { createBash } from '../../node/bash.js'
import { isFsError } from '../../src/errors.js'
import { memory } from '../../src/fs/backends/memory.js'
import { readonly } from '../../src/fs/backends/readonly.js'
import { built } from '../node/cli/built.js'

const worker = built('node/emulated-worker.js')
const opened: Bash[] = []
afterAll(() => Promise.all(opened.map((bash) => bash.close())))

function open(options: Partial<BashOptions> = {}): Bash {
  const bash = createBash({ fs: memory(), worker, ...options })
  opened.push(bash)
  return bash
}

test('a script works on the file system, and its bytes are returned as they are', async () => {
  const fs = memory({ 'a.txt': 'b\na\n' })
  const bash = open({ fs })
  expect(await bash.exec("sort a.txt > sorted; printf '\\xff'; echo no >&2; exit 3")).toEqual({
    exitCode: 3,
    ended: 'exit',
    stdout: '\ufffd',
    stderr: 'no\n',
    stdoutBytes: Uint8Array.of(0xff),
    stderrBytes: new TextEncoder().encode('no\n'),
    cut: false,
  })
  expect(new TextDecoder().decode(await fs.readFile('/sorted'))).toBe('a\nb\n')
})

test('scripts go on where the last one ended, one after the other', async () => {
  const bash = open({ fs: memory({ 'd/in.txt': '' }), cwd: '/d', env: { WHO: 'me' } })
  const [first, second] = await Promise.all([
    bash.exec('export MORE=$WHO; cd ..; hidden=1'),
    bash.exec('echo $MORE $hidden $PWD; ls'),
  ])
  expect([first?.stdout, second?.stdout]).toEqual(['', 'me /\nd\n'])
  expect([bash.cwd, bash.env]).toEqual(['/', { WHO: 'me', MORE: 'me' }])
})

test('input is text or bytes', async () => {
  const bash = open()
  const counted = async (stdin: string | Uint8Array<ArrayBuffer>) => (await bash.exec('wc -c', { stdin })).stdout.trim()
  expect([await counted('é\n'), await counted(Uint8Array.of(0, 255))]).toEqual(['3', '2'])
})

test('a script that takes too long, is stopped or writes too much says so', async () => {
  const bash = open()
  const { exitCode, ended } = await bash.exec('while :; do :; done', { timeoutMs: 50 })
  expect([exitCode, ended]).toEqual([124, 'timeout'])
  const controller = new AbortController()
  const stopped = bash.exec('echo begun; while :; do :; done', { signal: controller.signal })
  setTimeout(() => controller.abort(), 50)
  expect(await stopped).toMatchObject({ exitCode: 130, ended: 'aborted' })
  expect(await bash.exec('seq 1000', { maxOutputBytes: 4 })).toMatchObject({ stdout: '1\n2\n', cut: true, exitCode: 0 })
  const before = new AbortController()
  before.abort()
  const error = await bash.exec('echo', { signal: before.signal }).catch((reason: unknown) => reason)
  expect(isFsError(error, 'ABORTED')).toBe(true)
})

test('with a clock and randomness of its own a script repeats itself', async () => {
  const script = 'date -u +%s; sleep 5; date -u +%s; echo $RANDOM'
  const results = [0, 1].map(() => open({ now: () => 1_000_000_000_000, random: () => 0.5 }).exec(script))
  const [one, other] = await Promise.all(results)
  expect(one?.stdout).toMatch(/^1000000000\n1000000005\n\d+\n$/)
  expect(other).toEqual(one)
})

test('what a script read and then changed is saved, and what others changed meanwhile is not overwritten', async () => {
  const fs = memory({ 'a.txt': 'one\n' })
  const bash = open({ fs })
  expect(await bash.exec('cat a.txt; sed -i s/one/two/ a.txt')).toMatchObject({ stderr: '', exitCode: 0 })
  expect((await bash.exec('cat a.txt')).stdout).toBe('two\n')
  const changing = bash.exec('cat a.txt; sleep 0.5; echo mine > a.txt')
  await new Promise((resolve) => setTimeout(resolve, 200))
  await fs.writeFile('/a.txt', new TextEncoder().encode('of another\n'))
  expect((await changing).stderr).toContain('changed by someone else')
  expect((await bash.exec('cat a.txt')).stdout).toBe('of another\n')
})

test('a file system that refuses writes is read, and says so', async () => {
  const bash = open({ fs: readonly(memory({ 'a.txt': 'a\n' })) })
  const { stdout, stderr, exitCode } = await bash.exec('cat a.txt; echo x > b.txt')
  expect([stdout, stderr, exitCode]).toEqual(['a\n', 'bash: line 1: b.txt: Read-only file system\n', 1])
})

test('programs of the host are commands', async () => {
  const programs = {
    shout: async (_: readonly string[], io: { stdin: { text(): Promise<string> } }) => (await io.stdin.text()).length,
  }
  expect((await open({ programs }).exec('printf abc | shout')).exitCode).toBe(3)
})
