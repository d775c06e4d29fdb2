/** What a call wants to change, before anything is changed. Reads through the draft see it; the plan is made from it. */
import { FsError, isFsError } from '../errors.js'
import type { ConfinedFileSystem } from '../fs/gate/confine.js'
import { lowestWhere } from '../fs/lowest-above.js'
import { basename, dirname, isWithin, join } from '../fs/path.js'
import { gather } from '../fs/pieces.js'
import type { Bytes } from '../fs/types.js'
import { type EntryState, entryStateAt, imageAt, lookAtFileSync } from './entry-image.js'
import { contentHash, contentHashSync, isUnread } from './hash.js'
import type { Image, LinkImage, Step } from './journal/record.js'
import { type Drafted, type Planned, plan } from './plan.js'
import { notYetHashed, type Streamed, streamedFile } from './streamed-content.js'

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

const nothing: EntryState = { image: { kind: 'absent' } }

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
  const before = new Map<string, EntryState>()
  const after = new Map<string, Drafted>()
  const times = new Map<string, number>()
  let room = maxBytes
  /** Directories that are moved by one rename, because nothing in them changes. */
  let renames: Array<Step & { do: 'rename' }> = []

  function original(path: string): EntryState | Promise<EntryState> {
    return before.get(path) ?? lookSync(path) ?? look(path)
  }

  /** Undefined for what has to be awaited. */
  function lookSync(path: string): EntryState | undefined {
    if (signal?.aborted) return undefined
    // Below a missing directory nothing is read. If someone makes it meanwhile, the check before the step finds that.
    const isBelowNothing = path !== '/' && before.get(dirname(path))?.image.kind === 'absent'
    const found = isBelowNothing ? nothing : lookAtFileSync(fs, path, { maxBytes: room })
    return found && remember(path, found)
  }

  async function look(path: string): Promise<EntryState> {
    if (signal?.aborted) throw new FsError('ABORTED', {})
    return remember(path, await entryStateAt(fs, path, { maxBytes: room }))
  }

  function remember(path: string, found: EntryState): EntryState {
    room -= found.bytes?.length ?? 0
    before.set(path, found)
    return found
  }

  function seesFile(path: string): boolean {
    return before.has(path) || lookSync(path)?.image.kind === 'file'
  }

  /** The entry if it was read or drafted already. */
  function known(path: string): EntryState | undefined {
    return renames.length > 0 ? undefined : (after.get(path) ?? before.get(path))
  }

  async function entry(path: string): Promise<EntryState> {
    if (renames.length > 0) await untangle((one) => isWithin(one.path, path) || isWithin(one.to, path))
    return after.get(path) ?? original(path)
  }

  async function entryUnread(path: string): Promise<EntryState> {
    try {
      return await entry(path)
    } catch (error) {
      if (!isFsError(error, 'DENIED')) throw error
      const found = await entryStateAt(fs, path, { maxBytes: -1 })
      before.set(path, found)
      return found
    }
  }

  async function imageOf(path: string): Promise<Image> {
    const { image } = await entry(path)
    if (image.kind !== 'file' || !isUnread(image.hash)) return image
    const hashed = await imageAt(fs, after.get(path)?.from ?? path)
    return hashed.kind === 'file' ? { ...image, hash: hashed.hash, size: hashed.size } : hashed
  }

  async function set(path: string, image: Image, more: Omit<Drafted, 'image'> = {}): Promise<void> {
    if (known(path) === undefined) await entry(path)
    after.set(path, { image, ...more })
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
    const origin = drafted?.from ?? path
    const whole = await entryStateAt(fs, origin)
    if (whole.image.kind !== 'file' || whole.bytes === undefined) throw new FsError('CONFLICT', { path: origin })
    before.set(origin, whole)
    const { hash, size } = whole.image
    if (drafted !== undefined) after.set(path, { image: { ...image, hash, size }, bytes: whole.bytes })
    return whole.bytes
  }

  /** The drafted or current content of a file: its bytes if they were read, otherwise a stream from its path. */
  async function contentOf(path: string): Promise<Bytes | Streamed> {
    const { image, bytes, stat } = known(path) ?? (await entry(path))
    if (bytes !== undefined) return bytes
    const { streamed, from = path } = after.get(path) ?? {}
    if (streamed !== undefined) return streamed
    if (image.kind !== 'file' || stat === undefined) return read(path)
    return streamedFile(fs, from, stat)
  }

  /** Writes a file at its target instead of renaming it. */
  async function writeInstead(path: string): Promise<void> {
    const { image } = await entry(path)
    await set(path, { ...image, hash: notYetHashed } as Image, { streamed: (await contentOf(path)) as Streamed })
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
    after.set(path, drafted)
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

  /** Splits the rename of a directory into renames of its entries, because more than the rename is drafted for it. */
  async function untangle(concerns: (rename: Step & { do: 'rename' }) => boolean): Promise<void> {
    const tangled = renames.filter(concerns)
    renames = renames.filter((rename) => !tangled.includes(rename))
    for (const { path, to } of tangled) await moveEach(path, to)
  }

  async function moveEach(from: string, to: string): Promise<void> {
    const { image } = await entry(from)
    if (image.kind === 'file') return moveFile(from, to)
    await set(to, image)
    if (image.kind === 'directory') {
      for (const name of await namesIn(from)) await moveEach(join(from, name), join(to, name))
    }
    await set(from, { kind: 'absent' })
  }

  /** A file that was not read is renamed from its original place. */
  async function moveFile(from: string, to: string): Promise<void> {
    const { image, bytes, stat } = await entry(from)
    const { from: origin = from, streamed, modifiedMs } = after.get(from) ?? {}
    const content =
      streamed === undefined ? { from: origin } : { streamed, ...(modifiedMs !== undefined && { modifiedMs }) }
    await set(to, image, { ...(bytes === undefined ? content : { bytes }), ...(stat && { stat }) })
    // Roots may be different file systems, between which nothing can be renamed.
    if (after.get(to)?.from !== undefined && !isWithinRoot(origin, to)) await writeInstead(to)
    await set(from, { kind: 'absent' })
  }

  async function moveDirectory(from: string, to: string, image: Image): Promise<void> {
    await untangle((one) => isWithin(from, one.path) || isWithin(from, one.to))
    const touched = [...after.keys()].some((path) => isWithin(from, path) || isWithin(to, path))
    if (touched || !isWithinRoot(from, to)) await moveEach(from, to)
    else renames.push({ do: 'rename', path: from, to, before: image, replaces: { kind: 'absent' } })
  }

  function isWithinRoot(from: string, to: string): boolean {
    return gate.rootOf(from).path === gate.rootOf(to).path
  }

  async function namesIn(directory: string): Promise<string[]> {
    const wasDirectory = (await original(directory)).image.kind === 'directory'
    const names = new Set(wasDirectory ? (await fs.readDir(directory)).map(({ name }) => name) : [])
    for (const path of after.keys()) if (path !== '/' && dirname(path) === directory) names.add(basename(path))
    const there: string[] = []
    for (const name of names) {
      if ((await entry(join(directory, name))).image.kind !== 'absent') there.push(name)
    }
    return there
  }

  return {
    entry,
    entryUnread,
    imageOf,
    read,
    seesFile,

    readAhead(paths) {
      for (const path of paths) if (!before.has(path)) lookSync(path)
    },

    write,

    async copy(from, to, options) {
      const { image, bytes } = known(from) ?? (await entry(from))
      const hash = image.kind === 'file' ? image.hash : undefined
      await write(to, bytes ?? (await contentOf(from)), { ...options, ...(bytes && { hash }) })
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
      after.set(path, { image: { kind: 'absent' }, ...(isOpened && { opened: image }) })
    },

    async move(from, to) {
      const { image } = await entry(from)
      if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path: from })
      const isDirectory = image.kind === 'directory'
      if (isDirectory && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
      await requireNothing(to)
      await (isDirectory ? moveDirectory(from, to, image) : moveEach(from, to))
    },

    async setMode(path, mode) {
      const { image } = await entryUnread(path)
      if (image.kind === 'absent') throw new FsError('NOT_FOUND', { path })
      if (image.kind === 'symlink') throw new FsError('IS_LINK', { path })
      // A rename keeps the mode, so a file whose mode changes too is written anew.
      if (after.get(path)?.from !== undefined) await writeInstead(path)
      const { image: now, bytes, stat } = await entry(path)
      const { streamed } = after.get(path) ?? {}
      const content = bytes === undefined ? streamed && { streamed } : { bytes }
      await set(path, { ...now, mode } as Image, { ...content, ...(stat && { stat }) })
    },

    setModified(path, modifiedMs) {
      times.set(path, modifiedMs)
    },

    async expect(path, expected) {
      const known = await original(path)
      const isUnread = known.image.kind === 'file' && known.bytes === undefined
      const image = isUnread ? await imageAt(fs, path) : known.image
      const actual = image.kind === 'file' ? image.hash : ''
      if (actual !== expected) throw new FsError('STALE', { path, expected, actual })
    },

    discard() {
      times.clear()
      after.clear()
      renames = []
    },

    plan: async () => ({ ...(await plan({ before: original, after, renames, writeInstead })), times }),
  }
}
