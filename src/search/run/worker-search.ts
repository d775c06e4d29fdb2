/** What a platform provides so that its workers can search: threads in Node, Web Workers in a page. */
import type { FileOutcome } from './file-outcome.js'
import type { FilesToSearch, SearchRequest } from './records.js'

export interface SearchWorkers {
  /** False when none can be started, or one has failed. */
  readonly usable: boolean
  /** Starts the workers if need be. They stop by themselves at `deadlineMs`, which counts as `Date.now` does. */
  begin(request: SearchRequest, deadlineMs: number): WorkerSearch
}

export interface WorkerSearch {
  /** Searches the files of a batch. Never rejects: what no worker can search is `unreachable`. */
  search(batch: readonly PackedFiles[]): Promise<BatchOutcomes>
  /** No more matches will be reported: workers need not collect them, only count. */
  onlyCount?(): void
  /** Stops the workers; what they still report is dropped. */
  end(): void
}

export interface BatchOutcomes {
  /** Memory that the results take until they are read. */
  bytes: number
  /** Reads the results, one file after the other. */
  read(): () => WorkerOutcome
}

/** `unreachable`: only the gate can read the file, because a link is in the way or the path is not plain. */
export type WorkerOutcome = FileOutcome | 'unreachable'

/** Of a batch that no worker can search. */
export const unreachableBatch: BatchOutcomes = { bytes: 0, read: () => () => 'unreachable' }

/** Files of one directory. Their names are one string, which takes less memory than many and is sent faster. */
export interface PackedFiles {
  directory: string
  /** Separated by slashes. */
  names: string
  count: number
  /** A listing has reported all of them as files. */
  listed: boolean
  /** Absent when none is known. */
  sizes?: readonly (number | undefined)[]
}

export function packFiles(directory: string, entries: FilesToSearch['entries']): PackedFiles {
  return {
    directory,
    names: entries.map(({ name }) => name).join('/'),
    count: entries.length,
    listed: entries.every(({ kind }) => kind === 'file'),
    ...(entries.some(({ size }) => size !== undefined) && { sizes: entries.map(({ size }) => size) }),
  }
}
