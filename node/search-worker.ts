/** A thread of the search pool: opens, reads and searches the files it claims, each beneath a root, none through a link. */
import fs from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isFsError } from '../src/errors.js'
import { fromErrno } from '../src/fs/errno.js'
import type { Bytes } from '../src/fs/types.js'
import type { FileResult } from '../src/search/file-search.js'
import { type Glance, glanceWith } from '../src/search/kernels/glance.js'
import { maxNeedleBytes } from '../src/search/kernels/kernels.js'
import { compileMatcher, type Matcher, type NeedleBytes } from '../src/search/matcher.js'
import {
  type FileContent,
  type FileOutcome,
  leftOut,
  nothingFound,
  outcomeAtOnce,
  type Share,
  searchText,
  skippedUnread,
} from '../src/search/one-file.js'
import { shareOutOfTurn } from '../src/search/out-of-turn.js'
import type { SearchRequest } from '../src/search/records.js'
import { type Anchor, checkVirtual, type Directories, openShared } from './anchor.js'
import { findBytesBy, findBytesIn } from './find-bytes.js'
import { createKernels, type Kernels } from './kernels.js'
import { openBeneath, readNow } from './regular-file.js'
import {
  claim,
  type FileGroup,
  type FromWorker,
  stopAt,
  type ToWorker,
  toldAt,
  type WorkerSetup,
} from './search-messages.js'
import { createPacker, gatheredBytes, type WorkerOutcome } from './search-packing.js'

interface Search {
  request: SearchRequest
  matcher: Matcher
  glance: Glance | undefined
  /** Set when the lines that have it in them are all there is to tell. */
  plainNeedle: NeedleBytes | undefined
  share: () => Share
  /** By root. */
  directories: Map<number, Directories>
  control: Int32Array
  stop: () => boolean
}

/** Larger files get memory of their own. */
const bufferBytes = 16 << 20

/** Neither follows a link nor waits for a special file. */
const flags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

if (isSearchWorker() && parentPort !== null) serve(parentPort, workerData as WorkerSetup)

/** Whether this thread was started to search. */
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
  const tell = (message: FromWorker, transferred: ArrayBuffer[] = []) => port.postMessage(message, transferred)

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'start') searches.set(message.search, searchFrom(message, kernels))
    else if (message.kind === 'end') endSearch(message.search)
    else {
      const { search: number, batch, groups } = message
      const search = searches.get(number)
      if (search === undefined || search.stop() || !claim(search.control, batch)) return
      Atomics.store(inHand, 1, batch)
      Atomics.store(inHand, 0, number)
      for (const group of groups) searchGroup(group, search)
      const found = packer.take()
      Atomics.store(inHand, 0, 0)
      const transferred = found === 'nothing' ? [] : [found.codes.buffer, found.numbers.buffer]
      tell({ kind: 'found', search: number, batch, found }, transferred as ArrayBuffer[])
    }
  })
  tell({ kind: 'ready' })

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
    else if (!addPlain(text, search)) packer.add(searchedToItsEnd(text, search))
  }

  /** What has to be searched, or what is plain without that. */
  function textAt(
    host: string,
    name: string,
    listed: boolean,
    { request, matcher, glance }: Search,
  ): Bytes | WorkerOutcome {
    let content: FileContent | number
    try {
      content = skippedUnread(name, undefined, request) ?? read(host, name, listed, request)
    } catch (error) {
      return outcomeOfFault(error, name)
    }
    if (typeof content === 'number') {
      const seen = glance?.(content)
      if (seen === 'nothing') return nothingFound
      if (seen === 'binary') return leftOut.binary
      content = view(content)
    }
    return outcomeAtOnce(content, request, matcher, findBytes)
  }

  /** Where a line matches if it has the needle in it, and nothing is told but such lines, or how many there are. */
  function addPlain(text: Bytes, { request, plainNeedle, share }: Search): boolean {
    if (plainNeedle === undefined || !kernels?.holds(text)) return false
    if (request.mode !== 'content') {
      packer.add(outcomeOfCount(request.mode === 'files' ? 1 : countLines(text, plainNeedle, kernels)))
      return true
    }
    const { take, maxTextBytes } = share()
    if (take !== Infinity) return false
    return packer.addLines(text, plainNeedle, { units: request.maxShownUnits ?? 10_000, textBytes: maxTextBytes })
  }

  function searchedToItsEnd(text: Bytes, { request, matcher, share, stop }: Search): WorkerOutcome {
    const steps = searchText(text, request, matcher, share(), { findBytes, stop })
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }

  /**
   * How many bytes were read into the buffer, where it took them. Of a listed file neither kind nor size is asked: what can be read and then
   * ends was a file, and that long.
   */
  function read(
    host: string,
    name: string,
    listed: boolean,
    { maxFileBytes = Infinity }: SearchRequest,
  ): FileContent | number {
    if (!listed) return readUnknown(host, name, maxFileBytes)
    const descriptor = fs.openSync(host, flags)
    try {
      const room = Math.min(bufferBytes, maxFileBytes + 1)
      const count = fs.readSync(descriptor, buffer, 0, room, 0)
      if (count > maxFileBytes) return 'tooLarge'
      if (count > 0 && count < room) return count
    } finally {
      fs.closeSync(descriptor)
    }
    return readUnknown(host, name, maxFileBytes)
  }

  function readUnknown(host: string, name: string, maxFileBytes: number): FileContent {
    const { descriptor, size } = openBeneath(host, name)
    try {
      if (size > maxFileBytes) return 'tooLarge'
      return readNow(descriptor, size <= bufferBytes ? view(size) : Buffer.allocUnsafeSlow(size), 0)
    } finally {
      fs.closeSync(descriptor)
    }
  }
}

