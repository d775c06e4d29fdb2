/** A thread of the pool: opens, reads and searches the files it claims, beneath a root and never through a link; or lists directories. */
import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isFsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import type { Bytes } from '../../src/fs/types.js'
import { createKernels, type Kernels, maxNeedleBytes } from '../../src/search/bytes/kernels/kernels.js'
import { createPrefilter, type Prefilter, partOverlap } from '../../src/search/bytes/kernels/prefilter.js'
import { compileMatcher, type Matcher } from '../../src/search/patterns/matcher.js'
import {
  type FileContent,
  type FileLimits,
  type FileOutcome,
  noMatch,
  prefilterContent,
  searchText,
  skippedOutcomes,
  skippedUnread,
} from '../../src/search/run/file-outcome.js'
import type { SearchRequest } from '../../src/search/run/records.js'
import { seeksBeyondAscii, withLineFeeds } from '../../src/search/run/text-file.js'
import { limitsOutOfOrder } from '../../src/search/run/unordered-results.js'
import type { WorkerOutcome } from '../../src/search/run/worker-search.js'
import { detectFromStart } from '../../src/text/decode/detect.js'
import { type Anchor, checkVirtual, type Directories, openShared } from '../disk/anchor.js'
import { openBeneath, readSync } from '../disk/regular-file.js'
import { findBytesBy, findBytesIn } from './find-bytes.js'
import { countOnly, createPacker, gatheredBytes, type PlainNeedle } from './search-packing.js'
import { statsIn } from './stat-worker.js'
import {
  claim,
  countOnlyAt,
  type FileGroup,
  type FromWorker,
  stopAt,
  type ToWorker,
  unpackGroups,
  type WorkerSetup,
} from './thread-messages.js'
import { walksIn } from './walk-worker.js'

interface Search {
  request: SearchRequest
  matcher: Matcher
  prefilter: Prefilter | undefined
  /** Set when a line matches exactly if it contains the needle, and nothing but such lines is reported. */
  plainNeedle: PlainNeedle | undefined
  /** The first bytes of a file may be enough to decide that it matches. */
  decidesEarly: boolean
  /** A large file may be ruled out part by part. */
  readsParts: boolean
  /** Text that is not UTF-8 may have the needle in other bytes. */
  hidesNeedles: boolean
  limits: () => FileLimits
  /** By root. */
  directories: Map<number, Directories>
  control: Int32Array
  stop: () => boolean
}

/** Larger files get memory of their own. */
const bufferBytes = 16 << 20
/** The least that is allocated for them: blocks of this size are mapped separately and returned to the system when freed. Untouched pages cost nothing. */
const leastOwnBytes = 33 << 20
/** The first read: `earlyBytes` where that may decide; otherwise so much that few files need a second read. */
const earlyBytes = 1 << 16
const firstBytes = 1 << 18
/** A larger file whose start has no match is read on in parts: most have none, and what has one is read again. */
const startBytes = 1 << 20
const partBytes = 1 << 18
const oneByte = new Uint8Array(1)

/** Neither follows a link nor blocks on a special file. */
const flags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

if (isSearchWorker() && parentPort !== null) serve(parentPort, workerData as WorkerSetup)

/** Whether this thread was started by the pool. */
export function isSearchWorker(): boolean {
  return (workerData as Partial<WorkerSetup> | null)?.polyfs === 'search-worker'
}

