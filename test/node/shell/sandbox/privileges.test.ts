/** What a confined command could do with the server user's privileges. Most of it only root could; the tests run as any user. */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { attacks } from './attacks.js'
import { sandboxed, sandboxLacks, sandboxWorks } from './stage.js'

describe.skipIf(!sandboxWorks)(`privileges in a sandbox${sandboxWorks ? '' : ` (${sandboxLacks})`}`, () => {
  test('a command has no capabilities, and can’t get any', async () => {
    const { bash } = await sandboxed()
    const { stdout } = await bash('grep -E "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)" /proc/self/status')
    const none = '0'.repeat(16)
    expect(stdout.replaceAll('\t', ' ')).toBe(
      `CapInh: ${none}\nCapPrm: ${none}\nCapEff: ${none}\nCapAmb: ${none}\nNoNewPrivs: 1\n`,
    )
  })

  test.each([['make a read-only root writable', 'mount -o remount,rw,bind "$PWD/../read"'], ...attacks])(
    'a command can not %s',
    async (_what, command) => {
      const { bash } = await sandboxed()
      const { exitCode, stderr } = await bash(command)
      expect(stderr).not.toContain('command not found')
      expect(exitCode).not.toBe(0)
    },
  )

  test('a command cannot write to a read-only root in any way that is tried', async () => {
    const { directory, bash } = await sandboxed()
    const before = fs.statSync(join(directory, 'read'))
    await bash(
      [
        'cd ../read',
        'mount -o remount,rw,bind . ',
        'echo x > file',
        'echo x > new',
        'rm -f file',
        'mv file other',
        'chmod 777 . file',
        'ln file ../root/hard && echo x > ../root/hard',
        'touch file',
      ].join('; '),
    )
    expect(fs.readdirSync(join(directory, 'read'))).toEqual(['file'])
    expect(fs.readFileSync(join(directory, 'read/file'), 'utf8')).toBe('readable\n')
    expect(fs.statSync(join(directory, 'read')).mode).toBe(before.mode)
  })

  test('no kernel setting can be opened for writing', async () => {
    const { bash } = await sandboxed()
    const list = 'find /proc -path "/proc/[0-9]*" -prune -o -type f -print 2>/dev/null'
    const { stdout } = await bash(`${list} | while read -r file; do ( : >> "$file" ) 2>/dev/null && echo "$file"; done`)
    expect(stdout).toBe('')
    expect(Number((await bash(`${list} | wc -l`)).stdout)).toBeGreaterThan(100)
  })

  test('only shared memory can hold files in memory, and it is limited', async () => {
    const { bash } = await sandboxed()
    for (const place of ['/new', '/dev/new', '/home', '/var/new'])
      expect((await bash(`mkdir -p ${place}`)).exitCode, place).not.toBe(0)
    expect((await bash('echo shared > /dev/shm/file && cat /dev/shm/file')).stdout).toBe('shared\n')
    expect((await bash('df --output=size -B1 /dev/shm | tail -1')).stdout.trim()).toBe(String(2 ** 30))
  })

  test('nothing outside can be seen, signalled or traced', async () => {
    const { bash } = await sandboxed()
    const { stdout } = await bash('for process in /proc/[0-9]*; do readlink "$process/exe"; done')
    expect(stdout).not.toContain(process.execPath)
    expect((await bash(`kill -0 ${process.pid} || cat /proc/${process.pid}/mem`)).exitCode).not.toBe(0)
  })
})
