/** Everything in a sandbox ends with the command, the shell or the server, including processes that hide. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { identify } from '../../../../node/shell/process-identity.js'
import { channels } from '../../../../node/shell/sandbox/channels.js'
import { preludeFor } from '../../../../node/shell/sandbox/prelude.js'
import { abandonedPlaces, openPlace, removePlace } from '../../../../node/shell/sandbox/temporary-place.js'
import { temporaryDirectory } from '../../cli/run-cli.js'
import { initialized, startRaw } from '../../serve/raw-server.js'
import { sandboxed, sandboxLacks, sandboxWorks } from './stage.js'

/** Overwrites the visible environment of the first process inside, by which it could be found from outside. */
const wipe = `perl -e '
  my %calls = (x86_64 => 311, aarch64 => 271);
  my ($machine) = \`uname -m\` =~ /(\\S+)/;
  open my $file, "<", "/proc/1/stat"; my $stat = <$file>; $stat =~ s/.*\\) //;
  my ($start, $end) = (split / /, $stat)[47, 48];
  my $zeros = "\\0" x ($end - $start);
  my $from = pack("PQ", $zeros, length $zeros); my $to = pack("QQ", $start, length $zeros);
  exit(syscall($calls{$machine}, 1, $from, 1, $to, 1, 0) == length $zeros ? 0 : 1)'`

/** Forks twice into its own session, without the mark, and ignores all signals it can. */
const hideAway = (seconds: string) =>
  `(env -i setsid sh -c 'trap "" TERM HUP INT QUIT; (trap "" TERM HUP INT QUIT; while :; do sleep ${seconds}; done) & wait' >/dev/null 2>&1 &)`

let count = 0
/** A duration that no other process on the machine sleeps for. */
function uniqueSeconds(): string {
  count += 1
  return `${900_000 + process.pid}.${count}`
}

function sleepers(seconds: string): number[] {
  return fs.readdirSync('/proc').flatMap((pid) => {
    try {
      const args = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return args[0] === 'sleep' && args[1] === seconds ? [Number(pid)] : []
    } catch {
      // No process, or one that is gone.
      return []
    }
  })
}

async function expectGone(seconds: string) {
  await expect.poll(() => sleepers(seconds), { timeout: 30_000 }).toEqual([])
}

describe.skipIf(!sandboxWorks)(`the end of a sandbox${sandboxWorks ? '' : ` (${sandboxLacks})`}`, () => {
  const ready = (seconds: string) => `${wipe} && ${hideAway(seconds)}; while ! pgrep -x sleep; do :; done >/dev/null`

  test('a hidden process ends with the shell', async ({ skip }) => {
    if (!fs.existsSync('/usr/bin/perl')) skip('perl is missing')
    const { bash, shell } = await sandboxed()
    const seconds = uniqueSeconds()
    expect(await bash(`${ready(seconds)}; echo ready`)).toMatchObject({ stdout: 'ready\n' })
    // It continues in the background until then.
    expect(sleepers(seconds)).toHaveLength(1)
    await shell.close()
    await expectGone(seconds)
  })

  test('a hidden process ends with a command that times out', async ({ skip }) => {
    if (!fs.existsSync('/usr/bin/perl')) skip('perl is missing')
    const { shell, root } = await sandboxed()
    const seconds = uniqueSeconds()
    const abort = new AbortController()
    const command = `${ready(seconds)}; touch ready; env -i sleep ${seconds}`
    const request = { command, cwd: '/', timeoutMs: 120_000, graceMs: 100, maxStreamBytes: 1000, signal: abort.signal }
    const running = shell.exec(request)
    await expect.poll(() => fs.existsSync(join(root, 'ready')), { timeout: 60_000 }).toBe(true)
    abort.abort()
    expect((await running).ended).toBe('aborted')
    await expectGone(seconds)
  })

  test.for([
    ['is killed', 'SIGKILL'],
    ['is asked to end', 'SIGTERM'],
    ['loses its terminal', 'SIGHUP'],
  ] as const)('nothing of it is left when the server %s: no process, and no file', async ([_how, signal], { skip }) => {
    if (!fs.existsSync('/usr/bin/perl')) skip('perl is missing')
    const root = await temporaryDirectory()
    const place = await temporaryDirectory()
    const flags = ['--dialect', 'clarvis', '--sandbox', 'require', root]
    const server = await initialized(await startRaw(flags, { TMPDIR: place }))
    const seconds = uniqueSeconds()
    const command = `mkdir -p /tmp/closed/deep && chmod 0 /tmp/closed; ${ready(seconds)}`
    const { result } = await server.call(1, 'bash', { command })
    expect(result?.content?.[0]?.text).toContain('"exit_code":0')
    expect(sleepers(seconds)).toHaveLength(1)
    expect(fs.readdirSync(place)).toEqual([expect.stringMatching(/^polyfs-sandbox-/)])
    server.child.kill(signal)
    await server.closed
    await expectGone(seconds)
    await expect.poll(() => fs.readdirSync(place), { timeout: 30_000 }).toEqual([])
  })
})

