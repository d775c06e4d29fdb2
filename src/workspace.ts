import { type ConfinedFileSystem, confine, type Root } from './fs/confine.js'
import type { PathRules } from './fs/path-rules.js'
import type { Protection } from './fs/protect.js'
import { readonly } from './fs/readonly.js'
import type { FileSystem } from './fs/types.js'

/** The one thing every operation gets: what may be reached, and within which limits. */
export interface Workspace {
  readonly fs: ConfinedFileSystem
  /** Relative paths count from here. */
  readonly root: string
  /** Nothing can be changed; tools that would are not offered. */
  readonly readOnly: boolean
  readonly limits: Limits
}

export interface Limits {
  /** A larger file is not read whole. */
  maxFileBytes: number
  /** A result is cut to this many bytes, and says so. */
  maxOutputBytes: number
}

export interface WorkspaceOptions {
  fs: FileSystem
  /** What of `fs` may be reached; all of it unless given. */
  roots?: readonly [Root, ...Root[]]
  readOnly?: boolean
  protect?: Protection
  limits?: Partial<Limits>
  rules?: PathRules
}

/** Puts the gate in front of a file system. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { fs, roots = [{ path: '/', access: 'read-write' }], readOnly = false, protect, limits, rules } = options
  const confined = confine(readOnly ? readonly(fs) : fs, {
    roots,
    ...(protect && { protect }),
    ...(rules && { rules }),
  })
  return {
    fs: confined,
    root: roots[0].path,
    readOnly: !confined.capabilities.writable,
    limits: { maxFileBytes: 20_000_000, maxOutputBytes: 131_072, ...limits },
  }
}
