/** Control groups, in a directory that stands in for the kernel's. */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ControlGroupPlace, openControlGroups } from '../../../../node/shell/sandbox/control-groups.js'
import { temporaryDirectory } from '../../cli/run-cli.js'
import { sandboxed, sandboxLacks, sandboxWorks } from './stage.js'

const limits = { maxProcesses: 20, maxMemoryBytes: 2 ** 30 }

interface Planted {
  controllers?: string
  enabled?: string
  processes?: readonly number[]
}

/** A group `unit` with this process alone in it, as systemd delegates one. */
async function plant({ controllers = 'cpu memory pids', enabled = '', processes = [process.pid] }: Planted = {}) {
  const mount = await temporaryDirectory()
  const own = join(mount, 'unit')
  fs.mkdirSync(own)
  fs.writeFileSync(join(mount, 'cgroup.controllers'), `${controllers}\n`)
  fs.writeFileSync(join(own, 'cgroup.subtree_control'), `${enabled}\n`)
  fs.writeFileSync(join(own, 'cgroup.procs'), processes.map((pid) => `${pid}\n`).join(''))
  const place: ControlGroupPlace = { mount, membership: () => '1:name=x:/old\n0::/unit\n', pid: process.pid }
  const at = (...names: string[]) => join(own, ...names)
  const read = (...names: string[]) => fs.readFileSync(at(...names), 'utf8')
  return { mount, place, at, read }
}

const group = (name: string | number) => `polyfs-${process.pid}-${name}`

describe('control groups', () => {
  test('the server moves below its group, which then gives limits to each command', async () => {
    const { place, read } = await plant()
    const groups = openControlGroups(limits, place)
    if ('fault' in groups) throw new Error(groups.fault)
    expect(read(group('server'), 'cgroup.procs')).toBe(String(process.pid))
    expect(read('cgroup.subtree_control')).toBe('+memory +pids')
    groups.admit(4711)
    groups.admit(4712)
    const shown = (name: string) => ['pids.max', 'memory.max', 'cgroup.procs'].map((file) => read(name, file))
    expect(shown(group(2))).toEqual(['20', String(2 ** 30), '4711'])
    expect(shown(group(3))).toEqual(['20', String(2 ** 30), '4712'])
  })

  test('a server that has moved uses the same group again, and one that need not move stays', async () => {
    const { mount, place, at, read } = await plant({ enabled: 'memory pids' })
    const moved = { ...place, membership: () => `0::/unit/${group('server')}\n` }
    expect(openControlGroups(limits, moved)).not.toHaveProperty('fault')
    expect(fs.existsSync(at(group('server')))).toBe(false)
    expect(read(group(1), 'pids.max')).toBe('20')
    expect(fs.readdirSync(mount).sort()).toEqual(['cgroup.controllers', 'unit'])
  })

  test('empty groups are removed: those of ended commands, and of servers that have ended', async () => {
    const { place, at } = await plant()
    fs.mkdirSync(at('polyfs-1-server'))
    const groups = openControlGroups(limits, place)
    if ('fault' in groups) throw new Error(groups.fault)
    const leave = groups.admit(4711)
    // The kernel's files go with a group; these are ours.
    const empty = (name: string) => {
      for (const file of fs.readdirSync(at(name))) fs.rmSync(at(name, file))
    }
    empty(group(2))
    leave()
    groups.admit(4712)
    for (const name of [group(1), group(3)]) empty(name)
    groups.close()
    expect(fs.readdirSync(at()).sort()).toEqual(['cgroup.procs', 'cgroup.subtree_control', group('server')])
  })

  test('where nothing is delegated the reason is named, and nothing is changed', async () => {
    const faultOf = async (planted: Planted, change: (at: string) => void = () => {}) => {
      const { place, at } = await plant(planted)
      change(at())
      const before = fs.readdirSync(at())
      const found = openControlGroups(limits, place)
      expect(fs.readdirSync(at())).toEqual(before)
      return 'fault' in found ? found.fault : undefined
    }
    expect(await faultOf({ controllers: 'cpu memory' })).toBe('the control groups of this machine do not limit pids')
    expect(await faultOf({ processes: [process.pid, 1] })).toBe(
      'other processes are in the control group of this server',
    )
    const unwritable = (at: string) => {
      fs.rmSync(join(at, 'cgroup.subtree_control'))
      fs.mkdirSync(join(at, 'cgroup.subtree_control'))
    }
    expect(await faultOf({}, unwritable)).toBe('the control group of this server is not delegated to it (EISDIR)')
    const { place } = await plant()
    expect(openControlGroups(limits, { ...place, membership: () => '4:pids:/x\n' })).toEqual({
      fault: 'this process is in no control group that it can see',
    })
    expect(openControlGroups(limits, { ...place, mount: '/none' })).toEqual({
      fault: 'this machine has no control groups of version 2',
    })
  })

  test.skipIf(!sandboxWorks)(
    `a confined command begins in its group${sandboxWorks ? '' : ` (${sandboxLacks})`}`,
    async () => {
      const { place, read, at } = await plant()
      const { bash } = await sandboxed({ limits, controlGroups: place })
      expect((await bash('echo one')).stdout).toBe('one\n')
      const pid = Number(read(group(2), 'cgroup.procs'))
      expect(pid).toBeGreaterThan(1)
      expect(pid).not.toBe(process.pid)
      expect(read(group(2), 'pids.max')).toBe('20')
      expect((await bash('echo two')).stdout).toBe('two\n')
      expect(fs.readdirSync(at())).toContain(group(3))
    },
  )
})
