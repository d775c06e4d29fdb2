/** What an overlay shows, read without waiting. */
import { FsError, isFsError } from '../../errors.js'
import { join } from '../path.js'
import type { ByteRange, Bytes, Entry, FileSystem, Reader } from '../types.js'

export interface Layers {
  lower: FileSystem
  upper: FileSystem
  /** True for what of `lower` is not to be seen. */
  hidden(path: string): boolean
  /** The entries that are, of a directory that is. */
  visible(directory: string, entries: Entry[]): Entry[]
  /** Another number after anything was changed. */
  revision(): number
}

export interface LayeredReads {
  readFile(path: string, range?: ByteRange): Bytes
  readDir(path: string): Entry[]
  reader(directory: string): Reader
}

/** Undefined unless both layers are in memory, as their readers say. */
export function layeredReads({ lower, upper, hidden, visible, revision }: Layers): LayeredReads | undefined {
  const above = readsOf(upper)
  const below = readsOf(lower)
  if (above === undefined || below === undefined) return undefined

  function readDir(path: string): Entry[] {
    const own = ifThere(() => above!.list(path))
    if (own === undefined) {
      if (hidden(path)) throw new FsError('NOT_FOUND', { path })
      return visible(path, below!.list(path))
    }
    // What is no directory below has nothing to add.
    const others = hidden(path) ? [] : (ifThere(() => below!.list(path), 'NOT_A_DIRECTORY', 'IS_LINK') ?? [])
    return merged(own, visible(path, others))
  }

  /** Finds out once what is in `upper`, and again after a change. */
  function reader(directory: string): Reader {
    let asOf: number | undefined
    let own: { names: ReadonlySet<string>; read: Reader | undefined } | undefined
    let other: Reader | undefined
    const find = () => {
      const entries = ifThere(() => above!.list(directory))
      own = entries && { names: new Set(entries.map(({ name }) => name)), read: above!.reader(directory) }
      other = hidden(directory) ? undefined : ifThere(() => below!.reader(directory), 'NOT_A_DIRECTORY', 'IS_LINK')
      asOf = revision()
    }
    find()
    return (name) => {
      if (asOf !== revision()) find()
      const path = join(directory, name)
      const read = own?.names.has(name) ? own.read : hidden(path) ? undefined : other
      if (read === undefined) throw new FsError('NOT_FOUND', { path })
      return read(name)
    }
  }

  return {
    readFile(path, range) {
      const own = ifThere(() => above.read(path, range))
      if (own !== undefined) return own
      if (hidden(path)) throw new FsError('NOT_FOUND', { path })
      return below.read(path, range)
    },
    readDir,
    reader,
  }
}

/** What both have, those of the upper layer before the others. */
export function merged(own: readonly Entry[], others: readonly Entry[]): Entry[] {
  const names = new Set(own.map(({ name }) => name))
  return [...own, ...others.filter(({ name }) => !names.has(name))]
}

function readsOf({ readFile, readDir }: FileSystem) {
  const { now: read, reader } = readFile
  const { now: list } = readDir
  return read && reader && list && { read, reader, list }
}

function ifThere<Result>(find: () => Result, ...others: ('NOT_A_DIRECTORY' | 'IS_LINK')[]): Result | undefined {
  try {
    return find()
  } catch (error) {
    if (!isFsError(error, 'NOT_FOUND', ...others)) throw error
    return undefined
  }
}
