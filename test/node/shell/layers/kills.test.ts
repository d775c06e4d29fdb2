/** Whatever is killed, at whatever moment: the workspace is whole, and no process, mount or directory is left. */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { snapshot } from '../../../emulated-shell.js'
import { scaled, seeded } from '../../../scale.js'
import { temporaryDirectory } from '../../cli/run-cli.js'
import { initialized, startRaw } from '../../serve/raw-server.js'
import { bash, layersLack, layersWork, openReal } from './stage.js'

/** Processes by their arguments. */
function processesOf(isOne: (args: readonly string[]) => boolean): number[] {
  return fs.readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
    try {
      return isOne(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')) ? [Number(pid)] : []
    } catch {
      // It has ended.
      return []
    }
  })
}

/** Of a duration that no other process has. */
function sleepers(seconds: string): number[] {
  return processesOf(([program, duration]) => program === 'sleep' && duration === seconds)
}

/** The directories of a server's layers. */
function placesOf(pid: number | undefined): string[] {
  const parents = ['/dev/shm', '/tmp'].filter((parent) => fs.existsSync(parent))
  return parents.flatMap((parent) =>
    fs.readdirSync(parent).flatMap((name) => {
      const owner = join(parent, name, 'owner')
      if (!name.startsWith('polyfs-sandbox-') || !fs.existsSync(owner)) return []
      return fs.readFileSync(owner, 'utf8').startsWith(`${pid} `) ? [join(parent, name)] : []
    }),
  )
}

let count = 0
/** A duration that no other process sleeps for. */
function uniqueSeconds(): string {
  count += 1
  return `${700_000 + process.pid}.${count}`
}

const victims = {
  holder: () => (args: readonly string[]) => args.some((arg) => arg.includes('lowerdir=')),
  sandbox: () => (args: readonly string[]) => args[0]?.endsWith('/bwrap') === true,
  command:
    (seconds: string) =>
    ([program, duration]: readonly string[]) =>
      program === 'sleep' && duration === seconds,
}

describe.skipIf(!layersWork)(`kills${layersWork ? '' : ` (${layersLack})`}`, () => {
  test.each(['holder', 'sandbox', 'command'] as const)(
    'a killed %s leaves nothing running, and all or nothing is saved',
    async (what) => {
      const directory = await temporaryDirectory()
      const workspace = openReal({ 'a.txt': 'a\n' }, { real: { directory } })
      await bash(workspace, 'true')
      for (let round = 0; round < scaled(30); round += 1) {
        const before = await snapshot(workspace)
        const seconds = uniqueSeconds()
        const running = bash(workspace, `echo ${round} >> a.txt; echo ${round} > new${round}; sleep ${seconds}`)
        await expect.poll(() => sleepers(seconds).length, { timeout: 30_000 }).toBeGreaterThan(0)
        const [victim] = processesOf(victims[what](seconds)).filter(
          (pid) => isBelow(pid, process.pid) || what === 'command',
        )
        process.kill(victim ?? 0, 'SIGKILL')
        const exitCode = await running.then((ran) => ran.exitCode).catch(({ code }) => code)
        expect(exitCode).toBe({ holder: undefined, sandbox: 'IO', command: 137 }[what])
        await expect.poll(() => sleepers(seconds), { timeout: 30_000 }).toEqual([])
        const after = await snapshot(workspace)
        if (what !== 'command') expect(after).toEqual(before)
        else expect(Object.keys(after)).toEqual([...Object.keys(before), `/new${round}`])
      }
      await workspace.shell?.close()
    },
  )

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'a server that gets %s leaves no process and no directory',
    async (signal) => {
      const server = await initialized(await startRaw(['--dialect', 'clarvis', '--memory', '--sandbox', 'require']))
      const { result } = await server.call(1, 'bash', {
        command: 'mkdir -p d/e; chmod 0 d; echo x > f; mkdir -m 0 /tmp/closed',
      })
      expect(result?.content?.[0]?.text).toContain('"exit_code":0')
      const { pid } = server.child
      expect(placesOf(pid)).toHaveLength(1)
      const seconds = uniqueSeconds()
      void server.call(2, 'bash', { command: `(setsid sleep ${seconds} &); sleep ${seconds}` })
      await expect.poll(() => sleepers(seconds).length, { timeout: 30_000 }).toBe(2)
      await new Promise((resolve) => setTimeout(resolve, seeded(1) % 50))
      server.child.kill(signal)
      await server.closed
      await expect.poll(() => sleepers(seconds), { timeout: 30_000 }).toEqual([])
      await expect.poll(() => placesOf(pid), { timeout: 30_000 }).toEqual([])
    },
  )
})

function isBelow(pid: number, ancestor: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return parent === ancestor || (parent > 1 && isBelow(parent, ancestor))
  } catch {
    return false
  }
}
