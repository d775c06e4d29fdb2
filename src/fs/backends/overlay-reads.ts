/** The synchronous reads of an overlay. */
import { FsError, isFsError } from '../../errors.js'
import { join } from '../path.js'
import { type FileReader, orWouldBlock, type SyncFileSystem, type WouldBlock, wouldBlock } from '../sync.js'
import type { Entry, FileSystem } from '../types.js'

export interface Layers {
  lower: FileSystem
  upper: FileSystem
  /** True for a path of `lower` that a whiteout hides. */
  hidden(path: string): boolean
  /** The entries of a directory of `lower` that no whiteout hides. */
  visible(directory: string, entries: Entry[]): Entry[]
  /** A number that every mutation changes. */
  revision(): number
}

/** Undefined unless both layers have file readers, which only trees in memory have. */
export function layeredReads({ lower, upper, hidden, visible, revision }: Layers): SyncFileSystem | undefined {
  const above = upper.sync
  const below = lower.sync
  const [readAbove, readBelow] = [above?.fileReader, below?.fileReader]
  if (!above || !below || !readAbove || !readBelow) return undefined

  /** The result of the upper layer, or of the lower one if the upper lacks the entry. */
  function fromLayers<Result>(path: string, read: (sync: SyncFileSystem) => Result): Result {
    const own = ifThere(() => read(above!))
    if (own !== undefined) return own
    if (hidden(path)) throw new FsError('NOT_FOUND', { path })
    return read(below!)
  }

  function readDir(path: string): ReturnType<SyncFileSystem['readDir']> {
    const own = ifThere(() => above!.readDir(path))
    if (own === wouldBlock) return wouldBlock
    if (own === undefined && hidden(path)) throw new FsError('NOT_FOUND', { path })
    // Only a directory of `lower` has anything to add.
    const others =
      own === undefined
        ? below!.readDir(path)
        : hidden(path)
          ? []
          : (ifThere(() => below!.readDir(path), 'NOT_A_DIRECTORY', 'IS_LINK') ?? [])
    if (others === wouldBlock) return wouldBlock
    return own === undefined ? visible(path, others) : merged(own, visible(path, others))
  }

  /** Lists the directory in `upper` once, and again after a mutation. */
  function fileReader(directory: string): FileReader {
    let asOf: number | undefined
    let own: { names: ReadonlySet<string>; read: FileReader | WouldBlock } | undefined
    let other: FileReader | WouldBlock = wouldBlock

    function find(): void {
      const entries = ifThere(() => above!.readDir(directory))
      const isKnown = entries !== wouldBlock
      own =
        isKnown && entries
          ? { names: new Set(entries.map(({ name }) => name)), read: readAbove!(directory) }
          : undefined
      other = isKnown && !hidden(directory) ? readBelow!(directory) : wouldBlock
      asOf = revision()
    }

    find()
    return (name) => {
      if (asOf !== revision() && orWouldBlock(find) === wouldBlock) return wouldBlock
      const read = own?.names.has(name) ? own.read : hidden(join(directory, name)) ? wouldBlock : other
      return read === wouldBlock ? wouldBlock : read(name)
    }
  }

  return {
    stat: (path) => fromLayers(path, ({ stat }) => stat(path)),
    readFile: (path, range) => fromLayers(path, ({ readFile }) => readFile(path, range)),
    readDir,
    fileReader: (directory) => orWouldBlock(() => fileReader(directory)),
  }
}

/** The entries of both layers, those of the upper one first. */
export function merged(own: readonly Entry[], others: readonly Entry[]): Entry[] {
  const names = new Set(own.map(({ name }) => name))
  return [...own, ...others.filter(({ name }) => !names.has(name))]
}

function ifThere<Result>(find: () => Result, ...others: ('NOT_A_DIRECTORY' | 'IS_LINK')[]): Result | undefined {
  try {
    return find()
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND', ...others)) throw error
    return undefined
  }
}
