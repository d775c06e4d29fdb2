/**
 * Commits what a command changed as one change of the workspace: all of it, or nothing when someone else changed the
 * same entries.
 */
import type { Changes } from '../../src/change/changes.js'
import { isUnread } from '../../src/change/content-hash.js'
import type { Draft } from '../../src/change/draft.js'
import { type EntryState, entryStateAt, isUntouched } from '../../src/change/entry-image.js'
import { type ChangeRecord, type Image, sameImage } from '../../src/change/journal/record.js'
import { FsError, isFsError } from '../../src/errors.js'
import type { OverlayChange } from '../../src/fs/backends/overlay.js'
import type { FileSystem } from '../../src/fs/types.js'
import { hashSeen, type Seen } from './first-seen.js'

export interface CommandChanges {
  changes: Changes
  /** The label in the history. */
  label: string
  /** The files as the command left them. */
  files: ChangedFiles
  /** The entries as the command found them. */
  seen: ReadonlyMap<string, Seen>
  /** False for paths outside the workspace. */
  belongs: (path: string) => boolean
}

/** As an overlay: what differs is known without looking at everything. */
export interface ChangedFiles extends FileSystem {
  changes(options: { times: true }): Promise<OverlayChange[]>
}

export interface CommittedCommand {
  record?: ChangeRecord
  /** Entries that the command left without a right to read them, which could be neither copied nor compared then. */
  madeReadable: readonly MadeReadable[]
}

export interface MadeReadable {
  path: string
  asked: number
  stored: number
}

/** Fails with `CONFLICT` when an entry that the command changed is no longer as the command found it; the other change stays. */
export async function commitChanges(given: CommandChanges): Promise<CommittedCommand> {
  const { changes, label, files, seen, belongs } = given
  const madeReadable: MadeReadable[] = []
  const all = await readably(files, madeReadable, () => files.changes({ times: true }))
  const differing = all.filter(({ path }) => belongs(path))
  if (differing.length === 0) return { madeReadable: [] }
  const scopes = differing.map(({ path }) => ({ path, exact: true }))
  // Only the git program can write there.
  const gitDirectories = [...new Set(differing.flatMap(({ path }) => /^(.*?\/\.git)(?:\/|$)/.exec(path)?.[1] ?? []))]
  const { record } = await changes.run({ label, scopes, gitDirectories, replacesProtected: true }, async (draft) => {
    const wanted: Wanted[] = []
    for (const difference of differing) {
      const one = await readably(files, madeReadable, () =>
        compare(difference, draft, files, seen.get(difference.path)),
      )
      if (one !== undefined) wanted.push(one)
    }
    await draftAll(draft, wanted)
  })
  return { ...(record && { record }), madeReadable: madeReadable.filter(({ path }) => belongs(path)) }
}

const ownerReads = 0o400
const ownerEnters = 0o100

/** Runs again with the right to read whatever it was denied to read. */
async function readably<Result>(
  files: ChangedFiles,
  made: MadeReadable[],
  run: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isFsError(error, 'DENIED') || files.setMode === undefined) throw error
      const { path } = error.facts
      const { kind, mode: asked = 0 } = await files.stat(path)
      const stored = asked | ownerReads | (kind === 'directory' ? ownerEnters : 0)
      if (stored === asked) throw error
      await files.setMode(path, stored)
      made.push({ path, asked, stored })
    }
  }
}

interface Wanted {
  path: string
  now: EntryState
  after: EntryState
}

/** Undefined when the command left the entry unchanged, or when it already is as the command wants it. */
async function compare(
  { path, change }: OverlayChange,
  draft: Draft,
  files: ChangedFiles,
  seen: Seen | undefined,
): Promise<Wanted | undefined> {
  const after: EntryState = change === 'deleted' ? { image: { kind: 'absent' } } : await entryStateAt(files, path)
  const hash = await (seen && hashSeen(seen))
  const now = await draft.entry(path)
  if (sameImage(now.image, after.image)) {
    if (after.image.kind === 'file') preserveTime(draft, path, now, after)
    return undefined
  }
  if (seen !== undefined && isUnchanged(after, seen, hash)) return undefined
  // Never accessed: the command created it where nothing existed.
  const untouched = seen === undefined ? now.image.kind === 'absent' : isAsSeen(now, seen, hash)
  if (!untouched) throw new FsError('CONFLICT', { path })
  return { path, now, after }
}

function isUnchanged({ image }: EntryState, { stat }: Seen, hash: string | undefined): boolean {
  if (image.kind === 'absent' || stat === undefined) return image.kind === 'absent' && stat === undefined
  if (image.kind !== stat.kind || image.kind === 'symlink') return false
  if (stat.mode !== undefined && image.mode !== undefined && stat.mode !== image.mode) return false
  return image.kind === 'directory' || image.hash === hash
}

function isAsSeen({ image, stat: now }: EntryState, { stat }: Seen, hash: string | undefined): boolean {
  // What is kept for no undo is not read, so there is no content to compare.
  if (image.kind !== 'file' || isUnread(image.hash) || hash === undefined || stat?.kind !== 'file')
    return isUntouched(stat, now)
  return image.hash === hash && now?.mode === stat.mode
}

/** True when only the mode may differ. */
function sameContent(now: Image, after: Image & { kind: 'file' }): boolean {
  return now.kind === 'file' && now.hash === after.hash
}

function preserveTime(draft: Draft, path: string, now: EntryState, { stat }: EntryState): void {
  if (stat?.modifiedMs !== undefined && stat.modifiedMs !== now.stat?.modifiedMs) {
    draft.setModified(path, stat.modifiedMs)
  }
}

/** New directories get the time at which the command created them, or that it set. */
async function draftAll(draft: Draft, wanted: readonly Wanted[]): Promise<void> {
  const byPath = [...wanted].sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const { path, now, after } of [...byPath].reverse()) {
    const goes = now.image.kind !== 'absent' && now.image.kind !== after.image.kind
    if (goes || (after.image.kind === 'symlink' && now.image.kind === 'symlink')) await draft.remove(path)
  }
  for (const { path, now, after } of byPath) {
    const { image, bytes, stat } = after
    if (image.kind === 'absent') continue
    const mode = 'mode' in image && image.mode !== undefined ? { mode: image.mode } : {}
    const isNew = now.image.kind !== 'directory'
    if (image.kind === 'file' ? sameContent(now.image, image) : image.kind === 'directory' && isNew) {
      preserveTime(draft, path, now, after)
    }
    const time = stat?.modifiedMs === undefined ? {} : { modifiedMs: stat.modifiedMs }
    // One that leads out of the workspace is of no use in it, but a program may want it to be there.
    if (image.kind === 'symlink') await draft.link(path, image.verbatim ? image : image.target)
    else if (image.kind === 'file') await draft.write(path, bytes ?? new Uint8Array(), { ...mode, ...time })
    else if (isNew) await draft.makeDirectory(path, mode)
    else if (mode.mode !== undefined) await draft.setMode(path, mode.mode)
  }
}
