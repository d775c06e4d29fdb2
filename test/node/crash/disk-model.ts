/**
 * A disk that forgets. What is written is seen at once, and is durable only once it is flushed: the data and mode of a file with the
 * file, names with their directory. Of the rest a power cut keeps any part: a file's data whole, cut off or not at all, and of
 * the names any of the operations, whatever came before. A rename alone is one operation, even between directories.
 */
import fs from 'node:fs'
import path from 'node:path'

interface Inode {
  id: number
  kind: 'file' | 'directory' | 'symlink'
  mode: number
  data: Uint8Array
  target: string
  names: Map<string, Inode>
  modifiedMs: number
  /** What the disk holds; names apart. */
  durable: { mode: number; data: Uint8Array; names: Map<string, Inode> }
}

/** Names that change together, and have not been flushed. */
interface NameChange {
  set: Array<{ directory: Inode; name: string; inode: Inode }>
  unset: Array<{ directory: Inode; name: string }>
}

/** A whole disk, by path. */
export type DiskImage = Record<string, { kind: Inode['kind']; mode: number; data: string; target: string }>

export interface DiskModel {
  /** Called before every operation that changes or flushes something. */
  watch(onOperation: (() => void) | undefined): void
  /** Disks that a power cut may leave behind right now: the extremes, and some in between. */
  survivors(random: () => number, count: number): DiskImage[]
  /** Starts anew with what is on a disk. */
  load(image: DiskImage): void
  image(): DiskImage
  uninstall(): void
}

