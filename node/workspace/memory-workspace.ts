import { limitBytes, type Room, roomFor } from '../../src/fs/backends/limit-bytes.js'
import { memory } from '../../src/fs/backends/memory.js'
import { overlay } from '../../src/fs/backends/overlay.js'
import { sampleProject } from '../../src/sample-project.js'
import { createWorkspace, searchQueue, type Workspace, type WorkspaceOptions } from '../../src/workspace.js'
import { seedFrom } from './seed.js'

export interface InMemoryOptions extends Omit<WorkspaceOptions, 'fs' | 'roots' | 'rules' | 'journal' | 'locks'> {
  /** The workspace is a fork too, so that it and the others start the same. */
  shared: boolean
  /** What may be written to all of these trees together; 1 GiB unless given. More is refused with `NO_SPACE`. */
  maxBytes?: number | undefined
}

export interface InMemory {
  workspace: Workspace
  /** Starts as the source was; costs what is changed in it. */
  fork: () => Workspace
  /** Gives back the room of a fork that nobody uses any more. */
  drop: (forked: Workspace) => void
  /** What could not be taken over. */
  skipped: string[]
}

/** A tree in memory: a copy of what lies at `source`, or else the sample project. */
export async function openInMemory(source: string | undefined, options: InMemoryOptions): Promise<InMemory> {
  const { shared, maxBytes = 1 << 30, limits, ...given } = options
  const rest = { searches: searchQueue(), ...given }
  const room = roomFor(maxBytes, { entryBytes })
  const rooms = new Map<Workspace, Room>()
  const { fs, skipped } = source === undefined ? { fs: memory(sampleProject), skipped: [] } : await seedFrom(source)
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

/** A part of what there is for all, which knows how much of it is its own. */
function roomWithin(all: Room): Room {
  let usedBytes = 0
  return {
    entryBytes: all.entryBytes,
    get usedBytes() {
      return usedBytes
    },
    take(bytes) {
      if (!all.take(bytes)) return false
      usedBytes += bytes
      return true
    },
  }
}

/** About what an entry takes that has no bytes. */
const entryBytes = 1024

/** Each has a history of its own, which is no part of the tree. */
const historyBytesOfFork = 32 << 20
