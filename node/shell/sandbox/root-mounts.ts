/**
 * What a sandbox shows of the disk, opened when the server starts. By the time a command runs, a path could lead elsewhere: commands rename
 * directories and leave links in their place.
 */
import fs from 'node:fs'
import path from 'node:path'
import { O_PATH } from '../../disk/open-flags.js'

export interface SandboxRoot {
  /** The real path on the host, and the path inside. */
  path: string
  access: 'read-write' | 'read-only'
  /** Of the directory, where it is open already; it is opened by its path otherwise. */
  descriptor?: number
}

export interface Mount {
  inside: string
  /** Of the directory that is shown there; absent for an empty one, which hides what would be there. */
  descriptor?: number
  access: SandboxRoot['access'] | 'hidden'
}

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants

/** The directory for temporary files, as commands see it. */
export const temporaryInside = '/tmp'

/**
 * In the order in which they are mounted, outer ones first. A root in another with the same access is a part of that. Of a root with other access,
 * and of what is hidden, every directory on the way is a mount too: the kernel lets nobody rename or remove one of those, so what
 * is protected can't be moved to where it is not.
 */
export function openMounts(roots: readonly SandboxRoot[], hidden: readonly string[]): Mount[] {
  const mounts: Mount[] = []
  const covered = hidden.filter((directory) => fs.existsSync(directory))
  const wanted: (Omit<SandboxRoot, 'access'> & Pick<Mount, 'access'>)[] = [
    ...roots,
    ...covered.map((directory) => ({ path: directory, access: 'hidden' as const })),
  ].sort((a, b) => a.path.length - b.path.length)
  const outerOf = (inside: string) =>
    mounts
      .filter((mount) => contains(mount.inside, inside))
      .sort((a, b) => a.inside.length - b.inside.length)
      .at(-1)
  try {
    for (const { path: inside, access, descriptor } of wanted) {
      const outer = outerOf(inside)
      if (outer === undefined ? access === 'hidden' : outer.access === access) continue
      if (outer && outer.access !== 'hidden') mounts.push(...openBetween(outer, inside))
      const from = descriptor === undefined ? inside : `${procPath(descriptor)}/.`
      mounts.push({ inside, access, ...(access !== 'hidden' && { descriptor: openDirectory(from) }) })
    }
    return mounts
  } catch (error) {
    closeMounts(mounts)
    throw error
  }
}

/** The directory for temporary files, and in it the directories that lead to roots below its path. */
export function openTemporary(host: string, mounts: readonly Mount[]): Mount[] {
  const temporary: Mount = { inside: temporaryInside, access: 'read-write', descriptor: openDirectory(host) }
  const opened = [temporary]
  for (const { inside } of mounts) {
    const isOutermost = !mounts.some((other) => other.inside !== inside && contains(other.inside, inside))
    if (!isOutermost || inside === temporaryInside || !contains(temporaryInside, inside)) continue
    fs.mkdirSync(path.join(host, path.relative(temporaryInside, inside)), { recursive: true })
    const known = new Set(opened.map((mount) => mount.inside))
    for (const between of openBetween(temporary, inside)) {
      if (known.has(between.inside)) closeMounts([between])
      else opened.push(between)
    }
  }
  return opened
}

export function closeMounts(mounts: readonly Mount[]): void {
  for (const { descriptor } of mounts) if (descriptor !== undefined) fs.closeSync(descriptor)
}

/** The paths of mounted directories that were removed since. */
export function removedOf(mounts: readonly Mount[]): string[] {
  const isRemoved = ({ descriptor }: Mount) => descriptor !== undefined && fs.fstatSync(descriptor).nlink === 0
  return mounts.filter(isRemoved).map(({ inside }) => inside)
}

/** The directories that lie on the way from a mount to something in it, each opened from the one before. */
function openBetween(outer: Mount, inside: string): Mount[] {
  const names = path.relative(outer.inside, inside).split('/').slice(0, -1)
  const opened: Mount[] = []
  let last = outer
  try {
    for (const name of names) {
      const from = `${procPath(last.descriptor ?? -1)}/${name}`
      last = { inside: path.join(last.inside, name), access: outer.access, descriptor: openDirectory(from) }
      opened.push(last)
    }
    return opened
  } catch (error) {
    closeMounts(opened)
    throw error
  }
}

function openDirectory(host: string): number {
  return fs.openSync(host, O_PATH | O_DIRECTORY | O_NOFOLLOW)
}

function procPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`
}

function contains(directory: string, other: string): boolean {
  return directory === '/' || other === directory || other.startsWith(`${directory}/`)
}
