/** The directory for a sandbox's temporary files, and the removal of directories that dead servers left behind. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { identify, isRunning } from '../process-identity.js'

export interface SandboxPlace {
  /** Removed as a whole. */
  directory: string
  /** The part that commands see. */
  temporary: string
  /** An empty file that nobody may read, to cover others with. */
  empty: string
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

const prefix = 'polyfs-sandbox-'

/** Outside the part that commands see, so they can't fake the owner. */
const ownerName = 'owner'

/** Also removes directories that dead servers left behind. */
export function openPlace(parent = os.tmpdir()): SandboxPlace {
  for (const place of abandonedPlaces(parent)) startRemoving(place)
  const directory = fs.mkdtempSync(path.join(parent, prefix))
  const temporary = path.join(directory, 'tmp')
  fs.writeFileSync(path.join(directory, ownerName), ownerRecord() ?? '', { mode: 0o600, flag: 'wx' })
  fs.mkdirSync(temporary, { mode: 0o700 })
  const empty = path.join(directory, 'empty')
  fs.writeFileSync(empty, '', { mode: 0o000, flag: 'wx' })
  return { directory, temporary, empty }
}

/**
 * Directories whose servers have certainly ended: of this user, since the last boot, in this process namespace.
 * Directories of a container that shares the parent are left alone.
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

/** Waits until the directory is removed. No link is followed: `rm` opens each directory relative to its parent. */
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

/** Commands may have removed permissions on directories, and killed commands may not have ended yet. */
export const removal = `
remove() {
  removals=0
  while [ -d "$1" ] && [ ! -L "$1" ] && [ $removals -lt 50 ]; do
    rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwX -- "$1"; sleep 0.1; } 2>/dev/null
    removals=$((removals + 1))
  done
}
`

/** Process id, start time, boot id and process namespace; undefined where the system does not report them. */
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
    // Being created or removed, or not one of ours: it has no owner.
    return ''
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}
