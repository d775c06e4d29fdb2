/** What a draft has found in the tree, each entry as it was when it was first looked at. */
import { FsError } from '../errors.js'
import { dirname } from '../fs/path.js'
import type { Bytes, FileSystem } from '../fs/types.js'
import { type EntryState, entryStateAt, lookAtFileSync } from './entry-image.js'
import type { Image } from './journal/record.js'

export interface Originals {
  /** A promise only for an entry that is not known yet. */
  at(path: string): EntryState | Promise<EntryState>
  /** The entry if it was looked at already. */
  known(path: string): EntryState | undefined
  /** The entry if that takes no waiting. */
  soon(path: string): EntryState | undefined
  /** Looks again, at a file without its content. */
  unread(path: string): Promise<EntryState>
  /** Looks again, at a file with all of its content. */
  whole(path: string): Promise<WholeFile>
}

export interface WholeFile {
  image: Image & { kind: 'file' }
  bytes: Bytes
}

export interface OriginalsOptions {
  /** A file that does not fit is not read. */
  maxBytes: number
  signal?: AbortSignal | undefined
}

const nothing: EntryState = { image: { kind: 'absent' } }

export function originals(fs: FileSystem, { maxBytes, signal }: OriginalsOptions): Originals {
  const found = new Map<string, EntryState>()
  let room = maxBytes

  function soon(path: string): EntryState | undefined {
    return found.get(path) ?? lookSync(path)
  }

  function lookSync(path: string): EntryState | undefined {
    if (signal?.aborted) return undefined
    // Below a missing directory nothing is read. If someone makes it meanwhile, the check before the step finds that.
    const isBelowNothing = path !== '/' && found.get(dirname(path))?.image.kind === 'absent'
    const state = isBelowNothing ? nothing : lookAtFileSync(fs, path, { maxBytes: room })
    return state && remember(path, state)
  }

  async function look(path: string): Promise<EntryState> {
    if (signal?.aborted) throw new FsError('ABORTED', {})
    return remember(path, await entryStateAt(fs, path, { maxBytes: room }))
  }

  function remember(path: string, state: EntryState): EntryState {
    room -= state.bytes?.length ?? 0
    found.set(path, state)
    return state
  }

  return {
    at: (path) => soon(path) ?? look(path),
    known: (path) => found.get(path),
    soon,
    async unread(path) {
      const state = await entryStateAt(fs, path, { maxBytes: -1 })
      found.set(path, state)
      return state
    },
    async whole(path) {
      const state = await entryStateAt(fs, path)
      const { image, bytes } = state
      if (image.kind !== 'file' || bytes === undefined) throw new FsError('CONFLICT', { path })
      found.set(path, state)
      return { image, bytes }
    },
  }
}
