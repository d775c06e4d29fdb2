/** What the start-up conventions of a dialect decide. */
import type { Dialect } from '../../src/tools/dialect.js'
import type { Limits } from '../../src/workspace/limits.js'
import type { SandboxMode } from '../shell/sandbox/sandbox.js'
import type { Directory } from '../workspace/directory-workspace.js'

export interface ConventionFlags {
  workspace?: string | undefined
  'allow-outside-workspace'?: boolean | undefined
  'allow-cwd'?: boolean | undefined
  'mcp-server'?: boolean | undefined
  'deny-network'?: boolean | undefined
  'sandbox-profile'?: string | undefined
  verbose?: boolean | undefined
  /** Also a flag of our own, which takes a value; empty without one. */
  sandbox?: string | undefined
}

export interface Convention {
  /** Served in addition to those named by our own flags. */
  directories: Directory[]
  readOnly?: boolean
  limits?: Partial<Limits>
  /** False: there is no tool that runs commands. */
  commands?: boolean
  sandbox?: SandboxMode
  allowNetwork?: boolean
  /** The shell that commands are written for. */
  shellProgram?: string
  /** Loads the dialect with defaults of its own. */
  dialect?: () => Promise<Dialect>
  /** Printed at start; the variables they name are ignored. */
  warnings?: string[]
}

/** An invalid flag or variable; the message says what is valid. */
export class ConventionError extends Error {}
