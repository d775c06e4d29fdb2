import { split } from '../fs/path.js'

/**
 * The modification time for a restored file, if it needs a special one. Git trusts its index about files that are older than the index.
 * A restored index with the current time would hide files changed before that, so it gets a very old time: then git compares contents.
 */
export function putBackTime(path: string): { modifiedMs?: number } {
  const names = split(path)
  // The index of a linked worktree is deeper inside `.git`.
  return names.at(-1) === 'index' && names.includes('.git') ? { modifiedMs: 1000 } : {}
}
