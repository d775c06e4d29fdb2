/**
 * Trees that are stored together as a few append-only files, the segments of a pack. They are in memory whole; a change is appended to
 * a log a little later, and long logs are replaced by a snapshot. After a crash, a pack has what a prefix of the changes made,
 * and all that were flushed. The format and its rules: docs/decisions/packed-storage.md.
 */
import { copiedBytes } from '../../../text/copied-bytes.js'
import { encodeTarget } from '../../link-target.js'
import { type SyncFileSystem, type WouldBlock, wouldBlock } from '../../sync.js'
import type { Bytes, FileSystem } from '../../types.js'
import type { MemoryFileSystem } from '../memory.js'
import type { DirectoryNode } from '../memory-nodes.js'
import { decodeFrames, encodeFrame, type Frame } from './frames.js'
import { type LogOptions, openLog, writeSnapshot } from './log.js'
import { type Clock, load, readLog } from './read.js'
import type { Segments } from './segments.js'
import { entryFrames } from './snapshot.js'

export interface PackOptions extends Omit<LogOptions, 'snapshot' | 'isShared'> {
  now(): number
  /** The number of trees. */
  trees: number
  /** As if `share` had been called at once: others have the pack open too. */
  shared?: Turns
}

/** Runs one action at a time, among all who have the pack open. */
export type Turns = <Result>(action: () => Promise<Result>) => Promise<Result>

export interface Pack {
  trees: FileSystem[]
  /** Resolves when all changes so far are stored. A failure, such as `NO_SPACE`, loses nothing: call again. */
  flush(): Promise<void>
  /**
   * For when others open the pack too: from then on a change is stored when it returns, and every call first reads what
   * the others have changed. The log is not replaced any more. Rejects if what is only in memory can't be stored.
   */
  share(turns: Turns): Promise<void>
  /** Flushes and releases the segments. The trees must not be used afterwards. */
  close(): Promise<void>
  /** Changes that are not stored yet. */
  readonly waiting: number
}

/** Writes the first snapshot of a pack. Until it is whole there is no pack. */
export async function createPack(segments: Segments, roots: readonly DirectoryNode[]): Promise<void> {
  const numbers = await segments.list()
  await writeSnapshot(segments, Math.max(0, ...numbers) + 1, framesOf(roots), 0)
}

