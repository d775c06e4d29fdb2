import { split } from '../fs/path.js'

/**
 * The time that a file gets when it is put back as it was; most get none of their own. An index of git says how files looked before it was
 * written, and git believes that of files older than the index. Put back, it must not seem to be newer than it is: with a time before all
 * others git compares the contents, and finds what was changed since.
 */
export function putBackTime(path: string): { modifiedMs?: number } {
  const names = split(path)
  // That of a linked worktree lies further below.
  return names.at(-1) === 'index' && names.includes('.git') ? { modifiedMs: 1000 } : {}
}
