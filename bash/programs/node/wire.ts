/** What the shell and the thread that runs a script on the browser's own engine tell each other. The script waits for each answer. */
import type { ProgramThread, ProgramThreads } from '../threads/program-thread.js'
import type { Value } from './engine/machine.js'

export type NodeThread = ProgramThread<ToRunner, FromRunner>
export type NodeThreads = ProgramThreads<NodeThread>

/** Names of the modules of the library, each with what it exports; null for those that are loaded late. */
export type LibraryNames = Readonly<Record<string, readonly string[] | null>>

export type ToRunner = { kind: 'run'; begun: { [key: string]: Value } } | { kind: 'answer'; answer: Value }

export type FromRunner =
  /** It can run a script. */
  | { kind: 'ready'; names: LibraryNames }
  /** An operation of `host/operations.ts`; the script sleeps until it is answered. */
  | { kind: 'ask'; name: string; given: Value[] }
  /** What the script prints. */
  | { kind: 'out'; descriptor: number; data: string | Uint8Array }
  | { kind: 'done'; status: number }
  /** `message`: what the engine could not do. */
  | { kind: 'failed'; message: string }

/** In place of an answer: what the thread has to say first. It asks again, with what it said. */
export interface Query {
  $query: { isModuleText: string } | { namesOf: string }
}

/** Asks again, after a query: the name of the operation, what was said, and what was asked. */
export const queried = '$queried'

/** A script prints so much before it waits until that has been taken. */
export const maxAhead = 64 << 10
