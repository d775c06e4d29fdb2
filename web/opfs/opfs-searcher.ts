/** A searcher for a tree in OPFS: Web Workers read and search many files in parallel. */
import type { FileSystem } from '../../src/fs/types.js'
import { parallelSearcher } from '../../src/search/run/parallel-search.js'
import type { Searcher } from '../../src/search/run/records.js'
import { workerPool } from './worker-pool.js'

export interface OpfsSearcherOptions {
  /** What is searched: the gate, for files that workers can't reach and for searches that are too small for them. */
  fs: FileSystem
  /** The directory at the top of OPFS that is `/` there. */
  directory: string
  /** As many as cores, 4 at most, unless given; none for 0. */
  workers?: number
}

/** Workers are started by the first search with enough files, and ended after a while without searches. */
export function opfsSearcher({ fs, directory, workers }: OpfsSearcherOptions): Searcher {
  const count = workers ?? Math.min(navigator.hardwareConcurrency || 2, 4)
  return parallelSearcher({
    fs,
    workers: workerPool(directory, count),
    fewFiles: 32,
    filesPerBatch: 64,
    maxAhead: 2 * count,
  })
}
