/** Compares two states of the files: commits, the index, the working tree. */
import { FsError } from '../../errors.js'
import { inBatches } from '../../fs/in-batches.js'
import type { Bytes, Stat } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { openShown, type ShownText } from '../../text/decode/shown-text.js'
import { diffLines } from '../../text/diff/diff-lines.js'
import { limits, tooLarge } from '../limits.js'
import { compareTrees } from '../objects/compare-trees.js'
import { objectId } from '../objects/object-id.js'
import { shownBlob, shownSize } from '../objects/shown-blob.js'
import { type Blob, modes } from '../objects/tree.js'
import { mergeBases } from '../refs/merge-base.js'
import { readHead, resolveRevision } from '../refs/refs.js'
import { type Repository, readIndex } from '../repository.js'
import { idForGit } from '../work-tree/convert.js'
import { changedInWorkTree, isAtOrBelow, modeOf, readContent, scanWorkTree } from '../work-tree/work-tree.js'
import { type Change, changeBetween, compareBlobs, headFiles, stagedBlobs } from './status.js'

/**
 * A side of a comparison: the working tree, the index, the last commit, a revision, the merge base of two revisions
 * (the newest, if there are several), or no files at all.
 */
export type Side = 'work-tree' | 'index' | 'head' | 'nothing' | { revision: string } | { mergeBase: [string, string] }

export interface FileDiff {
  path: string
  change: Change
  before?: Blob
  after?: Blob
  /** True when one side has a NUL near its start or is too large to be read; then there is no text. */
  binary: boolean
  /** Numbers of lines; 0 for binary files. */
  added: number
  removed: number
  /** Sizes of binary files; absent where there is no file. */
  sizeBefore?: number
  sizeAfter?: number
  /** The texts; absent where there is no file, and for binary files. A submodule's text names its commit. */
  textBefore?: string
  textAfter?: string
}

export interface DiffOptions {
  /** Default: `index`. */
  from?: Side
  /** Default: `work-tree`. */
  to?: Side
  /** Only entries at or below these paths, relative to the repository. */
  paths?: readonly string[]
  /** Larger files are reported as binary. */
  maxFileBytes?: number
}

/** Returns files in git's order. A rename is a deletion and an addition; conflicted and untracked files are not compared. */
export async function gitDiff(repository: Repository, options: DiffOptions = {}): Promise<FileDiff[]> {
  const { from = 'index', to = 'work-tree', paths, maxFileBytes = Infinity } = options
  const isWanted = (path: string) => paths === undefined || paths.some((each) => isAtOrBelow(each, path))
  const [before, after] = await bothSides(repository, from, to, paths)
  const changes = compareBlobs(before.blobs, after.blobs).filter(({ path }) => isWanted(path))
  const sides = changes.map(({ path }) => ({
    path,
    old: sideOf(before, path),
    current: sideOf(after, path),
  }))
  const compared = await inBatches(sides, concurrency, async ({ path, old, current }) => {
    repository.checkAborted()
    const sizes = { before: await old.size(), after: await current.size() }
    return { path, old, current, sizes, isLarge: Math.max(sizes.before ?? 0, sizes.after ?? 0) > maxFileBytes }
  })
  // Checked before reading, because the result holds all compared texts.
  const total = compared.reduce(
    (sum, { sizes, isLarge }) => sum + (isLarge ? 0 : (sizes.before ?? 0) + (sizes.after ?? 0)),
    0,
  )
  if (total > limits.comparedBytes) throw tooLarge('the files that differ', limits.comparedBytes)
  const turn = yieldBetweenSteps(repository.checkAborted)
  let done = 0
  return inBatches(compared, concurrency, async (each) => {
    await turn()
    const file = await compareFile(each)
    done += 1
    repository.progress(done, changes.length)
    return file
  })
}

/** Objects are unpacked and verified by other threads, so reading one by one would mostly wait. */
const concurrency = 16

interface Files {
  blobs: ReadonlyMap<string, Blob | 'conflicted'>
  read: (path: string, blob: Blob) => Promise<Bytes>
  size: (path: string, blob: Blob) => Promise<number>
}

/** One file of a side; it may not exist. */
interface SideOfFile {
  blob: Blob | undefined
  size(): Promise<number | undefined>
  read(): Promise<Bytes | undefined>
}

function sideOf({ blobs, read, size }: Files, path: string): SideOfFile {
  const blob = blobs.get(path) as Blob | undefined
  return {
    blob,
    size: async () => blob && size(path, blob),
    read: async () => blob && read(path, blob),
  }
}

/** For two commits, only the files that differ. */
async function bothSides(
  repository: Repository,
  from: Side,
  to: Side,
  paths: readonly string[] | undefined,
): Promise<[Files, Files]> {
  if (from === 'index' || from === 'work-tree' || to === 'index' || to === 'work-tree') {
    return [await filesAt(repository, from, paths), await filesAt(repository, to, paths)]
  }
  const trees = { before: await treeAt(repository, from), after: await treeAt(repository, to) }
  const turn = yieldBetweenSteps(repository.checkAborted)
  const { before, after } = await compareTrees(repository.objects, trees, { turn, ...(paths && { paths }) })
  const nothing = await filesAt(repository, 'nothing', paths)
  return [
    { ...nothing, blobs: before },
    { ...nothing, blobs: after },
  ]
}

async function treeAt(repository: Repository, side: Exclude<Side, 'index' | 'work-tree'>) {
  const oid = await commitAt(repository, side)
  return oid === undefined ? undefined : (await repository.objects.readCommit(oid)).tree
}

