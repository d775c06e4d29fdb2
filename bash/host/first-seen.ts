/**
 * The workspace as the command finds it. It follows no links, and records how each entry first looked in order to
 * detect changes by others.
 */
import { contentHash } from '../../src/change/content-hash.js'
import { FsError, isFsError, relocate } from '../../src/errors.js'
import { readonly } from '../../src/fs/backends/readonly.js'
import type { ConfinedFileSystem } from '../../src/fs/gate/confine.js'
import { dirname, isWithin, relative, split } from '../../src/fs/path.js'
import { orWouldBlock, type WouldBlock, wouldBlock } from '../../src/fs/sync.js'
import type { ByteRange, Bytes, Entry, FileSystem, Stat } from '../../src/fs/types.js'
import { withoutFacets } from '../../src/fs/without-facets.js'
import type { FileStart, WantedStart } from '../io/command-tree.js'

/** An entry when the command first accessed it. */
export interface Seen {
  /** Absent when nothing existed. */
  stat?: Stat
  /** The content of a file that was read at once, or its hash. Most are never compared, and need no hash. */
  content?: Bytes
  hash?: Promise<string>
  /** Read in pieces, so that only its stat can be compared. */
  isPartial?: boolean
}

export interface FirstSeen {
  /** The lower layer of the overlay. Directories above the roots are visible, and contain only the way to a root. */
  fs: FileSystem
  seen: ReadonlyMap<string, Seen>
  /**
   * Stat and first bytes of a file that can be read synchronously; otherwise undefined, and nothing is recorded. The bytes may be
   * shared and must not be changed.
   */
  startSync(path: string, wanted: WantedStart): FileStart | undefined
  /** Stops recording. */
  stop(): void
}

/** Larger contents are hashed at once. Trees in memory share what is kept with those who read it. */
const mostKeptBytes = 32 << 20

/** Undefined for what was not read at once. */
export function hashSeen({ content, hash }: Seen): Promise<string> | undefined {
  return content === undefined ? hash : contentHash(content)
}

