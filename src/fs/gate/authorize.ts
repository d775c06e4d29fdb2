/** What may be read and written behind a gate. */
import { FsError } from '../../errors.js'
import { basename, dirname, relative, split } from '../path.js'
import type { RuleChecks } from './access-rules.js'
import { isOrdinaryName, type Protection, protectedGitName, protectedNameOn } from './protected-names.js'
import type { Places, Root } from './roots.js'

export interface AuthorizerOptions {
  places: Places
  protect: Protection
  /** Changes inside them are allowed, except to files that git would run. */
  gitDirectories: readonly string[]
  caseSensitive: boolean
  checks: RuleChecks
}

export interface Authorizer {
  /** The innermost root that contains a path. Throws `OUTSIDE`. */
  rootOf(path: string): Root
  /** Throws unless the root of a path grants the right, no rule forbids it and, for writing, its name is not protected. */
  authorize(path: string, right: 'read' | 'write'): void
}

/** How many writable directories are cached. */
const maxRemembered = 256

export function authorizer({ places, protect, gitDirectories, caseSensitive, checks }: AuthorizerOptions): Authorizer {
  /** Directories in which every ordinary name may be written, and that contain no root: for a path in one only the name is checked. */
  const writable = new Set<string>()
  /** The directory used last, which is usually the next one too. */
  let newest = ''

  function authorize(path: string, right: 'read' | 'write'): void {
    if (!isWritable(path) || !isOrdinaryName(basename(path))) check(path, right)
    checks.require(path, right === 'write' ? 'change' : 'read')
  }

  /** Whether the directory of the path is in `writable`. */
  function isWritable(path: string): boolean {
    const { length } = newest
    if (length > 0 && path.lastIndexOf('/') === length && path.slice(0, length) === newest) return true
    const directory = dirname(path)
    if (!writable.has(directory)) return false
    newest = directory
    return true
  }

  function check(path: string, right: 'read' | 'write'): void {
    const root = rootOf(path)
    if (right === 'read') return
    if (root.access === 'read-only') throw new FsError('READ_ONLY', { path })
    const opened = gitDirectories.find((directory) => path === directory || path.startsWith(`${directory}/`))
    const name =
      opened === undefined
        ? protectedNameOn(relative(root.path, path), protect)
        : protectedGitName(split(`/${relative(opened, path)}`))
    if (name !== undefined) throw new FsError('PROTECTED', { path, name })
    // Directly below a root more names may be protected.
    if (opened !== undefined || !caseSensitive || places.isAbove(dirname(path))) return
    if (writable.size === maxRemembered) {
      writable.clear()
      newest = ''
    }
    writable.add(dirname(path))
  }

  function rootOf(path: string): Root {
    const root = places.find(path)
    if (root === undefined) throw new FsError('OUTSIDE', { path })
    return root
  }

  return { rootOf, authorize }
}

/** Accepts only a path that ends in exactly `.git` and is not inside another repository's `.git`. */
export function checkGitDirectory(path: string, root: Root): string {
  const above = relative(root.path, dirname(path))
  const name = basename(path) === '.git' ? protectedNameOn(above, {}) : basename(path)
  if (name !== undefined) throw new FsError('PROTECTED', { path, name })
  return path
}