/** Puts a disk at `mountPoint` of `node:fs`. Must be called before the adapter is imported: it keeps some functions. */
export function installDisk(mountPoint: string): DiskModel {
  let lastInode = 0
  let clockMs = 1_000
  let root = makeInode('directory')
  let unflushed: NameChange[] = []
  let onOperation: (() => void) | undefined
  const open = new Map<number, Inode>()
  let lastDescriptor = 1_000_000

  function makeInode(kind: Inode['kind'], mode = kind === 'directory' ? 0o755 : 0o644): Inode {
    lastInode += 1
    const empty = new Uint8Array()
    const names = new Map<string, Inode>()
    const durable = { mode, data: empty, names: new Map<string, Inode>() }
    return { id: lastInode, kind, mode, data: empty, target: '', names, modifiedMs: clockMs++, durable }
  }

  function find(host: string): Inode | undefined {
    let at: Inode | undefined = root
    for (const name of componentsOf(host)) {
      if (at?.kind !== 'directory') return undefined
      at = at.names.get(name)
    }
    return at
  }

  function existing(host: string): Inode {
    const inode = find(host)
    if (inode === undefined) throw errno('ENOENT', host)
    return inode
  }

  function place(host: string): { directory: Inode; name: string } {
    const components = componentsOf(host)
    const directory = existing(path.join(mountPoint, ...components.slice(0, -1)))
    if (directory.kind !== 'directory') throw errno('ENOTDIR', host)
    return { directory, name: components.at(-1) as string }
  }

  const components = new Map<string, string[]>()

  function componentsOf(host: string): string[] {
    const known = components.get(host)
    if (known !== undefined) return known
    const found = path.relative(mountPoint, path.normalize(host)).split('/').filter(Boolean)
    components.set(host, found)
    return found
  }

  function changeNames(change: NameChange): void {
    applyNames(change, ({ names }) => names)
    unflushed.push(change)
  }

  function touch(): void {
    onOperation?.()
  }

  function make(host: string, inode: Inode): void {
    const { directory, name } = place(host)
    if (directory.names.has(name)) throw errno('EEXIST', host)
    changeNames({ set: [{ directory, name, inode }], unset: [] })
  }

  function remove(host: string, kinds: readonly Inode['kind'][]): void {
    const inode = existing(host)
    if (!kinds.includes(inode.kind)) throw errno(inode.kind === 'directory' ? 'EISDIR' : 'ENOTDIR', host)
    if (inode.names.size > 0) throw errno('ENOTEMPTY', host)
    changeNames({ set: [], unset: [place(host)] })
  }

  function flush(inode: Inode): void {
    inode.durable.mode = inode.mode
    inode.durable.data = inode.data
    const concerns = ({ set, unset }: NameChange) => [...set, ...unset].some(({ directory }) => directory === inode)
    for (const change of unflushed.filter(concerns)) applyNames(change, ({ durable }) => durable.names)
    unflushed = unflushed.filter((change) => !concerns(change))
  }

  const model = {
    lstatSync(host: string, options?: { throwIfNoEntry?: boolean }) {
      const inode = find(host)
      if (inode === undefined && options?.throwIfNoEntry !== false) throw errno('ENOENT', host)
      return inode && new Stats(inode)
    },
    statSync: (host: string) => new Stats(existing(host)),
    realpathSync: (host: string) => host,
    readdirSync(host: string) {
      const directory = existing(host)
      return [...directory.names].map(([name, inode]) => entryOf(name, inode))
    },
    readlinkSync: (host: string) => Buffer.from(existing(host).target),
    openSync(host: string, flags: number | string, mode = 0o666) {
      const creates = typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0
      if (creates) {
        touch()
        make(host, makeInode('file', mode & ~0o022))
      }
      lastDescriptor += 1
      open.set(lastDescriptor, existing(host))
      return lastDescriptor
    },
    mkdirSync(host: string, { mode = 0o777 }: { mode?: number } = {}) {
      touch()
      make(host, makeInode('directory', mode & ~0o022))
    },
    symlinkSync(target: string, host: string) {
      touch()
      make(host, { ...makeInode('symlink', 0o777), target })
    },
    chmodSync(host: string, mode: number) {
      touch()
      existing(host).mode = mode
    },
    unlinkSync(host: string) {
      touch()
      remove(host, ['file', 'symlink'])
    },
    rmdirSync(host: string) {
      touch()
      remove(host, ['directory'])
    },
    rmSync(host: string) {
      touch()
      if (find(host) !== undefined) remove(host, ['file', 'symlink'])
    },
    renameSync(from: string, to: string) {
      touch()
      const inode = existing(from)
      if (find(to)?.names.size) throw errno('ENOTEMPTY', to)
      changeNames({ set: [{ ...place(to), inode }], unset: [place(from)] })
    },
  }

  const byDescriptor = {
    fstatSync: (inode: Inode) => new Stats(inode),
    readSync(inode: Inode, into: Uint8Array, offset: number, length: number, position: number) {
      const part = inode.data.subarray(position, position + length)
      into.set(part, offset)
      return part.length
    },
    writeSync(inode: Inode, data: Uint8Array, offset: number, length: number, position = inode.data.length) {
      touch()
      const whole = new Uint8Array(Math.max(inode.data.length, position + length))
      whole.set(inode.data)
      whole.set(data.subarray(offset, offset + length), position)
      inode.data = whole
      inode.modifiedMs = clockMs++
      return length
    },
    fchmodSync(inode: Inode, mode: number) {
      touch()
      inode.mode = mode
    },
    fsyncSync(inode: Inode) {
      touch()
      flush(inode)
    },
    fsync(inode: Inode, done: (error: null) => void) {
      touch()
      flush(inode)
      setImmediate(done, null)
    },
  }

  const uninstall = install(mountPoint, model, byDescriptor, open)

  function survivors(random: () => number, count: number): DiskImage[] {
    const extremes = [() => false, () => true]
    const all = [...extremes, ...Array.from({ length: count }, () => () => random() < 0.5)]
    return all.flatMap((keepsName) =>
      [0, 1, random()].map((share) => {
        const names = new Map<Inode, Map<string, Inode>>()
        const namesOf = (directory: Inode) => {
          const known = names.get(directory) ?? new Map(directory.durable.names)
          names.set(directory, known)
          return known
        }
        for (const change of unflushed) if (keepsName()) applyNames(change, namesOf)
        const keepsModes = keepsName()
        return imageOf(root, namesOf, (inode) => {
          const { durable } = inode
          // Files only grow: what is flushed is the beginning of what is not.
          const kept = durable.data.length + Math.floor((inode.data.length - durable.data.length) * share)
          return { mode: keepsModes ? inode.mode : durable.mode, data: inode.data.subarray(0, kept) }
        })
      }),
    )
  }

  return {
    watch(listener) {
      onOperation = listener
    },
    survivors,
    load(image) {
      root = makeInode('directory')
      unflushed = []
      open.clear()
      // Names of staged files are never the same again.
      components.clear()
      for (const [at, { kind, mode, data, target }] of Object.entries(image)) {
        const inode: Inode = { ...makeInode(kind, mode), data: Buffer.from(data, 'latin1'), target }
        make(path.join(mountPoint, at), inode)
        flush(inode)
        flush(place(path.join(mountPoint, at)).directory)
      }
    },
    image: () =>
      imageOf(
        root,
        ({ names }) => names,
        ({ mode, data }) => ({ mode, data }),
      ),
    uninstall,
  }
}

