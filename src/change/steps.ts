/** Does the steps of a change, rolls them back, and finishes those that a crash interrupted. */
import { FsError, isFsError } from '../errors.js'
import { ignoreAbsent, statIfThere } from '../fs/if-there.js'
import { basename, dirname } from '../fs/path.js'
import { createPathSet } from '../fs/path-set.js'
import { wouldBlock } from '../fs/sync.js'
import { transactional } from '../fs/transactional.js'
import type { Bytes, FileSystem, Stat } from '../fs/types.js'
import { yieldBetweenSteps } from '../fs/yield-between-steps.js'
import { isUnread, unreadHash } from './content-hash.js'
import {
  ensureDirectory,
  ensureUnflushedDirectory,
  entryStateAt,
  imageAt,
  makeLink,
  removeDirectoryIfEmpty,
  removeIfThere,
} from './entry-image.js'
import { type Image, pathsOf, type Step, sameImage } from './journal/record.js'
import { putBackTime } from './restored-time.js'
import { runConcurrently } from './run-concurrently.js'

/** Does one step whose entry is as `before` says. Returns a promise only if it would block. Names are not durable before `makeDurable`. */
export function doStep(fs: FileSystem, step: Step): void | Promise<void> {
  if (step.do === 'rename' || step.parked !== undefined) return doAnyStep(fs, step)
  const { path, before, after, staged } = step
  if (after.kind === 'absent' && before.kind !== 'absent') return removeEntry(fs, path)
  const isFile = before.kind === 'file' || before.kind === 'absent'
  if (!isFile || after.kind !== 'file' || staged === undefined) return doAnyStep(fs, step)
  return renameStaged(fs, staged, path)
}

/** Returns undefined unless the step makes a new directory, which it does then. Its name has to be made durable before other steps. */
export function makeNewDirectory(fs: FileSystem, step: Step): Promise<void> | undefined {
  const isNew = step.do === 'set' && step.before.kind === 'absent' && step.after.kind === 'directory'
  return isNew ? ensureUnflushedDirectory(fs, step.path, modeOf(step.after)) : undefined
}

function removeEntry(fs: FileSystem, path: string): void | Promise<void> {
  const { sync, remove } = transactional(fs)
  const removed = sync?.remove === undefined ? wouldBlock : sync.remove(path)
  if (removed === wouldBlock) return remove(path)
}

function renameStaged(fs: FileSystem, staged: string, path: string): void | Promise<void> {
  const { sync, rename } = transactional(fs)
  const renamed = sync?.rename === undefined ? wouldBlock : sync.rename(staged, path)
  if (renamed === wouldBlock) return rename(staged, path)
}

async function doAnyStep(fs: FileSystem, step: Step): Promise<void> {
  if (step.parked !== undefined) {
    const path = step.do === 'rename' ? step.to : step.path
    await fs.rename(path, step.parked)
    const { parked: _, ...rest } = step
    return doAnyStep(fs, rest.do === 'rename' ? rest : { ...rest, before: { kind: 'absent' } })
  }
  if (step.do === 'rename') {
    if (step.via === undefined) return fs.rename(step.path, step.to)
    await fs.rename(step.path, step.via)
    return fs.rename(step.via, step.to)
  }
  const { path, before, after, staged } = step
  const { remove } = transactional(fs)
  if (after.kind === 'file') {
    if (before.kind === 'directory' || before.kind === 'symlink') await remove(path)
    if (staged !== undefined) await renameStaged(fs, staged, path)
    else if (after.mode !== undefined) await fs.setMode?.(path, after.mode)
    return
  }
  if (after.kind === 'directory' && before.kind === 'directory') {
    if (after.mode !== undefined) await fs.setMode?.(path, after.mode)
    return
  }
  if (before.kind !== 'absent') await remove(path)
  if (after.kind === 'directory') await ensureDirectory(fs, path, after.mode)
  if (after.kind === 'symlink') await makeLink(fs, path, after)
}

/** Makes every name durable that the steps added or removed. */
export async function makeDurable(fs: FileSystem, steps: readonly Step[]): Promise<void> {
  await makeNamesDurable(fs, namesOf(steps))
}

function* namesOf(steps: readonly Step[]): Generator<string> {
  for (const step of steps) {
    yield* pathsOf(step)
    yield* stagedPathsOf(step)
  }
}

