/** Drafts the restoration of one path and all below it, including entries that have moved since. */
import { FsError } from '../../errors.js'
import { dirname, isWithin, join } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import { isUnread } from '../content-hash.js'
import type { Draft } from '../draft.js'
import { type EntryState, entryStateAt } from '../entry-image.js'
import { type Image, sameImage } from '../journal/record.js'
import { putBackTime } from '../restored-time.js'
import type { Timeline } from './timeline.js'

export interface RestorePath {
  /** The current tree. */
  fs: FileSystem
  draft: Draft
  /** All changes since the point. */
  timeline: Timeline
  /** A file's bytes at the point. */
  bytesOf(path: string, image: Image): Promise<Bytes>
}

/** Fails with `CONFLICT` where an entry is not as the timeline left it. */
export async function restorePath(path: string, { fs, draft, timeline, bytesOf }: RestorePath): Promise<void> {
  const named = [...timeline.paths()]
  for (const at of named) {
    const traced = timeline.after(at)
    if (!isWithin(path, at) || !('image' in traced)) continue
    if (!(await isStill(at, await draft.entry(at), traced.image, draft))) throw new FsError('CONFLICT', { path: at })
  }
  /** Changed paths and all directories above them. */
  const concerned = new Set(named.flatMap(withDirectoriesAbove))
  const wanted = new Map<string, Image>()
  const present: string[] = []
  await collectWanted(path)
  await collectPresent(path)

  for (const at of present.reverse()) {
    const [now, then] = [(await draft.entry(at)).image, wanted.get(at)]
    const isKept = then?.kind === now.kind && (then.kind !== 'symlink' || sameImage(then, now))
    if (!isKept) await draft.remove(at)
  }
  if (wanted.size > 0) await draft.makeParents(path)
  for (const [at, image] of wanted) await put(at, image)

  async function collectWanted(at: string): Promise<void> {
    const traced = timeline.before(at)
    if ('at' in traced && traced.at === at && !concerned.has(at)) return
    const image = 'image' in traced ? traced.image : (await entryStateAt(fs, traced.at)).image
    if (image.kind === 'absent') return
    wanted.set(at, image)
    if (image.kind !== 'directory') return
    const names = new Set(await namesIn(timeline.place(at)))
    for (const one of named) if (one !== '/' && dirname(one) === at) names.add(one.slice(one.lastIndexOf('/') + 1))
    for (const name of [...names].sort()) await collectWanted(join(at, name))
  }

  async function collectPresent(at: string): Promise<void> {
    const traced = timeline.before(at)
    if ('at' in traced && traced.at === at && !concerned.has(at)) return
    const { kind } = (await draft.entry(at)).image
    if (kind === 'absent') return
    present.push(at)
    if (kind === 'directory') for (const name of await namesIn(at)) await collectPresent(join(at, name))
  }

  async function namesIn(directory: string): Promise<string[]> {
    if ((await draft.entry(directory)).image.kind !== 'directory') return []
    return (await fs.readDir(directory)).map(({ name }) => name)
  }

  async function put(at: string, image: Image): Promise<void> {
    const now = (await draft.entry(at)).image
    if (sameImage(now, image)) return
    const mode = 'mode' in image && image.mode !== undefined ? { mode: image.mode } : {}
    const isSameFile = now.kind === 'file' && image.kind === 'file' && now.hash === image.hash
    if (isSameFile || (now.kind === 'directory' && image.kind === 'directory')) {
      if (mode.mode !== undefined) await draft.setMode(at, mode.mode)
    } else if (image.kind === 'file') {
      await draft.write(at, await bytesOf(at, image), { ...mode, ...putBackTime(at) })
    } else if (image.kind === 'directory') await draft.makeDirectory(at, mode)
    else if (image.kind === 'symlink') await draft.link(at, image)
  }
}

/** True when an entry is as expected. A file too large to store is read in pieces for its hash. */
export async function isStill(path: string, { image }: EntryState, expected: Image, draft: Draft): Promise<boolean> {
  if (sameImage(image, expected)) return true
  if (image.kind !== 'file' || expected.kind !== 'file' || !isUnread(image.hash) || isUnread(expected.hash))
    return false
  return image.size === expected.size && sameImage(await draft.imageOf(path), expected)
}

function withDirectoriesAbove(path: string): string[] {
  return path === '/' ? [path] : [path, ...withDirectoriesAbove(dirname(path))]
}
