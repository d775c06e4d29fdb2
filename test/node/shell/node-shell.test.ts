import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nodeShell } from '../../../node/shell/node-shell.js'
import type { ExecRequest } from '../../../src/shell/types.js'
import { temporaryDirectory } from '../cli/run-cli.js'

async function open(env: NodeJS.ProcessEnv = process.env) {
  const cwd = await temporaryDirectory()
  const shell = nodeShell({ hostPath: (virtual) => virtual, env })
  onTestFinished(() => shell.close())
  const exec = async (command: string, more: Partial<ExecRequest> = {}) => {
    const { stdout, stderr, ...rest } = await shell.exec({
      command,
      cwd,
      timeoutMs: 60_000,
      maxStreamBytes: 100_000,
      ...more,
    })
    return { ...rest, stdout: decode(stdout), stderr: decode(stderr) }
  }
  return { cwd, shell, exec }
}

const decode = ({ bytes, cut }: { bytes: Uint8Array; cut: boolean }) =>
  new TextDecoder().decode(bytes) + (cut ? '…' : '')

/** Waits until a process is gone; a zombie counts as gone. */
async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 1200; tries += 1) {
    try {
      if (/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))) return true
    } catch {
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return false
}

async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.trim() !== '') return Number(text)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('a command with input does not read the start-up file of the user', async () => {
  const home = await temporaryDirectory()
  fs.writeFileSync(join(home, '.bashrc'), 'echo from bashrc\n')
  const { SHLVL: _, ...env } = process.env
  const { exec } = await open({ ...env, HOME: home })
  expect(await exec('cat', { stdin: new TextEncoder().encode('given\n') })).toMatchObject({ stdout: 'given\n' })
})

test('output, errors and exit code are kept apart', async () => {
  const { exec } = await open()
  expect(await exec('echo out; echo err >&2; exit 3')).toEqual({
    ended: 'exit',
    exitCode: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  })
})

test('a shell that a signal ends has no exit code', async () => {
  const { exec } = await open()
  expect(await exec('kill -TERM $$')).toEqual({ ended: 'exit', signal: 'SIGTERM', stdout: '', stderr: '' })
})

test('standard input is empty by default', async () => {
  const { exec } = await open()
  expect((await exec('cat; echo done')).stdout).toBe('done\n')
})

test('a command runs in its directory, and a missing one is an error', async () => {
  const { cwd, exec } = await open()
  expect((await exec('pwd -P')).stdout).toBe(`${fs.realpathSync(cwd)}\n`)
  await expect(exec('true', { cwd: join(cwd, 'missing') })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('secrets of the server stay with the server', async () => {
  const { exec } = await open({ ...process.env, API_TOKEN: 'secret', AWS_SECRET_ACCESS_KEY: 'secret' })
  const { stdout } = await exec('env')
  expect(stdout).not.toContain('secret')
  const names = stdout.split('\n').map((line) => line.split('=')[0])
  expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'TERM']))
  expect((await exec('echo $GREETING', { env: { GREETING: 'hello' } })).stdout).toBe('hello\n')
})

test('output past the limit is dropped, or ends the command', async () => {
  const { exec } = await open()
  const loud = 'yes | head -c 1000000; echo end >&2'
  const dropped = await exec(loud, { maxStreamBytes: 1000 })
  expect({ ended: dropped.ended, length: dropped.stdout.length, stderr: dropped.stderr }).toEqual({
    ended: 'exit',
    length: 1001,
    stderr: 'end\n',
  })
  expect((await exec('yes', { maxStreamBytes: 1000, onOutputLimit: 'end' })).ended).toBe('output-limit')
})

describe('no process is left of a command that was ended', () => {
  const shapes = {
    'a child': 'sleep 600 & echo $! > pid; wait',
    'a child that ignores being asked': `sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 1; done'`,
    'a child in a session of its own': `setsid sh -c 'echo $$ > pid; exec sleep 600' & wait; sleep 600`,
    'a daemon': `(setsid sh -c 'echo $$ > pid; exec sleep 600' >/dev/null 2>&1 &) ; sleep 600`,
  }

  test('by its timeout', async () => {
    const outcome = async ([name, command]: [string, string]) => {
      const { cwd, exec } = await open()
      const running = exec(command, { timeoutMs: 5000, graceMs: 200 })
      const pid = await pidIn(join(cwd, 'pid'))
      return [name, (await running).ended, await isGone(pid)]
    }
    const outcomes = await Promise.all(Object.entries(shapes).map(outcome))
    expect(outcomes).toEqual(Object.keys(shapes).map((name) => [name, 'timeout', true]))
  })

  test.each(Object.entries(shapes))('by its caller: %s', async (_name, command) => {
    const { cwd, exec } = await open()
    const abort = new AbortController()
    const running = exec(command, { signal: abort.signal })
    const pid = await pidIn(join(cwd, 'pid'))
    abort.abort()
    expect((await running).ended).toBe('aborted')
    expect(await isGone(pid)).toBe(true)
  })
})

test('a background process continues, and ends with the server', async () => {
  const { cwd, shell, exec } = await open()
  // The pipes stay open in the background; the call still ends with the shell.
  expect(await exec('sleep 600 & echo $! > pid; echo started')).toMatchObject({ ended: 'exit', stdout: 'started\n' })
  const pid = await pidIn(join(cwd, 'pid'))
  expect(fs.existsSync(`/proc/${pid}`)).toBe(true)
  await shell.close()
  expect(await isGone(pid)).toBe(true)
})
