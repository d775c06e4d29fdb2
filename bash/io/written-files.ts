/** What the writers of a command have written, and the host does not have yet. */
import { basename } from '../../src/fs/path.js'
import type { Bytes, FileSystem } from '../../src/fs/types.js'
import { hasOneSpelling } from './one-spelling.js'
import { type ByteWriter, concat } from './streams.js'

const minFlushBytes = 32 * 1024
/** Less than one part in so many of a file is little. */
const littleShare = 8
/** A file that is open for writing, shared by all its writers. */
interface WrittenFile {
  /** Where it is by now; undefined if it was removed, and what is written to it gets lost. */
  path: string | undefined
  /** That is a link, and the file has another name. */
  isLink: boolean
  writers: number
  /** Its size, with what is still buffered. */
  size: number
  /** Bytes to append. */
  chunks: Bytes[]
  bytes: number
  /** What was handed over, so that larger files are handed over in larger pieces. */
  written: number
}

export interface WrittenFiles {
  /** A writer that appends to a file of which something is buffered: it exists, and may be written. */
  appendMore(path: string): ByteWriter | undefined
  /** A writer on a file that the host has, in this size. */
  open(path: string, file: { size: number; isLink: boolean; appends: boolean }): ByteWriter
  /** Something else gave the file this size. */
  resized(path: string, size: number): void
  /** Undefined for what was removed. */
  moved(from: string, to: string | undefined): void
  mayBeSeen(path: string): boolean
  /** True if nothing is buffered or being handed over. */
  isSettled(): boolean
  /** Hands over what is still buffered. */
  settle(): Promise<void>
  /** The same without waiting, before something that takes long. */
  flushSoon(): void
  /** The same before what may take long, except for files of which little is buffered: each time all of a file is copied. */
  flushMost(): void
}

/**
 * Writes are buffered until something else changes the files, or looks at those that were written: a loop that appends lines makes few
 * calls, and so does one that appends file after file.
 */
export function writtenFiles(files: FileSystem & { append(path: string, data: Bytes): Promise<void> }): WrittenFiles {
  const open = new Map<string, WrittenFile>()
  /** Those with something buffered, in the order of their first write. */
  const pending = new Set<WrittenFile>()
  /** Those, and the ones whose bytes are being handed over. */
  const unsettled = new Set<WrittenFile>()
  let inFlight: Promise<void> | undefined

  return {
    appendMore(path) {
      const file = open.get(path)
      return file !== undefined && pending.has(file) ? fileWriter(file, true) : undefined
    },
    open(path, { size, isLink, appends }) {
      const file = open.get(path) ?? { path, isLink, writers: 0, size, chunks: [], bytes: 0, written: 0 }
      file.size = size
      open.set(path, file)
      return fileWriter(file, appends)
    },
    resized(path, size) {
      const file = open.get(path)
      if (file !== undefined) file.size = size
    },
    moved,
    mayBeSeen,
    isSettled: () => pending.size === 0 && inFlight === undefined,
    settle,
    flushSoon,
    flushMost,
  }

  async function flush(file: WrittenFile): Promise<void> {
    const data = concat(file.chunks)
    file.chunks = []
    file.bytes = 0
    file.written += data.length
    const { path } = file
    if (file.writers === 0 && path !== undefined && open.get(path) === file) open.delete(path)
    try {
      if (path !== undefined) await files.append(path, data)
    } finally {
      if (!pending.has(file)) unsettled.delete(file)
    }
  }

  function flushSoon(): void {
    handOver([...pending])
  }

  function flushMost(): void {
    handOver([...pending].filter(({ bytes, written }) => bytes * littleShare >= written))
  }

  /** Hands over what is buffered, in order, without waiting for it. A failure is that of the next `settle`. */
  function handOver(all: readonly WrittenFile[]): void {
    if (all.length === 0) return
    const before = inFlight
    for (const file of all) pending.delete(file)
    inFlight = (async () => {
      await before
      for (const file of all) await flush(file)
    })()
    inFlight.catch(() => {})
  }

  async function settle(): Promise<void> {
    flushSoon()
    const waiting = inFlight
    if (waiting === undefined) return
    try {
      await waiting
    } finally {
      if (inFlight === waiting) inFlight = undefined
    }
  }

  /**
   * What was written is seen by a read under the name of the file, whatever directory that is in, or through a link. All other reads need not
   * wait for it, unless they meet a link.
   */
  function mayBeSeen(path: string): boolean {
    if (unsettled.size === 0) return false
    const name = basename(path)
    if (!hasOneSpelling(files, path)) return true
    for (const { path: written, isLink } of unsettled) {
      if (written !== undefined && (isLink || basename(written) === name)) return true
    }
    return false
  }

  /** A writer that does not append writes at its own offset, whatever others have written to the file meanwhile. */
  function fileWriter(file: WrittenFile, appends: boolean): ByteWriter {
    let offset = 0
    let closed = false
    file.writers += 1
    return {
      write(bytes) {
        if (bytes.length === 0) return undefined
        const start = appends ? file.size : offset
        offset = start + bytes.length
        if (start !== file.size) return overwrite(file, start, bytes)
        pending.add(file)
        unsettled.add(file)
        file.chunks.push(bytes)
        file.bytes += bytes.length
        file.size = offset
        return file.bytes < Math.max(minFlushBytes, file.written >> 1) ? undefined : settle()
      },
      async close() {
        if (closed) return
        closed = true
        file.writers -= 1
        // Otherwise it is opened again without a call, as by a loop that appends.
        if (file.writers === 0 && file.path !== undefined && !pending.has(file)) open.delete(file.path)
      },
      get path() {
        return file.path
      },
    }
  }

  /** A gap before the offset is filled with zeros. */
  async function overwrite(file: WrittenFile, offset: number, bytes: Bytes): Promise<void> {
    await settle()
    if (file.path === undefined) return
    const before = await files.readFile(file.path)
    const after = new Uint8Array(Math.max(before.length, offset + bytes.length))
    after.set(before)
    after.set(bytes, offset)
    await files.writeFile(file.path, after)
    file.size = after.length
  }

  function moved(from: string, to: string | undefined): void {
    const replaced = to === undefined ? undefined : open.get(to)
    if (replaced?.path !== undefined) open.delete(replaced.path)
    if (replaced !== undefined) replaced.path = undefined
    for (const [path, file] of [...open]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue
      open.delete(path)
      file.path = to === undefined ? undefined : to + path.slice(from.length)
      if (file.path !== undefined) open.set(file.path, file)
    }
  }
}
