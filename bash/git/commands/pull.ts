/** `git pull`: a fetch, then a merge or a rebase of what it got. */
import { conflictsIn } from '../../../src/git/commands/status.js'
import { isTrue, lastValue } from '../../../src/git/config.js'
import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readGitFile, readIndex } from '../../../src/git/repository.js'
import { type GitContext, open } from '../context.js'
import { indexPairs, workTreePairs } from '../diff/pairs.js'
import { fatal, GitError } from '../git-error.js'
import { flag, optional, parseGit, value } from '../options.js'
import type { FetchedHead } from '../remotes/fetch-refs.js'
import { defaultRemote, remoteNamed, shownUrl } from '../remotes/remote-repository.js'
import { remotesOf } from './config.js'
import { headTree } from './diff.js'
import { fetchRemote, fetchSpecs, unsupportedFetch } from './fetch.js'
import { merge } from './merge.js'
import { rebase } from './rebase.js'

const specs = {
  ...fetchSpecs,
  rebase: optional('-r', '--rebase'),
  noRebase: flag('--no-rebase'),
  ff: flag('--ff'),
  noFf: flag('--no-ff'),
  ffOnly: flag('--ff-only'),
  commit: flag('--commit'),
  noCommit: flag('--no-commit'),
  noEdit: flag('--no-edit'),
  squash: flag('--squash'),
  noSquash: flag('--no-squash'),
  stat: flag('--stat', '--summary'),
  noStat: flag('--no-stat', '--no-summary'),
  noTags: flag('--no-tags'),
  allowUnrelated: flag('--allow-unrelated-histories'),
  strategy: value('-s', '--strategy'),
  strategyOption: value('-X', '--strategy-option'),
  noVerify: flag('--no-verify'),
  signoff: flag('--signoff'),
} as const

export async function pull(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('pull', args, specs, {
    unsupported: [...unsupportedFetch, '--autostash', '--no-autostash', '-e', '--edit', '-S', '--gpg-sign', '-n'],
  })
  const repository = await open(context)
  await refuseUnfinished(repository)
  const { branch, oid } = await readHead(repository)
  const mode = rebaseMode(repository, branch, given)
  if (mode === 'rebase') await refuseDirty(repository)
  const [named, ...refspecs] = given.all
  const name = named ?? defaultRemote(repository.config, branch)
  const remote = remoteNamed(repository.config, name)
  if (
    named === undefined &&
    branch !== undefined &&
    !repository.config.has(`branch.${branch}.merge`) &&
    !remote.isConfigured
  )
    throw noTracking(repository, branch, mode, undefined)
  const action = ['pull', ...args].join(' ')
  const { heads, hasFailed } = await fetchRemote(context, name, refspecs, given, action).catch((error: unknown) => {
    // The fetch is a command of its own.
    throw error instanceof GitError && error.exitCode === 128 ? new GitError(error.message, 1) : error
  })
  if (hasFailed) return 1
  const [head, another] = heads
  if (head === undefined) throw noTracking(repository, branch, mode, named)
  if (another !== undefined) throw fatal('a merge of more than one branch is not supported by this git')
  if (oid === undefined) return merge({ ...context, command: 'pull' }, [head.oid])
  const bases = await mergeBases(await open(context), oid, head.oid)
  const isDiverged = bases[0] !== oid && bases[0] !== head.oid
  const ff = given.last('ff', 'noFf', 'ffOnly') ?? ffSetting(repository)
  if (isDiverged && ff === 'ffOnly') throw fatal('Not possible to fast-forward, aborting.')
  if (isDiverged && mode === undefined && ff === undefined) throw undecided()
  if (mode === 'rebase' && isDiverged) return rebase(context, [...(given.has('quiet') ? ['-q'] : []), head.oid])
  return mergeFetched(context, head, { url: remote.url, action }, given)
}

async function mergeFetched(
  context: GitContext,
  { oid, what }: FetchedHead,
  { url, action }: { url: string; action: string },
  given: { given: ReadonlyArray<{ key: string; name: string; value?: string }> },
): Promise<number> {
  const passed = given.given.flatMap(({ key, name, value: of }) => {
    if (['strategy', 'strategyOption'].includes(key))
      return [`--${key === 'strategy' ? 'strategy' : 'strategy-option'}=${of}`]
    const own = [
      'ff',
      'noFf',
      'ffOnly',
      'commit',
      'noCommit',
      'squash',
      'noSquash',
      'stat',
      'noStat',
      'allowUnrelated',
      'quiet',
      'signoff',
    ]
    return own.includes(key) ? [name] : []
  })
  const subject = what === '' ? shownUrl(url) : `${what} of ${shownUrl(url)}`
  return merge(context, [...passed, oid], { subject, action })
}

