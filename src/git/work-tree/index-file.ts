/** Reads and writes `.git/index`: the staged files and their stats. */

import { FsError } from '../../errors.js'
import { sha1 } from '../../fs/digests/sha1.js'
import type { Bytes, Stat } from '../../fs/types.js'
import { fromHex, toHex } from '../../text/hex.js'
import { damaged } from '../damaged.js'
import { comparePaths } from '../objects/object-id.js'

export interface IndexEntry {
  /** Relative to the repository. */
  path: string
  /** Includes the type bits: `0o100644`, `0o100755`, `0o120000` for a link, `0o160000` for a submodule. */
  mode: number
  oid: string
  /** 0, or in a conflict: 1 for the common ancestor, 2 for ours, 3 for theirs. */
  stage: 0 | 1 | 2 | 3
  /**
   * The stat of the file when it was staged; 0 is unknown. A size of 0 also means that only comparing the content shows
   * whether the file has changed.
   */
  modifiedMs: number
  changedMs: number
  /** The lower 32 bits. */
  inode: number
  userId: number
  groupId: number
  size: number
  /** The raw stat data from the index; absent for entries staged here. */
  rawStat?: Bytes
  assumeValid?: boolean
}

const headerBytes = 12
const statBytes = 40
const entryBytes = 62
const checksumBytes = 20

/** Returns entries in git's order. Optional extensions are dropped: they only serve speed. */
export async function parseIndex(bytes: Bytes): Promise<IndexEntry[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = bytes.length - checksumBytes
  if (end < headerBytes || view.getUint32(0) !== 0x44495243) throw damaged('index')
  const version = view.getUint32(4)
  if (version !== 2)
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject: `index version ${version}` })
  const checksum = bytes.subarray(end)
  // All zeros when git is configured not to compute it.
  if (checksum.some((byte) => byte !== 0) && toHex(await sha1(bytes.subarray(0, end))) !== toHex(checksum))
    throw damaged('index')

  const entries: IndexEntry[] = []
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let at = headerBytes
  for (let count = view.getUint32(8); count > 0; count -= 1) {
    const nul = bytes.indexOf(0, at + entryBytes)
    if (nul === -1 || nul >= end) throw damaged('index')
    const flags = view.getUint16(at + 60)
    entries.push({
      path: decode(decoder, bytes.subarray(at + entryBytes, nul)),
      mode: view.getUint32(at + 24),
      oid: toHex(bytes.subarray(at + 40, at + 60)),
      stage: ((flags >> 12) & 3) as IndexEntry['stage'],
      changedMs: view.getUint32(at) * 1000 + view.getUint32(at + 4) / 1e6,
      modifiedMs: view.getUint32(at + 8) * 1000 + view.getUint32(at + 12) / 1e6,
      inode: view.getUint32(at + 20),
      userId: view.getUint32(at + 28),
      groupId: view.getUint32(at + 32),
      size: view.getUint32(at + 36),
      rawStat: bytes.slice(at, at + statBytes),
      ...((flags & 0x8000) !== 0 && { assumeValid: true }),
    })
    at += entryLength(nul - at - entryBytes)
  }
  refuseRequiredExtensions(bytes, view, at, end)
  return entries
}

/** Writes version 2 without extensions. */
export async function serializeIndex(entries: readonly IndexEntry[]): Promise<Bytes> {
  const inOrder = [...entries].sort((a, b) => comparePaths(a.path, b.path) || a.stage - b.stage)
  const names = inOrder.map(({ path }) => new TextEncoder().encode(path))
  const length = names.reduce((sum, name) => sum + entryLength(name.length), headerBytes)
  const bytes = new Uint8Array(length + checksumBytes)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x44495243)
  view.setUint32(4, 2)
  view.setUint32(8, inOrder.length)
  let at = headerBytes
  for (const [i, entry] of inOrder.entries()) {
    const name = names[i] as Bytes
    if (entry.rawStat) bytes.set(entry.rawStat, at)
    else {
      setTime(view, at, entry.changedMs)
      setTime(view, at + 8, entry.modifiedMs)
      view.setUint32(at + 20, entry.inode)
      view.setUint32(at + 28, entry.userId)
      view.setUint32(at + 32, entry.groupId)
    }
    view.setUint32(at + 24, entry.mode)
    view.setUint32(at + 36, entry.size)
    bytes.set(fromHex(entry.oid), at + 40)
    view.setUint16(at + 60, (entry.assumeValid ? 0x8000 : 0) | (entry.stage << 12) | Math.min(name.length, 0xfff))
    bytes.set(name, at + entryBytes)
    at += entryLength(name.length)
  }
  bytes.set(await sha1(bytes.subarray(0, length)), length)
  return bytes
}

/** Creates an entry for a file in its current state. */
export function indexEntry(path: string, mode: number, oid: string, stat: Stat | undefined): IndexEntry {
  return {
    path,
    mode,
    oid,
    stage: 0,
    modifiedMs: Math.max(0, stat?.modifiedMs ?? 0),
    changedMs: Math.max(0, stat?.changedMs ?? 0),
    inode: lower32Bits(stat?.inode ?? 0),
    userId: lower32Bits(stat?.userId ?? 0),
    groupId: lower32Bits(stat?.groupId ?? 0),
    size: lower32Bits(stat?.size ?? 0),
  }
}

/** The index stores only 32 bits. */
export function lower32Bits(value: number): number {
  return value % 2 ** 32
}

function setTime(view: DataView, at: number, timeMs: number): void {
  view.setUint32(at, Math.floor(timeMs / 1000))
  view.setUint32(at + 4, Math.floor((timeMs % 1000) * 1e6))
}

/**
 * Entries that are a file where others need a directory, and those others. No tree can have both, and git refuses such
 * an index.
 */
export function fileAndDirectoryConflicts(entries: readonly IndexEntry[]): IndexEntry[] {
  const files = new Map(entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]))
  const found = new Set<IndexEntry>()
  for (const [path, entry] of files) {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const above = files.get(path.slice(0, slash))
      if (above !== undefined) found.add(above).add(entry)
    }
  }
  return [...found]
}

/** Padded with at least one NUL to a multiple of eight. */
function entryLength(nameLength: number): number {
  return (entryBytes + nameLength + 8) & ~7
}

function decode(decoder: InstanceType<typeof TextDecoder>, name: Bytes): string {
  try {
    return decoder.decode(name)
  } catch {
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject: 'a name that is not UTF-8' })
  }
}

/** Extensions whose name starts in lower case can't be skipped: split and sparse indexes. */
function refuseRequiredExtensions(bytes: Bytes, view: DataView, start: number, end: number): void {
  for (let at = start; at + 8 <= end; at += 8 + view.getUint32(at + 4)) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 4))
    if (/^[A-Z]/.test(name)) continue
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject: `index extension ${name}` })
  }
}