export function firstSeen(gate: ConfinedFileSystem): FirstSeen {
  const seen = new Map<string, Seen>()
  const withoutLinks = new Set<string>()
  let keptBytes = 0
  let isRecording = true

  function record(path: string, entry: Seen): void {
    if (isRecording && !seen.has(path)) seen.set(path, entry)
  }

  function isAboveRoot(path: string): boolean {
    return gate.roots.some((root) => root.path !== path && isWithin(path, root.path)) && !isInRoot(path)
  }

  function isInRoot(path: string): boolean {
    return gate.roots.some((root) => isWithin(root.path, path))
  }

  /** The directory of an entry, if a link may lead there. */
  function unknownParent(path: string): string | undefined {
    const parent = dirname(path)
    return gate.capabilities.symlinks && isInRoot(parent) && !withoutLinks.has(parent) ? parent : undefined
  }

  /** The gate would follow links; an overlay has to see them. Paths that the gate refuses are still refused. */
  async function refuseLinks(path: string): Promise<void> {
    if (!isInRoot(path)) throw new FsError('NOT_FOUND', { path })
    const parent = unknownParent(path)
    if (parent === undefined) return
    const { kind } = await gate.exact.stat(parent).catch((error) => {
      throw isFsError(error, 'IS_LINK', 'NOT_A_DIRECTORY') ? relocate(error, () => path) : error
    })
    if (kind === 'symlink') throw new FsError('IS_LINK', { path })
    if (kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
    withoutLinks.add(parent)
  }

  async function stat(path: string): Promise<Stat> {
    if (isAboveRoot(path)) return { kind: 'directory' }
    try {
      await refuseLinks(path)
      const found = await gate.stat(path)
      record(path, { stat: found })
      return found
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY')) record(path, {})
      throw error
    }
  }

  /** The same where the gate need not wait, and undefined for a missing entry. Failures are left to `stat`. */
  function find(path: string): Stat | undefined | WouldBlock {
    const findInGate = gate.sync?.find
    if (findInGate === undefined || isAboveRoot(path) || !isInRoot(path)) return wouldBlock
    const parent = lookAtParent(path)
    if (parent === wouldBlock) return wouldBlock
    // Where the directory is missing, the entry is missing too.
    const found = parent === 'missing' ? undefined : findInGate(path)
    if (found !== wouldBlock) record(path, found === undefined ? {} : { stat: found })
    return found
  }

  /** Whether no link leads to the directory of an entry, where that can be found out at once. */
  function lookAtParent(path: string): 'directory' | 'missing' | WouldBlock {
    const at = unknownParent(path)
    if (at === undefined) return 'directory'
    const findUnlinked = gate.exact.sync?.find
    if (findUnlinked === undefined) return wouldBlock
    const parent = findUnlinked(at)
    if (parent === undefined) return 'missing'
    if (parent === wouldBlock || parent.kind !== 'directory') return wouldBlock
    withoutLinks.add(at)
    return 'directory'
  }

  /** Remembers the content of a file that is recorded. `range` is what was read of it. */
  function recordContent(path: string, bytes: Bytes, range: ByteRange | undefined, { isShared = false } = {}): void {
    const known = seen.get(path)
    if (!isRecording || known === undefined || known.isPartial) return
    const isWhole = range === undefined || (range.start === 0 && bytes.length < range.end)
    const isKnown = known.hash !== undefined || known.content !== undefined
    if (isKnown) return
    if (!isWhole) known.isPartial = true
    else if (isShared && keptBytes + bytes.length <= mostKeptBytes) {
      keptBytes += bytes.length
      known.content = bytes
    } else known.hash = contentHash(bytes)
  }

  function startSync(path: string, { length, maxSize = Infinity }: WantedStart): FileStart | undefined {
    const { sync } = gate
    if (sync === undefined || !isInRoot(path)) return undefined
    const range = { start: 0, end: length }
    try {
      if (lookAtParent(path) !== 'directory') return undefined
      const stat = sync.stat(path)
      if (stat === wouldBlock || stat.kind !== 'file') return undefined
      if (length === 0 || (stat.size ?? 0) > maxSize) {
        record(path, { stat })
        return { stat }
      }
      const bytes = sync.readFile(path, range)
      if (bytes === wouldBlock) return undefined
      record(path, { stat })
      // What is shared does not change.
      recordContent(path, bytes, range, { isShared: true })
      return { stat, bytes }
    } catch (error) {
      if (!isFsError(error)) throw error
      return undefined
    }
  }

  async function refuseFinalLink(path: string): Promise<void> {
    if ((await stat(path)).kind === 'symlink') throw new FsError('IS_LINK', { path })
  }

  const { readLink } = gate
  // Without facets: every read is recorded.
  const { open: _, ...untouchable } = withoutFacets(readonly(gate))
  return {
    seen,
    startSync,
    stop() {
      isRecording = false
    },
    fs: {
      ...untouchable,
      capabilities: gate.capabilities,
      // Only looks that record what they find.
      sync: {
        stat: () => wouldBlock,
        readFile: () => wouldBlock,
        readDir: () => wouldBlock,
        find: (path) => orWouldBlock(() => find(path)),
      },
      stat,
      async readFile(path, range) {
        // A link created since then would be followed, but not out of the roots.
        if (seen.get(path)?.stat?.kind !== 'file') await refuseFinalLink(path)
        const bytes = await gate.readFile(path, range)
        recordContent(path, bytes, range)
        return bytes
      },
      async readDir(path) {
        if (isAboveRoot(path)) return entriesTowardsRoots(gate, path)
        await refuseFinalLink(path)
        return gate.readDir(path)
      },
      ...(readLink && {
        async readLink(path: string) {
          await refuseLinks(path)
          return readLink(path)
        },
      }),
    },
  }
}

function entriesTowardsRoots({ roots }: ConfinedFileSystem, directory: string): Entry[] {
  const below = roots.map(({ path }) => path).filter((path) => path !== directory && isWithin(directory, path))
  const names = new Set(below.map((path) => split(`/${relative(directory, path)}`)[0] as string))
  return [...names].map((name) => ({ name, kind: 'directory' }))
}
