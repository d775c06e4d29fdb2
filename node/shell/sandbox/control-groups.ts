/**
 * Limits of a command as a whole, by control groups of the kernel (version 2), where one was delegated to this server: its processes, root's
 * too, and the memory of all together. Elsewhere only the limits of each process apply.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { SandboxLimits } from './limits.js'

export interface ControlGroups {
  /** Puts the first process of a command into a group of its own. Call the result when all of its processes have ended. */
  admit(pid: number): () => void
  close(): void
}

/** Where the kernel shows control groups, and which one this process is in. */
export interface ControlGroupPlace {
  mount: string
  /** The content of `/proc/self/cgroup`. */
  membership(): string
  pid: number
}

const here: ControlGroupPlace = {
  mount: '/sys/fs/cgroup',
  membership: () => fs.readFileSync('/proc/self/cgroup', 'utf8'),
  pid: process.pid,
}

const controllers = ['memory', 'pids']

/** The groups, or why there are none. */
export function openControlGroups(
  { maxProcesses, maxMemoryBytes }: Pick<SandboxLimits, 'maxProcesses' | 'maxMemoryBytes'>,
  place: ControlGroupPlace = here,
): ControlGroups | { fault: string } {
  const found = findOwn(place)
  if (typeof found !== 'string') return found
  const fault = delegate(found, place.pid)
  if (fault !== undefined) return { fault }
  let count = 0

  function make(): string {
    count += 1
    const group = path.join(found as string, `polyfs-${place.pid}-${count}`)
    fs.mkdirSync(group)
    fs.writeFileSync(path.join(group, 'pids.max'), String(maxProcesses))
    fs.writeFileSync(path.join(group, 'memory.max'), String(maxMemoryBytes))
    return group
  }

  try {
    remove(make())
  } catch (error) {
    return { fault: `a control group can't be limited (${codeOf(error)})` }
  }
  return {
    admit(pid) {
      try {
        const group = make()
        fs.writeFileSync(path.join(group, 'cgroup.procs'), String(pid))
        return () => remove(group)
      } catch {
        // The process has ended, or someone changed the groups. The limits of each process apply in any case.
        return () => {}
      }
    },
    close() {
      // The group of the server itself stays as long as it runs.
      for (const name of readNames(found)) {
        if (name.startsWith(`polyfs-${place.pid}-`) && !name.endsWith(serverSuffix)) remove(path.join(found, name))
      }
    },
  }
}

const serverSuffix = '-server'

/** The directory of the group that this process is in. */
function findOwn({ mount, membership, pid }: ControlGroupPlace): string | { fault: string } {
  try {
    const available = fs.readFileSync(path.join(mount, 'cgroup.controllers'), 'utf8').trim().split(/\s+/)
    const missing = controllers.filter((name) => !available.includes(name))
    if (missing.length > 0) return { fault: `the control groups of this machine do not limit ${missing.join(' and ')}` }
    const at = /^0::(\/.*)$/m.exec(membership())?.[1]
    if (at === undefined || at.split('/').includes('..'))
      return { fault: 'this process is in no control group that it can see' }
    const own = path.join(mount, at)
    // This process has moved already.
    return path.basename(own) === `polyfs-${pid}${serverSuffix}` ? path.dirname(own) : own
  } catch {
    return { fault: 'this machine has no control groups of version 2' }
  }
}

/**
 * Lets groups below ours have limits. The kernel allows that only while no process is in ours itself, so that the server moves into a group
 * below it first. Other processes are not moved: whoever put them there has not delegated the group to us.
 */
function delegate(own: string, pid: number): string | undefined {
  const control = path.join(own, 'cgroup.subtree_control')
  const server = path.join(own, `polyfs-${pid}${serverSuffix}`)
  let hasMoved = false
  try {
    const enabled = fs.readFileSync(control, 'utf8').trim().split(/\s+/)
    if (controllers.every((name) => enabled.includes(name))) return undefined
    const inside = fs.readFileSync(path.join(own, 'cgroup.procs'), 'utf8').trim().split('\n').filter(Boolean)
    if (inside.some((each) => each !== String(pid))) return 'other processes are in the control group of this server'
    // Those of servers that have ended are empty, and only empty ones can be removed.
    for (const name of readNames(own)) if (name.endsWith(serverSuffix)) remove(path.join(own, name))
    fs.mkdirSync(server)
    fs.writeFileSync(path.join(server, 'cgroup.procs'), String(pid))
    hasMoved = true
    fs.writeFileSync(control, controllers.map((name) => `+${name}`).join(' '))
    return undefined
  } catch (error) {
    if (hasMoved) moveBack(own, pid)
    remove(server)
    return `the control group of this server is not delegated to it (${codeOf(error)})`
  }
}

function moveBack(own: string, pid: number): void {
  try {
    fs.writeFileSync(path.join(own, 'cgroup.procs'), String(pid))
  } catch {
    // It stays where it is, with the limits it had.
  }
}

/** A group goes when it is empty. Its files are the kernel's, and go with it. */
function remove(group: string): void {
  try {
    fs.rmdirSync(group)
  } catch {
    // A process has not ended yet; `close` tries again.
  }
}

function readNames(directory: string): string[] {
  try {
    return fs.readdirSync(directory)
  } catch {
    return []
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