/** Undefined if there is no pack. */
export async function openPack(segments: Segments, options: PackOptions): Promise<Pack | undefined> {
  const { now, trees: count } = options
  const clock = adjustableClock(now)
  const found = await (options.shared ?? atOnce)(() => load(segments, count, clock))
  if (found === undefined) return undefined
  const loaded = found
  const held = loaded.trees
  let turns = options.shared
  let catchingUp: { next?: Promise<void>; now?: Promise<void> } = {}
  let changing: SharedChange[] = []
  const log = openLog(segments, loaded, {
    ...options,
    isShared: turns !== undefined,
    snapshot: () => framesOf(held.map((tree) => tree.snapshot())),
  })

  /** A read that comes while others are being read can't rely on that; it waits for the next time, with all that came meanwhile. */
  function caughtUp(): Promise<void> {
    catchingUp.next ??= (async () => {
      await catchingUp.now?.catch(() => {})
      catchingUp = { now: catchingUp.next as Promise<void> }
      if ((await segments.read(log.position.newest + 1)) !== undefined) await turns?.(catchUp)
    })()
    return catchingUp.next
  }

  /** In a turn, as nobody else writes then. */
  async function catchUp(): Promise<void> {
    const { position } = log
    for (;;) {
      const bytes = await segments.read(position.newest + 1)
      if (bytes === undefined) return
      position.newest += 1
      for (const frame of readLog(bytes, position.newest)?.frames ?? []) {
        await loaded.apply(frame)
        position.changes += 1
      }
    }
  }

  /** Changes that come while others are being stored are stored together, in one segment. */
  async function changeShared(): Promise<void> {
    await catchUp()
    const batch = changing
    changing = []
    // Tried on copies: nothing has changed here if it can't be stored.
    const copies = held.map((tree) => tree.fork(clock))
    const stored: SharedChange[] = []
    for (const change of batch) {
      await clock.at(change.at, () => change.run(copies)).then(() => stored.push(change), change.reject)
    }
    if (stored.length === 0) return
    try {
      await log.addSegment(stored.map(({ frame }) => frame))
    } catch (error) {
      for (const { reject } of stored) reject(error)
      return
    }
    for (const { frame, resolve } of stored) {
      for (const read of decodeFrames(frame)) await loaded.apply(read)
      resolve()
    }
  }

  function change(frame: Frame, run: (fs: MemoryFileSystem) => Promise<void> | undefined): Promise<void> {
    const at = now()
    const tree = frame.tree ?? 0
    const encoded = encodeFrame({ ...frame, at })
    const runOn = async (trees: readonly MemoryFileSystem[]) => run(trees[tree] as MemoryFileSystem)
    const inTurns = turns
    if (inTurns === undefined) {
      // Runs at once, so that the order of the log is the order of the changes.
      const made = clock.at(at, () => runOn(held))
      log.add(encoded, made)
      return made
    }
    return new Promise((resolve, reject) => {
      changing.push({ at, frame: encoded, run: runOn, resolve, reject })
      if (changing.length === 1) inTurns(changeShared).catch((error) => rejectAll(error))
    })
  }

  function rejectAll(error: unknown): void {
    for (const { reject } of changing.splice(0)) reject(error)
  }

  function treeAt(tree: number): FileSystem {
    const fs = held[tree] as MemoryFileSystem

    async function read<Result>(run: () => Promise<Result>): Promise<Result> {
      if (turns !== undefined) await caughtUp()
      return run()
    }

    async function write(frame: Frame, run: (fs: MemoryFileSystem) => Promise<void> | undefined): Promise<void> {
      if (turns === undefined) await log.room()
      return change({ ...frame, tree }, run)
    }

    return {
      capabilities: { ...fs.capabilities, sync: false },
      ...(fs.sync && { sync: syncReads(fs.sync, () => turns !== undefined) }),
      stat: (path) => read(() => fs.stat(path)),
      readFile: (path, range) => read(() => fs.readFile(path, range)),
      readDir: (path) => read(() => fs.readDir(path)),
      readLink: (path, options) => read(() => (fs.readLink as NonNullable<FileSystem['readLink']>)(path, options)),
      writeFile(path, data, { mode = 0o644, exclusive = false } = {}) {
        // Stored after the caller may have used its buffer again.
        const content = copiedBytes(data)
        return write({ kind: 'write', path, mode, content }, (on) => on.writeFile(path, content, { mode, exclusive }))
      },
      makeDir: (path) => write({ kind: 'makeDir', path }, (on) => on.makeDir(path)),
      remove: (path) => write({ kind: 'remove', path }, (on) => on.remove(path)),
      rename: (path, to) => write({ kind: 'rename', path, other: encodeTarget(to) }, (on) => on.rename(path, to)),
      symlink: (target, path, options) =>
        write({ kind: 'symlink', path, other: encodeTarget(target) }, (on) => on.symlink?.(target, path, options)),
      setMode: (path, mode) => write({ kind: 'setMode', path, mode }, (on) => on.setMode?.(path, mode)),
      setModified: (path, modifiedMs) =>
        write({ kind: 'setModified', path, modifiedMs }, (on) => on.setModified?.(path, modifiedMs)),
      watch: (path, onChange) => read(() => (fs.watch as NonNullable<FileSystem['watch']>)(path, onChange)),
    }
  }

  return {
    trees: held.map((_, tree) => treeAt(tree)),
    flush: () => log.flush(),
    async share(given) {
      if (turns !== undefined) return
      // Changes that come from now on wait for their turn, which is after all that is in memory was stored.
      let release = () => {}
      let abort = (_: unknown) => {}
      const stored = new Promise<void>((resolve, reject) => {
        release = resolve
        abort = reject
      })
      stored.catch(() => {})
      turns = async (action) => {
        await stored
        return given(action)
      }
      try {
        await log.end()
        log.position.newest = Math.max(...(await segments.list()))
        release()
        turns = given
      } catch (error) {
        turns = undefined
        abort(error)
        throw error
      }
    },
    close: () => log.end(),
    get waiting() {
      return log.waiting
    },
  }
}

interface SharedChange {
  at: number
  frame: Bytes
  run(trees: readonly MemoryFileSystem[]): Promise<void>
  resolve(): void
  reject(error: unknown): void
}

const atOnce: Turns = (action) => action()

/** What the trees have now: a later change makes new nodes. */
function framesOf(roots: readonly DirectoryNode[]): Iterable<Frame> {
  return (function* frames() {
    for (const [tree, root] of roots.entries()) yield* entryFrames(tree, root)
  })()
}

function adjustableClock(now: () => number): Clock {
  let fixed: number | undefined
  return {
    now: () => fixed ?? now(),
    at(time, run) {
      fixed = time
      try {
        return run()
      } finally {
        fixed = undefined
      }
    },
  }
}

/** Memory may be out of date while others change the pack. */
function syncReads(sync: SyncFileSystem, isShared: () => boolean): SyncFileSystem {
  const { find, fileReader } = sync
  const unlessShared = <Result>(run: () => Result | WouldBlock) => (isShared() ? wouldBlock : run())
  return {
    stat: (path) => unlessShared(() => sync.stat(path)),
    ...(find && { find: (path: string) => unlessShared(() => find(path)) }),
    readFile: (path, range) => unlessShared(() => sync.readFile(path, range)),
    readDir: (path) => unlessShared(() => sync.readDir(path)),
    ...(fileReader && {
      fileReader: (directory) => {
        const read = unlessShared(() => fileReader(directory))
        return read === wouldBlock ? wouldBlock : (name) => unlessShared(() => read(name))
      },
    }),
  }
}