/** Makes names durable. A missing directory is skipped: its removal is durable with its parent. */
export async function makeNamesDurable(fs: FileSystem, paths: Iterable<string>): Promise<void> {
  const { makeDurable: flush } = transactional(fs)
  if (flush === undefined) return
  const turn = yieldBetweenSteps()
  const directories = new Set<string>()
  for (const path of paths) {
    directories.add(dirname(path))
    const pause = turn()
    if (pause !== undefined) await pause
  }
  await runConcurrently(directories, (directory) => flush(directory).catch(ignoreAbsent))
}

/** Sets modes again: a crashed process may have set them without making them durable. */
async function makeModesDurable(fs: FileSystem, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.do === 'rename' || step.staged !== undefined || modeOf(step.before) === modeOf(step.after)) continue
    const now = await statIfThere(fs, step.path)
    const hasMode = now?.kind === 'file' || now?.kind === 'directory'
    if (hasMode && now.mode !== undefined) await fs.setMode?.(step.path, now.mode)
  }
}

function modeOf(image: Image): number | undefined {
  return 'mode' in image ? image.mode : undefined
}

/** The staged and parked files of a step. */
function stagedPathsOf(step: Step): string[] {
  const { parked, staged } = step.do === 'set' ? step : { ...step, staged: undefined }
  return [parked, staged].filter((path) => path !== undefined)
}

/**
 * Finishes steps, however far each of them got; idempotent. An entry that is neither as before nor as after its step was changed by
 * someone else: their version stays, and its path is a conflict. If then only some of the steps can be done, or an entry is in the way,
 * the result is not `finished`, and the steps have to be rolled back.
 */
export async function finishSteps(
  fs: FileSystem,
  steps: readonly Step[],
): Promise<{ finished: boolean; conflicts: string[] }> {
  const undone: Step[] = []
  const hiding = createPathSet()
  const conflicts: string[] = []
  /** Someone changed an entry before its step was done. */
  let stopped = false
  const last = new Map(steps.map((step) => [step.path, step]))
  for (const step of steps) {
    const later = last.get(step.path)
    const isPast = later !== undefined && later !== step && (await progressOf(fs, later)) === 'done'
    const progress = isPast ? 'done' : await progressOf(fs, step)
    // Entries below a path that is not a directory yet can't be checked.
    const hidden = hiding.covers(step.path)
    if (progress === 'undone' || (progress === 'foreign' && hidden)) {
      undone.push(step)
      if (step.before.kind !== 'directory') hiding.add(step.path)
    } else if (progress === 'foreign') {
      conflicts.push(step.path)
      stopped ||= await isStaged(fs, step)
    }
  }
  if (conflicts.length > 0 && (stopped || undone.length > 0)) return { finished: false, conflicts }
  // A killed process may have made directories without making their names durable, and more is moved into them now.
  if (undone.length > 0) await makeDurable(fs, steps)
  for (const step of undone) {
    if (!(await unlessInTheWay(() => finishStep(fs, step)))) return { finished: false, conflicts: [step.path] }
  }
  await makeDurable(fs, steps)
  await makeModesDurable(fs, steps)
  return { finished: true, conflicts }
}

export async function areDone(fs: FileSystem, steps: readonly Step[]): Promise<boolean> {
  for (const step of steps) if ((await progressOf(fs, step)) !== 'done') return false
  return true
}

/** Rolls steps back, as `finishSteps` finishes them. `content` returns the bytes that were replaced. */
export async function rollBackSteps(
  fs: FileSystem,
  steps: readonly Step[],
  content: (hash: string) => Promise<Bytes | undefined>,
): Promise<string[]> {
  const conflicts: string[] = []
  for (const step of [...steps].reverse()) {
    if (!(await unlessInTheWay(() => rollBackStep(fs, step, content)))) conflicts.push(step.path)
  }
  await makeDurable(fs, steps)
  await makeModesDurable(fs, steps)
  return conflicts
}

/** Removes staged and parked files. */
export async function dropStaged(fs: FileSystem, steps: readonly Step[]): Promise<void> {
  for (const path of steps.flatMap(stagedPathsOf)) await removeIfThere(fs, path)
}

type Respelling = Step & { do: 'rename'; via: string }

function isRespelling(step: Step): step is Respelling {
  return step.do === 'rename' && step.via !== undefined
}