function serve(port: MessagePort, { roots, inHand }: WorkerSetup): void {
  const anchors = roots.map(openShared)
  const searches = new Map<number, Search>()
  const kernels = createKernels(bufferBytes, gatheredBytes)
  const packer = createPacker(kernels)
  const buffer = kernels?.buffer ?? Buffer.allocUnsafeSlow(bufferBytes)
  const view = kernels?.view ?? ((length: number) => buffer.subarray(0, length))
  const findBytes = kernels === undefined ? findBytesIn : findBytesBy(kernels)
  const send = (message: FromWorker, transferred: ArrayBuffer[] = []) => port.postMessage(message, transferred)
  const walks = walksIn({ anchors, inHand, tell: send })
  const stats = statsIn({ anchors, inHand, tell: send })

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'start') searches.set(message.job, searchFrom(message, kernels))
    else if (message.kind === 'stats') stats.read(message)
    else if (message.kind === 'walk') walks.begin(message)
    else if (message.kind === 'rests') walks.walk(message)
    else if (message.kind === 'end') {
      endSearch(message.job)
      walks.end(message.job)
      stats.end(message.job)
    } else {
      const { job, batch, groups } = message
      const search = searches.get(job)
      if (search === undefined || search.stop() || !claim(search.control, batch)) return
      Atomics.store(inHand, 1, batch)
      Atomics.store(inHand, 0, job)
      for (const group of unpackGroups(groups)) searchGroup(group, search)
      const found = packer.take()
      Atomics.store(inHand, 0, 0)
      send({ kind: 'found', job, batch, found }, found === 'nothing' ? [] : [found.bytes.buffer])
    }
  })
  send({ kind: 'ready' })

  function endSearch(number: number): void {
    for (const each of searches.get(number)?.directories.values() ?? []) each.close()
    searches.delete(number)
  }

  function searchGroup({ root, directory, names, listed }: FileGroup, search: Search): void {
    const each = names.split('/')
    let prefix: string
    try {
      checkVirtual(directory)
      prefix = `${directoriesOf(root, search).host(directory)}/`
    } catch (error) {
      const outcome = outcomeOfFault(error, directory)
      for (const _ of each) packer.add(outcome)
      return
    }
    for (const name of each) searchOne(prefix + name, name, listed, search)
  }

  function directoriesOf(root: number, { directories }: Search): Directories {
    const known = directories.get(root) ?? (anchors[root] as Anchor).directories()
    directories.set(root, known)
    return known
  }

  function searchOne(host: string, name: string, listed: boolean, search: Search): void {
    const text = textAt(host, name, listed, search)
    if (!(text instanceof Uint8Array)) packer.add(text)
    else if (!addPlain(text, search)) packer.add(searchToEnd(text, search))
  }

  /** The text to search, or the outcome if that is known without searching. */
  function textAt(host: string, name: string, listed: boolean, search: Search): Bytes | WorkerOutcome {
    const { request, matcher, prefilter } = search
    let content: FileContent | FileOutcome | number
    try {
      content = skippedUnread(name, undefined, request) ?? read(host, name, listed, search)
    } catch (error) {
      return outcomeOfFault(error, name)
    }
    if (typeof content === 'number') {
      const verdict = prefilter?.(content)
      if (verdict === 'no-match') return noMatch
      if (verdict === 'binary') return skippedOutcomes.binary
      content = view(content)
      if (verdict === 'candidate') return normalised(content, request)
    }
    if (typeof content === 'object' && 'tooExpensive' in content) return content
    return prefilterContent(content, request, matcher, findBytes)
  }

  function normalised(text: Bytes, { carriageReturnEndsLine = false }: SearchRequest): Bytes {
    return carriageReturnEndsLine ? withLineFeeds(text, findBytes.place) : text
  }

  /** Adds a file for which the kernels do everything; false if it has to be searched. */
  function addPlain(text: Bytes, { request, plainNeedle, hidesNeedles, limits }: Search): boolean {
    if (plainNeedle === undefined || !kernels?.holds(text)) return false
    if (hidesNeedles && !isUtf8(text)) return false
    if (request.mode !== 'content') {
      const decides = request.mode === 'files' && !plainNeedle.isWord
      const lines = decides ? 1 : kernels.countLines(text, plainNeedle.bytes, plainNeedle)
      if (lines < 0) return false
      packer.add(lines === 0 ? noMatch : countOnly(request.mode === 'files' ? 1 : lines))
      return true
    }
    const { take, maxTextBytes } = limits()
    if (take !== Infinity) return false
    return packer.addLines(text, plainNeedle, { units: request.maxReportedUnits ?? 10_000, textBytes: maxTextBytes })
  }

  function searchToEnd(text: Bytes, { request, matcher, limits, stop }: Search): FileOutcome {
    const steps = searchText(text, request, matcher, limits(), { findBytes, stop })
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }

  /**
   * Returns the number of bytes read into the buffer, if they fit. A listed file is read without asking for its kind and size: if it can be
   * read to its end, it is a file of that size. If the first bytes decide the outcome, no more are read.
   */
  function read(host: string, name: string, listed: boolean, search: Search): FileContent | FileOutcome | number {
    const { maxFileBytes = Infinity } = search.request
    if (!listed) return readUnknown(host, name, maxFileBytes)
    const descriptor = fs.openSync(host, flags)
    try {
      const room = Math.min(bufferBytes, maxFileBytes + 1)
      const first = Math.min(search.decidesEarly ? earlyBytes : firstBytes, room)
      let count = fs.readSync(descriptor, buffer, 0, first, 0)
      if (count === first && first < room) {
        const isTooLarge = maxFileBytes < Infinity && fs.readSync(descriptor, oneByte, 0, 1, maxFileBytes) > 0
        const outcome = isTooLarge ? skippedOutcomes.tooLarge : outcomeOfFirst(count, search)
        if (outcome !== undefined) return outcome
        const start = search.readsParts ? Math.min(startBytes, room) : room
        count += fs.readSync(descriptor, buffer, count, start - count, count)
        if (count === start && start < room) {
          if (search.prefilter?.(count) === 'no-match') {
            if (!mayMatchAfter(count, descriptor, search)) return noMatch
            count = 0
          }
          count += fs.readSync(descriptor, buffer, count, room - count, count)
        }
      }
      if (count > maxFileBytes) return 'tooLarge'
      if (count > 0 && count < room) return count
    } finally {
      fs.closeSync(descriptor)
    }
    return readUnknown(host, name, maxFileBytes)
  }

  /** Whether a file may match after its first bytes. Parts take little memory and stay in the processor's cache. */
  function mayMatchAfter(first: number, descriptor: number, { prefilter, stop }: Search): boolean {
    for (let at = first - partOverlap; !stop(); at += partBytes - partOverlap) {
      const count = fs.readSync(descriptor, buffer, 0, partBytes, at)
      if (prefilter?.(count, at) !== 'no-match') return true
      if (count < partBytes) return false
    }
    return false
  }

  /** The outcome if the first bytes of a file decide it. */
  function outcomeOfFirst(count: number, search: Search): FileOutcome | undefined {
    if (!search.decidesEarly) return startsBinary(count, search.request) ? skippedOutcomes.binary : undefined
    const verdict = search.prefilter?.(count)
    if (verdict === 'binary') return skippedOutcomes.binary
    if (verdict !== 'candidate') return undefined
    if (search.plainNeedle?.isWord === false) return countOnly(1)
    const lines = view((findBytes.feedBefore?.(view(count), count) ?? -1) + 1)
    const outcome = searchToEnd(normalised(lines, search.request), search)
    return outcome.result !== undefined && outcome.result.matches > 0 ? outcome : undefined
  }

  /** A byte-order mark may change how the file is decoded. */
  function startsBinary(count: number, { text }: SearchRequest): boolean {
    if (text?.nul === undefined || buffer[0]! >= 0xef) return false
    const first = view(Math.min(text.nul.first, count))
    return first.includes(0) && !(text.detectEncoding === true && detectFromStart(first) !== 'binary')
  }

  function readUnknown(host: string, name: string, maxFileBytes: number): FileContent {
    const { descriptor, size } = openBeneath(host, name)
    try {
      if (size > maxFileBytes) return 'tooLarge'
      return readSync(descriptor, size <= bufferBytes ? view(size) : memoryFor(size), 0)
    } finally {
      fs.closeSync(descriptor)
    }
  }
}

