import { entryBytesInMemory, limitBytes, type Room, roomFor, roomWithin } from '../../src/fs/backends/limit-bytes.js'
import { memory } from '../../src/fs/backends/memory.js'
import { overlay } from '../../src/fs/backends/overlay.js'
import { sampleProject } from '../../src/sample-project.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { searchQueue } from '../../src/workspace/search-queue.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../../src/workspace/workspace-options.js'
import { type SeedOptions, seedFrom } from './seed.js'

export interface InMemoryOptions
  extends Omit<WorkspaceOptions, 'fs' | 'roots' | 'pathRules' | 'journal' | 'locks'>,
    SeedOptions {
  /** Makes the workspace itself a fork, so that it starts like all the others. */
  shared: boolean
  /** Limit for the written bytes of all forks together. Default: 1 GiB. More fails with `NO_SPACE`. */
  maxBytes?: number | undefined
}

export interface InMemory {
  workspace: Workspace
  /** A workspace that starts as a copy of the source; it costs only what is changed in it. */
  fork: () => Workspace
  /** Frees the bytes of a fork that is no longer used. */
  drop: (forked: Workspace) => void
  /** Paths that could not be copied. */
  skipped: string[]
}

/** A tree in memory: a copy of `source`, or the sample project. */
export async function openInMemory(source: string | undefined, options: InMemoryOptions): Promise<InMemory> {
  const { shared, maxBytes = 1 << 30, limits, onProgress, ...given } = options
  const rest = { ...given, internals: { searches: searchQueue(), ...given.internals } }
  const room = roomFor(maxBytes, { entryBytes: entryBytesInMemory })
  const rooms = new Map<Workspace, Room>()
  const { fs, skipped } =
    source === undefined ? { fs: memory(sampleProject), skipped: [] } : await seedFrom(source, { onProgress })
  const fork = () => {
    const own = roomWithin(room)
    const forkLimits = { maxHistoryBytes: historyBytesOfFork, ...limits }
    const forked = createWorkspace({ ...rest, limits: forkLimits, fs: overlay(fs, limitBytes(memory(), own)) })
    rooms.set(forked, own)
    return forked
  }
  const drop = (forked: Workspace) => {
    room.take(-(rooms.get(forked)?.usedBytes ?? 0))
    rooms.delete(forked)
  }
  const workspace = shared ? fork() : createWorkspace({ ...rest, ...(limits && { limits }), fs: limitBytes(fs, room) })
  return { workspace, fork, drop, skipped }
}

/** Each fork has its own history, which is not part of the tree. */
const historyBytesOfFork = 32 << 20
