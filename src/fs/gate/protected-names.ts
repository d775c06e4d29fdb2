/** Names that file tools may read but never write, however they are spelled. */
import { isLockName } from '../staged-name.js'

export interface Protection {
  /** The inside of every `.git` (default true): what is written there is run by git. */
  git?: boolean
  /** Configuration of editors and agents at the top of a root (default false): what is written there is run by them. */
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

/** Most names need no folding to be told from a lock's. */
const mayBeLock = /^\.polyfs-lock|[^\x20-\x7e]/i

/** The component that protects the path, if any does. `components` count from the root the path lies in. */
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

/**
 * What stays protected inside a `.git` that may be changed: hooks, which git runs, and repositories in it. `components` count from
 * the `.git` directory.
 */
export function protectedGitName(components: readonly string[]): string | undefined {
  const first = components[0]
  if (first !== undefined && fold(first) === 'hooks') return first
  return protectedName(components, {})
}

/** Most names are, and need no folding to be told from git's. */
export function isPlainName(name: string): boolean {
  return /^[\x20-\x7e]*$/.test(name) && !/git/i.test(name)
}

/**
 * One spelling for all that some file system or program takes for the same name: case, compatibility forms, invisible
 * characters, trailing dots and spaces, and what follows a colon.
 */
function fold(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[ .]+$/, '')
}