function searchFrom(
  { request, deadlineMs, control }: Extract<ToWorker, { kind: 'start' }>,
  kernels: Kernels | undefined,
): Search {
  const matcher = compileMatcher(request.matcher)
  return {
    request,
    matcher,
    glance: kernels && glanceWith(kernels, request, matcher),
    plainNeedle: plainNeedle(request, matcher),
    share: () => shareOutOfTurn(request, Atomics.load(control, toldAt) === 1),
    directories: new Map(),
    control,
    stop: () => Atomics.load(control, stopAt) === 1 || Date.now() > deadlineMs,
  }
}

function plainNeedle(request: SearchRequest, { bytes }: Matcher): NeedleBytes | undefined {
  const { mode, before = 0, after = 0, occurrences = false, limitPerFile = Infinity, text } = request
  const tellsMore = before > 0 || after > 0 || occurrences || limitPerFile < Infinity
  if ((mode === 'content' && tellsMore) || text?.onlyUtf8 === true) return undefined
  if (bytes === undefined || bytes.bytes.length > maxNeedleBytes) return undefined
  return bytes.foldsBeyondAscii.kelvin || bytes.foldsBeyondAscii.longS ? undefined : bytes
}

function countLines(text: Bytes, { bytes, folded }: NeedleBytes, kernels: Kernels): number {
  let lines = 0
  for (let from = 0; from < text.length; ) {
    const { count, numbers } = kernels.lines(text, bytes, from, { folded, max: Infinity })
    lines += count
    if (count === 0) break
    from = numbers[4 * count - 2]! + 1
  }
  return lines
}

function outcomeOfCount(matches: number): FileOutcome {
  const result: FileResult = { records: [], recordCount: 0, matches, textBytes: 0, ended: 'done' }
  return { result, tooExpensive: 0, linesCut: 0 }
}

function outcomeOfFault(error: unknown, path: string): WorkerOutcome {
  if (isFsError(fromErrno(error, path), 'IS_LINK', 'OUTSIDE')) return 'elsewhere'
  return { skipped: 'unreadable', tooExpensive: 0, linesCut: 0 }
}
