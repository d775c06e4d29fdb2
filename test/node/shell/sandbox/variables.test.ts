/** Session variables reach confined commands, but not the wrapper around them. */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nodeShell } from '../../../../node/shell/node-shell.js'
import { markName } from '../../../../node/shell/process-tree.js'
import { shellSession } from '../../../../src/shell/session.js'
import { sandboxed, sandboxLacks, sandboxWorks } from './stage.js'

const request = { timeoutMs: 60_000, maxStreamBytes: 100_000 }
const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }

describe.skipIf(!sandboxWorks)(`variables in a sandbox${sandboxWorks ? '' : ` (${sandboxLacks})`}`, () => {
  test('variables that affect program loading have no effect outside', async ({ skip }) => {
    if (header.glibcVersionRuntime === undefined) skip('only the loader of glibc tells what it loads')
    const { root, shell } = await sandboxed()
    const session = shellSession(shell, { cwd: '/' })
    await session.run({ ...request, command: 'export LD_DEBUG=files LD_DEBUG_OUTPUT=$PWD/loaded' })
    expect(session.state.env.LD_DEBUG).toBe('files')
    await session.run({ ...request, command: 'ls -d /' })
    const files = fs.readdirSync(root).filter((name) => name.startsWith('loaded'))
    const loaded = files.map((name) => fs.readFileSync(join(root, name), 'utf8'))
    // Inside they work: each program that the command starts is traced.
    expect(loaded.filter((text) => /\bls\b/.test(text))).toHaveLength(1)
    expect(loaded.filter((text) => text.includes('bwrap'))).toEqual([])
  })

  test('the wrapper has an empty environment but for its mark, and arguments that reveal nothing', async () => {
    const { root, bash } = await sandboxed()
    const env = { LD_LIBRARY_PATH: '/evil', GLIBC_TUNABLES: 'evil', PATH: '/evil:/usr/bin:/bin', TOKEN: 'visible?' }
    const running = bash('touch ready; while [ ! -e go ]; do sleep 0.05; done; env', { env })
    await expect.poll(() => fs.existsSync(join(root, 'ready')), { timeout: 30_000 }).toBe(true)
    const wrappers = processes().filter(({ comm, cwd }) => comm === 'bwrap' && cwd === root)
    fs.writeFileSync(join(root, 'go'), '')
    const { stdout } = await running
    expect(wrappers.length).toBeGreaterThan(0)
    for (const { environ, cmdline } of wrappers) {
      expect(environ).toEqual([expect.stringMatching(`^${markName}=`)])
      expect(cmdline).not.toContain('visible?')
    }
    for (const [name, value] of Object.entries(env)) expect(stdout).toContain(`${name}=${value}\n`)
    expect(stdout).not.toContain('POLYFS_VARIABLE')
  })

  test('values and names of every kind arrive as they do without a sandbox', async () => {
    const { root, shell } = await sandboxed()
    const plain = nodeShell({ hostPath: (virtual) => join(root, virtual) })
    onTestFinished(() => plain.close())
    const env = {
      EMPTY: '',
      LINES: 'one\ntwo\n\n',
      QUOTES: `'"\`$(touch made)\\`,
      OPTION: '--bind / /',
      UNICODE: 'grün 🌱',
      IFS: 'x',
      LONG: 'x'.repeat(100_000),
      SHELLOPTS: 'braceexpand:hashall:xtrace',
      UID: '12',
      LC_ALL: 'xx_XX',
      'with.dot': 'kept',
    }
    const command = 'env -0 | sort -z | tr "\\0" "\\1" | md5sum; env -0 | tr "\\0" "\\n" | cut -c1-200 | sort'
    const seen = async (one: typeof shell) => {
      const { stdout } = await one.exec({ ...request, command, cwd: '/', env })
      const lines = new TextDecoder().decode(stdout.bytes).split('\n')
      return lines.filter((line) => !/^(POLYFS_COMMAND|HOME|TMPDIR|PWD|OLDPWD)=| -$/.test(line))
    }
    expect(await seen(shell)).toEqual(await seen(plain))
    expect(fs.existsSync(join(root, 'made'))).toBe(false)
  })

  test('a command cannot change its mark for the next one, nor our own variables', async () => {
    const { shell } = await sandboxed()
    const session = shellSession(shell, { cwd: '/' })
    await session.run({ ...request, command: `export ${markName}=mine POLYFS_VARIABLE_3=mine A=1 B=2 C=3 D=4` })
    const { stdout } = await session.run({ ...request, command: `echo $${markName} $A$B$C$D` })
    expect(new TextDecoder().decode(stdout.bytes)).toMatch(/^[0-9a-f]+\.2\. 1234\n$/)
  })

  test('no value can become an argument of the wrapper', async () => {
    const { bash } = await sandboxed()
    const env = { A: 'x\0--ro-bind\0/\0/tmp/host' }
    await expect(bash('ls /tmp', { env })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('errors have the line numbers of the command itself, and a trace shows nothing else', async () => {
    const { bash } = await sandboxed()
    const { stderr } = await bash('true\nabsent-program')
    expect(stderr).toMatch(/line 2: absent-program/)
    expect((await bash('set -x; :', { env: { A: '1' } })).stderr).toBe('+ :\n')
  })
})

function processes() {
  return fs.readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const read = (name: string) => fs.readFileSync(`/proc/${pid}/${name}`, 'utf8')
      const environ = read('environ').split('\0').filter(Boolean)
      return [
        { comm: read('comm').trim(), cwd: fs.readlinkSync(`/proc/${pid}/cwd`), environ, cmdline: read('cmdline') },
      ]
    } catch {
      // The process has ended, or belongs to another user.
      return []
    }
  })
}
