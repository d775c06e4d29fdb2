/** The forks that agents have opened in a workspace, and in which of them each connection works. */
import type { StateKind } from '../../../call-memory.js'
import { FsError } from '../../../errors.js'
import type { CallContext, Fork, Workspace } from '../../../workspace/workspace.js'

export interface OpenFork {
  fork: Fork
  /** The calls that work in it. It ends after them. */
  readonly running: Set<Promise<unknown>>
  /** Pending while it is merged or discarded: calls wait, and are made if it has stayed. */
  ending?: Promise<unknown>
  /** The name of the fork that it was made from; absent for one of the workspace itself. */
  from?: string
}

type Forks = Map<string, OpenFork>

/** Forks belong to the workspace: one connection may make some, and another merge them. */
const forksOf: StateKind<Forks, Workspace> = { create: () => new Map(), copy: () => new Map() }

/** Where a connection works. */
export interface Place {
  name?: string | undefined
  /** Pending while a call of the tool `fork` may change it: calls that come after that wait for it. */
  moving?: Promise<unknown>
}

const placeOf: StateKind<Place, Workspace> = { create: () => ({}), copy: () => ({}) }

export function openForks(workspace: Workspace): Forks {
  return workspace.internals.callMemory.of(forksOf, workspace)
}

/** Where the calls of a connection work; without one all callers of the workspace share it. */
export function placeFor(workspace: Workspace, { session }: CallContext): Place {
  return workspace.internals.callMemory.of(placeOf, workspace, session?.self ?? session)
}

/** The fork in which a connection works. Fails where another connection has ended it: its calls must not reach the workspace unasked. */
export function currentFork(workspace: Workspace, context: CallContext): OpenFork | undefined {
  const { name } = placeFor(workspace, context)
  return name === undefined ? undefined : forkNamed(name, workspace)
}

export function forkNamed(name: string, workspace: Workspace): OpenFork {
  const forks = openForks(workspace)
  const found = forks.get(name)
  if (found !== undefined) return found
  const there = forks.size === 0 ? 'there is none' : `there is ${[...forks.keys()].join(', ')}`
  throw invalid(
    'name',
    `no fork "${name}" any more, or yet: ${there}; the tool fork with action "switch" and no name leaves it`,
  )
}

export function invalid(parameter: string, message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: [parameter], kind: 'other', message }] })
}

const useOf: StateKind<{ isUsed: boolean }, Workspace> = {
  create: () => ({ isUsed: false }),
  copy: () => ({ isUsed: false }),
}

/** True once anybody has called the tool `fork`. */
export function usesForks(workspace: Workspace): boolean {
  return workspace.internals.callMemory.of(useOf, workspace).isUsed
}

export function noteUse(workspace: Workspace): void {
  workspace.internals.callMemory.of(useOf, workspace).isUsed = true
}
