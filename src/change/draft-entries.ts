/** The entries of a draft as they are to be, and the contents of its files. */
import { FsError } from '../errors.js'
import { gather } from '../fs/pieces.js'
import type { Bytes, FileSystem } from '../fs/types.js'
import { contentHash, isUnread } from './content-hash.js'
import type { Originals } from './draft-originals.js'
import { type EntryState, imageAt } from './entry-image.js'
import type { Image } from './journal/record.js'
import type { Drafted } from './plan.js'
import { notYetHashed, type Streamed, streamedFile } from './streamed-content.js'

export interface DraftEntries {
  /** What was drafted, by path. */
  readonly after: ReadonlyMap<string, Drafted>
  /** The entry as drafted, or as it is. */
  entry(path: string): Promise<EntryState>
  /** The same if it was read or drafted already. */
  known(path: string): EntryState | undefined
  /** Drafts an entry that was looked at. */
  put(path: string, drafted: Drafted): void
  /** Looks at an entry if nobody did, and drafts it. */
  set(path: string, image: Image, more?: Omit<Drafted, 'image'>): Promise<void>
  /** The entry with the hash of its content, which may have to be read for it. */
  imageOf(path: string): Promise<Image>
  /** The bytes of a file of any size. */
  read(path: string): Promise<Bytes>
  /** The drafted or current content of a file: its bytes if they were read, otherwise a stream from its path. */
  contentOf(path: string): Promise<Bytes | Streamed>
  /** Writes a file at its target instead of renaming it. */
  writeInstead(path: string): Promise<void>
  /** Forgets what was drafted. */
  clear(): void
}

/** The renames of directories that were drafted besides, on which the entries in them depend. */
export interface PendingRenames {
  areNone(): boolean
  /** Replaces those that move an entry by entries of their own. */
  untangle(path: string): Promise<void>
}

export function draftEntries(fs: FileSystem, originals: Originals, renames: PendingRenames): DraftEntries {
  const after = new Map<string, Drafted>()

  function known(path: string): EntryState | undefined {
    return renames.areNone() ? (after.get(path) ?? originals.known(path)) : undefined
  }

  async function entry(path: string): Promise<EntryState> {
    if (!renames.areNone()) await renames.untangle(path)
    return after.get(path) ?? originals.at(path)
  }

  async function set(path: string, image: Image, more: Omit<Drafted, 'image'> = {}): Promise<void> {
    if (known(path) === undefined) await entry(path)
    after.set(path, { image, ...more })
  }

  async function imageOf(path: string): Promise<Image> {
    const { image } = await entry(path)
    if (image.kind !== 'file' || !isUnread(image.hash)) return image
    const hashed = await imageAt(fs, after.get(path)?.from ?? path)
    return hashed.kind === 'file' ? { ...image, hash: hashed.hash, size: hashed.size } : hashed
  }

  async function read(path: string): Promise<Bytes> {
    const { image, bytes } = known(path) ?? (await entry(path))
    if (bytes !== undefined) return bytes
    if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path })
    if (image.kind !== 'file') throw new FsError(image.kind === 'directory' ? 'IS_A_DIRECTORY' : 'IS_LINK', { path })
    const drafted = after.get(path)
    if (drafted?.streamed !== undefined) {
      const gathered = await gather(drafted.streamed.pieces)
      const { streamed: _, ...rest } = drafted
      const hash = await contentHash(gathered, fs)
      after.set(path, { ...rest, image: { ...image, hash, size: gathered.length }, bytes: gathered })
      return gathered
    }
    const whole = await originals.whole(drafted?.from ?? path)
    const { hash, size } = whole.image
    if (drafted !== undefined) after.set(path, { image: { ...image, hash, size }, bytes: whole.bytes })
    return whole.bytes
  }

  async function contentOf(path: string): Promise<Bytes | Streamed> {
    const { image, bytes, stat } = known(path) ?? (await entry(path))
    if (bytes !== undefined) return bytes
    const { streamed, from = path } = after.get(path) ?? {}
    if (streamed !== undefined) return streamed
    if (image.kind !== 'file' || stat === undefined) return read(path)
    return streamedFile(fs, from, stat)
  }

  async function writeInstead(path: string): Promise<void> {
    const { image } = await entry(path)
    await set(path, { ...image, hash: notYetHashed } as Image, { streamed: (await contentOf(path)) as Streamed })
  }

  return {
    after,
    entry,
    known,
    put: (path, drafted) => void after.set(path, drafted),
    set,
    imageOf,
    read,
    contentOf,
    writeInstead,
    clear: () => after.clear(),
  }
}
