/** What Python's library asks of the shell beyond system calls: children, waiting, and what the program is. */
import { librarySource } from '../library.js'
import type { PythonStart } from '../wire.js'
import { SystemFailure } from './errno.js'
import type { Process } from './process.js'

export interface RequestsGiven {
  process: Process
  start: PythonStart
  setZone(name: string | undefined): unknown
  allowChanges(allowed: boolean): void
}

/** Answers a request, JSON for both. */
export function requests({ process, start, setZone, allowChanges }: RequestsGiven): (text: string) => string {
  const { ask, files } = process

  function streamOf(descriptor: number): number | undefined {
    if (descriptor < 0 || !files.has(descriptor)) return undefined
    const open = files.get(descriptor)
    if (open.kind === 'stream') return open.stream
    if (open.kind === 'file' && open.content.path !== undefined) {
      return ask('openStream', open.content.path, { write: (open.flags & 3) !== 0, at: open.at })
    }
    return ask('openStream', open.kind === 'device' ? open.name : '/dev/null', { write: (open.flags & 3) !== 0, at: 0 })
  }

  const known: { [name: string]: (...given: never[]) => unknown } = {
    start: () => start,
    changes: (allowed: boolean) => allowChanges(allowed),
    zone: (name: string | null) => setZone(name ?? undefined),
    spawn(argv: string[], env: { [name: string]: string }, cwd: string, descriptors: number[]) {
      files.saveAll()
      const child = ask('spawn', { argv, env, cwd, streams: descriptors.map(streamOf) as number[] })
      files.othersRan()
      return child
    },
    wait(child: number, block: boolean) {
      files.saveAll()
      const ended = ask('wait', child, block)
      files.othersRan()
      return ended
    },
    kill: (child: number, signal: number) => ask('kill', child, signal),
    sleep(ms: number) {
      files.saveAll()
      ask('sleep', ms)
      files.othersRan()
    },
  }

  return (text) => {
    const [name, ...given] = JSON.parse(text) as [string, ...never[]]
    if (name === 'library') return librarySource
    try {
      const request = known[name]
      if (request === undefined) throw new SystemFailure('ENOSYS')
      return JSON.stringify({ value: request(...given) ?? null })
    } catch (error) {
      if (error instanceof SystemFailure) return JSON.stringify({ error: error.number })
      throw error
    }
  }
}
