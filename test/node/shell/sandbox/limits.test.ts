/** Resource limits of confined commands. They are small here, so that nothing else on the machine is affected. */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { boundsProcesses } from '../../../../node/shell/sandbox/limits-trial.js'
import { runCli, temporaryDirectory } from '../../cli/run-cli.js'
import { initialized, startRaw } from '../../serve/raw-server.js'
import { sandboxed, sandboxLacks, sandboxWorks } from './stage.js'

const isRoot = process.getuid?.() === 0
const mebibyte = 2 ** 20

describe.skipIf(!sandboxWorks)(`limits of a sandbox${sandboxWorks ? '' : ` (${sandboxLacks})`}`, () => {
  test('limits are set by default, and core dumps are never written', async () => {
    const { bash } = await sandboxed()
    const { stdout } = await bash(
      `sed -nE 's/^Max (core file size|data size|file size|processes) +([0-9]+) .*/\\1: \\2/p' /proc/self/limits`,
    )
    const limits = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(': ')),
    )
    expect(limits).toMatchObject({ 'core file size': '0', 'file size': String(16 * 2 ** 30) })
    expect(Number(limits['data size'])).toBeGreaterThan(100 * mebibyte)
    expect(Number(limits.processes)).toBeLessThanOrEqual(4096)
  })

  test('a process over its memory limit gets no more', async () => {
    const { bash } = await sandboxed({ limits: { maxMemoryBytes: 64 * mebibyte } })
    // One endless line, which `tail` has to hold in memory.
    const { stdout, stderr } = await bash('head -c 200M /dev/zero | tail | wc -c; echo goes on')
    expect(stderr).toMatch(/memory exhausted|Cannot allocate/)
    expect(stdout).toBe('0\ngoes on\n')
    expect((await bash('head -c 10M /dev/zero | tail | wc -c')).stdout).toBe(`${10 * mebibyte}\n`)
  })

  test.each(['/bin/bash', '/bin/sh'])('a file of %s does not grow beyond its bound', async (program) => {
    const { bash, root } = await sandboxed({ program, limits: { maxFileBytes: mebibyte } })
    const { stdout } = await bash('head -c 5M /dev/zero > large; head -c 5M /dev/zero > /tmp/large; wc -c < /tmp/large')
    expect(stdout).toBe(`${mebibyte}\n`)
    expect(fs.statSync(join(root, 'large')).size).toBe(mebibyte)
  })

  test('a fork bomb comes to an end', async ({ skip }) => {
    if (isRoot) skip('the kernel does not bound the processes of root')
    const { bash } = await sandboxed({ program: '/bin/sh', limits: { maxProcesses: 30 } })
    const { stdout } = await bash('bomb() { echo x; bomb & bomb & wait; }; bomb 2>/dev/null | head -c 1000 | wc -l')
    expect(Number(stdout)).toBeLessThan(1000)
    // The next command is counted separately, and nothing outside was limited.
    expect((await bash('i=0; while [ $i -lt 20 ]; do sleep 1 & i=$((i + 1)); done; wait; echo all')).stdout).toBe(
      'all\n',
    )
    expect((await bash('i=0; while [ $i -lt 60 ]; do sleep 1 & i=$((i + 1)); done; wait; echo all')).stdout).toBe('')
  })

  test('variables that affect program loading are set after the limits', async () => {
    const { bash } = await sandboxed({ limits: { maxFileBytes: mebibyte } })
    const env = { BASH_ENV: '/tmp/first', ENV: '/tmp/first' }
    await bash('echo "ulimit -f > /tmp/seen" > /tmp/first')
    expect((await bash('cat /tmp/seen', { env })).stdout).toBe('')
    expect((await bash('bash -c true; cat /tmp/seen', { env })).stdout).toBe('1024\n')
  })

  test('whether the number of processes can be limited here is tested', async () => {
    expect(await boundsProcesses()).toBe(!isRoot)
  })

  test('the CLI takes limits as flags, only with a sandbox', async () => {
    const root = await temporaryDirectory()
    const flags = ['--dialect', 'clarvis', '--sandbox', 'require', '--sandbox-file', '1M', '--sandbox-memory', '512M']
    const server = await initialized(await startRaw([...flags, '--sandbox-processes', '500', root]))
    const command = 'grep -E "file size|data|processes" /proc/self/limits | tr -s " "'
    const text = (await server.call(1, 'bash', { command })).result?.content?.[0]?.text
    for (const limit of ['Max file size 1048576 ', 'Max data size 536870912 ', 'Max processes 500 '])
      expect(text).toContain(limit)
    const { code, stderr } = await runCli(['--sandbox-file', '1M', root])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--sandbox-file requires --sandbox'),
    })
  })
})
