/** Names that file tools may read but never write, however they are spelled. */
import { isLockName } from '../staged-name.js'

export interface Protection {
  /** The inside of every `.git` (default true): git runs files from there. */
  git?: boolean
  /** Configuration of editors and agents at the top of a root (default false): they run commands from there. */
  config?: boolean
}

const configNames = new Set([
  '.claude',
  '.codex',
  '.cursor',
  '.devcontainer',
  '.envrc',
  '.gemini',
  '.husky',
  '.idea',
  '.mcp.json',
  '.vscode',
])

/** Other names can't be a lock's, and need no folding. */
const mayBeLock = /^\.polyfs-lock|[^\x20-\x7e]/i

/** The component that makes the path protected, if any. `components` are those below the root. */
export function protectedName(
  components: readonly string[],
  { git = true, config = false }: Protection,
): string | undefined {
  const lock = components.find((component) => mayBeLock.test(component) && isLockName(fold(component)))
  if (lock !== undefined) return lock
  const first = components[0]
  if (config && first !== undefined && configNames.has(fold(first))) return first
  return git
    ? components.find((component) => !isPlainName(component) && /^(\.git|git~\d+)$/.test(fold(component)))
    : undefined
}

/** The same for a path relative to the root. Most have no such name, and some have a thousand others. */
export function protectedNameOn(path: string, protection: Protection): string | undefined {
  const isOrdinary = isPlainName(path) && !/\.polyfs-lock/i.test(path)
  return protectedName(path.split('/', isOrdinary ? 1 : undefined), protection)
}

/**
 * The component that stays protected inside a writable `.git`: hooks, which git runs, and nested repositories. `components` are
 * those below the `.git` directory.
 */
export function protectedGitName(components: readonly string[]): string | undefined {
  const first = components[0]
  if (first !== undefined && fold(first) === 'hooks') return first
  return protectedName(components, {})
}

/** True for a name that is protected nowhere but at the top of a root, as most. */
export function isOrdinaryName(name: string): boolean {
  return isPlainName(name) && !mayBeLock.test(name)
}

/** True for a name, or a path of names, that can't be a spelling of `.git`, so that it needs no folding. */
function isPlainName(name: string): boolean {
  return /^[\x20-\x7e]*$/.test(name) && !/git/i.test(name)
}

/**
 * One spelling for all names that some file system or program treats as equal. Ignores case, compatibility forms, invisible
 * characters, trailing dots and spaces, and everything after a colon.
 */
function fold(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[ .]+$/, '')
}
