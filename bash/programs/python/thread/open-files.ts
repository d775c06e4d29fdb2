/**
 * Open files. The content of a file is held here while it is open, and saved before anything else could look: before a call with a path,
 * before a child runs, when it is closed, and now and then while it is written, so that a killed program leaves what it wrote.
 */
import type { Bytes } from '../../../../src/fs/types.js'
import type { FileFacts, Opened } from '../wire.js'
import { type Asking, ask } from './ask.js'
import { SystemFailure } from './errno.js'

export interface OpenFile {
  readonly kind: 'file'
  readonly content: Content
  at: number
  flags: number
}

export interface OpenStream {
  readonly kind: 'stream'
  readonly stream: number
  flags: number
}

export interface OpenDirectory {
  readonly kind: 'directory'
  readonly path: string
  readonly facts: FileFacts
  entries?: Array<[name: string, type: number]>
  at: number
  flags: number
}

/** Something of this process: a device, or the standard library. */
export interface OpenDevice {
  readonly kind: 'device'
  readonly name: string
  read(count: number): Bytes
  write(bytes: Bytes): Asking<void> | void
  readonly facts: FileFacts
  at: number
  /** What can be read at any place. */
  readonly bytes?: Bytes
  flags: number
}

export type Open = OpenFile | OpenStream | OpenDirectory | OpenDevice

export interface Content {
  /** Undefined after it was removed. */
  path: string | undefined
  facts: FileFacts
  size(): Asking<number>
  read(at: number, count: number): Asking<Bytes>
  write(at: number, bytes: Bytes): Asking<void>
  resize(size: number): Asking<void>
  save(): Asking<void>
  opened: number
  /** Something else ran since. */
  stale: boolean
}

export interface OpenFiles {
  add(open: Open, least?: number): number
  /** Fails with EBADF. */
  get(descriptor: number): Open
  has(descriptor: number): boolean
  put(descriptor: number, open: Open): void
  close(descriptor: number): Asking<void>
  /** What is already open, or else what was read. */
  contentOf(opened: Opened, bytes: Bytes): Content
  saveAll(): Asking<void>
  /** Others may change files from now on. */
  othersRan(): void
  renamed(from: string, to: string): void
  removed(path: string): void
  closesOnExec(descriptor: number): boolean
  setCloseOnExec(descriptor: number, value: boolean): void
}

const maxDescriptors = 1024
const savedAfterBytes = 64 * 1024
const savedAfterWrites = 256
const smallestRoom = 256

export function openFiles(): OpenFiles {
  const table = new Map<number, Open>()
  const uses = new Map<Open, number>()
  const closedByExec = new Set<number>()
  const contents = new Map<string, Content>()
  const changed = new Set<Content>()

  function makeContent(opened: Opened, given: Bytes): Content {
    let bytes = given
    let size = given.length
    /** What is before this is saved as it is here. */
    let savedTo = size
    let savedSize = size
    let writes = 0

    function grow(needed: number): void {
      if (needed <= bytes.length) return
      const larger = new Uint8Array(Math.max(needed, 2 * bytes.length, smallestRoom))
      larger.set(bytes.subarray(0, size))
      bytes = larger
    }

    function mark(from: number): void {
      changed.add(content)
      savedTo = Math.min(savedTo, from)
    }

    /** Takes what another made of it. */
    function* renew(): Asking<void> {
      if (!content.stale) return
      content.stale = false
      if (content.path === undefined) return
      const { value, bytes: now } = yield* ask('content', content.path)
      content.facts = value
      bytes = now
      size = now.length
      savedTo = size
      savedSize = size
    }

    const content: Content = {
      path: opened.path,
      facts: opened,
      opened: 0,
      stale: false,
      *size() {
        yield* renew()
        return size
      },
      *read(at, count) {
        yield* renew()
        return bytes.subarray(at, Math.max(at, Math.min(size, at + count)))
      },
      *write(at, given) {
        yield* renew()
        if (given.length === 0) return
        grow(at + given.length)
        if (at > size) bytes.fill(0, size, at)
        bytes.set(given, at)
        mark(Math.min(at, size))
        size = Math.max(size, at + given.length)
        writes += 1
        if (size - savedTo >= savedAfterBytes * Math.ceil(1 + size / 2 ** 22) || writes >= savedAfterWrites)
          yield* content.save()
      },
      *resize(wanted) {
        yield* renew()
        grow(wanted)
        if (wanted > size) bytes.fill(0, size, wanted)
        mark(Math.min(size, wanted))
        size = wanted
      },
      *save() {
        if (!changed.delete(content)) return
        const from = savedTo
        savedTo = size
        writes = 0
        if (content.path === undefined) return
        if (from === savedSize && size > from && from > 0) {
          content.facts = yield* ask('append', content.path, bytes.slice(from, size))
        } else content.facts = yield* ask('save', content.path, bytes.slice(0, size))
        savedSize = size
      },
    }
    return content
  }

  function get(descriptor: number): Open {
    const found = table.get(descriptor)
    if (found === undefined) throw new SystemFailure('EBADF')
    return found
  }

  function put(descriptor: number, open: Open): void {
    table.set(descriptor, open)
    uses.set(open, (uses.get(open) ?? 0) + 1)
    if (open.kind === 'file' && uses.get(open) === 1) open.content.opened += 1
  }

  function* closeLast(open: Open): Asking<void> {
    if (open.kind === 'stream') yield* ask('close', open.stream)
    if (open.kind !== 'file') return
    const { content } = open
    content.opened -= 1
    yield* content.save()
    if (content.opened > 0) return
    for (const [path, known] of contents) if (known === content) contents.delete(path)
  }

  /** The file has no name any more; whoever has it open goes on with it. */
  function detach(path: string): void {
    const content = contents.get(path)
    if (content === undefined) return
    contents.delete(path)
    content.path = undefined
  }

  return {
    add(open, least = 0) {
      let descriptor = least
      while (table.has(descriptor)) descriptor += 1
      if (descriptor >= maxDescriptors) throw new SystemFailure('EMFILE')
      put(descriptor, open)
      return descriptor
    },
    get,
    has: (descriptor) => table.has(descriptor),
    put,
    *close(descriptor) {
      const open = get(descriptor)
      table.delete(descriptor)
      closedByExec.delete(descriptor)
      const left = (uses.get(open) as number) - 1
      uses.set(open, left)
      if (left > 0) return
      uses.delete(open)
      yield* closeLast(open)
    },
    contentOf(opened, bytes) {
      const known = contents.get(opened.path)
      if (known !== undefined) return known
      const content = makeContent(opened, bytes)
      contents.set(opened.path, content)
      return content
    },
    *saveAll() {
      for (const content of [...changed]) yield* content.save()
    },
    othersRan() {
      for (const content of contents.values()) content.stale = true
    },
    renamed(from, to) {
      if (from !== to) detach(to)
      for (const [path, content] of [...contents]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue
        const moved = to + path.slice(from.length)
        contents.delete(path)
        content.path = moved
        contents.set(moved, content)
      }
    },
    removed: detach,
    closesOnExec: (descriptor) => closedByExec.has(descriptor),
    setCloseOnExec(descriptor, value) {
      if (value) closedByExec.add(descriptor)
      else closedByExec.delete(descriptor)
    },
  }
}
