/** Where the temporary files of a sandbox lie, and what becomes of the place when a server ends without having been able to remove it. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { identify, isRunning } from '../process-identity.js'

export interface SandboxPlace {
  /** To be removed whole. */
  directory: string
  /** What commands get of it. */
  temporary: string
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

const prefix = 'polyfs-sandbox-'

/** Commands can't reach it, so they can't say whose the place is. */
const ownerName = 'owner'

/** Also has places removed that servers left behind. */
export function openPlace(parent = os.tmpdir()): SandboxPlace {
  for (const place of abandonedPlaces(parent)) startRemoving(place)
  const directory = fs.mkdtempSync(path.join(parent, prefix))
  const temporary = path.join(directory, 'tmp')
  fs.writeFileSync(path.join(directory, ownerName), ownerRecord() ?? '', { mode: 0o600, flag: 'wx' })
  fs.mkdirSync(temporary, { mode: 0o700 })
  return { directory, temporary }
}

/**
 * Those of servers that are certain to have ended: of this user, since this machine was started, and among the processes that can be seen from
 * here. What lies in a container that shares the directory is left alone.
 */
export function abandonedPlaces(parent: string): string[] {
  const own = ownerRecord()?.split(' ').slice(2).join(' ')
  const found = fs.readdirSync(parent).filter((name) => name.startsWith(prefix))
  return found
    .map((name) => path.join(parent, name))
    .filter((directory) => {
      const stats = fs.lstatSync(directory, { throwIfNoEntry: false })
      if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) return false
      const [pid = '', startTime = '', ...machine] = readOwner(directory).split(' ')
      return own !== undefined && machine.join(' ') === own && !isRunning({ pid: Number(pid), startTime })
    })
}

/** Waits until it is gone. Whatever lies in it, no link is followed: `rm` opens each directory from the one that it lies in. */
export function removePlace(directory: string): void {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  spawnSync('/bin/sh', ['-c', `${removal}\nremove "$1"`, 'sh', directory], removing)
}

function startRemoving(directory: string): void {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const remover = spawn('/bin/sh', ['-c', `${removal}\nremove "$1"`, 'sh', directory], { ...removing, detached: true })
  remover.once('error', () => {})
  remover.unref()
}

const removing = { cwd: '/', env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' } as const

/** Commands may have closed directories to everyone, and may not have ended yet although they were killed. */
export const removal = `
remove() {
  removals=0
  while [ -d "$1" ] && [ ! -L "$1" ] && [ $removals -lt 50 ]; do
    rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwX -- "$1"; sleep 0.1; } 2>/dev/null
    removals=$((removals + 1))
  done
}
`

/** Process id, start, and which of the machine's process namespaces the id belongs to since when; absent where the system does not tell. */
function ownerRecord(): string | undefined {
  const own = identify(process.pid)
  if (own === undefined) return undefined
  const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return [own.pid, own.startTime, boot, fs.readlinkSync('/proc/self/ns/pid')].join(' ')
}

function readOwner(directory: string): string {
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync(path.join(directory, ownerName), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    return fs.fstatSync(descriptor).isFile() ? fs.readFileSync(descriptor, 'utf8') : ''
  } catch {
    // Being made or removed, or none of ours: it is nobody's.
    return ''
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}
