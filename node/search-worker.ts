/** A thread of the search pool: opens, reads and searches the files it claims, each beneath a root, none through a link. */
import fs from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isFsError } from '../src/errors.js'
import { fromErrno } from '../src/fs/errno.js'
import { compileMatcher, type Matcher } from '../src/search/matcher.js'
import { type FileContent, outcomeAtOnce, type Share, searchContent, skippedUnread } from '../src/search/one-file.js'
import type { SearchRequest } from '../src/search/records.js'
import { maxTooExpensive } from '../src/search/tally.js'
import { type Anchor, openShared } from './anchor.js'
import { findBytesIn, findBytesWith } from './find-bytes.js'
import { checkVirtual, openBeneath, readNow } from './fs.js'
import { createKernels } from './kernels.js'
import {
  claim,
  type FileGroup,
  type FromWorker,
  pack,
  stopAt,
  type ToWorker,
  toldAt,
  type WorkerOutcome,
  type WorkerSetup,
} from './search-messages.js'

interface Search {
  request: SearchRequest
  matcher: Matcher
  share: () => Share
  control: Int32Array
  stop: () => boolean
}

/** Larger files get memory of their own. */
const bufferBytes = 16 << 20

if (isSearchWorker() && parentPort !== null) serve(parentPort, workerData as WorkerSetup)

/** Whether this thread was started to search. */
export function isSearchWorker(): boolean {
  return (workerData as Partial<WorkerSetup> | null)?.polyfs === 'search-worker'
}

function serve(port: MessagePort, { roots, inHand }: WorkerSetup): void {
  const anchors = roots.map(openShared)
  const searches = new Map<number, Search>()
  const kernels = createKernels(bufferBytes)
  const buffer = kernels?.buffer ?? Buffer.allocUnsafeSlow(bufferBytes)
  const findBytes = kernels === undefined ? findBytesIn : findBytesWith(kernels)
  const tell = (message: FromWorker, transferred: ArrayBuffer[] = []) => port.postMessage(message, transferred)

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'start') searches.set(message.search, searchFrom(message))
    else if (message.kind === 'end') searches.delete(message.search)
    else {
      const { search: number, batch, groups } = message
      const search = searches.get(number)
      if (search === undefined || search.stop() || !claim(search.control, batch)) return
      Atomics.store(inHand, 1, batch)
      Atomics.store(inHand, 0, number)
      const found = pack(groups.flatMap((group) => searchGroup(group, search)))
      Atomics.store(inHand, 0, 0)
      tell({ kind: 'found', search: number, batch, found }, [
        found.codes.buffer as ArrayBuffer,
        found.numbers.buffer as ArrayBuffer,
      ])
    }
  })
  tell({ kind: 'ready' })

  function searchGroup({ root, directory, names }: FileGroup, search: Search): WorkerOutcome[] {
    let opened: ReturnType<Anchor['directory']>
    try {
      checkVirtual(directory)
      opened = (anchors[root] as Anchor).directory(directory)
    } catch (error) {
      const outcome = outcomeOfFault(error, directory)
      return names.map(() => outcome)
    }
    try {
      return names.map((name) => searchOne(`${opened.host}/${name}`, name, search))
    } finally {
      opened.close()
    }
  }

  function searchOne(host: string, name: string, { request, matcher, share, stop }: Search): WorkerOutcome {
    let content: FileContent
    try {
      content = skippedUnread({ path: name }, request) ?? read(host, name, request)
    } catch (error) {
      return outcomeOfFault(error, name)
    }
    const atOnce = outcomeAtOnce(content, request, matcher, findBytes)
    if (!(atOnce instanceof Uint8Array)) return atOnce
    const steps = searchContent(content, request, matcher, share(), { findBytes, stop })
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }

  function read(host: string, name: string, { maxFileBytes = Infinity }: SearchRequest): FileContent {
    const { descriptor, size } = openBeneath(host, name)
    try {
      if (size > maxFileBytes) return 'tooLarge'
      const bytes = size <= bufferBytes ? buffer.subarray(0, size) : Buffer.allocUnsafeSlow(size)
      return readNow(descriptor, bytes, 0)
    } finally {
      fs.closeSync(descriptor)
    }
  }
}

function searchFrom({ request, deadlineMs, control }: Extract<ToWorker, { kind: 'start' }>): Search {
  const { skip = 0, limit = Infinity, maxTextBytes = Infinity } = request
  return {
    request,
    matcher: compileMatcher(request.matcher),
    // As if it were the first file; the pool knows what came before it.
    share: () => {
      const take = Atomics.load(control, toldAt) === 1 ? 0 : skip + limit
      return { skip: 0, take, maxTextBytes, maxTooExpensive }
    },
    control,
    stop: () => Atomics.load(control, stopAt) === 1 || Date.now() > deadlineMs,
  }
}

function outcomeOfFault(error: unknown, path: string): WorkerOutcome {
  if (isFsError(fromErrno(error, path), 'IS_LINK', 'OUTSIDE')) return 'elsewhere'
  return { skipped: 'unreadable', tooExpensive: 0, linesCut: 0 }
}
