/** Reads and makes the entries that images describe. */
import { isFsError } from '../errors.js'
import { ignoreAbsent } from '../fs/if-there.js'
import { pieceBytes, piecesOfFile } from '../fs/pieces.js'
import { syncOrAsync, wouldBlock } from '../fs/sync.js'
import { transactional } from '../fs/transactional.js'
import type { StatAndBytes } from '../fs/transactional-types.js'
import type { Bytes, FileSystem, Stat } from '../fs/types.js'
import { contentHash, contentHashSync, hashOfPieces, unreadHash } from './content-hash.js'
import type { Image, LinkImage } from './journal/record.js'

/** An entry as it is now, with the bytes of a file that was read. */
export interface EntryState {
  image: Image
  bytes?: Bytes
  /** Detects a foreign change without reading the file again. */
  stat?: Stat
  /** Of a file, as `statAndRead` returned it. */
  owner?: string
}

/** The entry at a path; absent if the path leads through a link. A file larger than `maxBytes` is not read. */
export async function entryStateAt(fs: FileSystem, path: string, { maxBytes = Infinity } = {}): Promise<EntryState> {
  const seen = await seenAt(fs, path, maxBytes)
  if (seen === undefined) return { image: { kind: 'absent' } }
  const { stat } = seen
  const mode = stat.mode === undefined ? {} : { mode: stat.mode }
  if (stat.kind === 'directory') return { image: { kind: 'directory', ...mode }, stat }
  if (stat.kind === 'symlink') return { image: await linkAt(fs, path), stat }
  const { size = 0 } = stat
  if (stat.kind === 'file' && size > maxBytes) {
    return { image: { kind: 'file', hash: unreadHash(stat), size, ...mode }, stat }
  }
  const bytes = seen.bytes ?? (await fs.readFile(path))
  const hash = seen.hash ?? contentHashSync(bytes, fs) ?? (await contentHash(bytes, fs))
  return { image: { kind: 'file', hash, size: bytes.length, ...mode }, bytes, stat }
}

/** The image of an entry, with the hash of a file of any size, which is read in pieces. */
export async function imageAt(fs: FileSystem, path: string): Promise<Image> {
  const { image, bytes } = await entryStateAt(fs, path, { maxBytes: pieceBytes })
  if (image.kind !== 'file' || bytes !== undefined) return image
  return { ...image, ...(await hashOfPieces(piecesOfFile(fs, path), fs)) }
}

/** As `entryStateAt` of a file, synchronously; undefined for anything else, and where it would block. */
export function lookAtFileSync(
  fs: FileSystem,
  path: string,
  { maxBytes }: { maxBytes: number },
): EntryState | undefined {
  const { sync } = fs.transactional ?? {}
  if (sync === undefined) return undefined
  try {
    const found = sync.statAndRead(path, maxBytes)
    if (found === wouldBlock || found.stat.kind !== 'file' || found.bytes === undefined) return undefined
    const { stat, bytes, owner } = found
    const hash = found.hash ?? contentHashSync(bytes, fs)
    if (hash === undefined) return undefined
    const image: Image = { kind: 'file', hash, size: bytes.length }
    if (stat.mode !== undefined) image.mode = stat.mode
    return owner === undefined ? { image, bytes, stat } : { image, bytes, stat, owner }
  } catch (error) {
    // The asynchronous call reports the error.
    if (!isFsError(error)) throw error
    return undefined
  }
}

async function seenAt(fs: FileSystem, path: string, maxBytes: number): Promise<StatAndBytes | undefined> {
  const { sync, statAndRead } = transactional(fs)
  try {
    return await syncOrAsync(sync?.statAndRead(path, maxBytes), () => statAndRead(path, maxBytes))
  } catch (error) {
    return ignoreAbsent(error)
  }
}

async function linkAt(fs: FileSystem, path: string): Promise<Image> {
  try {
    return { kind: 'symlink', target: (await fs.readLink?.(path)) ?? '' }
  } catch (error) {
    if (!isFsError(error, 'OUTSIDE')) throw error
    return { kind: 'symlink', target: (await fs.readLink?.(path, { verbatim: true })) ?? '', verbatim: true }
  }
}

/** Makes a link from its image, also one that leads outside. */
export async function makeLink(fs: FileSystem, path: string, { target, verbatim }: LinkImage): Promise<void> {
  await fs.symlink?.(target, path, verbatim && { verbatim })
}

/** True when the stats show no foreign change in between. */
export function isUntouched(before: Stat | undefined, now: Stat | undefined): boolean {
  if (before === undefined || now === undefined) return before === now
  return (
    before.kind === now.kind &&
    before.size === now.size &&
    before.mode === now.mode &&
    // A directory's time changes with every entry in it, ours included.
    (before.kind === 'directory' || before.modifiedMs === now.modifiedMs)
  )
}

/** Removes an entry if it exists. */
export async function removeIfThere(fs: FileSystem, path: string): Promise<void> {
  await fs.remove(path).catch(ignoreAbsent)
}

/** Makes a directory, or accepts one that someone else made meanwhile. */
export async function ensureDirectory(fs: FileSystem, path: string, mode: number | undefined): Promise<void> {
  await unlessThere(fs, path, async () => {
    await fs.makeDir(path)
    if (mode !== undefined) await fs.setMode?.(path, mode)
  })
}

/** The same, but its name is durable only after `makeDurable`. */
export async function ensureUnflushedDirectory(fs: FileSystem, path: string, mode: number | undefined): Promise<void> {
  const { makeDir } = transactional(fs)
  if (makeDir === undefined) return ensureDirectory(fs, path, mode)
  await unlessThere(fs, path, () => makeDir(path, mode))
}

async function unlessThere(fs: FileSystem, path: string, make: () => Promise<void>): Promise<void> {
  try {
    await make()
  } catch (error) {
    if (!isFsError(error, 'EXISTS') || (await fs.stat(path)).kind !== 'directory') throw error
  }
}

/** Removes a directory unless it has entries. */
export async function removeDirectoryIfEmpty(fs: FileSystem, path: string): Promise<void> {
  await fs.remove(path).catch((error) => {
    if (!isFsError(error, 'NOT_FOUND', 'NOT_EMPTY')) throw error
  })
}