/** Both spellings are found whichever is stored, so the directory is listed. */
async function spellingOf(fs: FileSystem, { path, to, via }: Respelling): Promise<'via' | 'to' | 'path' | undefined> {
  if ((await statIfThere(fs, via)) !== undefined) return 'via'
  const listed = await fs.readDir(dirname(path)).catch((error) => ignoreAbsent(error) ?? [])
  const names = new Set(listed.map(({ name }) => name))
  // One that stores names in a form of its own lists neither, or only one of two.
  if (names.has(basename(to))) return 'to'
  return (await statIfThere(fs, path)) === undefined ? undefined : 'path'
}

async function progressOf(fs: FileSystem, step: Step): Promise<'done' | 'undone' | 'foreign'> {
  if (isRespelling(step)) {
    const spelling = await spellingOf(fs, step)
    return spelling === undefined ? 'foreign' : spelling === 'to' ? 'done' : 'undone'
  }
  if (step.do === 'rename') {
    const [source, target] = [await inPlace(fs, step.path, step.before), await inPlace(fs, step.to, step.before)]
    if (source === 'absent') return target === 'same' ? 'done' : 'foreign'
    if (source === 'other') return 'foreign'
    const isFree = target === 'absent' || (step.parked && (await inPlace(fs, step.to, step.replaces)) === 'same')
    return isFree ? 'undone' : 'foreign'
  }
  const { path, before, after, staged } = step
  const now = await lookInPlace(fs, path, [before, after])
  if (now === undefined) return 'foreign'
  if (sameImage(now, after)) return 'done'
  if (!sameImage(now, before) && !isPartly(now, step)) return 'foreign'
  // Without the staged file the step was done, and someone else put the old content back.
  return after.kind !== 'file' || staged === undefined || (await isStaged(fs, step)) ? 'undone' : 'foreign'
}

/** True while the staged file exists: the step has not been done. */
async function isStaged(fs: FileSystem, step: Step): Promise<boolean> {
  if (step.do === 'rename' || step.after.kind !== 'file' || step.staged === undefined) return false
  return (await statIfThere(fs, step.staged)) !== undefined
}

async function finishStep(fs: FileSystem, step: Step): Promise<boolean> {
  const progress = await progressOf(fs, step)
  if (progress !== 'undone') return progress === 'done'
  if (isRespelling(step) && (await spellingOf(fs, step)) === 'via') {
    await fs.rename(step.via, step.to)
    return true
  }
  const { parked, ...rest } = step
  // The replaced file may be parked already.
  const isParked = parked !== undefined && (await statIfThere(fs, parked)) !== undefined
  if (step.do === 'rename') await doStep(fs, isParked ? rest : step)
  else {
    const now = await lookInPlace(fs, step.path, [step.before, step.after])
    const partly = now !== undefined && isPartly(now, step)
    await doStep(fs, partly ? { ...rest, do: 'set', path: step.path, before: now, after: step.after } : step)
  }
  return true
}

/** Compares an entry with the image of one that moves. Of a directory only the kind is known. */
async function inPlace(fs: FileSystem, path: string, image: Image): Promise<'same' | 'absent' | 'other'> {
  const now = image.kind === 'directory' ? await statIfThere(fs, path) : await lookInPlace(fs, path, [image])
  if (now === undefined || now.kind === 'absent') return 'absent'
  if (image.kind === 'directory') return now.kind === 'directory' ? 'same' : 'other'
  return sameImage(now as Image, image) ? 'same' : 'other'
}

/** The image of an entry; undefined behind a new link. A file that can equal none of the expected images is not read. */
async function lookInPlace(fs: FileSystem, path: string, expected: readonly Image[]): Promise<Image | undefined> {
  let stat: Stat
  try {
    stat = await fs.stat(path)
  } catch (error) {
    if (isFsError(error, 'IS_LINK')) return undefined
    if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) return { kind: 'absent' }
    throw error
  }
  const alike = expected.filter((image) => image.kind === 'file' && image.size === stat.size)
  const isRead = alike.some(
    (image) => image.kind === 'file' && image.hash !== unreadHash(stat) && !isUnread(image.hash),
  )
  try {
    return isRead ? await imageAt(fs, path) : (await entryStateAt(fs, path, { maxBytes: -1 })).image
  } catch (error) {
    const [one, other] = alike
    const isModeAlone = one?.kind === 'file' && other?.kind === 'file' && one.hash === other.hash
    // Only the mode changes, and the current one may deny reading.
    if (!isModeAlone || !isFsError(error, 'DENIED')) throw error
    return { ...one, ...(stat.mode !== undefined && { mode: stat.mode }) }
  }
}

