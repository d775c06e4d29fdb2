/** A branch as an overlay in memory over the tree itself, which stays as it is and may be changed by others. */
import { FsError, isFsError } from '../../errors.js'
import { entryBytesInMemory, limitBytes, type Room, roomFor } from '../backends/limit-bytes.js'
import { memory } from '../backends/memory.js'
import { overlay } from '../backends/overlay.js'
import { statIfThere } from '../if-there.js'
import { basename, join } from '../path.js'
import { serialQueue } from '../serial-queue.js'
import { isStagedName } from '../staged-name.js'
import type { Branch, BranchOptions, Bytes, FileSystem, LinkOptions, Stat, WriteOptions } from '../types.js'

export function overlayBranch(lower: FileSystem, { maxBytes }: BranchOptions): Branch {
  const room = roomFor(maxBytes, { entryBytes: entryBytesInMemory })
  const own = overlay(lower, limitBytes(memory(), room))
  const kept = keptEntries(own, room)
  const takeTurn = serialQueue()
  const { symlink, setMode, setModified } = own

  /** What is there is kept before it is changed for the first time. */
  function changing<Result>(paths: () => Promise<readonly string[]>, change: () => Promise<Result>): Promise<Result> {
    return takeTurn(async () => {
      for (const path of await paths()) await kept.keep(path)
      return change()
    })
  }

  function changingAt<Result>(path: string, change: () => Promise<Result>): Promise<Result> {
    return changing(async () => [path], change)
  }

  const { changes: _, ...reads } = own
  const fs: FileSystem = {
    ...reads,
    writeFile: (path: string, data: Bytes, options?: WriteOptions) =>
      changingAt(path, () => own.writeFile(path, data, options)),
    makeDir: (path) => changingAt(path, () => own.makeDir(path)),
    remove: (path) => changingAt(path, () => own.remove(path)),
    rename: (from, to) =>
      changing(
        async () => (await pathsWithin(own, from)).flatMap((path) => [path, to + path.slice(from.length)]),
        () => own.rename(from, to),
      ),
    ...(symlink && {
      symlink: (target: string, path: string, options?: LinkOptions) =>
        changingAt(path, () => symlink(target, path, options)),
    }),
    ...(setMode && { setMode: (path: string, mode: number) => changingAt(path, () => setMode(path, mode)) }),
    ...(setModified && {
      setModified: (path: string, modifiedMs: number) => changingAt(path, () => setModified(path, modifiedMs)),
    }),
  }
  return { fs, start: kept.tree, isApart: false, changedPaths: async () => kept.paths(), drop: kept.clear }
}

/** A path and all below it; none if nothing is there. */
async function pathsWithin(fs: FileSystem, path: string): Promise<string[]> {
  const paths: string[] = []
  const waiting = [path]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const stat = await statIfThere(fs, at)
    if (stat === undefined) continue
    paths.push(at)
    if (stat.kind === 'directory') for (const { name } of await fs.readDir(at)) waiting.push(join(at, name))
  }
  return paths
}

/** An entry as it was, or nothing. */
interface Kept {
  stat?: Stat
  bytes?: Bytes
  target?: string
  /** The target leads out of the tree. */
  verbatim?: boolean
}

function keptEntries(fs: FileSystem, room: Room) {
  const entries = new Map<string, Kept>()

  async function keep(path: string): Promise<void> {
    // A staged file is no entry of the tree.
    if (entries.has(path) || isStagedName(basename(path))) return
    const stat = await statIfThere(fs, path)
    if (!room.take(entryBytesInMemory + (stat?.size ?? 0))) throw new FsError('NO_SPACE', { path })
    entries.set(path, stat === undefined ? {} : { stat, ...(await contentAt(path, stat)) })
  }

  async function contentAt(path: string, { kind }: Stat): Promise<Kept> {
    if (kind === 'file') return { bytes: await fs.readFile(path) }
    if (kind !== 'symlink') return {}
    try {
      return { target: (await fs.readLink?.(path)) ?? '' }
    } catch (error) {
      if (!isFsError(error, 'OUTSIDE')) throw error
      return { target: (await fs.readLink?.(path, { verbatim: true })) ?? '', verbatim: true }
    }
  }

  return { keep, paths: () => [...entries.keys()], clear: () => entries.clear(), tree: treeOf(fs, entries) }
}

/** The entries as they were, by their paths. It lists no directories. */
function treeOf({ capabilities }: FileSystem, entries: ReadonlyMap<string, Kept>): FileSystem {
  function find(path: string): Kept & { stat: Stat } {
    const { stat, ...rest } = entries.get(path) ?? {}
    if (stat === undefined) throw new FsError('NOT_FOUND', { path })
    return { stat, ...rest }
  }

  const refuse = async (path: string): Promise<never> => {
    throw new FsError('READ_ONLY', { path })
  }
  return {
    capabilities: { ...capabilities, writable: false, modified: 'read', watch: false },
    stat: async (path) => find(path).stat,
    async readFile(path, range) {
      const { bytes } = find(path)
      if (bytes === undefined) throw new FsError('IS_A_DIRECTORY', { path })
      return bytes.slice(range?.start, range?.end)
    },
    async readLink(path, options = {}) {
      const { target, verbatim = false } = find(path)
      if (target === undefined) throw new FsError('NOT_A_LINK', { path })
      if (verbatim && !options.verbatim) throw new FsError('OUTSIDE', { path })
      return target
    },
    readDir: async () => [],
    writeFile: refuse,
    makeDir: refuse,
    remove: refuse,
    rename: refuse,
  }
}
