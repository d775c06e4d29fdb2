/** The open episodes of a server: so many at once, and each ended when nobody uses it. */
import { randomBytes } from 'node:crypto'
import { openEpisode } from '../../../harness/episode/episode.js'
import type { Suite } from '../../../harness/tasks/load-suite.js'
import type { Budget, Episode, FaultSchedule, Task, Trace } from '../../../harness/types.js'
import { roomFor } from '../../../src/fs/backends/limit-bytes.js'
import { serialQueue } from '../../../src/fs/serial-queue.js'
import { type HttpHandler, httpHandler } from '../../../src/mcp/serve.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'
import { ServeError } from './serve-error.js'

export interface ServedEpisode {
  readonly id: string
  readonly task: Task
  readonly seed: number
  readonly episode: Episode
  /** MCP for this episode. */
  mcp(): HttpHandler
  /** Runs one thing at a time, and counts as use. */
  use<Result>(run: () => Promise<Result>): Promise<Result>
  /** Counts as use while the request lasts. */
  hold(): () => void
  /** The trace with the scores, as long as no call follows them. */
  scored?: { trace: Trace; events: number }
}

export interface EpisodesOptions {
  suite: Suite
  /** For tasks without a shell of their own. */
  shell?: WorkspaceOptions['shell']
  maxEpisodes: number
  idleMs: number
  /** What all of them together may hold in memory. */
  maxMemoryBytes: number
  /** What one may; replaces what tasks say. */
  maxBytes?: number
  /** Replaces what tasks allow. */
  budget?: Partial<Budget>
  onFault?: (fault: unknown) => void
  now?: () => number
}

export interface OpenOptions {
  task: string
  seed: number
  budget?: Partial<Budget>
  faults?: FaultSchedule
}

export interface Episodes {
  /** Fails with a `ServeError`: an unknown task, too many episodes. */
  open(options: OpenOptions): Promise<ServedEpisode>
  fork(original: ServedEpisode, options: { seed?: number }): ServedEpisode
  /** Fails with a `ServeError` when there is none, with the reason when it was ended. */
  get(id: string): ServedEpisode
  end(id: string): Promise<void>
  /** Ends those that were idle for too long. */
  sweep(): Promise<void>
  readonly count: number
  close(): Promise<void>
}

interface Entry extends ServedEpisode {
  isIdle(atMs: number): boolean
  close(): Promise<void>
}

/** How many ended episodes are remembered, to say why they are gone. */
const maxEnded = 10_000
/** What an episode takes in which nothing has happened yet. */
const emptyBytes = 65_536
/** MCP sessions of one episode: an agent has one, and may connect again. */
const maxSessions = 8

