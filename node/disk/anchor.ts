/**
 * How the Node adapter resolves a virtual path to a host path without following a link.
 *
 * `descriptor` (Linux): the parent directory is opened, the kernel is asked through `/proc/self/fd` where that directory
 * really is, and everything after happens relative to the descriptor. A link swapped in at any moment is either seen or not
 * reached: there is no window.
 *
 * `walk` (elsewhere): every component is checked with `lstat` before acting. Between check and act another process can still
 * swap a directory for a link; that window is small and can't be closed without descriptors.
 */
import fs from 'node:fs'
import path from 'node:path'
import { FsError } from '../../src/errors.js'
import { basename, dirname, join, split } from '../../src/fs/path.js'
import { checkPath, checkWindowsPath } from '../../src/fs/path-rules.js'
import { directoryDescent } from './directory-descent.js'
import { type CachedDirectory, directoryHandleCache } from './directory-handle-cache.js'
import { O_PATH } from './open-flags.js'

export interface Anchor {
  readonly kind: 'descriptor' | 'walk'
  /** The real directory that is `/`. */
  readonly root: string
  /**
   * Runs `act` with a host path for `virtual` whose parent is certain. The final component may still be anything; `act` must not
   * follow it.
   */
  at<Result>(virtual: string, act: (place: Place) => Result | Promise<Result>): Promise<Result>
  /**
   * The directory at `virtual`, if no link leads there. `host` stays that directory, even if it is moved. Has to be closed.
   */
  directory(virtual: string): { readonly host: string; close(): void }
  /** The same for many directories, one after the other. */
  directories(): Directories
  /** Returns host paths of directories below one, by the names that lead there; absent if each would have to be checked anyway. */
  below?(virtual: string): (names: readonly string[]) => string
  share(): SharedAnchor
  /** To be called after a directory was renamed synchronously. */
  moved(): void
  /** As `at`, synchronously. */
  atSync<Result>(virtual: string, act: (place: Place) => Result): Result
  close(): void
}

/** Opens each directory from its parent and holds it for a while, so that its entries and siblings take one step. */
export interface Directories {
  /** Valid until the next call. */
  host(virtual: string): string
  close(): void
}

export interface Place {
  /** Host path of the entry. */
  entry: string
  /** Host path of the directory it is in. */
  parent: string
  /** A host path that names the entry only if it is not a link; fails with ELOOP or ENOTDIR otherwise. Closed with the place. */
  pinned(): string
}

/** A place with the descriptors to close after. */
interface OpenPlace extends Place {
  /** Absent for an entry of the root itself. */
  readonly held: CachedDirectory | undefined
  pins: number[] | undefined
}

const { O_DIRECTORY, O_NOFOLLOW } = fs.constants

/** The longest path that Linux accepts. */
const maxPathBytes = 4096
/** Stands for the place of a deeper directory. The kernel never reports this text, so such a handle is always reopened. */
const tooDeep = 'too deep'

/** Directories held open together. */
const maxHeld = 48

