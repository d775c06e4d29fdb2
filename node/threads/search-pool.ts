/** A searcher that reads and searches in threads of its own: many files at once, and never a wait for the rest of the program. */
import { join } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'
import { compileMatcher, type Matcher } from '../../src/search/patterns/matcher.js'
import {
  type FileOutcome,
  nothingFound,
  readToSearch,
  type Share,
  searchContent,
} from '../../src/search/run/file-outcome.js'
import type {
  FileMatches,
  FilesToSearch,
  SearchContext,
  Searcher,
  SearchRequest,
  SearchSummary,
} from '../../src/search/run/records.js'
import { createTally } from '../../src/search/run/search-totals.js'
import { search } from '../../src/search/run/searcher.js'
import { outcomeInTurn } from '../../src/search/run/unordered-results.js'
import { rootFinder } from '../disk/find-root.js'
import { whenOver } from '../shell/abort-or-timeout.js'
import { findBytesIn } from './find-bytes.js'
import { createControl, type FileGroup, isPlain, packGroups, stopAt, type ToWorker, toldAt } from './search-messages.js'
import { type Packed, unpack } from './search-packing.js'
import type { Answer, PoolThreads } from './thread-pool.js'

export interface SearchPoolOptions {
  /** What is searched: the gate, for files that only it can reach, and for searches that are not worth a thread. */
  fs: FileSystem
  /** Where the roots that the threads have are mounted in `fs`. */
  points: readonly string[]
  threads: PoolThreads
  /** Fewer files are searched sooner than they are handed out; 200 unless given. */
  fewFiles?: number
}

const filesPerBatch = 96
/**
 * How far the threads may be ahead of whoever takes the results, in batches, and in bytes found: enough to be busy while one of them is
 * with a large file, and no more, so that memory does not grow with the tree. There are slots for many more batches. A few may be open
 * whatever they find, and until it is known what they find, no more than if it were much.
 */
const maxAhead = 64
const maxBytesAhead = 1 << 24
const alwaysAhead = 4
const guessedBytes = 1 << 20