async function commitAt(
  repository: Repository,
  side: Exclude<Side, 'index' | 'work-tree'>,
): Promise<string | undefined> {
  if (side === 'nothing') return undefined
  if (side === 'head') return (await readHead(repository)).oid
  if ('revision' in side) return resolveRevision(repository, side.revision)
  const [one, other] = side.mergeBase
  const [base] = await mergeBases(
    repository,
    await resolveRevision(repository, one),
    await resolveRevision(repository, other),
  )
  if (base === undefined) throw new FsError('GIT_REFUSED', { reason: 'no-merge-base', subject: `${one}...${other}` })
  return base
}

async function filesAt(repository: Repository, side: Side, paths: readonly string[] | undefined): Promise<Files> {
  const { objects } = repository
  const subproject = ({ oid }: Blob) => new TextEncoder().encode(`Subproject commit ${oid}\n`)
  const read = async (_path: string, blob: Blob) =>
    blob.mode === modes.submodule ? subproject(blob) : shownBlob(objects, blob.oid)
  const size = async (_path: string, blob: Blob) =>
    blob.mode === modes.submodule ? subproject(blob).length : shownSize(objects, blob.oid)
  if (side === 'nothing') return { blobs: new Map(), read, size }
  if (side === 'index') return { blobs: stagedBlobs(await readIndex(repository)), read, size }
  if (side !== 'work-tree') return { blobs: await headFiles(repository, await commitAt(repository, side)), read, size }
  const index = await readIndex(repository)
  const blobs = stagedBlobs(index)
  const changed = new Map<string, { stat: Stat; size: number }>()
  const { present } = await scanWorkTree(repository, index, { untracked: 'none', ...(paths && { paths }) })
  const isWanted = (path: string) => paths === undefined || paths.some((each) => isAtOrBelow(each, path))
  for (const { entry, stat, change } of await changedInWorkTree(repository, index, present, { isWanted })) {
    if (change === 'deleted' || stat === undefined) {
      blobs.delete(entry.path)
      continue
    }
    const found = await idInWorkTree(repository, entry.path, stat)
    changed.set(entry.path, { stat, size: found.size })
    blobs.set(entry.path, { mode: modeOf(repository, stat, entry.mode), oid: found.oid })
  }
  return {
    blobs,
    size: async (path, blob) => changed.get(path)?.size ?? size(path, blob),
    async read(path, blob) {
      const known = changed.get(path)
      if (known === undefined) return read(path, blob)
      return (await readContent(repository, path, known.stat)) ?? new Uint8Array()
    },
  }
}

/** The id and size of a changed file. A link that leads outside counts as changed, and its target is not revealed. */
async function idInWorkTree(repository: Repository, path: string, stat: Stat): Promise<{ oid: string; size: number }> {
  if (stat.kind !== 'symlink') {
    const oid = await idForGit(repository, repository.fs, path)
    return { oid, size: stat.size ?? 0 }
  }
  const bytes = (await readContent(repository, path, stat)) ?? new Uint8Array()
  return { oid: await objectId('blob', bytes), size: bytes.length }
}

interface Compared {
  path: string
  old: SideOfFile
  current: SideOfFile
  sizes: { before: number | undefined; after: number | undefined }
  /** Too large to be read. */
  isLarge: boolean
}

async function compareFile({ path, old, current, sizes, isLarge }: Compared): Promise<FileDiff> {
  const [before, after] = [old.blob, current.blob]
  const file = {
    path,
    change: changeBetween(before, after),
    ...(before && { before: { mode: before.mode, oid: before.oid } }),
    ...(after && { after: { mode: after.mode, oid: after.oid } }),
  }
  const [bytesBefore, bytesAfter] = isLarge ? [] : await Promise.all([old.read(), current.read()])
  if (isLarge || isBinary(bytesBefore) || isBinary(bytesAfter)) {
    const [sizeBefore, sizeAfter] = [bytesBefore?.length ?? sizes.before, bytesAfter?.length ?? sizes.after]
    return {
      ...file,
      binary: true,
      added: 0,
      removed: 0,
      ...(sizeBefore !== undefined && { sizeBefore }),
      ...(sizeAfter !== undefined && { sizeAfter }),
    }
  }
  const [textBefore, textAfter] = textsOf(bytesBefore, bytesAfter)
  return {
    ...file,
    binary: false,
    ...countLines(textBefore, textAfter),
    ...(textBefore !== undefined && { textBefore }),
    ...(textAfter !== undefined && { textAfter }),
  }
}

/** Text that is not UTF-8 is shown in its own encoding, unless that has changed: then the bytes differ even where the characters are the same. */
function textsOf(before: Bytes | undefined, after: Bytes | undefined): (string | undefined)[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const [old, current] = [before && openShown(before), after && openShown(after)]
  const encodings = [old, current].flatMap((shown) => shown?.format.encoding ?? [])
  const isShown = encodings.length > 0 && new Set(encodings).size === 1
  const sides: [Bytes | undefined, ShownText | undefined][] = [
    [before, old],
    [after, current],
  ]
  return sides.map(([bytes, shown]) => {
    if (bytes === undefined) return undefined
    if (!isShown || shown === undefined) return decoder.decode(bytes)
    return shown.format.bom ? `\ufeff${shown.text}` : shown.text
  })
}

function isBinary(bytes: Bytes | undefined): boolean {
  return bytes?.subarray(0, 8000).includes(0) === true
}

function countLines(before = '', after = ''): { added: number; removed: number } {
  let [added, removed] = [0, 0]
  for (const { oldStart, oldEnd, newStart, newEnd } of diffLines(before, after).changes) {
    removed += oldEnd - oldStart
    added += newEnd - newStart
  }
  return { added, removed }
}
