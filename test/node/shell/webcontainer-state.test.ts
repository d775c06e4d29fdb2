/** Tests the state reports of a container's shell on real shells: bash, dash, and one with fewer features. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type ShellSession, shellSession } from '../../../src/shell/session.js'
import type { ContainerFiles, RunningContainer, RunningProcess } from '../../../web/webcontainer/api.js'
import { containerShell } from '../../../web/webcontainer/container-shell.js'

const directories: string[] = []
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

/** A directory with `d` in it, used by a shell of this computer. Commands that match `lacks` fail. */
function container(shell: string, lacks?: RegExp): Pick<RunningContainer, 'spawn' | 'fs' | 'workdir'> {
  const workdir = realpathSync(mkdtempSync(path.join(tmpdir(), 'polyfs-container-')))
  directories.push(workdir)
  mkdirSync(path.join(workdir, 'd'))
  const files: Partial<ContainerFiles> = {
    readFile: (name) => fs.readFile(path.join(workdir, name)),
    rm: (name, options) => fs.rm(path.join(workdir, name), options),
  }
  return {
    workdir,
    fs: files as ContainerFiles,
    async spawn(_command, [, script = ''], { cwd = '', env = {} }) {
      const program = lacks?.test(script) ? 'echo unsupported shell syntax; exit 2' : script
      const { PATH } = process.env
      // Bash treats a socket as input as a remote login, and would read the user's start-up file.
      const plain = shell.endsWith('bash') ? ['--norc'] : []
      const child = spawn(shell, [...plain, '-c', `exec 2>&1\n${program}`], {
        cwd: path.join(workdir, cwd),
        env: { PATH, ...env },
        detached: true,
      })
      const kill = () => void process.kill(-(child.pid as number), 'SIGKILL')
      const output = new ReadableStream<string>({
        start(controller) {
          child.stdout.on('data', (chunk: Buffer) => controller.enqueue(chunk.toString()))
          child.once('close', () => controller.close())
        },
      })
      const exit = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 143)))
      child.stdin.on('error', () => {})
      const input = new WritableStream<string>({ write: () => void child.stdin.end() })
      return { exit, input, output, kill, resize() {} } satisfies RunningProcess
    },
  }
}

interface Step {
  printed: string
  code: number | undefined
  cwd: string
  env: Readonly<Record<string, string>>
}

function play(session: ShellSession): (command: string, timeoutMs?: number) => Promise<Step> {
  return async (command, timeoutMs = 60_000) => {
    const { stdout, exitCode: code } = await session.run({ command, timeoutMs, maxStreamBytes: 10_000 })
    return { printed: new TextDecoder().decode(stdout.bytes), code, ...session.state }
  }
}

describe.skipIf(process.platform === 'win32').each<[name: string, shell: string, lacks: RegExp | undefined]>([
  ['bash', '/bin/bash', undefined],
  ['sh', '/bin/sh', undefined],
  ['a shell without traps', '/bin/sh', /\btrap\b/],
  ['a shell without traps and eval', '/bin/sh', /\b(trap|eval)\b/],
])('in %s', (_name, shell, lacks) => {
  test('a session keeps directory and variables, and its reports are invisible', async () => {
    const given = container(shell, lacks)
    const run = play(shellSession(containerShell(given), { cwd: '/' }))
    expect(await run('cd d; export A="it\'s\n two  lines"; B=2')).toEqual({
      printed: '',
      code: 0,
      cwd: '/d',
      env: { A: "it's\n two  lines" },
    })
    const env = { A: 'x' }
    expect(await run('printf "%s|$B" "$A"; export A=x; (exit 3)')).toEqual({
      printed: "it's\n two  lines|",
      code: 3,
      cwd: '/d',
      env,
    })
    expect(await run('echo one # and more\n\necho two &&\n  false')).toEqual({
      printed: 'one\ntwo\n',
      code: 1,
      cwd: '/d',
      env,
    })
    expect(await run('cat <<END\n$A\nEND')).toEqual({ printed: 'x\n', code: 0, cwd: '/d', env })
    expect(await run('cd /')).toEqual({ printed: '', code: 0, cwd: '/d', env })
    const broken = await run('if then; echo never')
    expect(broken).toEqual({ printed: broken.printed, code: broken.code, cwd: '/d', env })
    expect([broken.code === 0, broken.printed.includes('never\n'), broken.printed.includes('polyfs')]).toEqual([
      false,
      false,
      false,
    ])
    expect(await run('export C=1; cd ..; sleep 600', 300)).toEqual({ printed: '', code: undefined, cwd: '/d', env })
    expect(await run('unset A; cd ..')).toEqual({ printed: '', code: 0, cwd: '/', env: {} })
    expect(readdirSync(given.workdir)).toEqual(['d'])
  })

  test('a command that exits keeps its exit code, and its state where the shell can report it', async () => {
    const run = play(shellSession(containerShell(container(shell, lacks)), { cwd: '/' }))
    const left = lacks === undefined ? { cwd: '/d', env: { A: '1' } } : { cwd: '/', env: {} }
    expect(await run('cd d; export A=1; false || exit 4; echo never')).toEqual({ printed: '', code: 4, ...left })
    expect(await run('set -e; false; echo never')).toEqual({ printed: '', code: 1, ...left })
    expect(await run('set -x; true')).toMatchObject({ code: 0, ...left })
  })
})

test('commands still run where a shell can’t report its state', async () => {
  const run = play(shellSession(containerShell(container('/bin/sh', /polyfs_status|trap/)), { cwd: '/' }))
  expect(await run('cd d; echo here; exit 5')).toEqual({ printed: 'here\n', code: 5, cwd: '/', env: {} })
})

test('a call that is aborted while the shell is probed ends immediately', async () => {
  const given = container('/bin/sh')
  const never = { ...given, spawn: () => new Promise<RunningProcess>(() => {}) }
  const stop = new AbortController()
  const running = shellSession(containerShell(never), { cwd: '/' }).run({
    command: 'true',
    timeoutMs: 1000,
    maxStreamBytes: 10,
    signal: stop.signal,
  })
  stop.abort()
  await expect(running).rejects.toMatchObject({ code: 'ABORTED' })
})
