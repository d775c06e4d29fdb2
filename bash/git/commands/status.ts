/** `git status`. */

import { type GitStatus, gitStatus } from '../../../src/git/commands/status.js'
import { lastValue } from '../../../src/git/config.js'
import { comparePaths } from '../../../src/git/objects/object-id.js'
import { type Repository, readGitFile, readIndex } from '../../../src/git/repository.js'
import { type Colors, colorsOf, noColors, reset } from '../color.js'
import { fromPrefix, type GitContext, open, prefixOf } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { type FilePair, indexPairs } from '../diff/pairs.js'
import { detectRenames } from '../diff/renames.js'
import { fatal } from '../git-error.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit } from '../options.js'
import { type Pathspecs, pathspecsOf } from '../pathspec.js'
import { readReflog } from '../reflog.js'
import { commitOf, fullRefName } from '../revisions.js'
import { headTree } from './diff.js'

const specs = {
  short: flag('-s', '--short'),
  long: flag('--long'),
  porcelain: optional('--porcelain'),
  branch: flag('-b', '--branch'),
  noBranch: flag('--no-branch'),
  untracked: optional('-u', '--untracked-files'),
  ignored: optional('--ignored'),
  nul: flag('-z', '--null'),
  noRenames: flag('--no-renames'),
  renames: optional('--renames', '--find-renames', '-M'),
  noAheadBehind: flag('--no-ahead-behind'),
  aheadBehind: flag('--ahead-behind'),
  showStash: flag('--show-stash'),
  noColumn: flag('--no-column'),
  color: optional('--color'),
} as const

export interface StatusState extends GitStatus {
  pairs: FilePair[]
  prefix: string
  quote: (path: string) => string
  isUntrackedHidden: boolean
  detached?: string
  progress: string
  isRebase: boolean
  /** Inside a merge or a pick, files can't be unstaged one by one. */
  isWhole: boolean
}

/** The state of the repository with renames, for `status` and `commit`. */
export async function readStatus(
  context: GitContext,
  repository: Repository,
  options: { paths?: Pathspecs; untracked?: 'none' | 'normal' | 'all'; ignored?: boolean; renames?: boolean } = {},
): Promise<StatusState> {
  const prefix = await prefixOf(context, repository)
  const paths = options.paths ?? pathspecsOf([], prefix, repository.root)
  const untracked = options.untracked ?? 'normal'
  const bases = paths.bases
  const found = await gitStatus(repository, {
    untracked,
    ...(options.ignored && { ignored: true }),
    ...(bases && { paths: bases }),
  })
  const own = (path: string) => paths.matches(path)
  const plain = await indexPairs(repository, await headTree(repository), paths)
  const staged = plain.filter(({ status }) => status !== 'U')
  const detached =
    found.branch === undefined && found.head !== undefined ? await detachedAt(repository, found.head) : undefined
  return {
    ...found,
    unstaged: found.unstaged.filter(({ path }) => own(path)),
    untracked: found.untracked.filter(own),
    conflicted: found.conflicted.filter(({ path }) => own(path)),
    ...(found.ignored && { ignored: found.ignored.filter(own) }),
    pairs: options.renames === false ? staged : await detectRenames(staged),
    prefix,
    quote: quoter(repository),
    isUntrackedHidden: untracked === 'none',
    ...(detached !== undefined && { detached }),
    ...(await withBisection(repository, await progressOf(repository, found))),
  }
}

