/** What differs between two states of the files: commits, the index, the working tree. */
import { inBatches } from '../fs/in-batches.js'
import type { Bytes } from '../fs/types.js'
import { diffLines } from '../text/diff.js'
import { objectId } from './object-id.js'
import { readHead, resolveRevision } from './refs.js'
import { type Repository, readIndex } from './repository.js'
import { type Change, changeBetween, compareBlobs, headFiles, stagedBlobs } from './status.js'
import { type Blob, modes } from './tree.js'
import { changedInWorkTree, isAtOrBelow, modeOf, readContent, scanWorkTree } from './work-tree.js'

/** A side of a comparison: the working tree, the index, the last commit, any revision, or no files at all. */
export type Side = 'work-tree' | 'index' | 'head' | 'nothing' | { revision: string }

export interface FileDiff {
  path: string
  change: Change
  before?: Blob
  after?: Blob
  /** One side holds a NUL near its start, or is larger than what is read whole; then there is no text. */
  binary: boolean
  /** Lines; 0 for binary files. */
  added: number
  removed: number
  /** Bytes of binary files; absent where there is no file. */
  sizeBefore?: number
  sizeAfter?: number
  /** What the sides say; absent where there is no file, and for binary files. A submodule says which commit it is at. */
  textBefore?: string
  textAfter?: string
}

export interface DiffOptions {
  /** `index` unless given. */
  from?: Side
  /** `work-tree` unless given. */
  to?: Side
  /** Only what lies at or below these, relative to the repository. */
  paths?: readonly string[]
  /** Larger files are told as binary. */
  maxFileBytes?: number
}

/** Files in git's order. A rename is a deletion and an addition; what is in conflict or untracked is not compared. */
export async function gitDiff(repository: Repository, options: DiffOptions = {}): Promise<FileDiff[]> {
  const { from = 'index', to = 'work-tree', paths, maxFileBytes = Infinity } = options
  const isWanted = (path: string) => paths === undefined || paths.some((each) => isAtOrBelow(each, path))
  const [before, after] = [await filesAt(repository, from, paths), await filesAt(repository, to, paths)]
  const changes = compareBlobs(before.blobs, after.blobs).filter(({ path }) => isWanted(path))
  let done = 0
  return inBatches(changes, atOnce, async ({ path }) => {
    repository.checkAborted()
    const [old, now] = [before.blobs.get(path), after.blobs.get(path)] as [Blob | undefined, Blob | undefined]
    const file = await compareFile(path, [old, before.read], [now, after.read], maxFileBytes)
    done += 1
    repository.progress(done, changes.length)
    return file
  })
}

/** An object is unpacked and checked by other threads, so that one by one is mostly waiting. */
const atOnce = 16

interface Files {
  blobs: ReadonlyMap<string, Blob | 'conflicted'>
  read: (path: string, blob: Blob) => Promise<Bytes>
}

async function filesAt(repository: Repository, side: Side, paths: readonly string[] | undefined): Promise<Files> {
  const read = (_path: string, { oid, mode }: Blob) =>
    mode === modes.submodule
      ? Promise.resolve(new TextEncoder().encode(`Subproject commit ${oid}\n`))
      : repository.objects.readBlob(oid)
  if (side === 'nothing') return { blobs: new Map(), read }
  if (side === 'index') return { blobs: stagedBlobs(await readIndex(repository)), read }
  if (side === 'head') return { blobs: await headFiles(repository, (await readHead(repository)).oid), read }
  if (side !== 'work-tree') {
    return { blobs: await headFiles(repository, await resolveRevision(repository, side.revision)), read }
  }
  const index = await readIndex(repository)
  const blobs = stagedBlobs(index)
  const contents = new Map<string, Bytes>()
  const { present } = await scanWorkTree(repository, index, { untracked: 'none', ...(paths && { paths }) })
  const isWanted = (path: string) => paths === undefined || paths.some((each) => isAtOrBelow(each, path))
  for (const { entry, stat, change } of await changedInWorkTree(repository, index, present, { isWanted })) {
    if (change === 'deleted' || stat === undefined) {
      blobs.delete(entry.path)
      continue
    }
    // A link that leads outside has changed, and to what is not told.
    const bytes = (await readContent(repository, entry.path, stat)) ?? new Uint8Array()
    contents.set(entry.path, bytes)
    blobs.set(entry.path, { mode: modeOf(repository, stat, entry.mode), oid: await objectId('blob', bytes) })
  }
  return { blobs, read: async (path, blob) => contents.get(path) ?? read(path, blob) }
}

type FileAt = [Blob | undefined, Files['read']]

async function compareFile(path: string, old: FileAt, now: FileAt, maxFileBytes: number): Promise<FileDiff> {
  const [before, readBefore] = old
  const [after, readAfter] = now
  const [bytesBefore, bytesAfter] = await Promise.all([
    before && readBefore(path, before),
    after && readAfter(path, after),
  ])
  const isBinary = (bytes: Bytes | undefined) =>
    bytes !== undefined && (bytes.length > maxFileBytes || bytes.subarray(0, 8000).includes(0))
  const file = {
    path,
    change: changeBetween(before, after),
    ...(before && { before: { mode: before.mode, oid: before.oid } }),
    ...(after && { after: { mode: after.mode, oid: after.oid } }),
  }
  if (isBinary(bytesBefore) || isBinary(bytesAfter)) {
    const sizes = {
      ...(bytesBefore && { sizeBefore: bytesBefore.length }),
      ...(bytesAfter && { sizeAfter: bytesAfter.length }),
    }
    return { ...file, binary: true, added: 0, removed: 0, ...sizes }
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const textBefore = bytesBefore && decoder.decode(bytesBefore)
  const textAfter = bytesAfter && decoder.decode(bytesAfter)
  return {
    ...file,
    binary: false,
    ...countLines(textBefore, textAfter),
    ...(textBefore !== undefined && { textBefore }),
    ...(textAfter !== undefined && { textAfter }),
  }
}

function countLines(before = '', after = ''): { added: number; removed: number } {
  let [added, removed] = [0, 0]
  for (const { oldStart, oldEnd, newStart, newEnd } of diffLines(before, after).changes) {
    removed += oldEnd - oldStart
    added += newEnd - newStart
  }
  return { added, removed }
}
