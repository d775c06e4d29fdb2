/**
 * The directories that a sandbox shows, opened when the server starts. When a command runs, a path could lead
 * elsewhere: commands rename directories and create links.
 */
import fs from 'node:fs'
import path from 'node:path'
import { O_PATH } from '../../disk/open-flags.js'

export interface SandboxRoot {
  /** The real path on the host, which is also the path inside. */
  path: string
  access: 'read-write' | 'read-only'
  /** A descriptor of the directory, if it is open already; otherwise it is opened by its path. */
  descriptor?: number
}

export interface Mount {
  inside: string
  /** A descriptor of the directory shown there; absent for an empty one, which hides the original. */
  descriptor?: number
  access: SandboxRoot['access'] | 'hidden'
}

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants

/** The directory for temporary files, as commands see it. */
export const temporaryInside = '/tmp'

/**
 * Returns the mounts in order, outer ones first. A root inside another with the same access needs no mount. For a root
 * with other access, and for a hidden directory, every directory on the way is a mount too: the kernel does not allow
 * renaming or removing mount points, so a protected directory can't be moved out of protection.
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

/** The directory for temporary files, and in it the directories that lead to roots below it. */
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

/** The paths of mounted directories that have been removed since. */
export function removedOf(mounts: readonly Mount[]): string[] {
  const isRemoved = ({ descriptor }: Mount) => descriptor !== undefined && fs.fstatSync(descriptor).nlink === 0
  return mounts.filter(isRemoved).map(({ inside }) => inside)
}

/** Opens the directories between a mount and a path inside it, each relative to the previous one. */
export function openBetween(outer: Mount, inside: string): Mount[] {
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

export function procPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`
}

export function contains(directory: string, other: string): boolean {
  return directory === '/' || other === directory || other.startsWith(`${directory}/`)
}
