/** A searcher that reads and searches in threads of its own: many files at once, and never a wait for the rest of the program. */
import { join } from '../src/fs/path.js'
import type { FileSystem } from '../src/fs/types.js'
import { compileMatcher, type Matcher } from '../src/search/matcher.js'
import { type FileOutcome, nothingFound, readToSearch, type Share, searchContent } from '../src/search/one-file.js'
import { outcomeInTurn } from '../src/search/out-of-turn.js'
import type { FileMatches, FilesToSearch, Searcher, SearchRequest, SearchSummary } from '../src/search/records.js'
import { type SearchContext, search } from '../src/search/searcher.js'
import { createTally } from '../src/search/tally.js'
import { findBytesIn } from './find-bytes.js'
import type { Answer, PoolThreads } from './pool-threads.js'
import { rootFinder } from './root-of.js'
import { createControl, type FileGroup, stopAt, type ToWorker, toldAt } from './search-messages.js'
import { type Packed, unpack, type WorkerOutcome } from './search-packing.js'

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
 * How far the threads may be ahead of whoever takes the results, in batches, and in characters found: enough to be busy while one of them is
 * with a large file, and no more, so that memory does not grow with the tree. There are slots for many more batches.
 */
const maxAhead = 64
const maxTextAhead = 1 << 26

