import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { shellCases } from '../../../../contract/shell/index.js'
import { nodeFs } from '../../../../node/disk/node-fs.js'
import { openSandbox, SandboxError } from '../../../../node/shell/sandbox/sandbox.js'
import { describeShellContract } from '../../../describe-shell-contract.js'
import { sample } from '../../../scale.js'
import { openSandboxed, sandboxed, sandboxLacks, sandboxWorks } from './stage.js'

describe.skipIf(!sandboxWorks)(`a sandbox${sandboxWorks ? '' : ` (${sandboxLacks})`}`, () => {
  test('shows the roots, and nothing beside them', async () => {
    const { directory, bash, shell } = await sandboxed()
    expect(shell.capabilities.confined).toBe(true)
    expect(shell.engine).toMatch(/in a bubblewrap sandbox without network$/)
    expect(await bash('echo in > f; cat f ../read/file')).toEqual({ stdout: 'in\nreadable\n', stderr: '', exitCode: 0 })
    expect((await bash(`cat ${directory}/out/secret /etc/shadow ~/.ssh/* /root/.profile 2>/dev/null`)).stdout).toBe('')
    expect((await bash('ls ..')).stdout).toBe('read\nroot\n')
    expect((await bash('ls /home /root /var 2>/dev/null')).stdout).toBe('')
  })

  test('lets nothing be written outside the writable roots', async () => {
    const { directory, bash } = await sandboxed()
    const attempts = ['../read/new', '/usr/new', '/etc/passwd', '../out/new', '/bin/new']
    for (const attempt of attempts) expect((await bash(`echo x > ${attempt}`)).exitCode, attempt).not.toBe(0)
    expect(fs.readdirSync(join(directory, 'read'))).toEqual(['file'])
    expect(fs.readdirSync(join(directory, 'out'))).toEqual(['secret'])
    await bash('ln -s ../out link; echo x > link/through-a-link')
    expect(fs.readdirSync(join(directory, 'out'))).toEqual(['secret'])
  })

  test('has its own temporary files, shared by its commands', async () => {
    const { bash } = await sandboxed()
    await bash('echo kept > /tmp/polyfs-kept')
    expect((await bash('cat /tmp/polyfs-kept; echo $HOME')).stdout).toBe('kept\n/tmp\n')
    expect(fs.existsSync('/tmp/polyfs-kept')).toBe(false)
  })

  test('isolates commands from the network and from other processes', async () => {
    const server = createServer((socket) => socket.end('reached\n')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const ask = `exec 5<>/dev/tcp/127.0.0.1/${port} && cat <&5`
    const { bash } = await sandboxed()
    expect((await bash(ask)).stdout).toBe('')
    expect((await bash(`kill -0 ${process.pid}`)).exitCode).not.toBe(0)
    const { bash: withNetwork } = await sandboxed({ allowNetwork: true })
    expect((await withNetwork(ask)).stdout).toBe('reached\n')
  })
})

test('a missing sandbox is an error with `require`, and skipped with `auto`', () => {
  const roots = [{ path: '/', access: 'read-only' as const }]
  const searchPath = '/nowhere'
  expect(() => openSandbox({ mode: 'require', roots, searchPath })).toThrow(
    new SandboxError("commands can't be confined as required: bubblewrap (bwrap) is not installed"),
  )
  expect(openSandbox({ mode: 'auto', roots, searchPath })).toBeUndefined()
  expect(openSandbox({ mode: 'off', roots })).toBeUndefined()
})

test('a program that does not confine is not trusted', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'polyfs-fake-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  // Runs the arguments after `--` unconfined.
  const fake = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n'
  fs.writeFileSync(join(directory, 'bwrap'), fake, { mode: 0o755 })
  expect(spawnSync(join(directory, 'bwrap'), ['--', 'echo', 'runs'], { encoding: 'utf8' }).stdout).toBe('runs\n')
  expect(() => openSandbox({ mode: 'require', roots: [], searchPath: directory })).toThrow('does not work here')
})

if (sandboxWorks)
  describeShellContract(
    'the shell of this computer in a sandbox',
    async () => {
      const { root, shell, dispose } = await openSandboxed()
      const disk = nodeFs(root)
      return {
        shell,
        fs: disk,
        base: '/base',
        async dispose() {
          disk.close()
          await dispose()
        },
      }
    },
    {
      cases: sample(shellCases, { every: 3 }),
      deviations: {
        'a shell that a signal ends reports which': 'bubblewrap reports a signal as the exit code 128 and more',
      },
    },
  )
