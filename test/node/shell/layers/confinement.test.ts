/** The sandbox confines commands on trees as it does those on directories. */
import fs from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { shellCases } from '../../../../contract/shell/index.js'
import { memory } from '../../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../../src/workspace/create-workspace.js'
import { describeShellContract } from '../../../describe-shell-contract.js'
import { emulatedShellDeviations } from '../../../emulated-shell.js'
import { sample } from '../../../scale.js'
import { attacks } from '../sandbox/attacks.js'
import { bash, layersLack, layersWork, openReal, sharedShell } from './stage.js'

describe.skipIf(!layersWork)(`commands on a tree are confined${layersWork ? '' : ` (${layersLack})`}`, () => {
  test.each(attacks)('a command can not %s', async (_what, command) => {
    const workspace = openReal({})
    const { exitCode, stderr } = await bash(workspace, command)
    expect(stderr).not.toContain('command not found')
    expect(exitCode).not.toBe(0)
  })

  test('a command has no capabilities, the ids of the server, and sees no process but its own', async () => {
    const workspace = openReal({})
    const { stdout } = await bash(
      workspace,
      'grep -E "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)" /proc/self/status; id -u; id -g; ls -d /proc/[0-9]* | wc -l',
    )
    const none = '0'.repeat(16)
    const ids = `${process.getuid?.()}\n${process.getgid?.()}\n`
    const rights = `CapInh:\t${none}\nCapPrm:\t${none}\nCapEff:\t${none}\nCapAmb:\t${none}\nNoNewPrivs:\t1\n`
    const [processes = ''] = stdout.slice(rights.length + ids.length).split('\n')
    expect(stdout.slice(0, rights.length + ids.length)).toBe(rights + ids)
    expect(Number(processes)).toBeLessThan(6)
  })

  test('a command sees no file of the machine but programs and what they need, and writes none', async () => {
    const workspace = openReal({ 'a.txt': 'a' })
    const hidden = fs.mkdtempSync('/tmp/polyfs-hidden-')
    onTestFinished(() => fs.rmSync(hidden, { recursive: true }))
    fs.writeFileSync(`${hidden}/secret`, 'secret')
    const looking = `cat ${hidden}/secret /etc/shadow /root/.profile; ls /dev/shm /home /root /var /mnt`
    expect((await bash(workspace, `${looking} 2>/dev/null`)).stdout).toBe('/dev/shm:\n')
    for (const path of ['/usr/new', '/etc/passwd', '/bin/new', '/proc/sys/kernel/hostname', '/dev/new'])
      expect((await bash(workspace, `echo x > ${path}`)).exitCode, path).not.toBe(0)
    expect(await workspace.history.list()).toEqual([])
  })

  test('there is no network unless it is allowed', async () => {
    const server = createServer((socket) => socket.end('reached\n')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const ask = `exec 5<>/dev/tcp/127.0.0.1/${port} && cat <&5`
    expect((await bash(openReal({}), ask)).stdout).toBe('')
    expect((await bash(openReal({}, { real: { allowNetwork: true } }), ask)).stdout).toBe('reached\n')
  })

  test('what a layer hides can not be reached, by no name and through no mount', async () => {
    const workspace = openReal({ secret: 'secret\n', 'd/secret': 'secret\n' })
    const fork = await workspace.fork()
    await bash(fork, 'rm -r secret d; mkdir d')
    await bash(workspace, 'echo ours > only-ours; echo temporary > /tmp/ours')
    const search =
      'cat /tmp/ours; grep -rs secret / --include=secret --exclude-dir=proc --exclude-dir=usr; find / -xdev -name "only-ours"; ls d; grep -c upperdir /proc/self/mountinfo'
    expect((await bash(fork, search)).stdout).toBe('1\n')
    const forge = 'mknod d/secret c 0 0; setfattr -n user.overlay.opaque -v y d 2>/dev/null; ls -a d'
    expect((await bash(fork, forge)).stdout).toBe('.\n..\n')
    await fork.discard()
  })
})

const atTheEnd = 'what a command writes is seen by others when it has ended'

if (layersWork)
  describeShellContract(
    'the shell of this computer on a tree',
    async () => {
      const fs = memory()
      const workspace = createWorkspace({ fs, shell: sharedShell })
      await fs.makeDir('/base')
      const shell = workspace.shell as NonNullable<typeof workspace.shell>
      return { shell, fs, base: '/base', dispose: () => shell.close() }
    },
    {
      cases: sample(shellCases, { every: 3 }),
      deviations: {
        ...emulatedShellDeviations,
        'a shell that a signal ends reports which': 'bubblewrap reports a signal as the exit code 128 and more',
        'a command is asked to end first, and can clear up': atTheEnd,
        'a command that does not end when asked is ended': atTheEnd,
        'the output of a job can be read while it runs': 'what a tool writes is not seen by a command that runs',
      },
    },
  )