/** Threads are started by the first search that is worth it. Where there are none to be had all is searched by this thread. */
export function searchPool({ fs, points, threads, fewFiles = 200 }: SearchPoolOptions): Searcher {
  const place = rootFinder(points)

  async function* searchInThreads(
    first: readonly FilesToSearch[],
    rest: AsyncIterator<FilesToSearch>,
    request: SearchRequest,
    context: SearchContext,
  ): AsyncGenerator<FileMatches, SearchSummary> {
    const matcher = compileMatcher(request.matcher)
    const { signal, now = Date.now } = context
    const leftMs = request.timeoutMs ?? Infinity
    const tally = createTally(request, { signal, now, deadline: now() + leftMs })
    const running = threads.begin((number, post) => runningSearch(number, request, Date.now() + leftMs, post))
    const over = whenOver(signal, leftMs)
    const handingOut = handOut(first, rest, running)
    try {
      for (;;) {
        const batch = await Promise.race([running.next(), over.promise])
        if (batch === undefined || batch === 'over') {
          tally.isOver()
          return tally.summary
        }
        if (tally.isOver()) return tally.summary
        let i = 0
        for (const { directory, entries } of batch.files) {
          for (const { name, size } of entries) {
            if (!tally.opensNext()) return tally.summary
            const found = batch.outcomes === 'nothing' ? nothingFound : batch.outcomes?.[i]
            i += 1
            if (found === nothingFound) tally.add(name, found)
            else {
              const path = join(directory, name)
              const share = tally.share()
              if (share.take === 0) running.told()
              const known = typeof found === 'object' ? outcomeInTurn(found, share, request) : undefined
              const outcome = known ?? (await searchHere(path, size, request, matcher, share, tally))
              const told = tally.add(path, outcome)
              if (told !== undefined) yield told
              if (tally.isOver()) return tally.summary
            }
            context.onProgress?.(tally.summary)
            if (tally.isComplete()) return tally.summary
          }
        }
      }
    } finally {
      over.cancel()
      threads.finish(running)
      await handingOut
    }
  }

  /** Hands files out in batches, in their order, not too far ahead. */
  async function handOut(
    first: readonly FilesToSearch[],
    rest: AsyncIterator<FilesToSearch>,
    running: RunningSearch,
  ): Promise<void> {
    let batch: FilesToSearch[] = []
    let count = 0
    const send = () => {
      running.add(batch, groupsOf(batch))
      batch = []
      count = 0
    }
    const add = ({ directory, entries }: FilesToSearch) => {
      for (let from = 0; from < entries.length; ) {
        const until = Math.min(entries.length, from + filesPerBatch - count)
        batch.push({ directory, entries: until - from === entries.length ? entries : entries.slice(from, until) })
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

  /** Undefined where a file has no place in a root; all is then left to the gate. */
  function groupsOf(files: readonly FilesToSearch[]): FileGroup[] | undefined {
    const groups: FileGroup[] = []
    for (const { directory, entries } of files) {
      const found = place(directory)
      if (found === undefined) return undefined
      const listed = entries.every(({ kind }) => kind === 'file')
      groups.push({
        root: found.root,
        directory: found.inner,
        names: entries.map(({ name }) => name).join('/'),
        listed,
      })
    }
    return groups
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

interface Batch {
  files: readonly FilesToSearch[]
  /** Absent when this thread has to search them. */
  outcomes: readonly WorkerOutcome[] | 'nothing' | undefined
}

interface OpenBatch {
  files: readonly FilesToSearch[]
  message: Extract<ToWorker, { kind: 'batch' }> | undefined
  /** What came back; `lost` if nothing will. */
  found: Packed | 'nothing' | 'lost' | undefined
}

function textLength(found: OpenBatch['found']): number {
  return typeof found === 'object' ? found.text.length + found.lines.length : 0
}

function outcomesOf({ found }: OpenBatch): Batch['outcomes'] {
  if (found === 'nothing') return found
  return typeof found === 'object' ? unpack(found) : undefined
}

type RunningSearch = ReturnType<typeof runningSearch>

/** A job for the threads: the batches of one search, handed out ahead, taken back in order. */
function runningSearch(number: number, request: SearchRequest, deadlineMs: number, post: (message: ToWorker) => void) {
  const control = createControl()
  const start: ToWorker = { kind: 'start', job: number, request, deadlineMs, control }
  const open = new Map<number, OpenBatch>()
  let added = 0
  let taken = 0
  let textAhead = 0
  let closed: { fault?: unknown } | undefined
  let stopped = false
  let wakeTaker: (() => void) | undefined
  let wakeAdder: (() => void) | undefined
  post(start)

  function isFull(): boolean {
    return !stopped && (added - taken >= maxAhead || textAhead > maxTextAhead)
  }

  function settle(batch: number, found: Packed | 'nothing' | 'lost'): void {
    const waiting = open.get(batch)
    if (waiting === undefined || waiting.found !== undefined) return
    waiting.found = found
    textAhead += textLength(found)
    if (batch === taken) wakeTaker?.()
  }

  return {
    number,
    get stopped() {
      return stopped
    },
    add(files: readonly FilesToSearch[], groups: FileGroup[] | undefined): void {
      const message = groups && { kind: 'batch' as const, job: number, batch: added, groups }
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
      settle(answer.batch, answer.found)
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
    async next(): Promise<Batch | undefined> {
      for (;;) {
        const batch = open.get(taken)
        if (batch?.found !== undefined) {
          open.delete(taken)
          taken += 1
          textAhead -= textLength(batch.found)
          if (!isFull()) wakeAdder?.()
          return { files: batch.files, outcomes: outcomesOf(batch) }
        }
        if (batch === undefined && closed !== undefined) {
          if ('fault' in closed) throw closed.fault
          return undefined
        }
        await new Promise<void>((resolve) => {
          wakeTaker = resolve
        })
      }
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

/** Resolves when a search is aborted or out of time. */
function whenOver(signal: AbortSignal | undefined, leftMs: number) {
  let cancel = () => {}
  const promise = new Promise<'over'>((resolve) => {
    const onOver = () => resolve('over')
    // Timers can't wait longer.
    const timer = leftMs < 2 ** 31 ? setTimeout(onOver, leftMs + 1) : undefined
    signal?.addEventListener('abort', onOver, { once: true })
    cancel = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onOver)
    }
  })
  return { promise, cancel }
}

async function* these(files: readonly FilesToSearch[]): AsyncGenerator<FilesToSearch> {
  yield* files
}
