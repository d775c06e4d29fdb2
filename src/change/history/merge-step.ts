/** Drafts one step that takes back a step of a change. What others changed since is merged with it, or is an obstacle. */
import type { OverlapReason } from '../../errors.js'
import { ignoreAbsent } from '../../fs/if-there.js'
import { join, split } from '../../fs/path.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import { mergeBytes } from '../../text/merge/merge-bytes.js'
import type { LineRange } from '../../text/merge/merge-texts.js'
import { isUnread, unreadHash } from '../content-hash.js'
import type { Draft } from '../draft.js'
import type { EntryState } from '../entry-image.js'
import { type Image, type Step, sameImage } from '../journal/record.js'
import { putBackTime } from '../restored-time.js'
import { isInTheWay } from '../steps.js'
import { isStill } from './restore-path.js'

/** Why a step can't be made without losing what others did. */
export interface Obstacle {
  /** Where the entry is now. */
  path: string
  reason: OverlapReason
  /** For `lines`: the file as drafted so far, and what of it others changed. */
  bytes?: Bytes
  ranges?: LineRange[]
}

/** What the steps of one change need. */
export interface StepMeans {
  draft: Draft
  /** The current tree. */
  fs: FileSystem
  /** Where later changes have moved the entry of a path. */
  placeOf(path: string, options: { isThere: boolean }): string
  /** The content of the file before the step, for a merge; undefined where the history does not have it. */
  contentOf(path: string, hash: string): Promise<Bytes | undefined>
  /** The content that the step gives a file; undefined for a change that can't be undone. */
  wantedOf(path: string, hash: string): Promise<Bytes | undefined>
  /** True when a later change removed the entry at a path or made it anew: then it is another one. */
  isReplaced(path: string): boolean
  /** Where files come from that the steps move, by the paths that they get, and the other way round. */
  sources: ReadonlyMap<string, string>
  targets: ReadonlyMap<string, string>
  /** What others changed since is given up where it can't be merged. */
  discards: boolean
  /** Moved files that were changed since, on their way, by the path they come from. */
  carried: Map<string, { bytes: Bytes; mode?: number }>
  /** Directories that stay, because others use them by now. */
  kept: string[]
}

export async function mergeStep(step: Step, means: StepMeans): Promise<Obstacle | undefined> {
  try {
    return await (step.do === 'rename' ? moveBack(step, means) : set(step, means))
  } catch (error) {
    if (!isInTheWay(error)) throw error
    return { path: error.facts.path, reason: error.code === 'NOT_FOUND' ? 'gone' : 'taken' }
  }
}

async function moveBack(step: Step & { do: 'rename' }, { draft, placeOf }: StepMeans): Promise<Obstacle | undefined> {
  if (step.via !== undefined) {
    const { kind } = (await draft.entry(step.path)).image
    if (kind !== step.before.kind) return { path: step.path, reason: kind === 'absent' ? 'gone' : 'taken' }
    await draft.move(step.path, step.to)
    return undefined
  }
  const at = placeOf(step.path, { isThere: true })
  const { image, stat } = await draft.entry(at)
  if (image.kind !== step.before.kind) return { path: at, reason: image.kind === 'absent' ? 'gone' : 'taken' }
  // A renamed file has no content hash in its step, so its size and time are compared.
  const isSame = step.before.kind !== 'file' || (stat !== undefined && unreadHash(stat) === step.before.hash)
  if (!isSame) return { path: at, reason: 'content' }
  if (at !== step.path) return { path: at, reason: 'moved' }
  if ((await draft.entry(step.to)).image.kind !== 'absent') return { path: step.to, reason: 'taken' }
  await draft.move(at, step.to)
  return undefined
}