describe.skipIf(process.platform !== 'linux')('the place of a sandbox', () => {
  test('of a running server is not abandoned; of an ended one it is, if it is certainly ours', async () => {
    const parent = await temporaryDirectory()
    const own = openPlace(parent)
    const record = fs.readFileSync(join(own.directory, 'owner'), 'utf8')
    const [, , ...machine] = record.split(' ')
    const place = (name: string, owner?: string) => {
      fs.mkdirSync(join(parent, name))
      if (owner !== undefined) fs.writeFileSync(join(parent, name, 'owner'), owner)
    }
    place('polyfs-sandbox-ended', `${process.pid} 1 ${machine.join(' ')}`)
    place('polyfs-sandbox-reboot', `${process.pid} 1 other ${machine[1]}`)
    place('polyfs-sandbox-container', `1 1 ${machine[0]} pid:[1]`)
    place('polyfs-sandbox-none')
    place('polyfs-other', `${process.pid} 1 ${machine.join(' ')}`)
    fs.symlinkSync('polyfs-sandbox-ended', join(parent, 'polyfs-sandbox-link'))
    execFileSync('mkfifo', [join(parent, 'polyfs-sandbox-none/owner')])
    expect(abandonedPlaces(parent)).toEqual([join(parent, 'polyfs-sandbox-ended')])
    expect(record).toContain(`${process.pid} ${identify(process.pid)?.startTime} `)
    openPlace(parent)
    await expect.poll(() => fs.existsSync(join(parent, 'polyfs-sandbox-ended')), { timeout: 30_000 }).toBe(false)
  })

  test('is removed with inaccessible directories, and without following links', async () => {
    const parent = await temporaryDirectory()
    fs.mkdirSync(join(parent, 'out'))
    fs.writeFileSync(join(parent, 'out/file'), '', { mode: 0o444 })
    const { directory, temporary } = openPlace(parent)
    fs.mkdirSync(join(temporary, 'closed/deep'), { recursive: true })
    fs.symlinkSync('../../out', join(temporary, 'link'))
    fs.symlinkSync(join(parent, 'out'), join(temporary, 'closed/link'))
    fs.chmodSync(join(temporary, 'closed/deep'), 0)
    fs.chmodSync(join(temporary, 'closed'), 0)
    removePlace(directory)
    expect(fs.readdirSync(parent)).toEqual(['out'])
    expect(fs.statSync(join(parent, 'out/file')).mode & 0o777).toBe(0o444)
    fs.symlinkSync('out', join(parent, 'swapped'))
    removePlace(join(parent, 'swapped'))
    expect(fs.readdirSync(join(parent, 'out'))).toEqual(['file'])
  })
})

test('a script does not start when the server ends first', async () => {
  const root = await temporaryDirectory()
  const { prelude } = preludeFor({}, {})
  const outcome = async (said: string) => {
    const stdio = ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe'] as const
    const child = spawn('/bin/sh', ['-c', `${prelude}touch begun`], { cwd: root, stdio: [...stdio] })
    const pipes: readonly unknown[] = child.stdio
    ;(pipes[channels.start] as Writable).end(said)
    const [code] = await once(child, 'exit')
    return { code, begun: fs.existsSync(join(root, 'begun')) }
  }
  expect(await outcome('')).toEqual({ code: 125, begun: false })
  expect(await outcome('\n')).toEqual({ code: 0, begun: true })
})
