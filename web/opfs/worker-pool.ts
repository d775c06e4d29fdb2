/** The workers of a searcher: started when needed, given batches, ended when idle. */
import type { FileOutcome } from '../../src/search/run/file-outcome.js'
import type { SearchRequest } from '../../src/search/run/records.js'
import type { FileByPath, FromSearchWorker, ToSearchWorker } from './search-worker.js'

export interface SearchCrew {
  /** False once a worker could not be started, or failed: a page's policy may forbid them. */
  readonly usable: boolean
  begin(request: SearchRequest, deadlineMs: number): SearchJob
}

export interface SearchJob {
  /** Undefined when they have to be searched by the caller. Settles also after the end. */
  search(files: readonly FileByPath[]): Promise<readonly FileOutcome[] | undefined>
  end(): void
}

type Outcomes = readonly FileOutcome[] | undefined

interface Member {
  worker: Worker
  /** By number of the batch. */
  waiting: Map<number, (outcomes: Outcomes) => void>
}

const idleMs = 20_000

/** `size` workers at most, on the directory at the top of OPFS. */
export function searchCrew(directory: string, size: number): SearchCrew {
  let members: Member[] = []
  let usable = typeof Worker === 'function'
  let searches = 0
  let lastNumber = 0
  let dismissal: ReturnType<typeof setTimeout> | undefined

  function start(): void {
    clearTimeout(dismissal)
    while (usable && members.length < size) members.push(newMember())
  }

  function newMember(): Member {
    const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' })
    const member: Member = { worker, waiting: new Map() }
    worker.onmessage = ({ data }: MessageEvent<FromSearchWorker>) => settle(member, data.batch, data.outcomes)
    worker.onerror = () => {
      usable = false
      dismiss()
    }
    tell(member, { kind: 'open', directory })
    return member
  }

  function tell({ worker }: Member, message: ToSearchWorker): void {
    worker.postMessage(message)
  }

  function settle({ waiting }: Member, batch: number, outcomes: Outcomes): void {
    waiting.get(batch)?.(outcomes)
    waiting.delete(batch)
  }

  function dismiss(): void {
    for (const member of members) {
      member.worker.terminate()
      for (const batch of [...member.waiting.keys()]) settle(member, batch, undefined)
    }
    members = []
  }

  return {
    get usable() {
      return usable
    },
    begin(request, deadlineMs) {
      start()
      searches += 1
      lastNumber += 1
      const search = lastNumber
      const own = members
      for (const member of own) tell(member, { kind: 'start', search, request, deadlineMs })
      return {
        search(files) {
          const member = leastBusy(members === own ? own : [])
          if (member === undefined) return Promise.resolve(undefined)
          lastNumber += 1
          const batch = lastNumber
          return new Promise((resolve) => {
            member.waiting.set(batch, resolve)
            tell(member, { kind: 'batch', search, batch, files })
          })
        },
        end() {
          searches -= 1
          for (const member of own) tell(member, { kind: 'end', search })
          if (searches === 0) dismissal = setTimeout(dismiss, idleMs)
        },
      }
    },
  }
}

function leastBusy(members: readonly Member[]): Member | undefined {
  return [...members].sort((a, b) => a.waiting.size - b.waiting.size)[0]
}