function applyNames({ set, unset }: NameChange, namesOf: (directory: Inode) => Map<string, Inode>): void {
  for (const { directory, name } of unset) namesOf(directory).delete(name)
  for (const { directory, name, inode } of set) namesOf(directory).set(name, inode)
}

function imageOf(
  root: Inode,
  namesOf: (directory: Inode) => Map<string, Inode>,
  contentOf: (inode: Inode) => { mode: number; data: Uint8Array },
): DiskImage {
  const image: DiskImage = {}
  const visit = (directory: Inode, at: string) => {
    for (const [name, inode] of [...namesOf(directory)].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { mode, data } = contentOf(inode)
      const { kind, target } = inode
      image[`${at}/${name}`] = { kind, mode, data: Buffer.from(data).toString('latin1'), target }
      if (kind === 'directory') visit(inode, `${at}/${name}`)
    }
  }
  visit(root, '')
  return image
}

/** Calls about the mount point go to the model, all others where they always went. */
function install(
  mountPoint: string,
  byPath: Record<string, (...args: never[]) => unknown>,
  byDescriptor: Record<string, (inode: Inode, ...args: never[]) => unknown>,
  open: Map<number, Inode>,
): () => void {
  const originals = new Map<string, unknown>()
  const functions = fs as unknown as Record<string, ((...args: unknown[]) => unknown) & { native?: unknown }>
  const replace = (name: string, wrapper: (...args: unknown[]) => unknown) => {
    const original = functions[name] as (typeof functions)[string]
    originals.set(name, original)
    Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original))
    functions[name] = wrapper as (typeof functions)[string]
    return original
  }
  for (const [name, modelled] of Object.entries(byPath)) {
    const isOurs = (args: unknown[]) => args.slice(0, 2).some((arg) => String(arg).startsWith(mountPoint))
    const original = replace(name, (...args) =>
      isOurs(args) ? modelled(...(args as never[])) : (original as (...all: unknown[]) => unknown)(...args),
    )
    if (name === 'realpathSync')
      functions[name] = Object.assign(functions[name] as object, { native: functions[name] }) as never
  }
  for (const [name, modelled] of Object.entries(byDescriptor)) {
    const original = replace(name, (descriptor, ...args) => {
      const inode = open.get(Number(descriptor))
      return inode ? modelled(inode, ...(args as never[])) : original?.(descriptor, ...args)
    })
  }
  const closeSync = replace('closeSync', (descriptor) => {
    if (!open.delete(Number(descriptor))) closeSync?.(descriptor)
  })
  const close = replace('close', (descriptor, done) => {
    if (open.delete(Number(descriptor))) setImmediate(done as () => void)
    else close?.(descriptor, done)
  })
  return () => void Object.assign(fs, Object.fromEntries(originals))
}

/** What is known of an entry. A class, because it is asked for most of all. */
class Stats {
  readonly #kind: Inode['kind']
  readonly ino: number
  readonly mode: number
  readonly size: number
  readonly mtimeMs: number
  readonly dev = 1
  readonly nlink = 1
  readonly uid = 0
  readonly gid = 0
  readonly birthtimeMs = 1

  constructor(inode: Inode) {
    this.#kind = inode.kind
    this.ino = inode.id
    this.mode = inode.mode
    this.size = inode.data.length
    this.mtimeMs = inode.modifiedMs
  }

  isFile(): boolean {
    return this.#kind === 'file'
  }

  isDirectory(): boolean {
    return this.#kind === 'directory'
  }

  isSymbolicLink(): boolean {
    return this.#kind === 'symlink'
  }
}

function entryOf(name: string, { kind }: Inode) {
  return {
    name,
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'directory',
    isSymbolicLink: () => kind === 'symlink',
    isSocket: () => false,
  }
}

function errno(code: string, host: string): Error {
  return Object.assign(new Error(`${code}: ${host}`), { code })
}