async function detachedAt(repository: Repository, head: string): Promise<string> {
  for (const { message, after } of await readReflog(repository, 'HEAD')) {
    const [, to] = /^checkout: moving from \S+ to (\S+)$/.exec(message) ?? []
    if (to === undefined) continue
    const ref = await fullRefName(repository, to)
    const oid = ref === undefined || ref === 'HEAD' ? undefined : (await repository.refs.resolve(ref)).oid
    // A ref that is somewhere else by now says nothing.
    const isThere = oid !== undefined && (await commitOf(repository, oid)) === after
    const name = isThere ? (ref as string).replace(/^refs\/(tags|remotes)\//, '') : await abbreviate(repository, after)
    return `HEAD detached ${after === head ? 'at' : 'from'} ${name}`
  }
  return `Not currently on any branch.`
}

/** A bisection is told of after what else is under way. */
async function withBisection<Progress extends { progress: string }>(
  repository: Repository,
  state: Progress,
): Promise<Progress> {
  const start = await bisectionStart(repository)
  if (start === undefined) return state
  const from = start === '' ? '' : `, started from branch '${start}'`
  const text = `You are currently bisecting${from}.\n  (use "git bisect reset" to get back to the original branch)\n\n`
  return { ...state, progress: `${state.progress}${text}` }
}

/** Where the bisection under way started, by a short name; empty when that is not known. */
export async function bisectionStart(repository: Repository): Promise<string | undefined> {
  if ((await readGitFile(repository, 'BISECT_LOG')) === undefined) return undefined
  const start = (await readGitFile(repository, 'BISECT_START')) ?? ''
  return /^[0-9a-f]{40}$/.test(start) ? abbreviate(repository, start) : start.replace(/^refs\/heads\//, '')
}

async function progressOf(
  repository: Repository,
  status: GitStatus,
): Promise<{ progress: string; isRebase: boolean; isWhole: boolean }> {
  const hasConflicts = status.conflicted.length > 0
  if (status.inProgress === 'merge') {
    const text = hasConflicts
      ? 'You have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n\n'
      : 'All conflicts fixed but you are still merging.\n  (use "git commit" to conclude merge)\n\n'
    return { progress: text, isRebase: false, isWhole: true }
  }
  if (status.inProgress === 'cherry-pick' || status.inProgress === 'revert') {
    const [file, verb, command] =
      status.inProgress === 'revert'
        ? ['REVERT_HEAD', 'reverting', 'revert']
        : ['CHERRY_PICK_HEAD', 'cherry-picking', 'cherry-pick']
    const oid = (await readGitFile(repository, file)) ?? ''
    const hint = hasConflicts
      ? `fix conflicts and run "git ${command} --continue"`
      : `all conflicts fixed: run "git ${command} --continue"`
    return {
      progress: `You are currently ${verb} commit ${await abbreviate(repository, oid)}.\n  (${hint})\n  (use "git ${command} --skip" to skip this patch)\n  (use "git ${command} --abort" to cancel the ${command} operation)\n\n`,
      isRebase: false,
      isWhole: status.inProgress === 'cherry-pick',
    }
  }
  if (status.inProgress !== 'rebase') return { progress: '', isRebase: false, isWhole: false }
  if ((await readGitFile(repository, 'rebase-apply/applying')) !== undefined) {
    return { progress: applying, isRebase: false, isWhole: false }
  }
  return { progress: await rebaseProgress(repository, hasConflicts), isRebase: true, isWhole: false }
}

const applying = `You are in the middle of an am session.
  (fix conflicts and then run "git am --continue")
  (use "git am --skip" to skip this patch)
  (use "git am --abort" to restore the original branch)\n\n`

async function rebaseProgress(repository: Repository, hasConflicts: boolean): Promise<string> {
  const read = async (name: string) => (await readGitFile(repository, `rebase-merge/${name}`)) ?? ''
  const onto = await abbreviate(repository, await read('onto'))
  const lines = async (name: string) =>
    (await read(name)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const [done, left] = [await lines('done'), await lines('git-rebase-todo')]
  const shortened = async (line: string) => {
    const [, command, oid = '', subject = ''] = /^(\S+) ([0-9a-f]{40})(?: (.*))?$/.exec(line) ?? []
    return command === undefined ? line : `${command} ${await abbreviate(repository, oid)} ${subject}`.trimEnd()
  }
  const counted = (count: number) => `${count} command${count === 1 ? '' : 's'}`
  let text = `interactive rebase in progress; onto ${onto}\n`
  if (done.length > 0) {
    text += `Last command${done.length === 1 ? '' : 's'} done (${counted(done.length)} done):\n`
    for (const line of done.slice(-2)) text += `   ${await shortened(line)}\n`
    if (done.length > 2) text += '  (see more in file .git/rebase-merge/done)\n'
  } else text += 'No commands done.\n'
  if (left.length === 0) text += 'No commands remaining.\n'
  else {
    text += `Next command${left.length === 1 ? '' : 's'} to do (${left.length} remaining command${left.length === 1 ? '' : 's'}):\n`
    for (const line of left.slice(0, 2)) text += `   ${await shortened(line)}\n`
    text += '  (use "git rebase --edit-todo" to view and edit)\n'
  }
  const branch = (await read('head-name')).replace(/^refs\/heads\//, '')
  if (!hasConflicts && (await readGitFile(repository, 'MERGE_MSG')) === undefined)
    return `${text}You are currently editing a commit while rebasing branch '${branch}' on '${onto}'.\n  (use "git commit --amend" to amend the current commit)\n  (use "git rebase --continue" once you are satisfied with your changes)\n\n`
  text += `You are currently rebasing branch '${branch}' on '${onto}'.\n`
  text += hasConflicts
    ? '  (fix conflicts and then run "git rebase --continue")\n'
    : '  (all conflicts fixed: run "git rebase --continue")\n'
  if (hasConflicts)
    text +=
      '  (use "git rebase --skip" to skip this patch)\n  (use "git rebase --abort" to check out the original branch)\n'
  return `${text}\n`
}

export async function status(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('status', args, specs, { unsupported: ['-v', '--verbose', '--column', '--ignore-submodules'] })
  const repository = await open(context)
  const prefix = await prefixOf(context, repository)
  const named = given.has('untracked')
    ? (given.value('untracked') ?? 'all')
    : (lastValue(repository.config, 'status.showuntrackedfiles') ?? 'normal')
  const untracked = named === 'no' || named === 'false' ? 'none' : named === 'all' ? 'all' : 'normal'
  if (!['no', 'normal', 'all', 'true', 'false'].includes(named)) throw fatal(`Invalid untracked files mode '${named}'`)
  const state = await readStatus(context, repository, {
    paths: pathspecsOf(given.all, prefix, repository.root),
    untracked,
    ignored: given.has('ignored') && given.value('ignored') !== 'no',
    renames: given.last('noRenames', 'renames') !== 'noRenames',
  })
  const form = given.last('short', 'long', 'porcelain')
  const colors = colorsOf(given, repository.config, 'status')
  const version = given.value('porcelain')
  if (form === 'porcelain' && (version === 'v2' || version === '2')) {
    context.out.write(await porcelainTwo(repository, state, given.has('branch'), given.has('nul')))
    return 0
  }
  const isShort =
    form === 'short' ||
    form === 'porcelain' ||
    (form === undefined && (given.has('nul') || lastValue(repository.config, 'status.short') === 'true'))
  if (!isShort) {
    context.out.write(longStatus(state, { colors }))
    return 0
  }
  const isPorcelain = form === 'porcelain' || (given.has('nul') && form === undefined)
  const relative = !isPorcelain && lastValue(repository.config, 'status.relativepaths') !== 'false'
  const hasBranch =
    given.last('branch', 'noBranch') === 'branch' ||
    (!isPorcelain && lastValue(repository.config, 'status.branch') === 'true' && !given.has('noBranch'))
  context.out.write(
    shortStatus(state, {
      isNul: given.has('nul'),
      relative,
      branch: hasBranch,
      colors: isPorcelain ? noColors : colors,
    }),
  )
  return 0
}

const letters = { added: 'A', modified: 'M', deleted: 'D', 'type-changed': 'T' } as const

export function shortStatus(
  state: StatusState,
  {
    isNul,
    relative,
    branch,
    colors = noColors,
  }: { isNul: boolean; relative: boolean; branch: boolean; colors?: Colors },
): string {
  const rows = new Map<string, { x: string; y: string; from?: string }>()
  for (const pair of state.pairs)
    rows.set(pair.path, { x: pair.status, y: ' ', ...(pair.status === 'R' && { from: pair.oldPath }) })
  for (const { path, change } of state.unstaged) {
    const known = rows.get(path)
    rows.set(path, { x: ' ', ...known, y: letters[change] })
  }
  for (const { path, code } of state.conflicted) rows.set(path, { x: code[0] as string, y: code[1] as string })
  const shown = (path: string) => {
    if (isNul) return path
    const name = relative ? fromPrefix(state.prefix, path) : path
    const quoted = state.quote(name)
    return quoted === name && name.includes(' ') ? `"${name}"` : quoted
  }
  const end = isNul ? '\0' : '\n'
  const conflicts = new Set(state.conflicted.map(({ path }) => path))
  const tracked = [...rows]
    .sort(([a], [b]) => comparePaths(a, b))
    .map(([path, { x, y, from }]) => {
      const isConflict = conflicts.has(path)
      const letter = (slot: string, text: string) =>
        text === ' ' ? text : colors.paint(isConflict ? 'status.unmerged' : slot, text)
      const code = isConflict
        ? colors.paint('status.unmerged', `${x}${y}`)
        : letter('status.added', x) + letter('status.changed', y)
      if (from === undefined) return `${code} ${shown(path)}${end}`
      return isNul ? `${code} ${path}\0${from}\0` : `${code} ${shown(from)} -> ${shown(path)}\n`
    })
  const other = (code: string) => (isNul ? code : colors.paint('status.untracked', code))
  const others = [
    ...state.untracked.map((path) => `${other('??')} ${shown(path)}${end}`),
    ...(state.ignored ?? []).map((path) => `${other('!!')} ${shown(path)}${end}`),
  ]
  return `${branch ? branchLine(state, end, colors) : ''}${tracked.join('')}${others.join('')}`
}

function branchLine({ branch, head, upstream }: StatusState, end: string, { paint }: Colors): string {
  if (branch === undefined) return `## ${paint('status.nobranch', 'HEAD (no branch)')}${end}`
  const counts = [
    ...(upstream?.ahead ? [`ahead ${paint('status.localbranch', `${upstream.ahead}`)}`] : []),
    ...(upstream?.behind ? [`behind ${paint('status.remotebranch', `${upstream.behind}`)}`] : []),
  ]
  const apart =
    upstream !== undefined && upstream.ahead === undefined && head !== undefined
      ? ' [gone]'
      : counts.length > 0
        ? ` [${counts.join(', ')}]`
        : ''
  const theirs = upstream ? `...${paint('status.remotebranch', upstream.name)}` : ''
  const name = `${paint('status.localbranch', branch)}${theirs}${apart}`
  return `## ${head === undefined ? 'No commits yet on ' : ''}${name}${end}`
}

async function porcelainTwo(
  repository: Repository,
  state: StatusState,
  branch: boolean,
  isNul: boolean,
): Promise<string> {
  const end = isNul ? '\0' : '\n'
  let text = ''
  if (branch) {
    text += `# branch.oid ${state.head ?? '(initial)'}${end}# branch.head ${state.branch ?? '(detached)'}${end}`
    if (state.upstream) {
      text += `# branch.upstream ${state.upstream.name}${end}`
      if (state.upstream.ahead !== undefined)
        text += `# branch.ab +${state.upstream.ahead} -${state.upstream.behind}${end}`
    }
  }
  const { entries } = await readIndex(repository)
  const octal = (mode = 0) => mode.toString(8).padStart(6, '0')
  const none = '0'.repeat(40)
  const rows = new Map<string, string>()
  const unstaged = new Map(state.unstaged.map(({ path, change }) => [path, change]))
  const shown = (path: string) => (isNul ? path : state.quote(path))
  for (const path of new Set([...state.pairs.map((pair) => pair.path), ...unstaged.keys()])) {
    const pair = state.pairs.find((each) => each.path === path)
    const entry = entries.find((each) => each.path === path && each.stage === 0)
    const change = unstaged.get(path)
    const [x, y] = [pair?.status ?? '.', change === undefined ? '.' : letters[change]]
    const before = pair === undefined ? entry : pair.before
    const stat = await repository.fs.stat(`${repository.root}/${path}`).catch(() => undefined)
    const worktree =
      change === 'deleted' || (entry === undefined && change === undefined)
        ? 0
        : stat?.kind === 'symlink'
          ? 0o120000
          : change === undefined
            ? (entry?.mode ?? 0)
            : (stat?.mode ?? 0o644) & 0o100
              ? 0o100755
              : 0o100644
    const fields = `${x}${y} N... ${octal(before?.mode)} ${octal(entry?.mode)} ${octal(worktree)} ${before?.oid ?? none} ${entry?.oid ?? none}`
    const score = Math.trunc(((pair?.score ?? 60_000) * 100) / 60_000)
    rows.set(
      path,
      pair?.status === 'R'
        ? `2 ${fields} R${score} ${shown(path)}${isNul ? '\0' : '\t'}${shown(pair.oldPath)}${end}`
        : `1 ${fields} ${shown(path)}${end}`,
    )
  }
  for (const [, row] of [...rows].sort(([a], [b]) => comparePaths(a, b))) text += row
  for (const { path, code } of state.conflicted) {
    const stages = [1, 2, 3].map((stage) => entries.find((each) => each.path === path && each.stage === stage))
    const stat = await repository.fs.stat(`${repository.root}/${path}`).catch(() => undefined)
    const worktree = stat === undefined ? 0 : (stat.mode ?? 0o644) & 0o100 ? 0o100755 : 0o100644
    text += `u ${code} N... ${stages.map((entry) => octal(entry?.mode)).join(' ')} ${octal(worktree)} ${stages.map((entry) => entry?.oid ?? none).join(' ')} ${shown(path)}${end}`
  }
  return (
    text +
    state.untracked.map((path) => `? ${shown(path)}${end}`).join('') +
    (state.ignored ?? []).map((path) => `! ${shown(path)}${end}`).join('')
  )
}

const labels = {
  A: 'new file',
  M: 'modified',
  D: 'deleted',
  T: 'typechange',
  R: 'renamed',
  C: 'copied',
  U: 'unmerged',
} as const
const conflictLabels = {
  DD: 'both deleted',
  AU: 'added by us',
  UD: 'deleted by them',
  UA: 'added by them',
  DU: 'deleted by us',
  AA: 'both added',
  UU: 'both modified',
} as const

/** The long format. `isAmend`: of a commit that would become empty. `isCommit`: as a commit prints it. */
export function longStatus(
  state: StatusState,
  { isAmend = false, isCommit = false, colors = noColors }: LongOptions = {},
): string {
  const text = plainStatus(state, { isAmend, isCommit })
  return colors.isOn ? paintStatus(text, colors) : text
}

interface LongOptions {
  isAmend?: boolean
  isCommit?: boolean
  colors?: Colors
}

/** Names have the colour of their section. */
function paintStatus(text: string, colors: Colors): string {
  let slot = 'status.header'
  return text
    .split('\n')
    .map((line) => {
      const [, detached, at] = /^(HEAD detached (?:at|from) )(.*)$/.exec(line) ?? []
      if (detached !== undefined) return `${colors.paint('status.nobranch', detached)}${at}`
      if (line.startsWith('Changes to be')) slot = 'status.added'
      else if (line.startsWith('Changes not')) slot = 'status.changed'
      else if (line.startsWith('Unmerged')) slot = 'status.unmerged'
      else if (/^(Untracked|Ignored) files:/.test(line)) slot = 'status.untracked'
      return line.startsWith('\t') ? `\t${colors.code(slot)}${line.slice(1)}${reset}` : line
    })
    .join('\n')
}

function plainStatus(state: StatusState, { isAmend, isCommit }: { isAmend: boolean; isCommit: boolean }): string {
  const { pairs, unstaged, untracked, ignored = [], conflicted, head } = state
  const name = (path: string) => state.quote(fromPrefix(state.prefix, path))
  const sections: string[] = []
  if (pairs.length > 0) {
    const hint = state.isWhole
      ? ''
      : head === undefined
        ? '  (use "git rm --cached <file>..." to unstage)\n'
        : '  (use "git restore --staged <file>..." to unstage)\n'
    const rows = pairs.map(
      (pair) =>
        `\t${`${labels[pair.status]}:`.padEnd(12)}${pair.status === 'R' ? `${name(pair.oldPath)} -> ` : ''}${name(pair.path)}\n`,
    )
    sections.push(`Changes to be committed:\n${hint}${rows.join('')}`)
  }
  if (conflicted.length > 0) sections.push(unmergedSection(state, name))
  if (unstaged.length > 0) {
    const verb = unstaged.some(({ change }) => change === 'deleted') ? 'add/rm' : 'add'
    const rows = unstaged.map(({ path, change }) => `\t${`${labels[letters[change]]}:`.padEnd(12)}${name(path)}\n`)
    sections.push(
      `Changes not staged for commit:\n  (use "git ${verb} <file>..." to update what will be committed)\n  (use "git restore <file>..." to discard changes in working directory)\n${rows.join('')}`,
    )
  }
  if (untracked.length > 0)
    sections.push(
      `Untracked files:\n  (use "git add <file>..." to include in what will be committed)\n${untracked.map((path) => `\t${name(path)}\n`).join('')}`,
    )
  if (ignored.length > 0)
    sections.push(
      `Ignored files:\n  (use "git add -f <file>..." to include in what will be committed)\n${ignored.map((path) => `\t${name(path)}\n`).join('')}`,
    )
  return `${heading(state)}${state.progress}${head === undefined ? `\n${isCommit ? 'Initial commit' : 'No commits yet'}\n\n` : ''}${sections.map((each) => `${each}\n`).join('')}${isAmend ? 'No changes\n' : conclusion(state)}`
}

function unmergedSection(
  { conflicted, isWhole, head, inProgress }: StatusState,
  name: (path: string) => string,
): string {
  const codes = conflicted.map(({ code }) => code)
  const bothDeleted = codes.includes('DD')
  const oneDeleted = codes.some((code) => code === 'UD' || code === 'DU')
  const notDeleted = codes.some((code) => !['DD', 'UD', 'DU'].includes(code))
  const unstage =
    isWhole || inProgress === 'merge'
      ? ''
      : head === undefined
        ? '  (use "git rm --cached <file>..." to unstage)\n'
        : '  (use "git restore --staged <file>..." to unstage)\n'
  const hint = !bothDeleted
    ? oneDeleted
      ? '  (use "git add/rm <file>..." as appropriate to mark resolution)\n'
      : '  (use "git add <file>..." to mark resolution)\n'
    : !oneDeleted && !notDeleted
      ? '  (use "git rm <file>..." to mark resolution)\n'
      : '  (use "git add/rm <file>..." as appropriate to mark resolution)\n'
  const rows = conflicted.map(({ path, code }) => `\t${`${conflictLabels[code]}:`.padEnd(17)}${name(path)}\n`)
  return `Unmerged paths:\n${unstage}${hint}${rows.join('')}`
}

function heading({ branch, detached, upstream, isRebase, head }: StatusState): string {
  if (isRebase) return ''
  const at = branch === undefined ? (detached ?? 'Not currently on any branch.') : `On branch ${branch}`
  if (upstream === undefined) return `${at}\n`
  const { name, ahead, behind } = upstream
  const commits = (count: number) => `${count} commit${count === 1 ? '' : 's'}`
  if (ahead === undefined || behind === undefined) {
    return head === undefined
      ? `${at}\n`
      : `${at}\nYour branch is based on '${name}', but the upstream is gone.\n  (use "git branch --unset-upstream" to fixup)\n\n`
  }
  if (ahead === 0 && behind === 0) return `${at}\nYour branch is up to date with '${name}'.\n\n`
  if (behind === 0)
    return `${at}\nYour branch is ahead of '${name}' by ${commits(ahead)}.\n  (use "git push" to publish your local commits)\n\n`
  if (ahead === 0)
    return `${at}\nYour branch is behind '${name}' by ${commits(behind)}, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n\n`
  return `${at}\nYour branch and '${name}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n  (use "git pull" to merge the remote branch into yours)\n\n`
}

function conclusion({
  pairs,
  unstaged,
  untracked,
  conflicted,
  head,
  inProgress,
  isUntrackedHidden,
}: StatusState): string {
  const canCommit = pairs.length > 0 || (inProgress === 'merge' && conflicted.length === 0)
  if (canCommit) return isUntrackedHidden ? 'Untracked files not listed (use -u option to show untracked files)\n' : ''
  if (unstaged.length > 0 || conflicted.length > 0)
    return 'no changes added to commit (use "git add" and/or "git commit -a")\n'
  if (untracked.length > 0) return 'nothing added to commit but untracked files present (use "git add" to track)\n'
  if (head === undefined) return 'nothing to commit (create/copy files and use "git add" to track)\n'
  return isUntrackedHidden
    ? 'nothing to commit (use -u to show untracked files)\n'
    : 'nothing to commit, working tree clean\n'
}