function rebaseMode(
  { config }: Repository,
  branch: string | undefined,
  given: { last(...keys: ('rebase' | 'noRebase')[]): string | undefined; value(key: 'rebase'): string | undefined },
): 'rebase' | 'merge' | undefined {
  const option = given.last('rebase', 'noRebase')
  const text =
    option === 'noRebase'
      ? 'false'
      : option === 'rebase'
        ? (given.value('rebase') ?? 'true')
        : (lastValue(config, `branch.${branch}.rebase`) ?? lastValue(config, 'pull.rebase'))
  if (text === undefined) return undefined
  if (['true', 'yes', 'on', '1'].includes(text)) return 'rebase'
  if (['false', 'no', 'off', '0', ''].includes(text)) return 'merge'
  if (['merges', 'm', 'interactive', 'i', 'preserve'].includes(text))
    throw fatal(`--rebase=${text} is not supported by this git`)
  throw fatal(`invalid value for '--rebase': '${text}'`)
}

function ffSetting({ config }: Repository): 'ff' | 'noFf' | 'ffOnly' | undefined {
  const text = lastValue(config, 'pull.ff')
  if (text === 'only') return 'ffOnly'
  return text === undefined ? undefined : isTrue(config, 'pull.ff') ? 'ff' : 'noFf'
}

async function refuseUnfinished(repository: Repository): Promise<void> {
  if (conflictsIn(await readIndex(repository)).length > 0)
    throw new GitError(
      "error: Pulling is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
      128,
    )
  if ((await readGitFile(repository, 'MERGE_HEAD')) !== undefined)
    throw new GitError(
      'error: You have not concluded your merge (MERGE_HEAD exists).\nhint: Please, commit your changes before merging.\nfatal: Exiting because of unfinished merge.',
      128,
    )
}

async function refuseDirty(repository: Repository): Promise<void> {
  const [local, staged] = [await workTreePairs(repository), await indexPairs(repository, await headTree(repository))]
  if (local.length === 0 && staged.length === 0) return
  const unstaged = 'error: cannot pull with rebase: You have unstaged changes.\n'
  const uncommitted =
    local.length > 0
      ? 'error: additionally, your index contains uncommitted changes.\n'
      : 'error: cannot pull with rebase: Your index contains uncommitted changes.\n'
  throw new GitError(
    `${local.length > 0 ? unstaged : ''}${staged.length > 0 ? uncommitted : ''}error: please commit or stash them.`,
    128,
  )
}

function noTracking(
  repository: Repository,
  branch: string | undefined,
  mode: 'rebase' | 'merge' | undefined,
  remote: string | undefined,
): GitError {
  const verb = mode === 'rebase' ? 'rebase against' : 'merge with'
  const see = `Please specify which branch you want to ${verb}.\nSee git-pull(1) for details.\n\n    git pull <remote> <branch>\n`
  if (remote !== undefined)
    return new GitError(
      `You asked to pull from the remote '${remote}', but did not specify\na branch. Because this is not the default configured remote\nfor your current branch, you must specify a branch on the command line.`,
      1,
    )
  if (branch === undefined) return new GitError(`You are not currently on a branch.\n${see}`, 1)
  const merge = lastValue(repository.config, `branch.${branch}.merge`)
  if (merge !== undefined)
    return new GitError(
      `Your configuration specifies to merge with the ref '${merge}'\nfrom the remote, but no such ref was fetched.`,
      1,
    )
  const names = remotesOf(repository.config)
  const only = names.length === 1 ? names[0] : '<remote>'
  return new GitError(
    `There is no tracking information for the current branch.\n${see}\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=${only}/<branch> ${branch}\n`,
    1,
  )
}

function undecided(): GitError {
  return new GitError(
    `hint: You have divergent branches and need to specify how to reconcile them.
hint: You can do so by running one of the following commands sometime before
hint: your next pull:
hint: 
hint:   git config pull.rebase false  # merge
hint:   git config pull.rebase true   # rebase
hint:   git config pull.ff only       # fast-forward only
hint: 
hint: You can replace "git config" with "git config --global" to set a default
hint: preference for all repositories. You can also pass --rebase, --no-rebase,
hint: or --ff-only on the command line to override the configured default per
hint: invocation.
fatal: Need to specify how to reconcile divergent branches.`,
    128,
  )
}
