/** What a call wants to change, before anything is changed. Reads through the draft see it; the plan is made from it. */
import { FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { lowestWhere } from '../fs/lowest-above.js'
import { dirname, isWithin } from '../fs/path.js'
import type { Bytes } from '../fs/types.js'
import { contentHash, contentHashSync } from './content-hash.js'
import { draftEntries } from './draft-entries.js'
import { draftMoves } from './draft-moves.js'
import { originals } from './draft-originals.js'
import { type EntryState, imageAt } from './entry-image.js'
import type { Image, LinkImage } from './journal/record.js'
import { type Drafted, type Planned, plan } from './plan.js'
import { notYetHashed, type Streamed } from './streamed-content.js'

export interface Draft {
  /** The entry as it is, or as this call has changed it so far. */
  entry(path: string): Promise<EntryState>
  /** The entry with the hash of its content, also of a file too large to hold in memory: that is read in pieces. */
  imageOf(path: string): Promise<Image>
  /** Reads files that will be asked for, as far as that takes no waiting: together they take less time than one by one. */
  readAhead(paths: readonly string[]): void
  /** As `entry`, but treats a file without read permission like one that is too large, so that its mode can be changed. */
  entryUnread(path: string): Promise<EntryState>
  /**
   * Creates or replaces a file; its directory must exist. An existing file keeps its mode unless one is given. `modifiedMs` is set where
   * the file system supports it. Streamed content is read when the change is committed. Returns the hash of bytes.
   */
  write(
    path: string,
    content: Bytes | Streamed,
    options?: { mode?: number; modifiedMs?: number },
  ): Promise<string | undefined>
  /** Copies the content of a file of any size. */
  copy(from: string, to: string, options?: { mode?: number }): Promise<void>
  /** Makes a directory; its path must be free. */
  makeDirectory(path: string, options?: { mode?: number }): Promise<void>
  /** Makes the missing directories above a path. */
  makeParents(path: string): Promise<void>
  /** Makes a link: a new one, whose target must be inside a root, or one from its image, which is not checked. */
  link(path: string, target: string | LinkImage): Promise<void>
  /** Removes a file, a link, or a directory, which must be empty when the step is done. */
  remove(path: string): Promise<void>
  /** The bytes of a file, also of one too large to store. */
  read(path: string): Promise<Bytes>
  /** Moves a file, a link, or a directory with everything below it to a free path. */
  move(from: string, to: string): Promise<void>
  setMode(path: string, mode: number): Promise<void>
  /** Sets the modification time after all steps. Times are not part of the history, and not undone. */
  setModified(path: string, modifiedMs: number): void
  /** Fails with `STALE` unless the file has this content. */
  expect(path: string, hash: string): Promise<void>
  /** Discards everything drafted so far. */
  discard(): void
}

/** Modification times to set, by path. */
export interface Times {
  times: ReadonlyMap<string, number>
}

type DraftedFile = Drafted & { image: Image & { kind: 'file' } }

/** Adds what only the engine uses. */
export interface EngineDraft extends Draft {
  /** True for a file that was read synchronously, so that no link is on its path. */
  seesFile(path: string): boolean
  plan(): Promise<Planned & Times>
}

/** Holds up to `maxBytes` of file content in memory; a file that does not fit is not read. Reads nothing more once aborted. */
export function createDraft(
  gate: ConfinedFileSystem,
  { maxBytes = Infinity, signal }: { maxBytes?: number; signal?: AbortSignal } = {},
): EngineDraft {
  // Paths are resolved already, so a link that is found now is new or is itself to be changed.
  const fs = gate.exact
  const before = originals(fs, { maxBytes, signal })
  const entries = draftEntries(fs, before, {
    areNone: () => moves.areNone(),
    untangle: (path) => moves.untangle(path),
  })
  const moves = draftMoves(gate, before, entries)
  const { after, entry, known, set } = entries
  const times = new Map<string, number>()

  async function entryUnread(path: string): Promise<EntryState> {
    try {
      return await entry(path)
    } catch (error) {
      if (!isFsError(error, 'DENIED')) throw error
      return before.unread(path)
    }
  }

  async function write(
    path: string,
    content: Bytes | Streamed,
    { mode: given, modifiedMs, hash }: { mode?: number; modifiedMs?: number; hash?: string | undefined } = {},
  ): Promise<string | undefined> {
    if (known(dirname(path))?.image.kind !== 'directory') await requireDirectory(path)
    const { image } = known(path) ?? (await entry(path))
    if (image.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (image.kind === 'symlink') throw new FsError('IS_LINK', { path })
    const drafted = content instanceof Uint8Array ? await draftedBytes(content, hash) : draftedStream(content)
    const mode = given ?? (image.kind === 'file' ? image.mode : undefined)
    if (mode !== undefined) drafted.image.mode = mode
    if (modifiedMs !== undefined) drafted.modifiedMs = modifiedMs
    entries.put(path, drafted)
    return drafted.bytes && drafted.image.hash
  }

  async function draftedBytes(bytes: Bytes, known: string | undefined): Promise<DraftedFile> {
    const hash = known ?? contentHashSync(bytes, fs) ?? (await contentHash(bytes))
    return { image: { kind: 'file', hash, size: bytes.length }, bytes }
  }

  function draftedStream(streamed: Streamed): DraftedFile {
    return { image: { kind: 'file', hash: notYetHashed, size: streamed.size ?? 0 }, streamed }
  }

  async function requireDirectory(path: string): Promise<void> {
    const parent = (known(dirname(path)) ?? (await entry(dirname(path)))).image
    if (parent.kind === 'absent') throw new FsError('NOT_FOUND', { path })
    if (parent.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
  }

  async function requireNothing(path: string): Promise<void> {
    await requireDirectory(path)
    if ((await entry(path)).image.kind !== 'absent') throw new FsError('EXISTS', { path })
  }

  return {
    entry,
    entryUnread,
    imageOf: entries.imageOf,
    read: entries.read,
    seesFile: (path) => before.known(path) !== undefined || before.soon(path)?.image.kind === 'file',

    readAhead(paths) {
      for (const path of paths) before.soon(path)
    },

    write,

    async copy(from, to, options) {
      const { image, bytes } = known(from) ?? (await entry(from))
      const hash = image.kind === 'file' ? image.hash : undefined
      await write(to, bytes ?? (await entries.contentOf(from)), { ...options, ...(bytes && { hash }) })
    },

    async makeDirectory(path, options = {}) {
      await requireNothing(path)
      await set(path, { kind: 'directory', ...options })
    },

    async makeParents(path) {
      const directory = dirname(path)
      const lowest = await lowestWhere(directory, async (at) => {
        // What is above a root is out of reach.
        if (gate.isRoot(at)) return true
        const { kind } = (await entry(at)).image
        if (kind !== 'directory' && kind !== 'absent') throw new FsError('NOT_A_DIRECTORY', { path })
        return kind === 'directory'
      })
      for (let end = lowest.length; end < directory.length; ) {
        const next = directory.indexOf('/', end + 1)
        end = next === -1 ? directory.length : next
        await set(directory.slice(0, end), { kind: 'directory' })
      }
    },

    async link(path, target) {
      await requireNothing(path)
      if (typeof target === 'string') gate.checkTarget(path, target)
      await set(path, typeof target === 'string' ? { kind: 'symlink', target } : target)
    },

    async remove(path) {
      const { image } = known(path) ?? (await entry(path))
      if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path })
      const isOpened = image.kind === 'directory' && after.has(path)
      entries.put(path, { image: { kind: 'absent' }, ...(isOpened && { opened: image }) })
    },

    async move(from, to) {
      const { image } = await entry(from)
      if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path: from })
      if (image.kind === 'directory' && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
      await requireNothing(to)
      await moves.move(from, to, image)
    },

    async setMode(path, mode) {
      const { image } = await entryUnread(path)
      if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path })
      if (image.kind === 'symlink') throw new FsError('IS_LINK', { path })
      // A rename keeps the mode, so a file whose mode changes too is written anew.
      if (after.get(path)?.from !== undefined) await entries.writeInstead(path)
      const { image: now, bytes, stat } = await entry(path)
      const { streamed } = after.get(path) ?? {}
      const content = bytes === undefined ? streamed && { streamed } : { bytes }
      await set(path, { ...now, mode } as Image, { ...content, ...(stat && { stat }) })
    },

    setModified(path, modifiedMs) {
      times.set(path, modifiedMs)
    },

    async expect(path, expected) {
      const found = await before.at(path)
      const isUnread = found.image.kind === 'file' && found.bytes === undefined
      const image = isUnread ? await imageAt(fs, path) : found.image
      const actual = image.kind === 'file' ? image.hash : ''
      if (actual !== expected) throw new FsError('STALE', { path, expected, actual })
    },

    discard() {
      times.clear()
      entries.clear()
      moves.clear()
    },

    async plan() {
      const { writeInstead } = entries
      const planned = await plan({ before: before.at, after, renames: moves.pending(), writeInstead })
      return { ...planned, times }
    },
  }
}
