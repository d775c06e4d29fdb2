/** `git checkout` and `git switch`. */
import type { Draft } from '../../../src/change/draft.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { conflictsIn, countApart, headFiles } from '../../../src/git/commands/status.js'
import { endOperation, operationInProgress } from '../../../src/git/operation-in-progress.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import type { IndexEntry } from '../../../src/git/work-tree/index-file.js'
import { refuseCheckedOutElsewhere } from '../../../src/git/work-tree/linked-worktrees.js'
import { change, type GitContext, identity, open } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { treeToWorkTreePairs } from '../diff/pairs.js'
import { failure, fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { restoreHunks } from '../patch-mode/choose.js'
import { moveHead, updateRef } from '../reflog.js'
import { findCommit, findObject, previousBranch, treeOf, unknownRevision, upstreamRef } from '../revisions.js'
import { isFile } from '../revisions-and-paths.js'
import { checkNewBranch, trackingOf, trackStart } from './branch.js'
import { headTree } from './diff.js'
import { restorePaths, unsupported } from './restore.js'

const checkoutSpecs = {
  create: value('-b'),
  forceCreate: value('-B'),
  orphan: value('--orphan'),
  detach: flag('-d', '--detach'),
  force: flag('-f', '--force'),
  quiet: flag('-q', '--quiet'),
  ours: flag('-2', '--ours'),
  theirs: flag('-3', '--theirs'),
  track: optional('-t', '--track'),
  noTrack: flag('--no-track'),
  guess: flag('--guess'),
  noGuess: flag('--no-guess'),
  progress: flag('--progress', '--no-progress'),
  ignoreOther: flag('--ignore-other-worktrees'),
  overlay: flag('--overlay'),
  noOverlay: flag('--no-overlay'),
  merge: flag('-m', '--merge'),
  conflict: value('--conflict'),
  createReflog: flag('-l'),
  patch: flag('-p', '--patch'),
} as const

export async function checkout(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('checkout', args, checkoutSpecs, { unsupported })
  const [create, forceCreate, orphan] = [given.value('create'), given.value('forceCreate'), given.value('orphan')]
  const options = {
    quiet: given.has('quiet'),
    force: given.has('force'),
    detach: given.has('detach'),
    track: trackingOf(given.last('track', 'noTrack')),
    guess: given.last('guess', 'noGuess') !== 'noGuess',
  }
  if (
    given.has('merge') &&
    given.all.length > 0 &&
    given.paths === undefined &&
    create === undefined &&
    !(await isFile(context, given.all[0] ?? ''))
  )
    throw fatal("option '-m' is not supported by this git for switching branches")
  if (orphan !== undefined) return switchOrphan(context, orphan, given.operands[0], options)
  const name = create ?? forceCreate
  if (name !== undefined) {
    if ((given.paths ?? []).length > 0)
      throw fatal(`Cannot update paths and switch to branch '${name}' at the same time.`)
    return switchTo(context, {
      ...options,
      create: name,
      isForced: forceCreate !== undefined,
      target: given.operands[0] ?? 'HEAD',
    })
  }
  const repository = await open(context)
  const operands = [...given.operands]
  const [first] = operands
  const isRevision = first !== undefined && (await revisionOf(repository, first)) !== undefined
  const isPathLike = first !== undefined && (await isFile(context, first))
  const isTree =
    first !== undefined &&
    isRevision &&
    (given.paths !== undefined || operands.length === 1 || !isPathLike || given.operands.length > 1)
  if (first !== undefined && given.paths !== undefined && !isRevision) throw fatal(`invalid reference: ${first}`)
  const rest = isTree ? operands.slice(1) : operands
  const paths = [...rest, ...(given.paths ?? [])]
  if (given.has('patch')) {
    const source = isTree ? first : undefined
    return change(context, 'checkout', (repository, draft) =>
      restoreHunks(context, repository, draft, { source, paths, isBoth: true }),
    )
  }
  const how = {
    // What is named after `--` is not counted.
    quiet: options.quiet || given.paths !== undefined,
    stage: given.has('ours') ? (2 as const) : given.has('theirs') ? (3 as const) : undefined,
    isMerge: given.has('merge') || given.value('conflict') !== undefined,
    style: given.value('conflict') ?? 'merge',
  }
  if (paths.length > 0) {
    if (!isTree && rest.length > 0 && given.paths === undefined) {
      const guessed = await guessRemote(repository, first ?? '', options.guess)
      if (guessed !== undefined && rest.length === 1 && !isPathLike)
        return switchTo(context, { ...options, create: first as string, isForced: false, target: guessed })
    }
    return restorePaths(context, paths, {
      ...how,
      ...(isTree && { source: first }),
      staged: isTree,
      workTree: true,
      overlay: given.last('overlay', 'noOverlay') !== 'noOverlay',
    })
  }
  if (first === undefined || (!isTree && given.paths !== undefined)) {
    if (given.has('detach')) return switchTo(context, { ...options, target: 'HEAD' })
    if (given.has('force')) return switchTo(context, { ...options, target: 'HEAD' })
    if (!options.quiet) await printLocalChanges(context, repository)
    return 0
  }
  return switchTo(context, { ...options, target: first })
}

const switchSpecs = {
  create: value('-c', '--create'),
  forceCreate: value('-C', '--force-create'),
  orphan: value('--orphan'),
  detach: flag('-d', '--detach'),
  force: flag('-f', '--force', '--discard-changes'),
  quiet: flag('-q', '--quiet'),
  track: optional('-t', '--track'),
  noTrack: flag('--no-track'),
  guess: flag('--guess'),
  noGuess: flag('--no-guess'),
  progress: flag('--progress', '--no-progress'),
  ignoreOther: flag('--ignore-other-worktrees'),
} as const

export async function switchBranch(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('switch', args, switchSpecs, {
    unsupported: [...unsupported, '-m', '--merge', '--conflict', '-p', '--patch'],
  })
  const options = {
    quiet: given.has('quiet'),
    isSwitch: true,
    force: given.has('force'),
    detach: given.has('detach'),
    track: trackingOf(given.last('track', 'noTrack')),
    guess: given.last('guess', 'noGuess') !== 'noGuess',
  }
  const orphan = given.value('orphan')
  if (orphan !== undefined) return switchOrphan(context, orphan, given.all[0], { ...options, isEmpty: true })
  const name = given.value('create') ?? given.value('forceCreate')
  if (name !== undefined)
    return switchTo(context, {
      ...options,
      create: name,
      isForced: given.value('forceCreate') !== undefined,
      target: given.all[0] ?? 'HEAD',
    })
  const [target] = given.all
  if (target === undefined && !options.detach) throw fatal('missing branch or commit argument')
  const repository = await open(context)
  if (!options.detach && target !== undefined) {
    const named = target === '-' ? await previousBranch(repository, 1) : target
    const isBranch =
      named !== undefined &&
      (await repository.refs.resolve(`refs/heads/${named}`).catch(() => ({ oid: undefined }))).oid !== undefined
    if (!isBranch && (await guessRemote(repository, named ?? '', options.guess)) === undefined) {
      const found = await revisionOf(repository, target)
      if (found !== undefined)
        throw fatal(
          `a branch is expected, got ${/^[0-9a-f]{4,40}$/.test(target) || /[~^@]/.test(target) ? 'commit' : (await repository.refs.resolve(`refs/tags/${target}`)).oid ? 'tag' : 'commit'} '${target}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.`,
        )
      throw fatal(`invalid reference: ${target}`)
    }
  }
  return switchTo(context, { ...options, target: target ?? 'HEAD' })
}

export async function revisionOf(repository: Repository, given: string): Promise<string | undefined> {
  if (given === '-') return (await previousBranch(repository, 1)) === undefined ? undefined : '-'
  const found = await findObject(repository, given).catch(() => undefined)
  return found && (await treeOf(repository, found.oid).catch(() => undefined))
}

/** A remote branch of the same name, if only one remote has it. */
async function guessRemote(repository: Repository, name: string, isWanted: boolean): Promise<string | undefined> {
  if (!isWanted || name === '') return undefined
  const refs = (await repository.refs.list('refs/remotes/')).filter((ref) => ref.split('/').slice(3).join('/') === name)
  return refs.length === 1 ? (refs[0] as string).slice('refs/remotes/'.length) : undefined
}

interface SwitchOptions {
  target: string
  create?: string
  isForced?: boolean
  quiet: boolean
  force: boolean
  detach: boolean
  track: boolean | undefined
  guess: boolean
  /** `git switch` is stricter. */
  isSwitch?: boolean
}

async function switchTo(context: GitContext, options: SwitchOptions): Promise<number> {
  const switched = await change(context, 'checkout', (repository, draft) =>
    moveToTarget(context, repository, draft, options),
  )
  if (switched === undefined || options.quiet) return 0
  // The files are written now.
  await printSwitched(context, await open(context), switched)
  return 0
}

interface Switched {
  from: { branch?: string; oid?: string }
  branch: string | undefined
  isNew: boolean
  isSame: boolean
  oid: string
  target: string
  isHeadOnly: boolean
  /** The branch was there, and is somewhere else now. */
  isReset: boolean
  /** `HEAD` was to be detached. */
  isAsked: boolean
}

async function moveToTarget(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  options: SwitchOptions,
): Promise<Switched | undefined> {
  const head = await readHead(repository)
  const running = await operationInProgress(repository)
  if (running !== undefined && running !== 'bisect' && !options.force) {
    const names: Record<string, string> = {
      merge: 'merging',
      rebase: 'rebasing',
      'cherry-pick': 'cherry-picking',
      revert: 'reverting',
    }
    if (options.isSwitch)
      throw fatal(
        `cannot switch branch while ${names[running]}\nConsider "git ${running} --quit" or "git worktree add".`,
      )
    const { entries } = await readIndex(repository)
    if (conflictsIn({ entries }).length > 0) throw needsMerge(context, entries)
  }
  let target = options.target === '-' ? ((await previousBranch(repository, 1)) ?? '-') : options.target
  let create = options.create
  if (create !== undefined) checkNewBranch(create)
  if (create !== undefined && head.oid === undefined && target === 'HEAD') {
    await repository.refs.point('HEAD', `refs/heads/${create}`)
    if (!options.quiet) context.err.write(`Switched to a new branch '${create}'\n`)
    return undefined
  }
  const isBranch =
    create === undefined &&
    !options.detach &&
    (await repository.refs.resolve(`refs/heads/${target}`).catch(() => ({ oid: undefined }))).oid !== undefined
  if (
    create === undefined &&
    !isBranch &&
    !options.detach &&
    (await findCommit(repository, target).catch(() => undefined)) === undefined
  ) {
    const guessed = await guessRemote(repository, target, options.guess)
    if (guessed === undefined) throw failure(`pathspec '${target}' did not match any file(s) known to git`)
    create = target
    target = guessed
  }
  const oid = isBranch
    ? ((await repository.refs.resolve(`refs/heads/${target}`)).oid as string)
    : await findCommit(repository, target)
  if (oid === undefined) {
    if (target === 'HEAD' && create === undefined) return undefined
    throw create === undefined
      ? unknownRevision(target)
      : fatal(`'${target}' is not a commit and a branch '${create}' cannot be created from it`)
  }
  if (isBranch && target !== head.branch) await refuseCheckedOutElsewhere(repository, target)
  if (
    create !== undefined &&
    !options.isForced &&
    (await repository.refs.resolve(`refs/heads/${create}`)).oid !== undefined
  )
    throw fatal(`a branch named '${create}' already exists`)
  const by = identityOrNobody(context, repository)
  const [old, next] = [await headFiles(repository, head.oid), await headFiles(repository, oid)]
  if (!(create !== undefined && oid === head.oid && !options.force))
    await moveFiles(repository, draft, { old, next }, options.force)
  if (running !== undefined && running !== 'rebase' && running !== 'bisect') await endOperation(repository, draft)
  const from = head.branch ?? head.oid ?? ''
  const isSame = create === undefined && isBranch && target === head.branch
  let isReset = false
  if (create !== undefined) {
    const known = (await repository.refs.resolve(`refs/heads/${create}`)).oid
    isReset = known !== undefined
    if (create === head.branch)
      await updateRef(repository, 'HEAD', oid, { by, message: `branch: Reset to ${options.target}` })
    else
      await updateRef(repository, `refs/heads/${create}`, oid, {
        by,
        message: known === undefined ? `branch: Created from ${target}` : `branch: Reset to ${target}`,
      })
    await trackStart(context, repository, create, target, { explicit: options.track, quiet: options.quiet })
  }
  const branch = create ?? (isBranch ? target : undefined)
  const isHeadOnly = branch === undefined && target === 'HEAD' && !options.detach
  const switched = {
    from: head,
    branch,
    isNew: create !== undefined,
    isSame,
    oid,
    target,
    isHeadOnly,
    isReset,
    isAsked: options.detach,
  }
  if (isHeadOnly) return switched
  if (branch === undefined)
    await moveHead(
      repository,
      { oid },
      {
        by,
        message: `checkout: moving from ${from} to ${target}`,
      },
    )
  else await moveHead(repository, { branch, oid }, { by, message: `checkout: moving from ${from} to ${branch}` })
  return switched
}

/** Git logs a checkout even without a configured identity. */
export function identityOrNobody(context: GitContext, repository: Repository) {
  try {
    return identity(context, repository.config, 'COMMITTER')
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    return { name: 'user', email: 'user@localhost', timestamp: Math.floor(context.now() / 1000), timezoneOffset: 0 }
  }
}

function needsMerge(context: GitContext, entries: readonly IndexEntry[]): GitError {
  for (const { path } of conflictsIn({ entries }))
    context.out.write(`${path}: needs merge
`)
  return new GitError('error: you need to resolve your current index first', 1)
}

async function printSwitched(
  context: GitContext,
  repository: Repository,
  { from, branch, isNew, isReset, isSame, oid, target, isHeadOnly, isAsked }: Switched,
): Promise<void> {
  // A new branch at the same commit touches no file, and git does not look for changes.
  if (!(isNew && from.oid === oid)) await printLocalChanges(context, repository)
  if (isHeadOnly) return
  const { message } = await repository.objects.readCommit(oid)
  const at = `${await abbreviate(repository, oid)} ${subjectOf(message)}`
  if (from.branch === undefined && from.oid !== undefined && from.oid !== oid) {
    const previous = await repository.objects.readCommit(from.oid)
    context.err.write(
      `Previous HEAD position was ${await abbreviate(repository, from.oid)} ${subjectOf(previous.message)}\n`,
    )
  }
  if (branch === undefined) {
    if (from.branch !== undefined && !isAsked) context.err.write(detachedAdvice(target))
    context.err.write(`HEAD is now at ${at}\n`)
    return
  }
  if (isReset && branch === from.branch) context.err.write(`Reset branch '${branch}'\n`)
  else if (isSame) context.err.write(`Already on '${branch}'\n`)
  else context.err.write(`Switched to ${isReset ? 'and reset ' : isNew ? 'a new ' : ''}branch '${branch}'\n`)
  if (!isNew) context.out.write(await trackingText(repository, branch, oid))
}

/** How the branch and the one it follows are apart. */
async function trackingText(repository: Repository, branch: string, oid: string): Promise<string> {
  const upstream = upstreamRef(repository, branch)
  if (upstream === undefined) return ''
  const name = upstream.replace(/^refs\/(heads|remotes)\//, '')
  const theirs = (await repository.refs.resolve(upstream)).oid
  if (theirs === undefined)
    return `Your branch is based on '${name}', but the upstream is gone.\n  (use "git branch --unset-upstream" to fixup)\n`
  const apart = await countApart(repository, oid, theirs)
  if (apart === undefined) return ''
  const commits = (count: number) => `${count} commit${count === 1 ? '' : 's'}`
  const { ahead, behind } = apart
  if (ahead === 0 && behind === 0) return `Your branch is up to date with '${name}'.\n`
  if (behind === 0)
    return `Your branch is ahead of '${name}' by ${commits(ahead)}.\n  (use "git push" to publish your local commits)\n`
  if (ahead === 0)
    return `Your branch is behind '${name}' by ${commits(behind)}, and can be fast-forwarded.\n  (use "git pull" to update your local branch)\n`
  return `Your branch and '${name}' have diverged,\nand have ${ahead} and ${behind} different commits each, respectively.\n  (use "git pull" to merge the remote branch into yours)\n`
}

export function detachedAdvice(target: string): string {
  return `Note: switching to '${target}'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false

`
}

/** Changes that were taken along. */
async function printLocalChanges(context: GitContext, repository: Repository): Promise<void> {
  const pairs = await treeToWorkTreePairs(repository, await headTree(repository))
  for (const { status, path } of pairs) context.out.write(`${status}\t${quoter(repository)(path)}\n`)
}

async function switchOrphan(
  context: GitContext,
  name: string,
  start: string | undefined,
  { quiet, isEmpty = false }: { quiet: boolean; isEmpty?: boolean },
): Promise<number> {
  return change(context, 'checkout', async (repository, draft) => {
    checkNewBranch(name)
    if ((await repository.refs.resolve(`refs/heads/${name}`)).oid !== undefined)
      throw fatal(`a branch named '${name}' already exists`)
    const head = await readHead(repository)
    if (start !== undefined) {
      const oid = await findCommit(repository, start)
      if (oid === undefined) throw unknownRevision(start)
      await moveFiles(
        repository,
        draft,
        { old: await headFiles(repository, head.oid), next: await headFiles(repository, oid) },
        false,
      )
    } else if (isEmpty)
      await moveFiles(repository, draft, { old: await headFiles(repository, head.oid), next: new Map() }, false)
    await repository.refs.point('HEAD', `refs/heads/${name}`)
    if (!quiet) context.err.write(`Switched to a new branch '${name}'\n`)
    return 0
  })
}
