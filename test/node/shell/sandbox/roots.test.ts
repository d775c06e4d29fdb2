/** The directories that a confined command sees, whatever others do to their paths. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SandboxRoot } from '../../../../node/shell/sandbox/root-mounts.js'
import { openDirectories } from '../../../../node/workspace/directory-workspace.js'
import { temporaryDirectory } from '../../cli/run-cli.js'
import { sandboxed, sandboxLacks, sandboxWorks } from './stage.js'

type Access = SandboxRoot['access']

/** Roots below `w`, by their paths there, and a secret beside it. */
async function stage(roots: Record<string, Access>, hidden: string[] = []) {
  const base = fs.realpathSync(await temporaryDirectory())
  fs.mkdirSync(join(base, 'w/x/inner/deep'), { recursive: true })
  fs.writeFileSync(join(base, 'w/x/inner/file'), 'original\n')
  fs.writeFileSync(join(base, 'secret'), 'secret\n')
  const { bash } = await sandboxed({
    base: join(base, 'w'),
    roots: Object.entries(roots).map(([name, access]) => ({ path: join(base, name), access })),
    hidden: hidden.map((name) => join(base, name)),
  })
  return { base, bash }
}

describe.skipIf(!sandboxWorks)(`the roots of a sandbox${sandboxWorks ? '' : ` (${sandboxLacks})`}`, () => {
  test('a link in place of a nested root is not followed by the next command', async () => {
    const { base, bash } = await stage({ w: 'read-write', 'w/x/inner': 'read-write' })
    // Enough steps to reach `/`, where the whole machine would be mounted over the inside.
    await bash(`mv x old; mkdir x; ln -s ${relative(join(base, 'w/x'), '/')} x/inner`)
    const { stdout } = await bash(`cat ${base}/secret x/inner${base}/secret; ls /root /home; echo x > ${base}/new`)
    expect(stdout).toBe('')
    expect(fs.readdirSync(base).sort()).toEqual(['secret', 'w'])
  })

  test('a read-only root in a writable one can be neither written nor moved to become writable', async () => {
    const { base, bash } = await stage({ w: 'read-write', 'w/x/inner': 'read-only' })
    expect((await bash('mv x old')).exitCode).not.toBe(0)
    expect((await bash('rm -rf x; mv x/inner x/other; mv x/inner/file .; ln x/inner/file hard')).exitCode).not.toBe(0)
    await bash(
      'for place in old/inner x/inner x/other hard; do echo changed > $place/file; echo changed > $place; done',
    )
    expect(fs.readFileSync(join(base, 'w/x/inner/file'), 'utf8')).toBe('original\n')
    // Its siblings are still writable.
    expect((await bash('echo new > x/beside; cat x/beside x/inner/file')).stdout).toBe('new\noriginal\n')
  })

  test('only the writable root inside a read-only one can be written', async () => {
    const { base, bash } = await stage({ w: 'read-only', 'w/x/inner': 'read-write' })
    expect((await bash('echo new > x/inner/file; echo new > x/beside; mv x old; cat x/inner/file')).stdout).toBe(
      'new\n',
    )
    expect(fs.readdirSync(join(base, 'w/x'))).toEqual(['inner'])
  })

  test('nested roots may alternate between read-only and writable', async () => {
    const { base, bash } = await stage({ w: 'read-write', 'w/x/inner': 'read-only', 'w/x/inner/deep': 'read-write' })
    await bash('touch a x/a x/inner/a x/inner/deep/a; mv x b; mv x/inner x/b')
    expect(fs.readdirSync(join(base, 'w')).sort()).toEqual(['a', 'x'])
    expect(fs.readdirSync(join(base, 'w/x')).sort()).toEqual(['a', 'inner'])
    expect(fs.readdirSync(join(base, 'w/x/inner')).sort()).toEqual(['deep', 'file'])
    expect(fs.readdirSync(join(base, 'w/x/inner/deep'))).toEqual(['a'])
  })

  test('a root whose path became a link is still the directory that was opened', async () => {
    const { base, bash } = await stage({ w: 'read-write' })
    fs.mkdirSync(join(base, 'out'))
    fs.writeFileSync(join(base, 'out/only-outside'), '')
    fs.renameSync(join(base, 'w'), join(base, 'moved'))
    fs.symlinkSync('out', join(base, 'w'))
    expect((await bash('ls; touch new')).stdout).toBe('x\n')
    expect(fs.readdirSync(join(base, 'out'))).toEqual(['only-outside'])
  })

  test('a removed root is missing, even when another has its name', async () => {
    const { base, bash } = await stage({ w: 'read-write' })
    fs.rmSync(join(base, 'w'), { recursive: true })
    fs.mkdirSync(join(base, 'w'))
    await expect(bash('ls')).rejects.toMatchObject({ code: 'NOT_FOUND', facts: { path: join(base, 'w') } })
  })

  test('a working directory that became a link is not followed', async () => {
    const { base, bash } = await stage({ w: 'read-write' })
    fs.symlinkSync(base, join(base, 'w/there'))
    fs.symlinkSync('/etc/ssh', join(base, 'w/elsewhere'))
    expect((await bash('cat secret', { cwd: '/there' })).stdout).toBe('')
    await expect(bash('ls', { cwd: '/elsewhere' })).rejects.toMatchObject({
      code: expect.stringMatching('IO|NOT_FOUND'),
    })
  })

  test('a hidden directory is empty, and can be neither filled nor uncovered', async () => {
    const { base, bash } = await stage({ w: 'read-write' }, ['w/x/inner', 'secret', 'w/absent'])
    expect((await bash('ls -A x/inner; echo planted > x/inner/journal')).exitCode).not.toBe(0)
    expect((await bash('mv x old || mv x/inner old || rmdir x/inner; cat old/inner/file old/file')).stdout).toBe('')
    expect(fs.readdirSync(join(base, 'w/x/inner')).sort()).toEqual(['deep', 'file'])
  })

  test('a root inside a hidden directory is visible, and nothing beside it', async () => {
    const { bash } = await stage({ w: 'read-write', 'w/x/inner/deep': 'read-only' }, ['w/x'])
    expect((await bash('find x; touch x/new x/inner/new x/inner/deep/new')).stdout).toBe('x\nx/inner\nx/inner/deep\n')
  })

  test('the state of the server is hidden where a root contains it', async () => {
    const home = fs.realpathSync(await temporaryDirectory())
    const stateDirectory = join(home, '.local/state/polyfs')
    const options = { sandbox: 'require', stateDirectory } as const
    const workspace = await openDirectories([{ directory: home, access: 'read-write' }], options)
    onTestFinished(() => workspace.close())
    expect(fs.readdirSync(stateDirectory)).toHaveLength(1)
    fs.writeFileSync(join(stateDirectory, 'journal'), '')
    const command = 'find .local -type f; echo x > .local/state/polyfs/new; mv .local other || echo held'
    const ran = await workspace.shell?.exec({ command, cwd: home, timeoutMs: 60_000, maxStreamBytes: 1000 })
    expect(new TextDecoder().decode(ran?.stdout.bytes)).toBe('held\n')
    expect(fs.readdirSync(stateDirectory)).toHaveLength(2)
  })

  test('directories that lead to a root below /tmp cannot be replaced by links', async () => {
    const base = fs.realpathSync(await temporaryDirectory('/tmp'))
    const root = join(base, 'a/b')
    fs.mkdirSync(root, { recursive: true })
    fs.mkdirSync(join(base, 'host'))
    const { bash } = await sandboxed({ base: root, roots: [{ path: root, access: 'read-write' }] })
    const exec = async (command: string) => (await bash(command)).stdout
    expect(await exec(`mv ${base} /tmp/gone || mv ${base}/a ${base}/gone || echo held`)).toBe('held\n')
    await exec(`rm -rf ${base}; ln -s /oldroot${base}/host ${base}; ln -s /oldroot${base}/host ${base}/a`)
    expect(await exec('pwd -P; touch new')).toBe(`${root}\n`)
    expect(fs.readdirSync(join(base, 'host'))).toEqual([])
    expect(fs.readdirSync(root)).toEqual(['new'])
  })

  test('with / as a root, commands still have their own processes and temporary files', async () => {
    const { bash } = await sandboxed({ base: '/', roots: [{ path: '/', access: 'read-only' }] })
    const { stdout } = await bash('echo $(ls -A /tmp) $$; touch /etc/new /new /proc/new || echo refused')
    expect(stdout).toBe('2\nrefused\n')
  })

  test('while another program swaps a root for a link, no command sees the link’s target', async () => {
    const { base, bash } = await stage({ w: 'read-write' })
    fs.mkdirSync(join(base, 'out'))
    fs.writeFileSync(join(base, 'out/only-outside'), '')
    const swap = 'while :; do mv w aside; ln -s out w; rm w; mv aside w; done'
    const swapper = spawn('/bin/sh', ['-c', swap], { cwd: base, stdio: 'ignore' })
    onTestFinished(() => void swapper.kill('SIGKILL'))
    let seen = 0
    for (let at = 0; at < 40; at += 1) {
      try {
        const { stdout } = await bash('ls; touch written 2>/dev/null')
        expect(stdout.replace('written\n', '')).toBe('x\n')
        seen += 1
      } catch (error) {
        expect(['IO', 'NOT_FOUND']).toContain((error as { code?: string }).code)
      }
    }
    expect(fs.readdirSync(join(base, 'out'))).toEqual(['only-outside'])
    expect(seen).toBeGreaterThan(0)
  })
})
