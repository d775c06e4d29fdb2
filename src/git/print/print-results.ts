/** Prints the results of git operations as git does. */
import { quotedName } from '../../text/diff/unified-diff.js'
import type { Branch } from '../commands/branch.js'
import type { CommitResult } from '../commands/commit.js'
import type { ShowResult } from '../commands/log.js'
import type { Commit, Person } from '../objects/objects.js'
import { zoneText } from '../objects/person.js'
import { modes } from '../objects/tree.js'
import { printDiff } from './print-diff.js'

export { printDiff, printDiffStat, printNameStatus } from './print-diff.js'
export { describeRefusal } from './print-refusal.js'
export { printShortStatus, printStatus, printTooDeep } from './print-status.js'

/** Prints `git log` or `git log --oneline`. */
export function printLog(commits: readonly Commit[], { oneline = false }: { oneline?: boolean } = {}): string {
  return oneline ? commits.map(printOneLine).join('') : commits.map(printCommit).join('\n')
}

/** Prints `git show`: a commit with its changes, a file's text, or the names in a directory. */
export function printShow(result: ShowResult, revision = ''): string {
  if (result.kind === 'file') return new TextDecoder().decode(result.bytes)
  if (result.kind === 'directory') {
    const names = result.entries.map(({ name, mode }) => `${name}${mode === modes.directory ? '/' : ''}\n`)
    return `tree ${revision}:${result.path}\n\n${names.join('')}`
  }
  const diff = printDiff(result.files)
  return printCommit(result.commit) + (diff === '' ? '' : `\n${diff}`)
}

/** Prints `git branch`: the current branch is starred. */
export function printBranches(branches: readonly Branch[], detachedAt?: string): string {
  const detached = detachedAt === undefined ? '' : `* (HEAD detached at ${short(detachedAt)})\n`
  const rows = branches
    .filter(({ oid }) => oid !== undefined)
    .map(({ name, current, remote }) => `${current ? '*' : ' '} ${remote ? 'remotes/' : ''}${name}\n`)
  return detached + rows.join('')
}

/** Prints the output of `git commit`, without the count of lines. */
export function printCommitted({ commit, branch = 'detached HEAD', isRoot, changes }: CommitResult): string {
  const files = `${changes.length} file${changes.length === 1 ? '' : 's'} changed`
  return `[${branch}${isRoot ? ' (root-commit)' : ''} ${short(commit.oid)}] ${subjectOf(commit)}\n ${files}\n`
}

/** The first paragraph of a message, on one line. */
export function subjectOf({ message }: Commit): string {
  return (message.replace(/^\n+/, '').split(/\n\s*\n/)[0] ?? '').trim().replaceAll(/\s*\n\s*/g, ' ')
}

/** A commit id in git's usual short form. */
export function short(oid: string): string {
  return oid.slice(0, 7)
}

/** `Sun Nov 15 06:04:00 2026 +0000`, in the author's time zone. */
export function printDate({ timestamp, timezoneOffset }: Person): string {
  const [weekday, day, month, year, time] = new Date((timestamp - timezoneOffset * 60) * 1000)
    .toUTCString()
    .replace(',', '')
    .split(' ')
  return `${weekday} ${month} ${Number(day)} ${time} ${year} ${zoneText({ timezoneOffset })}`
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

/** A path as git prints it in lists. */
export function printPath(path: string): string {
  return quotedName(path)
}
