/** `polyfs eval serve`: episodes for programs in other languages, over HTTP. */
import type { Suite } from '../../../harness/tasks/load-suite.js'
import type { Budget } from '../../../harness/types.js'
import type { WorkspaceOptions } from '../../../src/workspace/workspace-options.js'
import { type GuardedServerOptions, guardedServer } from '../../serve/guarded-server.js'
import { servedEpisodes } from './episodes.js'
import { episodeRoutes } from './routes.js'

export interface ServeEpisodesOptions extends Omit<GuardedServerOptions, 'page'> {
  suite: Suite
  /** For tasks without a shell of their own. */
  shell?: WorkspaceOptions['shell']
  /** Episodes that are open at the same time; 1000 unless given. */
  maxEpisodes?: number
  /** An episode that nobody used for so long is ended; 30 minutes unless given. */
  idleMs?: number
  /** What all open episodes together may hold in memory; 1 GiB unless given. */
  maxMemoryBytes?: number
  /** What one of them may; replaces what tasks say. */
  maxBytes?: number
  /** Replaces what tasks allow. */
  budget?: Partial<Budget>
}

export interface EpisodeServer {
  /** Such as `http://127.0.0.1:4100`. */
  readonly url: string
  /** The bearer token that clients must send; absent when none is required. */
  readonly token?: string
  close(): Promise<void>
}

const maxSweepMs = 30_000
/** A training loop on the same machine asks more often than clients of files do. */
const maxRequestsPerSecond = 50_000

export async function serveEpisodes(options: ServeEpisodesOptions): Promise<EpisodeServer> {
  const { suite, maxEpisodes = 1000, idleMs = 30 * 60_000, maxMemoryBytes = 1 << 30, onFault } = options
  const episodes = servedEpisodes({ ...options, maxEpisodes, idleMs, maxMemoryBytes })
  const server = await guardedServer({ maxRequestsPerSecond, ...options }, episodeRoutes({ episodes, suite }))
  const sweep = () => void episodes.sweep().catch((fault) => onFault?.(fault))
  const sweeping = setInterval(sweep, Math.min(maxSweepMs, idleMs)).unref()
  return {
    url: server.origin,
    ...(server.token !== undefined && { token: server.token }),
    close() {
      clearInterval(sweeping)
      return server.close(() => episodes.close())
    },
  }
}
