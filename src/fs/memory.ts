import { Volume } from 'memfs'
import { FsError } from '../errors.js'
import { fromErrno } from './errno.js'
import { withNow } from './immediate.js'
import { dirname, isWithin, join, split } from './path.js'
import { checkPath, posixRules } from './path-rules.js'
import type {
  ByteRange,
  Bytes,
  Capabilities,
  Entry,
  FileChange,
  FileSystem,
  Kind,
  Stat,
  WriteOptions,
} from './types.js'

/** Files by path; a key that ends in `/` is an empty directory. Parents are made as needed. */
export type MemoryTree = Readonly<Record<string, string | Bytes>>

/**
 * A tree in memory. Every operation is finished when it returns, so nothing ever sees it half done.
 * memfs holds the nodes; the POSIX rules it lacks (what a rename may replace, name lengths, links not followed) are kept here.
 */
export function memory(tree: MemoryTree = {}): FileSystem {
  const volume = Volume.fromJSON({}, '/', { process: detachedProcess })
  const watchers = new Set<{ path: string; onChange: (change: FileChange) => void }>()
  let links = 0
  /**
   * Files as they were last read, by paths that have no link in them: finding one in the volume takes longer than searching it. One is
   * dropped when it is written, all are when names change.
   */
  const readAtHand = new Map<string, Bytes>()
  let bytesAtHand = 0
  /** The same for listings. */
  const listedAtHand = new Map<string, Entry[]>()

  function keepAtHand(path: string): Bytes {
    const { size = 0 } = existingFile(path)
    const bytes = read(path, { start: 0, end: size })
    if (bytesAtHand + size > maxBytesAtHand) forgetRead()
    if (size > maxBytesAtHand || !hasOneSpelling(path)) return bytes
    readAtHand.set(path, bytes)
    bytesAtHand += size
    return bytes
  }

  function forgetRead(path?: string): void {
    bytesAtHand -= path === undefined ? bytesAtHand : (readAtHand.get(path)?.length ?? 0)
    if (path === undefined) {
      readAtHand.clear()
      listedAtHand.clear()
    } else readAtHand.delete(path)
  }

  function list(path: string): Entry[] {
    const stat = existing(path)
    if (stat.kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (stat.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
    const listed = volume.readdirSync(path, { withFileTypes: true }) as Array<MemoryStats & { name: string }>
    const entries = listed.map((entry): Entry => ({ name: entry.name, kind: kindOf(entry) }))
    if (hasOneSpelling(path)) listedAtHand.set(path, entries)
    return entries
  }

  function changed(...paths: string[]): void {
    for (const path of paths) {
      for (const watcher of watchers) {
        if (path === watcher.path || dirname(path) === watcher.path) watcher.onChange({ path })
      }
    }
  }

  /** The entry itself, if there is one; fails where a component before it is missing, no directory or a link. */
  function look(path: string): Stat | undefined {
    if (links > 0) refuseLinkedParents(path)
    const stats = lookUp(path)
    if (stats === undefined) {
      const parent = path === '/' ? undefined : lookUp(dirname(path))
      if (parent === undefined) throw new FsError('NOT_FOUND', { path })
      if (!parent.isDirectory()) throw new FsError('NOT_A_DIRECTORY', { path })
      return undefined
    }
    const kind = kindOf(stats)
    const common = {
      kind,
      modifiedMs: stats.mtime.getTime(),
      createdMs: stats.birthtime.getTime(),
      accessedMs: stats.atime.getTime(),
      mode: Number(stats.mode) & 0o7777,
    }
    return kind === 'file' ? { ...common, size: Number(stats.size) } : common
  }

  /** Of the two, only `stat` finds nothing without making an error of it first; where there are no links, they are the same. */
  function lookUp(path: string) {
    const options = { throwIfNoEntry: false, bigint: false } as const
    return links > 0 ? volume.lstatSync(path, options) : volume.statSync(path, options)
  }

  function refuseLinkedParents(path: string): void {
    let parent = '/'
    for (const name of split(dirname(path))) {
      parent = join(parent, name)
      if (volume.lstatSync(parent, { throwIfNoEntry: false })?.isSymbolicLink()) throw new FsError('IS_LINK', { path })
    }
  }

  function existing(path: string): Stat {
    const stat = look(path)
    if (stat === undefined) throw new FsError('NOT_FOUND', { path })
    return stat
  }

  function existingFile(path: string): Stat {
    const stat = existing(path)
    if (stat.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
    if (stat.kind === 'symlink') throw new FsError('IS_LINK', { path })
    return stat
  }

  function vacant(path: string): void {
    if (path === '/' || look(path) !== undefined) throw new FsError('EXISTS', { path })
  }

  function read(path: string, { start, end }: ByteRange): Bytes {
    const descriptor = volume.openSync(path, 'r')
    try {
      const bytes = new Uint8Array(Math.max(0, end - start))
      const count = volume.readSync(descriptor, bytes, 0, bytes.length, start)
      return bytes.subarray(0, count)
    } finally {
      volume.closeSync(descriptor)
    }
  }

  function setTime(path: string, modifiedMs: number): void {
    // As a date: a negative number would count as the present.
    const time = new Date(modifiedMs)
    volume.utimesSync(path, time, time)
  }

  function makeDirs(path: string): void {
    if (path !== '/') volume.mkdirSync(path, { recursive: true })
  }

  /** Runs one operation to its end before anything else, and translates what memfs throws. */
  function perform<Result>(path: string, run: () => Result, to?: string): Result {
    try {
      checkPath(path)
      if (to !== undefined) checkPath(to)
      return run()
    } catch (error) {
      throw fromErrno(error, path, to)
    }
  }

  async function operation<Result>(path: string, run: () => Result, to?: string): Promise<Result> {
    return perform(path, run, to)
  }

  for (const [key, content] of Object.entries(tree)) {
    const path = key.startsWith('/') ? key : `/${key}`
    if (path.endsWith('/')) makeDirs(path.slice(0, -1) || '/')
    else {
      makeDirs(dirname(path))
      volume.writeFileSync(path, content)
    }
  }

  return {
    capabilities,

    stat: (path) => operation(path, () => existing(path)),

    readFile: withNow(
      (path, range) =>
        operation(path, () => {
          const { size = 0 } = existingFile(path)
          const start = Math.min(range?.start ?? 0, size)
          return read(path, { start, end: Math.max(start, Math.min(range?.end ?? size, size)) })
        }),
      (path, range) => {
        const whole = readAtHand.get(path) ?? perform(path, () => keepAtHand(path))
        return range === undefined ? whole : whole.subarray(range.start, range.end)
      },
    ),

    writeFile: (path, data: Bytes, options: WriteOptions = {}) =>
      operation(path, () => {
        const previous = look(path)
        if (previous?.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
        if (previous !== undefined && options.exclusive) throw new FsError('EXISTS', { path })
        if (previous?.kind === 'symlink') throw new FsError('IS_LINK', { path })
        const { staged } = options
        const replaced = staged?.replaces === undefined ? undefined : look(staged.replaces)
        const mode = options.mode ?? replaced?.mode ?? 0o644
        const isNew = previous === undefined
        // memfs refuses the first bytes of a file that is born read-only, and leaves it empty.
        volume.writeFileSync(path, data, { mode: isNew ? mode | 0o200 : mode })
        if (isNew && (mode & 0o200) === 0) volume.chmodSync(path, mode)
        forgetRead(path)
        if (previous === undefined) listedAtHand.delete(dirname(path))
        changed(path)
      }),

    readDir: withNow(
      (path) => operation(path, () => [...(listedAtHand.get(path) ?? list(path))]),
      (path) => listedAtHand.get(path) ?? perform(path, () => list(path)),
    ),

    makeDir: (path) =>
      operation(path, () => {
        vacant(path)
        volume.mkdirSync(path, { mode: 0o755 })
        listedAtHand.delete(dirname(path))
        changed(path)
      }),

    remove: (path) =>
      operation(path, () => {
        if (path === '/') throw new FsError('IS_ROOT', { path })
        const { kind } = existing(path)
        forgetRead()
        if (kind === 'directory') {
          if (volume.readdirSync(path).length > 0) throw new FsError('NOT_EMPTY', { path })
          volume.rmdirSync(path)
        } else volume.unlinkSync(path)
        if (kind === 'symlink') links -= 1
        changed(path)
      }),

    rename: (from, to) =>
      operation(
        from,
        () => {
          if (from === '/' || to === '/') throw new FsError('IS_ROOT', { path: '/' })
          const source = existing(from)
          if (from === to) return
          forgetRead()
          if (source.kind === 'directory' && isWithin(from, to)) throw new FsError('INTO_ITSELF', { path: from, to })
          const replaced = look(to)
          if (replaced?.kind === 'directory') {
            if (source.kind !== 'directory') throw new FsError('IS_A_DIRECTORY', { path: to })
            if (volume.readdirSync(to).length > 0) throw new FsError('NOT_EMPTY', { path: to })
            volume.rmdirSync(to)
          } else if (replaced !== undefined) {
            if (source.kind === 'directory') throw new FsError('NOT_A_DIRECTORY', { path: to })
            volume.unlinkSync(to)
            if (replaced.kind === 'symlink') links -= 1
          }
          if (source.kind === 'symlink') {
            // memfs would move what the link points at.
            volume.symlinkSync(String(volume.readlinkSync(from)), to)
            volume.unlinkSync(from)
          } else volume.renameSync(from, to)
          changed(from, to)
        },
        to,
      ),

    symlink: (target, path, options) =>
      operation(path, () => {
        // Nothing leads out of this tree, so such a text is another tree's, and would lead somewhere else here.
        if (options?.verbatim) throw new FsError('OUTSIDE', { path })
        vacant(path)
        forgetRead()
        volume.symlinkSync(target, path)
        links += 1
        changed(path)
      }),

    readLink: (path) =>
      operation(path, () => {
        if (existing(path).kind !== 'symlink') throw new FsError('NOT_A_LINK', { path })
        return String(volume.readlinkSync(path))
      }),

    setMode: (path, mode) =>
      operation(path, () => {
        const { kind, modifiedMs } = existing(path)
        if (kind === 'symlink') throw new FsError('IS_LINK', { path })
        volume.chmodSync(path, mode)
        // To memfs a change of mode is a change of content.
        if (modifiedMs !== undefined) setTime(path, modifiedMs)
        changed(path)
      }),

    setModified: (path, modifiedMs) =>
      operation(path, () => {
        if (existing(path).kind === 'symlink') throw new FsError('IS_LINK', { path })
        setTime(path, modifiedMs)
        changed(path)
      }),

    watch: (path, onChange) =>
      operation(path, () => {
        if (existing(path).kind === 'symlink') throw new FsError('IS_LINK', { path })
        const watcher = { path, onChange }
        watchers.add(watcher)
        return () => void watchers.delete(watcher)
      }),
  }
}

const maxBytesAtHand = 64 << 20

/** What is kept under another spelling would not be dropped when it changes. */
function hasOneSpelling(path: string): boolean {
  return posixRules.isPlain?.(path) ?? false
}

const capabilities: Capabilities = {
  symlinks: true,
  atomicRename: true,
  modeBits: true,
  modified: 'write',
  watch: true,
  caseSensitive: true,
  writable: true,
  sync: true,
}

/** Keeps memfs off the real process: its working directory and user must not matter to a tree in memory. */
const detachedProcess = { cwd: () => '/', platform: 'linux' as const, emitWarning: () => {}, env: {} }

interface MemoryStats {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

function kindOf(stats: MemoryStats): Kind {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}