function memoryFor(size: number): Bytes {
  return Buffer.allocUnsafeSlow(Math.max(size, leastOwnBytes)).subarray(0, size)
}

function searchFrom(
  { request, deadlineMs, control }: Extract<ToWorker, { kind: 'start' }>,
  kernels: Kernels | undefined,
): Search {
  const matcher = compileMatcher(request.matcher)
  const prefilter = kernels && createPrefilter(kernels, request, matcher)
  return {
    request,
    matcher,
    prefilter,
    plainNeedle: plainNeedle(request, matcher),
    decidesEarly: prefilter !== undefined && decidesEarly(request),
    readsParts: prefilter !== undefined && (request.text?.nul?.last ?? 0) === 0,
    hidesNeedles: request.text?.detectEncoding === true && seeksBeyondAscii(matcher),
    limits: () => limitsOutOfOrder(request, Atomics.load(control, countOnlyAt) === 1),
    directories: new Map(),
    control,
    stop: () => Atomics.load(control, stopAt) === 1 || Date.now() > deadlineMs,
  }
}

function plainNeedle(request: SearchRequest, { bytes: needle, word }: Matcher): PlainNeedle | undefined {
  const { mode, before = 0, after = 0, occurrences = false, limitPerFile = Infinity, text } = request
  const reportsMore = before > 0 || after > 0 || occurrences || limitPerFile < Infinity || request.aroundMatch === true
  if ((mode === 'content' && reportsMore) || text?.onlyUtf8 === true || request.lines !== undefined) return undefined
  const bytes = word ?? needle?.bytes
  if (bytes === undefined || bytes.length > maxNeedleBytes) return undefined
  if (needle?.foldsBeyondAscii.kelvin || needle?.foldsBeyondAscii.longS) return undefined
  return { bytes, folded: needle?.folded ?? false, isWord: word !== undefined }
}

function decidesEarly({ mode, matcher, text, lines }: SearchRequest): boolean {
  const { first = 0, last = 0 } = text?.nul ?? {}
  const isTextDecided = text?.onlyUtf8 !== true && text?.detectEncoding !== true && first <= earlyBytes && last === 0
  return mode === 'files' && matcher.multiline !== true && isTextDecided && lines === undefined
}

function outcomeOfFault(error: unknown, path: string): WorkerOutcome {
  if (isFsError(fromErrno(error, path), 'IS_LINK', 'OUTSIDE')) return 'unreachable'
  return { skipped: 'unreadable', tooExpensive: 0, linesCut: 0 }
}
