/** What the page and the worker that clones send each other. */
import type { Fault } from '../../src/engine/remote-calls.js'
import type { DirectoryNode } from '../../src/fs/backends/memory-nodes.js'
import type { CloneStep } from '../../src/git/commands/fetch-origin.js'

export interface CloneRequest {
  url: string
  /** The default branch unless given. */
  branch?: string
  /** How many commits; all unless given. */
  depth?: number
  corsProxy?: string
}

export interface Cloned {
  /** Named like its repository. */
  name: string
  tree: DirectoryNode
  /** Absent in a repository without commits. */
  branch?: string
  files: number
}

export type FromCloneWorker =
  | { step: CloneStep }
  | { cloned: Cloned }
  /** `isBlocked`: the policy of the site that serves the page did not allow the connection. */
  | { fault: Fault; isBlocked: boolean }