/** Threads are started by the first search that is worth it. Where there are none to be had all is searched by this thread. */
export function searchPool({ fs, points, threads, fewFiles = 200 }: SearchPoolOptions): Searcher {
  const place = rootFinder(points)

  async function* searchInThreads(
    first: readonly FilesToSearch[],
    rest: AsyncIterator<FilesToSearch>,
    request: SearchRequest,
    context: SearchContext,
  ): AsyncGenerator<readonly FileMatches[], SearchSummary> {
    const matcher = compileMatcher(request.matcher)
    const { signal, now = Date.now } = context
    const leftMs = request.timeoutMs ?? Infinity
    const tally = createTally(request, { signal, now, deadline: now() + leftMs })
    const running = threads.begin((number, post) => runningSearch(number, request, Date.now() + leftMs, post))
    const over = whenOver(signal, leftMs)
    void over.promise.then(running.interrupt)
    const handingOut = handOut(first, rest, running)
    try {
      for (;;) {
        const batch = await running.next()
        if (tally.isOver() || batch === undefined) return tally.summary
        const told: FileMatches[] = []
        const isLast = await takeInTurn(batch, told)
        if (told.length > 0) yield told
        if (isLast) return tally.summary
      }
    } finally {
      over.cancel()
      threads.finish(running)
      await handingOut
    }

    /** Whether the search ends with what was told. */
    async function takeInTurn({ files, found }: Batch, told: FileMatches[]): Promise<boolean> {
      const next = typeof found === 'object' ? unpack(found) : () => (found === 'nothing' ? nothingFound : 'elsewhere')
      for (const { directory, names, count, sizes } of files) {
        let each: string[] | undefined
        for (let i = 0; i < count; i += 1) {
          if (!tally.opensNext()) return true
          const outcome = next()
          if (outcome === nothingFound) tally.add('', outcome)
          else {
            each ??= names.split('/')
            const path = join(directory, each[i] as string)
            const share = tally.share()
            if (share.take === 0) running.told()
            const known = outcome === 'elsewhere' ? undefined : outcomeInTurn(outcome, share, request)
            const matches = tally.add(
              path,
              known ?? (await searchHere(path, sizes?.[i], request, matcher, share, tally)),
            )
            if (matches !== undefined) told.push(matches)
            if (tally.isOver()) return true
          }
          context.onProgress?.(tally.summary)
          if (tally.isComplete()) return true
        }
      }
      return false
    }
  }

  /** Hands files out in batches, in their order, not too far ahead. */
  async function handOut(
    first: readonly FilesToSearch[],
    rest: AsyncIterator<FilesToSearch>,
    running: RunningSearch,
  ): Promise<void> {
    let batch: HeldFiles[] = []
    let count = 0
    const send = () => {
      running.add(batch, groupsOf(batch))
      batch = []
      count = 0
    }
    const add = ({ directory, entries }: FilesToSearch) => {
      for (let from = 0; from < entries.length; ) {
        const until = Math.min(entries.length, from + filesPerBatch - count)
        batch.push(held(directory, until - from === entries.length ? entries : entries.slice(from, until)))
        count += until - from
        from = until
        if (count >= filesPerBatch) send()
      }
    }
    try {
      for (const files of first) add(files)
      for (;;) {
        const room = running.room()
        if (room !== undefined) await room
        if (running.stopped) return
        const next = await rest.next()
        if (next.done === true) break
        add(next.value)
      }
      if (count > 0) send()
      running.close()
    } catch (error) {
      running.close(error)
    } finally {
      if (running.stopped) await rest.return?.()
    }
  }

  /** Undefined where a file has no place in a root, or a name that none has; all is then left to the gate. */
  function groupsOf(files: readonly HeldFiles[]): string | undefined {
    const groups: FileGroup[] = []
    for (const { directory, names, listed } of files) {
      const found = place(directory)
      if (found === undefined || !isPlain(directory) || !isPlain(names)) return undefined
      groups.push({ root: found.root, directory: found.inner, names, listed })
    }
    return packGroups(groups)
  }

  async function searchHere(
    path: string,
    size: number | undefined,
    request: SearchRequest,
    matcher: Matcher,
    share: Share,
    { isOver }: { isOver(): boolean },
  ): Promise<FileOutcome> {
    const content = await readToSearch(fs, path, size, request)
    const steps = searchContent(content, request, matcher, share, { findBytes: findBytesIn, stop: isOver })
    for (let paused = Date.now(); ; ) {
      const step = steps.next()
      if (step.done === true) return step.value
      if (Date.now() - paused < 20) continue
      await new Promise<void>((resume) => setImmediate(resume))
      paused = Date.now()
    }
  }

  return {
    async *search(files, request, context = {}) {
      if (!threads.usable) return yield* search(fs, files, request, { findBytes: findBytesIn, ...context })
      const iterator = files[Symbol.asyncIterator]()
      const first: FilesToSearch[] = []
      for (let count = 0; count < fewFiles; count += first.at(-1)!.entries.length) {
        const next = await iterator.next()
        if (next.done === true) return yield* search(fs, these(first), request, { findBytes: findBytesIn, ...context })
        first.push(next.value)
      }
      return yield* searchInThreads(first, iterator, request, context)
    },
  }
}

/** Files of one directory until they are told of. Of most there is nothing to tell, and of their names no more is kept than one text. */
interface HeldFiles {
  directory: string
  /** With slashes between them. */
  names: string
  count: number
  listed: boolean
  /** Absent where none is known. */
  sizes: readonly (number | undefined)[] | undefined
}

function held(directory: string, entries: FilesToSearch['entries']): HeldFiles {
  const sizes = entries.some(({ size }) => size !== undefined) ? entries.map(({ size }) => size) : undefined
  const listed = entries.every(({ kind }) => kind === 'file')
  return { directory, names: entries.map(({ name }) => name).join('/'), count: entries.length, listed, sizes }
}

interface Batch {
  files: readonly HeldFiles[]
  /** What came back; `lost` if nothing will, and this thread has to search them. */
  found: Packed | 'nothing' | 'lost'
}

interface OpenBatch {
  files: readonly HeldFiles[]
  /** Absent when there is nobody to send it to. */
  message: Extract<ToWorker, { kind: 'batch' }> | undefined
  found: Batch['found'] | undefined
}

