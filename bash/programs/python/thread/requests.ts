/** What Python's library asks of the shell beyond system calls: children, waiting, and what the program is. */
import { librarySource } from '../library.js'
import type { PythonStart } from '../wire.js'
import { type Asking, ask, settled } from './ask.js'
import { SystemFailure } from './errno.js'
import type { Process } from './process.js'

export interface RequestsGiven {
  process: Process
  start: PythonStart
  setZone(name: string | undefined): Asking<unknown>
  allowChanges(allowed: boolean): void
}

/** Answers a request, JSON for both. */
export function requests({ process, start, setZone, allowChanges }: RequestsGiven): (text: string) => Asking<string> {
  const { files } = process

  function* streamOf(descriptor: number): Asking<number | undefined> {
    if (descriptor < 0 || !files.has(descriptor)) return undefined
    const open = files.get(descriptor)
    if (open.kind === 'stream') return open.stream
    if (open.kind === 'file' && open.content.path !== undefined) {
      return yield* ask('openStream', open.content.path, { write: (open.flags & 3) !== 0, at: open.at })
    }
    return yield* ask('openStream', open.kind === 'device' ? open.name : '/dev/null', {
      write: (open.flags & 3) !== 0,
      at: 0,
    })
  }

  const known: { [name: string]: (...given: never[]) => unknown } = {
    start: () => start,
    changes: (allowed: boolean) => allowChanges(allowed),
    zone: (name: string | null) => setZone(name ?? undefined),
    *spawn(argv: string[], env: { [name: string]: string }, cwd: string, descriptors: number[]): Asking<number> {
      yield* files.saveAll()
      const streams: Array<number | undefined> = []
      for (const descriptor of descriptors) streams.push(yield* streamOf(descriptor))
      const child = yield* ask('spawn', { argv, env, cwd, streams })
      files.othersRan()
      return child
    },
    *wait(child: number, block: boolean): Asking<unknown> {
      yield* files.saveAll()
      const ended = yield* ask('wait', child, block)
      files.othersRan()
      return ended
    },
    kill: (child: number, signal: number) => ask('kill', child, signal),
    *sleep(ms: number): Asking<void> {
      yield* files.saveAll()
      yield* ask('sleep', ms)
      files.othersRan()
    },
  }

  return function* (text) {
    const [name, ...given] = JSON.parse(text) as [string, ...never[]]
    if (name === 'library') return librarySource
    try {
      const request = known[name]
      if (request === undefined) throw new SystemFailure('ENOSYS')
      return JSON.stringify({ value: (yield* settled(request(...given))) ?? null })
    } catch (error) {
      if (error instanceof SystemFailure) return JSON.stringify({ error: error.number })
      throw error
    }
  }
}