async function set(step: Step & { do: 'set' }, means: StepMeans): Promise<Obstacle | undefined> {
  const { draft, placeOf, discards } = means
  const { before, after } = step
  const at = placeOf(step.path, { isThere: before.kind !== 'absent' })
  const isModeAlone = before.kind === 'file' && after.kind === 'file' && before.hash === after.hash
  const look = await (isModeAlone ? draft.entryUnread(at) : draft.entry(at))
  const carried = takeCarried(step, means)
  if (carried !== undefined) {
    if (look.image.kind !== 'absent') return { path: at, reason: 'taken' }
    const { bytes, mode } = carried
    await draft.write(at, bytes, { ...(mode !== undefined && { mode }) })
    return undefined
  }
  const expected = isModeAlone ? asFarAsKnown(before, look) : before
  const target = means.targets.get(step.path)
  if (target !== undefined) {
    if (at !== step.path) return { path: at, reason: 'moved' }
    // It is not taken back to where it was, against whoever removed it.
    const isGone = look.image.kind === 'absent' && (await draft.entry(target)).image.kind === 'absent'
    if (isGone) return { path: at, reason: 'gone' }
  }
  if (await isStill(at, look, expected, draft)) return put(at, step, means)
  const now = look.image
  if (sameImage(now, after) || (now.kind === 'directory' && after.kind === 'directory' && before.kind === 'absent'))
    return undefined
  if (now.kind === 'directory' && before.kind === 'directory' && after.kind === 'directory')
    return mergeMode(at, { before, now, after }, means)
  if (now.kind === 'file' && before.kind === 'file' && after.kind === 'file')
    return mergeFile(at, { before, now, after, bytes: look.bytes }, means)
  if (now.kind === 'file' && before.kind === 'file' && after.kind === 'absent' && carry(at, step, look, means)) {
    await draft.remove(at)
    return undefined
  }
  if (discards && now.kind !== 'directory' && before.kind !== 'directory' && after.kind !== 'directory')
    return replace(at, step, now, means)
  return { path: at, reason: obstacleTo(step, now) }
}

function obstacleTo({ before, after }: Step & { do: 'set' }, now: Image): OverlapReason {
  if (now.kind === 'absent') return 'gone'
  if (before.kind === 'absent') return 'taken'
  if (now.kind !== before.kind) return 'taken'
  return after.kind === 'absent' ? 'edited' : 'content'
}

/** A file that was moved, and changed since, keeps its new content and goes where it came from. */
function carry(at: string, step: Step, { image, bytes }: EntryState, means: StepMeans): boolean {
  if (!means.targets.has(step.path) || bytes === undefined || means.isReplaced(at)) return false
  const mode = image.kind === 'file' ? image.mode : undefined
  means.carried.set(step.path, { bytes, ...(mode !== undefined && { mode }) })
  return true
}

function takeCarried({ path, after }: Step & { do: 'set' }, { carried, sources }: StepMeans) {
  const from = after.kind === 'file' ? sources.get(path) : undefined
  const found = from === undefined ? undefined : carried.get(from)
  if (from !== undefined) carried.delete(from)
  return found
}

type FileImage = Image & { kind: 'file' }

async function mergeFile(
  at: string,
  { before, now, after, bytes }: { before: FileImage; now: FileImage; after: FileImage; bytes: Bytes | undefined },
  means: StepMeans,
): Promise<Obstacle | undefined> {
  const { draft, discards } = means
  if (before.hash === after.hash && now.hash !== before.hash && isUnread(now.hash))
    return { path: at, reason: 'content' }
  // The mode first: writing a file keeps the mode that is drafted.
  const obstacle = await mergeMode(at, { before, now, after }, means)
  if (obstacle !== undefined || now.hash === after.hash || before.hash === after.hash) return obstacle
  const wanted = await means.wantedOf(at, after.hash)
  if (wanted === undefined) return { path: at, reason: 'not-stored' }
  if (now.hash === before.hash || (discards && isGit(at))) {
    await draft.write(at, wanted, putBackTime(at))
    return undefined
  }
  const merged = await mergedFile(at, { before, wanted, bytes }, means)
  if ('reason' in merged) {
    if (!discards) return merged
    await draft.write(at, wanted, putBackTime(at))
    return undefined
  }
  await draft.write(at, merged.bytes)
  return undefined
}