function bytesOf(found: Batch['found']): number {
  return typeof found === 'object' ? found.text.length + found.bytes.length : 0
}

type RunningSearch = ReturnType<typeof runningSearch>

/** A job for the threads: the batches of one search, handed out ahead, taken back in order. */
function runningSearch(number: number, request: SearchRequest, deadlineMs: number, post: (message: ToWorker) => void) {
  const control = createControl()
  const start: ToWorker = { kind: 'start', job: number, request, deadlineMs, control }
  const open = new Map<number, OpenBatch>()
  let added = 0
  let taken = 0
  let bytesAhead = 0
  let settled = 0
  let bytesSettled = 0
  let closed: { fault?: unknown } | undefined
  let stopped = false
  let interrupted = false
  let wakeTaker: (() => void) | undefined
  let wakeAdder: (() => void) | undefined
  post(start)

  function isFull(): boolean {
    const ahead = added - taken
    if (stopped || ahead < alwaysAhead) return false
    // Those that are not back yet will bring about as much as the others.
    const expected = (added - settled) * ((guessedBytes + bytesSettled) / (1 + settled))
    return ahead >= maxAhead || bytesAhead + expected > maxBytesAhead
  }

  function settle(batch: number, found: Batch['found']): void {
    const waiting = open.get(batch)
    if (waiting === undefined || waiting.found !== undefined) return
    waiting.found = found
    settled += 1
    bytesSettled += bytesOf(found)
    bytesAhead += bytesOf(found)
    if (batch === taken) wakeTaker?.()
  }

  return {
    number,
    get stopped() {
      return stopped
    },
    add(files: readonly HeldFiles[], groups: string | undefined): void {
      const message = groups === undefined ? undefined : { kind: 'batch' as const, job: number, batch: added, groups }
      open.set(added, { files, message, found: message === undefined ? 'lost' : undefined })
      added += 1
      if (message !== undefined && !stopped) post(message)
      if (added - 1 === taken) wakeTaker?.()
    },
    /** Resolves when more may be added; undefined when it may be at once. */
    room(): Promise<void> | undefined {
      if (!isFull()) return undefined
      return new Promise((resolve) => {
        wakeAdder = resolve
      })
    },
    /** No more will be added. */
    close(...fault: [unknown?]): void {
      closed = fault.length === 0 ? {} : { fault: fault[0] }
      wakeTaker?.()
    },
    answered(answer: Answer): void {
      if (answer.kind === 'found') settle(answer.batch, answer.found)
    },
    /** What it had in hand is searched by this thread. */
    threadLost(batch: number | undefined): void {
      if (batch !== undefined) settle(batch, 'lost')
    },
    abandoned(): void {
      for (const batch of [...open.keys()]) settle(batch, 'lost')
    },
    unanswered(): ToWorker[] {
      const messages = [...open.values()].flatMap(({ message, found }) =>
        message === undefined || found !== undefined ? [] : [message],
      )
      return [start, ...messages]
    },
    /** Undefined at the end. */
    async next(): Promise<Batch | undefined> {
      while (!interrupted) {
        const { files, found } = open.get(taken) ?? {}
        if (files !== undefined && found !== undefined) {
          open.delete(taken)
          taken += 1
          bytesAhead -= bytesOf(found)
          if (!isFull()) wakeAdder?.()
          return { files, found }
        }
        if (files === undefined && closed !== undefined) {
          if ('fault' in closed) throw closed.fault
          return undefined
        }
        await new Promise<void>((resolve) => {
          wakeTaker = resolve
        })
      }
      return undefined
    },
    /** What has not come back is not waited for. */
    interrupt(): void {
      interrupted = true
      wakeTaker?.()
    },
    /** All that may be told is told; if the search goes on, then only to count. */
    told(): void {
      Atomics.store(control, toldAt, 1)
    },
    stop(): void {
      stopped = true
      Atomics.store(control, stopAt, 1)
      wakeAdder?.()
    },
  }
}

async function* these(files: readonly FilesToSearch[]): AsyncGenerator<FilesToSearch> {
  yield* files
}
