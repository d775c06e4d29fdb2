/** Parses and serializes tree objects. */
import { FsError } from '../../errors.js'
import { protectedName } from '../../fs/gate/protected-names.js'
import type { Bytes } from '../../fs/types.js'
import { fromHex, toHex } from '../../text/hex.js'
import { damaged } from '../damaged.js'

export interface TreeEntry {
  name: string
  /** Includes the type bits; `0o040000` for a directory. */
  mode: number
  oid: string
}

/** A file in a commit or in the index. */
export interface Blob {
  mode: number
  oid: string
}

export const modes = { directory: 0o040000, file: 0o100644, executable: 0o100755, link: 0o120000, submodule: 0o160000 }

/** Fails for a tree with names that no checkout may write, or that git considers broken. */
export async function parseTree(
  bytes: Bytes,
  oid: string,
  turn: () => Promise<void> | undefined = () => undefined,
): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = []
  const names = new Set<string>()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let at = 0
  while (at < bytes.length) {
    const space = bytes.indexOf(0x20, at)
    const nul = bytes.indexOf(0, space)
    if (space === -1 || space - at > 7 || nul === -1 || nul + 21 > bytes.length) throw damaged(oid)
    const mode = normalMode(Number.parseInt(ascii(bytes.subarray(at, space)), 8), oid)
    const name = nameOf(decoder, bytes.subarray(space + 1, nul))
    if (names.has(name)) throw new FsError('GIT_REFUSED', { reason: 'unsafe-tree', subject: name })
    names.add(name)
    entries.push({ name, mode, oid: toHex(bytes.subarray(nul + 1, nul + 21)) })
    at = nul + 21
    if (entries.length % 1000 === 0) await turn()
  }
  return entries
}

/** Finds one entry without parsing the others, which dominates the cost of walking a history. */
export function findInTree(bytes: Bytes, oid: string, wanted: string): TreeEntry | undefined {
  const name = new TextEncoder().encode(wanted)
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const nul = bytes.indexOf(0, space)
    if (space === -1 || nul === -1 || nul + 21 > bytes.length) throw damaged(oid)
    if (nul - space - 1 === name.length && name.every((byte, i) => bytes[space + 1 + i] === byte)) {
      const mode = normalMode(Number.parseInt(ascii(bytes.subarray(at, space)), 8), oid)
      return { name: wanted, mode, oid: toHex(bytes.subarray(nul + 1, nul + 21)) }
    }
    at = nul + 21
  }
  return undefined
}

export function serializeTree(entries: readonly TreeEntry[]): Bytes {
  const parts = entries.map(({ name, mode, oid }) => ({
    head: new TextEncoder().encode(`${mode.toString(8)} ${name}\0`),
    oid: fromHex(oid),
  }))
  const bytes = new Uint8Array(parts.reduce((sum, { head }) => sum + head.length + 20, 0))
  let at = 0
  for (const { head, oid } of parts) {
    bytes.set(head, at)
    bytes.set(oid, at + head.length)
    at += head.length + 20
  }
  return bytes
}

/** Fails for a path that is not allowed in a tree. */
export function checkTreePath(path: string): void {
  for (const name of path.split('/')) checkName(name)
}

function nameOf(decoder: InstanceType<typeof TextDecoder>, bytes: Bytes): string {
  let name: string
  try {
    name = decoder.decode(bytes)
  } catch {
    throw new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject: 'a name that is not UTF-8' })
  }
  checkName(name)
  return name
}

function checkName(name: string): void {
  const isUnsafe = name === '' || name === '.' || name === '..' || name.includes('/')
  if (isUnsafe || protectedName([name], {}) !== undefined) {
    throw new FsError('GIT_REFUSED', { reason: 'unsafe-tree', subject: name })
  }
}

/** Normalizes modes of old repositories, as git does. */
function normalMode(mode: number, oid: string): number {
  const type = mode & 0o170000
  if (type === 0o100000) return (mode & 0o100) === 0 ? modes.file : modes.executable
  if (type === modes.directory || type === modes.link || type === modes.submodule) return type
  throw damaged(oid)
}

function ascii(bytes: Bytes): string {
  return String.fromCharCode(...bytes)
}