export function servedEpisodes(options: EpisodesOptions): Episodes {
  const { suite, maxEpisodes, idleMs, maxMemoryBytes, maxBytes, now = Date.now } = options
  const sharedRoom = roomFor(maxMemoryBytes)
  const tasks = new Map(suite.tasks.map((task) => [task.id, task]))
  const skipped = new Map(suite.skipped.map(({ id, skipped: reason }) => [id, reason]))
  const entries = new Map<string, Entry>()
  const ended = new Map<string, string>()
  let opening = 0

  function taskOf(id: string): Task {
    const task = tasks.get(id)
    if (task !== undefined) return task
    const reason = skipped.get(id)
    if (reason !== undefined) throw new ServeError(422, 'skipped', `The task ${id} can't be run here: ${reason}`)
    throw new ServeError(404, 'unknown-task', `There is no task ${JSON.stringify(id)}; GET /tasks lists them.`)
  }

  function requireRoom(): void {
    if (entries.size + opening < maxEpisodes) return
    const message = `${maxEpisodes} episodes are open, which is the limit: end one with DELETE, or start the server with a higher --max-episodes.`
    throw new ServeError(503, 'too-many-episodes', message)
  }

  /** Also taken for the episode that is opened now; given back with it. */
  function requireMemory(): void {
    if (sharedRoom.take(emptyBytes)) return
    const message = `The open episodes hold ${maxMemoryBytes} bytes, which is the limit: end some with DELETE, or start the server with a higher --max-memory-bytes.`
    throw new ServeError(503, 'too-much-memory', message)
  }

  function add(task: Task, episode: Episode, seed: number): Entry {
    const id = randomBytes(16).toString('base64url')
    const entry = entryOf({ id, task, episode, seed }, options)
    entries.set(id, entry)
    return entry
  }

  async function end(id: string, reason: string): Promise<void> {
    const entry = entries.get(id)
    if (entry === undefined) return
    entries.delete(id)
    ended.set(id, reason)
    const [oldest] = ended.keys()
    if (ended.size > maxEnded && oldest !== undefined) ended.delete(oldest)
    sharedRoom.take(-emptyBytes)
    await entry.close()
  }

  function get(id: string): Entry {
    const entry = entries.get(id)
    if (entry !== undefined) return entry
    const reason = ended.get(id)
    if (reason !== undefined) throw new ServeError(410, 'episode-ended', `The episode has ended: ${reason}.`)
    throw new ServeError(404, 'unknown-episode', `There is no episode ${JSON.stringify(id)}.`)
  }

  return {
    async open({ task: id, seed, budget, faults }) {
      const task = taskOf(id)
      requireRoom()
      requireMemory()
      opening += 1
      try {
        const given = task.options ?? {}
        const episode = await openEpisode({
          files: task.files,
          task: id,
          ...(options.shell && { shell: options.shell }),
          ...given,
          ...(faults && { faults }),
          ...(maxBytes !== undefined && { maxBytes }),
          sharedRoom,
          seed,
          budget: { ...given.budget, ...options.budget, ...budget },
        })
        return add(task, episode, seed)
      } catch (error) {
        sharedRoom.take(-emptyBytes)
        throw error
      } finally {
        opening -= 1
      }
    },
    fork({ task, episode, seed }, forkOptions) {
      requireRoom()
      requireMemory()
      try {
        return add(task, forkBetweenCalls(episode, forkOptions), forkOptions.seed ?? seed)
      } catch (error) {
        sharedRoom.take(-emptyBytes)
        throw error
      }
    },
    get,
    end(id) {
      get(id)
      return end(id, 'it was deleted')
    },
    async sweep() {
      const idle = [...entries.values()].filter((entry) => entry.isIdle(now()))
      const reason = `nobody used it for ${Math.round(idleMs / 60_000)} minutes`
      await Promise.all(idle.map(({ id }) => end(id, reason)))
    },
    get count() {
      return entries.size
    },
    async close() {
      await Promise.all([...entries.keys()].map((id) => end(id, 'the server ends')))
    },
  }
}

/** An agent may be making a call over MCP at the same time. */
export function forkBetweenCalls(episode: Episode, options: { seed?: number } = {}): Episode {
  try {
    return episode.fork(options)
  } catch (error) {
    throw new ServeError(409, 'call-running', error instanceof Error ? error.message : String(error))
  }
}

type Parts = Pick<ServedEpisode, 'id' | 'task' | 'episode' | 'seed'>

function entryOf(parts: Parts, { idleMs, onFault, now = Date.now }: EpisodesOptions): Entry {
  const { episode } = parts
  const enqueue = serialQueue()
  let handler: HttpHandler | undefined
  let held = 0
  let usedMs = now()

  function hold(): () => void {
    held += 1
    return () => {
      held -= 1
      usedMs = now()
    }
  }

  return {
    ...parts,
    hold,
    async use(run) {
      const release = hold()
      try {
        return await enqueue(run)
      } finally {
        release()
      }
    },
    mcp() {
      const { workspace, dialect } = episode
      const newId = () => randomBytes(24).toString('base64url')
      const sessions = { maxSessions, idleMs, newId, now }
      handler ??= httpHandler({ workspace, dialect, ...(onFault && { onFault }) }, { sessions })
      return handler
    },
    isIdle: (atMs) => held === 0 && atMs - usedMs > idleMs,
    async close() {
      await handler?.close()
      await episode.close()
    },
  }
}