async function mergedFile(
  at: string,
  { before, wanted, bytes }: { before: FileImage; wanted: Bytes; bytes: Bytes | undefined },
  { contentOf, discards }: StepMeans,
): Promise<Obstacle | { bytes: Bytes }> {
  // What git stores depends on other files of it.
  if (bytes === undefined || isUnread(before.hash) || isGit(at)) return { path: at, reason: 'content' }
  const base = await contentOf(at, before.hash)
  if (base === undefined) return { path: at, reason: 'not-stored' }
  const merged = mergeBytes(base, bytes, wanted, discards ? { favor: 'theirs' } : {})
  if (merged === undefined) return { path: at, reason: 'content' }
  if (discards || merged.overlaps.length === 0) return merged
  return { path: at, reason: 'lines', bytes, ranges: merged.overlaps.map(({ ours }) => ours) }
}

type WithMode = Image & { mode?: number }

async function mergeMode(
  at: string,
  { before, now, after }: { before: WithMode; now: WithMode; after: WithMode },
  { draft, discards }: StepMeans,
): Promise<Obstacle | undefined> {
  if (after.mode === undefined || after.mode === before.mode || after.mode === now.mode) return undefined
  if (now.mode !== before.mode && before.mode !== undefined && !discards) return { path: at, reason: 'mode' }
  await draft.setMode(at, after.mode)
  return undefined
}

/** Discards the current content. */
async function replace(
  at: string,
  step: Step & { do: 'set' },
  now: Image,
  means: StepMeans,
): Promise<Obstacle | undefined> {
  if (now.kind === 'absent') await means.draft.makeParents(at)
  return put(at, { ...step, before: now }, means)
}

/** Sets an entry that is as the step expects. */
async function put(
  at: string,
  { before, after }: Step & { do: 'set' },
  { draft, fs, wantedOf, kept }: StepMeans,
): Promise<Obstacle | undefined> {
  const mode = 'mode' in after && after.mode !== undefined ? { mode: after.mode } : {}
  const isSameFile = before.kind === 'file' && after.kind === 'file' && before.hash === after.hash
  if (after.kind === 'absent') {
    if (before.kind === 'directory' && !(await isEmptyIn(at, { draft, fs }))) kept.push(at)
    else if (before.kind !== 'absent') await draft.remove(at)
    return undefined
  }
  if (isSameFile || (before.kind === 'directory' && after.kind === 'directory')) {
    if (after.mode !== undefined) await draft.setMode(at, after.mode)
    return undefined
  }
  const bytes = after.kind === 'file' ? await wantedOf(at, after.hash) : undefined
  if (after.kind === 'file' && bytes === undefined) return { path: at, reason: 'not-stored' }
  // Only a file is replaced in one step; other entries are removed first.
  if (before.kind !== 'absent' && (before.kind !== after.kind || after.kind === 'symlink')) await draft.remove(at)
  if (bytes !== undefined) await draft.write(at, bytes, { ...mode, ...putBackTime(at) })
  if (after.kind === 'directory') await draft.makeDirectory(at, mode)
  if (after.kind === 'symlink') await draft.link(at, after)
  return undefined
}

/** True for a directory of which nothing is left in a draft. */
export async function isEmptyIn(directory: string, { draft, fs }: Pick<StepMeans, 'draft' | 'fs'>): Promise<boolean> {
  const entries = (await fs.readDir(directory).catch(ignoreAbsent)) ?? []
  for (const { name } of entries) {
    if ((await draft.entryUnread(join(directory, name))).image.kind !== 'absent') return false
  }
  return true
}

function isGit(path: string): boolean {
  return split(path).includes('.git')
}

/** Compares a file that was not read, then or now, by size and time only. */
function asFarAsKnown(expected: FileImage, { image: now, stat }: EntryState): Image {
  if (now.kind !== 'file' || now.size !== expected.size) return expected
  const wasUnread = stat !== undefined && unreadHash(stat) === expected.hash
  return wasUnread || isUnread(now.hash) ? { ...expected, hash: now.hash } : expected
}
