/** Prints the status as `git status` and `git status --short` do. */
import { quotedName } from '../../text/diff/unified-diff.js'
import type { ChangedPath, ConflictCode, GitStatus } from '../commands/status.js'
import { comparePaths } from '../objects/object-id.js'
import { changeLetters } from './print-diff.js'

/** Prints `git status --short`, optionally with the line of `--branch`; the same as `--porcelain`, except for renames. */
export function printShortStatus(status: GitStatus, { branch = false }: { branch?: boolean } = {}): string {
  const rows = new Map<string, [string, string]>()
  for (const { path, change } of status.staged) rows.set(path, [changeLetters[change], ' '])
  for (const { path, change } of status.unstaged) rows.set(path, [rows.get(path)?.[0] ?? ' ', changeLetters[change]])
  for (const { path, code } of status.conflicted) rows.set(path, [code[0] as string, code[1] as string])
  const tracked = [...rows].sort(([a], [b]) => comparePaths(a, b)).map(([path, letters]) => row(letters.join(''), path))
  const untracked = status.untracked.map((path) => row('??', path))
  const ignored = (status.ignored ?? []).map((path) => row('!!', path))
  return printTooDeep(status) + (branch ? branchLine(status) : '') + [...tracked, ...untracked, ...ignored].join('')
}

/** Prints `git status`. */
export function printStatus(status: GitStatus): string {
  const { staged, unstaged, untracked, ignored = [], conflicted, head, inProgress } = status
  const sections = [
    staged.length > 0 &&
      `Changes to be committed:\n${inProgress === 'merge' ? '' : unstageHint(head)}${changed(staged)}`,
    conflicted.length > 0 &&
      `Unmerged paths:\n  (use "git add <file>..." to mark resolution)\n${conflicted
        .map(({ path, code }) => `\t${`${conflictLabels[code]}:`.padEnd(17)}${quotedName(path)}\n`)
        .join('')}`,
    unstaged.length > 0 &&
      `Changes not staged for commit:\n  (use "git add${unstaged.some(({ change }) => change === 'deleted') ? '/rm' : ''} <file>..." to update what will be committed)\n  (use "git restore <file>..." to discard changes in working directory)\n${changed(unstaged)}`,
    untracked.length > 0 &&
      `Untracked files:\n  (use "git add <file>..." to include in what will be committed)\n${listed(untracked)}`,
    ignored.length > 0 &&
      `Ignored files:\n  (use "git add -f <file>..." to include in what will be committed)\n${listed(ignored)}`,
  ].filter((section) => section !== false)
  const merging =
    inProgress !== 'merge'
      ? ''
      : conflicted.length > 0
        ? 'You have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n\n'
        : 'All conflicts fixed but you are still merging.\n  (use "git commit" to conclude merge)\n\n'
  return `${printTooDeep(status)}${heading(status)}${merging}${sections.map((section) => `${section}\n`).join('')}${conclusion(status)}`
}

/** Prints git's warnings. Such a path has thousands of characters, so only its start is shown. */
export function printTooDeep({ tooDeep = [] }: { tooDeep?: readonly string[] }): string {
  return tooDeep
    .map((path) => `warning: could not open directory '${quotedName(path.slice(0, 200))}…': its path is too long\n`)
    .join('')
}

function unstageHint(head: string | undefined): string {
  return `  (use "git ${head === undefined ? 'rm --cached' : 'restore --staged'} <file>..." to unstage)\n`
}

function heading({ branch, head, upstream }: GitStatus): string {
  const at = branch === undefined ? `HEAD detached at ${head?.slice(0, 7)}` : `On branch ${branch}`
  return `${at}\n${upstream ? tracking(upstream) : ''}${head === undefined ? '\nNo commits yet\n\n' : ''}`
}

function tracking({ name, ahead, behind }: NonNullable<GitStatus['upstream']>): string {
  const commits = (count: number) => `${count} commit${count === 1 ? '' : 's'}`
  if (ahead === undefined || behind === undefined) {
    return `Your branch is based on '${name}', but the upstream is gone.\n  (use "git branch --unset-upstream" to fixup)\n\n`
  }
  if (ahead === 0 && behind === 0) return `Your branch is up to date with '${name}'.\n\n`
  if (behind === 0) {
    return `Your branch is ahead of '${name}' by ${commits(ahead)}.\n  (use "git push" to publish your local commits)\n\n`
  }
  if (ahead === 0) {
    return `Your branch is behind '${name}' by ${commits(behind)}, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n\n`
  }
  return `Your branch and '${name}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n  (use "git pull" to merge the remote branch into yours)\n\n`
}

function conclusion({ staged, unstaged, untracked, conflicted, head, inProgress }: GitStatus): string {
  if (staged.length > 0 || (inProgress === 'merge' && conflicted.length === 0)) return ''
  if (unstaged.length > 0 || conflicted.length > 0) {
    return 'no changes added to commit (use "git add" and/or "git commit -a")\n'
  }
  if (untracked.length > 0) return 'nothing added to commit but untracked files present (use "git add" to track)\n'
  return head === undefined
    ? 'nothing to commit (create/copy files and use "git add" to track)\n'
    : 'nothing to commit, working tree clean\n'
}

function changed(changes: readonly ChangedPath[]): string {
  return changes.map(({ path, change }) => `\t${labels[change].padEnd(12)}${quotedName(path)}\n`).join('')
}

function listed(paths: readonly string[]): string {
  return paths.map((path) => `\t${quotedName(path)}\n`).join('')
}

const labels = {
  added: 'new file:',
  modified: 'modified:',
  deleted: 'deleted:',
  'type-changed': 'typechange:',
} as const

const conflictLabels: Record<ConflictCode, string> = {
  DD: 'both deleted',
  AU: 'added by us',
  UD: 'deleted by them',
  UA: 'added by them',
  DU: 'deleted by us',
  AA: 'both added',
  UU: 'both modified',
}

/** In this format names with a space are quoted too. */
function row(letters: string, path: string): string {
  const name = quotedName(path)
  return `${letters} ${name === path && path.includes(' ') ? `"${path}"` : name}\n`
}

function branchLine({ branch, head, upstream }: GitStatus): string {
  if (branch === undefined) return '## HEAD (no branch)\n'
  const counts = [
    ...(upstream?.ahead ? [`ahead ${upstream.ahead}`] : []),
    ...(upstream?.behind ? [`behind ${upstream.behind}`] : []),
  ]
  const gone = upstream !== undefined && upstream.ahead === undefined
  const apart = gone ? ' [gone]' : counts.length > 0 ? ` [${counts.join(', ')}]` : ''
  const name = `${branch}${upstream ? `...${upstream.name}` : ''}${apart}`
  return head === undefined ? `## No commits yet on ${name}\n` : `## ${name}\n`
}
