/** The results of git operations as git prints them. */
import { quotedName } from '../../text/diff/unified-diff.js'
import type { Branch } from '../commands/branch.js'
import type { Committed } from '../commands/commit.js'
import type { Shown } from '../commands/log.js'
import type { Commit, Person } from '../objects/objects.js'
import { modes } from '../objects/tree.js'
import { printDiff } from './print-diff.js'

export { printDiff, printDiffStat, printNameStatus } from './print-diff.js'
export { describeRefusal } from './print-refusal.js'
export { printShortStatus, printStatus, printTooDeep } from './print-status.js'

/** `git log`, or `git log --oneline`. */
export function printLog(commits: readonly Commit[], { oneline = false }: { oneline?: boolean } = {}): string {
  return oneline ? commits.map(printOneLine).join('') : commits.map(printCommit).join('\n')
}

/** `git show`: a commit with its changes, a file's text, or the names in a directory. */
export function printShow(shown: Shown, revision = ''): string {
  if (shown.kind === 'file') return new TextDecoder().decode(shown.bytes)
  if (shown.kind === 'directory') {
    const names = shown.entries.map(({ name, mode }) => `${name}${mode === modes.directory ? '/' : ''}\n`)
    return `tree ${revision}:${shown.path}\n\n${names.join('')}`
  }
  const diff = printDiff(shown.files)
  return printCommit(shown.commit) + (diff === '' ? '' : `\n${diff}`)
}

/** `git branch`: the current one is starred. */
export function printBranches(branches: readonly Branch[], detachedAt?: string): string {
  const detached = detachedAt === undefined ? '' : `* (HEAD detached at ${short(detachedAt)})\n`
  const rows = branches
    .filter(({ oid }) => oid !== undefined)
    .map(({ name, current, remote }) => `${current ? '*' : ' '} ${remote ? 'remotes/' : ''}${name}\n`)
  return detached + rows.join('')
}

/** What `git commit` tells, without the count of lines. */
export function printCommitted({ commit, branch = 'detached HEAD', isRoot, changes }: Committed): string {
  const files = `${changes.length} file${changes.length === 1 ? '' : 's'} changed`
  return `[${branch}${isRoot ? ' (root-commit)' : ''} ${short(commit.oid)}] ${subjectOf(commit)}\n ${files}\n`
}

/** The first paragraph of a message, on one line. */
export function subjectOf({ message }: Commit): string {
  return (message.replace(/^\n+/, '').split(/\n\s*\n/)[0] ?? '').trim().replaceAll(/\s*\n\s*/g, ' ')
}

/** A commit's name as short as git usually makes it. */
export function short(oid: string): string {
  return oid.slice(0, 7)
}

/** `Sun Nov 15 06:04:00 2026 +0000`, in the person's own time. */
export function printDate({ timestamp, timezoneOffset }: Person): string {
  const [weekday, day, month, year, time] = new Date((timestamp - timezoneOffset * 60) * 1000)
    .toUTCString()
    .replace(',', '')
    .split(' ')
  const minutes = Math.abs(timezoneOffset)
  const zone = `${Math.floor(minutes / 60)}`.padStart(2, '0') + `${minutes % 60}`.padStart(2, '0')
  return `${weekday} ${month} ${Number(day)} ${time} ${year} ${timezoneOffset > 0 ? '-' : '+'}${zone}`
}

function printOneLine(commit: Commit): string {
  return `${short(commit.oid)} ${subjectOf(commit)}\n`
}

function printCommit(commit: Commit): string {
  const { oid, parents, author, message } = commit
  const merge = parents.length > 1 ? `Merge: ${parents.map(short).join(' ')}\n` : ''
  const text = message
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('')
  return `commit ${oid}\n${merge}Author: ${author.name} <${author.email}>\nDate:   ${printDate(author)}\n\n${text}`
}

/** A path as git names it in lists. */
export function printPath(path: string): string {
  return quotedName(path)
}
