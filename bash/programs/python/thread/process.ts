/** What the system calls of one run have in common. */
import { below } from '../../files/shared/facts.js'
import { type Asking, settled } from './ask.js'
import type { EngineMemory } from './engine-memory.js'
import { SystemFailure } from './errno.js'
import type { OpenFiles } from './open-files.js'

export interface Process {
  readonly memory: EngineMemory
  readonly files: OpenFiles
  /** Of the engine: room at an address, which is never given back by us. */
  allocate(bytes: number, alignment: number): number
  free(address: number): void
  /** Absolute. */
  cwd: string
  umask: number
}

/** What a call returns, or the negative number of what went wrong. */
export type SystemCall = (...given: never[]) => Asking<number>

/** Failures become numbers: negative, as the calls of the kernel return them. */
export function guarded<Given extends unknown[]>(
  call: (...given: Given) => Asking<number | undefined> | number | undefined,
  sign = -1,
) {
  return function* (...given: Given): Asking<number> {
    try {
      return (yield* settled(call(...given))) ?? 0
    } catch (error) {
      if (error instanceof SystemFailure) return sign * error.number
      throw error
    }
  }
}

export const atWorkingDirectory = -100

/** The path of a call, relative to a directory that is open. */
export function pathAt(process: Process, directory: number, given: string): string {
  if (given === '') throw new SystemFailure('ENOENT')
  if (given.startsWith('/')) return given
  if (directory === atWorkingDirectory) return below(process.cwd, given)
  const open = process.files.get(directory)
  if (open.kind !== 'directory') throw new SystemFailure('ENOTDIR')
  return below(open.path, given)
}