async function rollBackStep(
  fs: FileSystem,
  step: Step,
  content: (hash: string) => Promise<Bytes | undefined>,
): Promise<boolean> {
  if (isRespelling(step)) {
    const spelling = await spellingOf(fs, step)
    if (spelling === 'to') await fs.rename(step.to, step.via)
    if (spelling === 'to' || spelling === 'via') await fs.rename(step.via, step.path)
    return spelling !== undefined
  }
  if (step.do === 'rename') {
    if ((await inPlace(fs, step.path, step.before)) === 'absent') {
      if ((await inPlace(fs, step.to, step.before)) !== 'same') return false
      await fs.rename(step.to, step.path)
      if (step.replaces.kind === 'directory') await ensureDirectory(fs, step.to, step.replaces.mode)
    }
    return step.parked === undefined || putBack(fs, step.parked, step.to)
  }
  const { path, before, after, staged, parked } = step
  const now = await lookInPlace(fs, path, [before, after])
  if (now === undefined || sameImage(now, before)) return true
  if (!sameImage(now, after) && !isPartly(now, step) && !isHalfway(now, after, before)) return false
  if (parked !== undefined) {
    if (now.kind !== 'absent') await fs.remove(path)
    return putBack(fs, parked, path)
  }

  const kept = 'mode' in before ? before.mode : undefined
  if (sameContent(now, before)) {
    if (kept !== undefined) await fs.setMode?.(path, kept)
    return true
  }
  if (now.kind === 'directory') {
    // A directory with entries of others stays.
    if (before.kind === 'absent') await removeDirectoryIfEmpty(fs, path)
    else await fs.remove(path)
  } else if (now.kind !== 'absent' && before.kind !== 'file') await removeIfThere(fs, path)
  else if (now.kind === 'symlink') await fs.remove(path)

  if (before.kind === 'directory') await ensureDirectory(fs, path, kept)
  if (before.kind === 'symlink') await makeLink(fs, path, before)
  if (before.kind === 'file') {
    const bytes = required(await content(before.hash), path)
    const temporary = required(staged, path)
    await removeIfThere(fs, temporary)
    const options = { ...(now.kind === 'file' && { replaces: path }), ...(kept !== undefined && { mode: kept }) }
    const { stageFile, makeDurable: flush } = transactional(fs)
    await stageFile(temporary, bytes, options)
    await flush?.(dirname(temporary))
    const { modifiedMs } = putBackTime(path)
    if (modifiedMs !== undefined) await fs.setModified?.(temporary, modifiedMs)
    await fs.rename(temporary, path)
  }
  return true
}

/** Renames a parked file back. */
async function putBack(fs: FileSystem, parked: string, path: string): Promise<boolean> {
  if ((await statIfThere(fs, parked)) === undefined) return true
  if ((await statIfThere(fs, path)) !== undefined) return false
  await fs.rename(parked, path)
  return true
}

/** True when a part of the step is done. */
function isPartly(now: Image, { before, after, parked }: Step & { do: 'set' }): boolean {
  return (parked !== undefined && now.kind === 'absent') || isHalfway(now, before, after)
}

/**
 * True for the intermediate states of a step: the entry is absent after the old one was removed and before one of another kind, or
 * another link, is made; or a directory exists but does not have its mode yet.
 */
function isHalfway(now: Image, from: Image, to: Image): boolean {
  if (now.kind === 'absent') return from.kind !== 'absent' && (from.kind !== to.kind || from.kind === 'symlink')
  return now.kind === 'directory' && to.kind === 'directory' && from.kind !== 'directory'
}

/** True where at most the mode differs. */
function sameContent(a: Image, b: Image): boolean {
  if (a.kind === 'directory') return b.kind === 'directory'
  return a.kind === 'file' && b.kind === 'file' && a.hash === b.hash
}

async function unlessInTheWay(run: () => Promise<boolean>): Promise<boolean> {
  try {
    return await run()
  } catch (error) {
    if (isInTheWay(error)) return false
    throw error
  }
}

/** True for the errors of a step whose path others made or removed. */
export function isInTheWay(error: unknown): error is FsError<(typeof inTheWay)[number]> {
  return isFsError(error, ...inTheWay)
}

const inTheWay = ['NOT_EMPTY', 'EXISTS', 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_A_DIRECTORY', 'IS_LINK'] as const

/** A value that the change itself has stored. */
export function required<Value>(value: Value | undefined, path: string): Value {
  if (value === undefined)
    throw new FsError('IO', {
      path,
      detail:
        'the history has lost what was there, or has other bytes than were stored: restore this file from elsewhere',
    })
  return value
}