/** True where `/proc/self/fd` answers for directory descriptors. */
export function canAnchorByDescriptor(): boolean {
  if (process.platform !== 'linux') return false
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync('/', O_PATH | O_DIRECTORY)
    return whereIs(descriptor) === '/'
  } catch {
    return false
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

/** An anchor as plain data, from which another thread of this process opens one of its own at the same directory. */
export interface SharedAnchor {
  kind: Anchor['kind']
  root: string
  /** The root's descriptor, open until the anchor is closed. */
  descriptor: number
}

/** Fails when another directory has taken the root's path. */
export function openShared({ kind, root, descriptor }: SharedAnchor): Anchor {
  if (kind === 'descriptor') return anchorByDescriptor(root, `${procPath(descriptor)}/.`)
  const anchor = anchorByWalk(root)
  const { dev, ino } = fs.fstatSync(descriptor)
  const own = fs.fstatSync(anchor.share().descriptor)
  if (own.dev === dev && own.ino === ino) return anchor
  anchor.close()
  throw notFound('/')
}

/** `root` must be a real path: absolute and free of links. */
export function anchorByDescriptor(root: string, from = root): Anchor {
  const rootDescriptor = fs.openSync(from, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  /** Calls that use the root's descriptor. It stays open until the last has ended: its number could be another file's by then. */
  let users = 0
  let closed = false

  /** The path that the kernel has to report for a directory below the root, even if the root was moved. */
  function expectedPlace(directory: string): string {
    const base = whereIs(rootDescriptor)
    return base === '/' ? directory : base + directory
  }

  function openDirectory(virtual: string, directory: string): number {
    try {
      return fs.openSync(procPath(rootDescriptor) + directory, O_PATH | O_DIRECTORY | O_NOFOLLOW)
    } catch (error) {
      // The entry may be missing behind a link that leads out of the root: nothing about that place may be revealed.
      if (leadsThroughLink(directory)) throw new FsError('IS_LINK', { path: virtual })
      throw error
    }
  }

  /** Opens one name after another, none of which can be a link. For directories deeper than the longest path. */
  function openStepwise(virtual: string, directory: string): number {
    let above = rootDescriptor
    for (const name of split(directory)) {
      const host = `${procPath(above)}/${name}`
      try {
        const next = fs.openSync(host, O_PATH | O_DIRECTORY | O_NOFOLLOW)
        if (above !== rootDescriptor) fs.closeSync(above)
        above = next
      } catch (error) {
        const isThroughLink = isLink(host)
        if (above !== rootDescriptor) fs.closeSync(above)
        throw isThroughLink ? new FsError('IS_LINK', { path: virtual }) : error
      }
    }
    return above
  }

  /** True for a path that the kernel neither opens nor reports. */
  function isTooDeep(directory: string): boolean {
    if ((root.length + directory.length) * 3 < maxPathBytes) return false
    return Buffer.byteLength(expectedPlace(directory)) + procPath(rootDescriptor).length >= maxPathBytes
  }

  function leadsThroughLink(directory: string): boolean {
    let host = procPath(rootDescriptor)
    for (const name of split(directory)) {
      host = `${host}/${name}`
      const stats = fs.lstatSync(host, { throwIfNoEntry: false })
      if (!stats?.isDirectory()) return stats?.isSymbolicLink() ?? false
    }
    return false
  }

  /** The descriptor of a directory to which no link leads, to be released. That of the root is shared. */
  function openCertain(virtual: string, directory: string): { descriptor: number; place: string } {
    // A removed root holds no entries and accepts none, so its entries need no check.
    if (closed || ((directory !== '/' || virtual === '/') && gone(rootDescriptor))) throw notFound(virtual)
    if (directory === '/') {
      users += 1
      return { descriptor: rootDescriptor, place: root }
    }
    if (isTooDeep(directory)) return { descriptor: openStepwise(virtual, directory), place: tooDeep }
    const descriptor = openDirectory(virtual, directory)
    try {
      const place = whereIs(descriptor)
      if (place === expectedPlace(directory)) return { descriptor, place }
      throw gone(descriptor) ? notFound(virtual) : new FsError('IS_LINK', { path: virtual })
    } catch (error) {
      fs.closeSync(descriptor)
      throw error
    }
  }

  function release(descriptor: number): void {
    if (descriptor === rootDescriptor) users -= 1
    if (descriptor !== rootDescriptor || (closed && users === 0)) fs.closeSync(descriptor)
  }

  /** Opens by steps of one name, none of which can be a link, so the path needs no check. */
  function directories(): Directories {
    const held = new Map<string, number>()

    function descriptorOf(virtual: string): number {
      const known = held.get(virtual)
      if (known !== undefined) held.delete(virtual)
      const descriptor = known ?? openNext(virtual)
      held.set(virtual, descriptor)
      return descriptor
    }

    function openNext(virtual: string): number {
      if (virtual === '/') return openCertain(virtual, virtual).descriptor
      const above = procPath(descriptorOf(dirname(virtual)))
      try {
        return fs.openSync(`${above}/${basename(virtual)}`, O_PATH | O_DIRECTORY | O_NOFOLLOW)
      } catch (error) {
        if (isLink(`${above}/${basename(virtual)}`)) throw new FsError('IS_LINK', { path: virtual })
        throw error
      }
    }

    return {
      host(virtual) {
        const descriptor = descriptorOf(virtual)
        for (const [oldest, old] of held) {
          if (held.size <= maxHeld || old === descriptor) break
          release(old)
          held.delete(oldest)
        }
        return procPath(descriptor)
      },
      close() {
        for (const descriptor of held.values()) release(descriptor)
        held.clear()
      },
    }
  }

  const handles = directoryHandleCache({ open: openCertain, whereIs: whereIsIfKnown })

  function below(virtual: string): (names: readonly string[]) => string {
    const descent = directoryDescent({
      openStart: () => openCertain(virtual, virtual).descriptor,
      openIn: (above, name) => fs.openSync(`${procPath(above)}/${name}`, O_PATH | O_DIRECTORY | O_NOFOLLOW),
      close: release,
    })
    return (names) => procPath(descent.to(names))
  }

  function open(virtual: string): OpenPlace {
    const directory = dirname(virtual)
    const held = directory === '/' ? undefined : handles.use(virtual, directory)
    const parent = procPath(held === undefined ? openCertain(virtual, directory).descriptor : held.descriptor)
    const place: OpenPlace = {
      entry: virtual === '/' ? `${parent}/.` : `${parent}/${basename(virtual)}`,
      parent,
      held,
      pins: undefined,
      pinned() {
        const descriptor = fs.openSync(place.entry, O_PATH | O_NOFOLLOW)
        place.pins = [...(place.pins ?? []), descriptor]
        if (fs.fstatSync(descriptor).isSymbolicLink()) throw new FsError('IS_LINK', { path: virtual })
        return procPath(descriptor)
      },
    }
    return place
  }

  function close({ held, pins = [] }: OpenPlace): void {
    if (held === undefined) release(rootDescriptor)
    else handles.release(held)
    for (const descriptor of pins) fs.closeSync(descriptor)
  }

  return {
    kind: 'descriptor',
    root,
    async at(virtual, act) {
      const place = open(virtual)
      try {
        return await act(place)
      } finally {
        close(place)
      }
    },
    atSync(virtual, act) {
      const place = open(virtual)
      try {
        return act(place)
      } finally {
        close(place)
      }
    },
    directory(virtual) {
      const { descriptor } = openCertain(virtual, virtual)
      return { host: procPath(descriptor), close: () => release(descriptor) }
    },
    directories,
    below,
    share: () => ({ kind: 'descriptor', root, descriptor: rootDescriptor }),
    moved: handles.doubt,
    close() {
      if (closed) return
      closed = true
      handles.forget()
      if (users === 0) fs.closeSync(rootDescriptor)
    },
  }
}

/** `root` must be a real path: absolute and free of links. */
export function anchorByWalk(root: string): Anchor {
  // Held open, so that a directory made in place of a deleted root can't get its inode number.
  const rootDescriptor = fs.openSync(root, fs.constants.O_RDONLY)
  const identity = fs.fstatSync(rootDescriptor)

  function check(virtual: string, lastDirectory = dirname(virtual)): void {
    const now = fs.statSync(root)
    if (now.ino !== identity.ino || now.dev !== identity.dev) throw notFound(virtual)
    let directory = '/'
    for (const name of split(lastDirectory)) {
      directory = join(directory, name)
      const stats = fs.lstatSync(hostPath(directory))
      if (stats.isSymbolicLink()) throw new FsError('IS_LINK', { path: virtual })
      if (!stats.isDirectory()) throw new FsError('NOT_A_DIRECTORY', { path: virtual })
    }
  }

  let closed = false

  function hostPath(virtual: string): string {
    return path.join(root, ...split(virtual))
  }

  function open(virtual: string): Place {
    check(virtual)
    const entry = hostPath(virtual)
    return {
      entry,
      parent: hostPath(dirname(virtual)),
      pinned() {
        if (fs.lstatSync(entry).isSymbolicLink()) throw new FsError('IS_LINK', { path: virtual })
        return entry
      },
    }
  }

  return {
    kind: 'walk',
    root,
    at: async (virtual, act) => act(open(virtual)),
    atSync: (virtual, act) => act(open(virtual)),
    directory(virtual) {
      check(virtual, virtual)
      return { host: hostPath(virtual), close() {} }
    },
    directories: () => ({
      host(virtual) {
        check(virtual, virtual)
        return hostPath(virtual)
      },
      close() {},
    }),
    share: () => ({ kind: 'walk', root, descriptor: rootDescriptor }),
    moved() {},
    close() {
      if (closed) return
      closed = true
      fs.closeSync(rootDescriptor)
    },
  }
}

/** Refuses a path that is not normalised; the last check before the disk. */
export function checkVirtual(virtual: string, platform: NodeJS.Platform = process.platform): void {
  checkPath(virtual)
  if (virtual.includes('..') && split(virtual).includes('..')) throw new FsError('OUTSIDE', { path: virtual })
  if (platform === 'win32') checkWindowsPath(virtual)
}

function isLink(host: string): boolean {
  return fs.lstatSync(host, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** Uses the target of `/proc/self`, which never changes: resolving the link would take time for every file. */
function procPath(descriptor: number): string {
  ownDescriptors ??= `/proc/${fs.readlinkSync('/proc/self')}/fd`
  return `${ownDescriptors}/${descriptor}`
}

let ownDescriptors: string | undefined

function whereIs(descriptor: number): string {
  return fs.readlinkSync(procPath(descriptor))
}

/** Empty for a directory that is too deep for the kernel to report. */
function whereIsIfKnown(descriptor: number): string {
  try {
    return whereIs(descriptor)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error
    return ''
  }
}

/** A directory that was removed while it was held open has no links left. */
function gone(descriptor: number): boolean {
  return fs.fstatSync(descriptor).nlink === 0
}

function notFound(path: string): FsError {
  return new FsError('NOT_FOUND', { path })
}
