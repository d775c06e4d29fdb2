/** `git checkout`, `git switch`, `git restore` and `git reset`. */
import type { Draft } from '../../../change/draft.js'
import { join } from '../../../fs/path.js'
import { moveFiles } from '../../../git/commands/checkout.js'
import { blobsOf, conflictsIn, countApart, headFiles } from '../../../git/commands/status.js'
import { comparePaths, objectId } from '../../../git/objects/object-id.js'
import { type Blob, modes } from '../../../git/objects/tree.js'
import { endOperation, operationInProgress } from '../../../git/operation-in-progress.js'
import { readHead } from '../../../git/refs/refs.js'
import { type Index, type Repository, readIndex } from '../../../git/repository.js'
import { fileAndDirectoryConflicts, type IndexEntry, indexEntry } from '../../../git/work-tree/index-file.js'
import { refuseCheckedOutElsewhere } from '../../../git/work-tree/linked-worktrees.js'
import { changedInWorkTree, sameBlob, scanWorkTree } from '../../../git/work-tree/work-tree.js'
import { writeFiles } from '../../../git/work-tree/write-files.js'
import { writeIndex } from '../../../git/work-tree/write-index.js'
import { decodeText, encodeText } from '../../../shell/io/byte-text.js'
import { change, type GitContext, identity, open, prefixOf } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { treeToWorkTreePairs, workTreePairs } from '../diff/pairs.js'
import { failure, fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { mergeTexts } from '../merge/merge-lines.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { type Pathspecs, pathspecsOf } from '../pathspec.js'
import { moveHead, updateRef } from '../reflog.js'
import { findCommit, findObject, previousBranch, treeOf, unknownRevision, upstreamRef } from '../revisions.js'
import { isFile } from '../revisions-and-paths.js'
import { checkNewBranch, trackStart } from './branch.js'
import { headTree } from './diff.js'

const unsupported = [
  '-p',
  '--patch',
  '--recurse-submodules',
  '--pathspec-from-file',
  '--pathspec-file-nul',
  '--ignore-skip-worktree-bits',
  '--overwrite-ignore',
  '--no-overwrite-ignore',
]

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
} as const

export async function checkout(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('checkout', args, checkoutSpecs, { unsupported })
  const [create, forceCreate, orphan] = [given.value('create'), given.value('forceCreate'), given.value('orphan')]
  const options = {
    quiet: given.has('quiet'),
    force: given.has('force'),
    detach: given.has('detach'),
    track: given.last('track', 'noTrack') === 'track',
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
  const how = {
    quiet: options.quiet,
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
  const given = parseGit('switch', args, switchSpecs, { unsupported: [...unsupported, '-m', '--merge', '--conflict'] })
  const options = {
    quiet: given.has('quiet'),
    isSwitch: true,
    force: given.has('force'),
    detach: given.has('detach'),
    track: given.last('track', 'noTrack') === 'track',
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

async function revisionOf(repository: Repository, given: string): Promise<string | undefined> {
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
  track: boolean
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
    if (options.isSwitch) throw fatal(`cannot switch branch while ${names[running]}`)
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
    throw fatal(`A branch named '${create}' already exists.`)
  const by = identityOrNobody(context, repository)
  const [old, next] = [await headFiles(repository, head.oid), await headFiles(repository, oid)]
  if (!(create !== undefined && oid === head.oid && !options.force))
    await moveFiles(repository, draft, { old, next }, options.force)
  if (running !== undefined && running !== 'rebase' && running !== 'bisect') await endOperation(repository, draft)
  const from = head.branch ?? head.oid ?? ''
  const isSame = create === undefined && isBranch && target === head.branch
  if (create !== undefined) {
    const known = (await repository.refs.resolve(`refs/heads/${create}`)).oid
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
  const switched = { from: head, branch, isNew: create !== undefined, isSame, oid, target, isHeadOnly }
  if (isHeadOnly) return switched
  if (branch === undefined)
    await moveHead(
      repository,
      { oid },
      {
        by,
        message: `checkout: moving from ${from} to ${/^[0-9a-f]{4,40}$/.test(target) || /[~^@]/.test(target) || options.detach ? (options.detach && isBranchLike(target) ? target : target === 'HEAD' ? oid : target) : target}`,
      },
    )
  else await moveHead(repository, { branch, oid }, { by, message: `checkout: moving from ${from} to ${branch}` })
  return switched
}

function isBranchLike(target: string): boolean {
  return !/^[0-9a-f]{4,40}$/.test(target) && target !== 'HEAD'
}

/** Git logs a checkout even when nobody has told it who they are. */
function identityOrNobody(context: GitContext, repository: Repository) {
  try {
    return identity(context, repository.config, 'COMMITTER')
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    return { name: 'user', email: 'user@localhost', timestamp: Math.floor(context.now() / 1000), timezoneOffset: 0 }
  }
}

function needsMerge(context: GitContext, entries: readonly IndexEntry[]): GitError {
  for (const { path } of conflictsIn({ entries })) context.out.write(`${path}: needs merge
`)
  return new GitError('error: you need to resolve your current index first', 1)
}

async function printSwitched(
  context: GitContext,
  repository: Repository,
  { from, branch, isNew, isSame, oid, target, isHeadOnly }: Switched,
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
    if (from.branch !== undefined) context.err.write(detachedAdvice(target))
    context.err.write(`HEAD is now at ${at}\n`)
    return
  }
  context.err.write(isSame ? `Already on '${branch}'\n` : `Switched to ${isNew ? 'a new ' : ''}branch '${branch}'\n`)
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

function detachedAdvice(target: string): string {
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

const restoreSpecs = {
  source: value('-s', '--source'),
  staged: flag('-S', '--staged'),
  worktree: flag('-W', '--worktree'),
  quiet: flag('-q', '--quiet'),
  progress: flag('--progress', '--no-progress'),
  ours: flag('--ours'),
  theirs: flag('--theirs'),
  merge: flag('-m', '--merge'),
  conflict: value('--conflict'),
  overlay: flag('--overlay'),
  noOverlay: flag('--no-overlay'),
  ignoreUnmerged: flag('--ignore-unmerged'),
} as const

export async function restore(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('restore', args, restoreSpecs, { unsupported: [...unsupported, '--ignore-unmerged'] })
  if (given.all.length === 0) throw fatal('you must specify path(s) to restore')
  const staged = given.has('staged')
  const source = given.value('source') ?? (staged ? 'HEAD' : undefined)
  return restorePaths(context, given.all, {
    quiet: true,
    stage: given.has('ours') ? 2 : given.has('theirs') ? 3 : undefined,
    isMerge: given.has('merge') || given.value('conflict') !== undefined,
    style: given.value('conflict') ?? 'merge',
    staged,
    workTree: given.has('worktree') || !staged,
    overlay: given.last('overlay', 'noOverlay') === 'overlay',
    ...(source !== undefined && { source }),
  })
}

interface RestoreHow {
  source?: string
  staged: boolean
  workTree: boolean
  /** Files that the source does not have stay. */
  overlay: boolean
  quiet: boolean
  stage: 2 | 3 | undefined
  isMerge: boolean
  style: string
}

async function restorePaths(context: GitContext, paths: readonly string[], how: RestoreHow): Promise<number> {
  return change(context, 'restore', async (repository, draft) => {
    const prefix = await prefixOf(context, repository)
    const specs = pathspecsOf(paths, prefix, repository.root)
    const index = await readIndex(repository)
    const source = how.source === undefined ? undefined : await sourceFiles(repository, how.source)
    const known = [
      ...new Set([
        ...(source?.keys() ?? []),
        ...(source === undefined || !how.overlay ? index.entries.map(({ path }) => path) : []),
      ]),
    ]
    const [unmatched] = specs.unmatched(known)
    if (unmatched !== undefined) throw failure(`pathspec '${unmatched}' did not match any file(s) known to git`)
    const wanted = known.filter((path) => specs.matches(path))
    const count =
      source === undefined
        ? await restoreFromIndex(repository, draft, index, new Set(wanted), how)
        : await restoreFrom(repository, draft, index, source, wanted, how)
    if (!how.quiet) {
      const what =
        how.source === undefined
          ? 'the index'
          : await abbreviate(repository, (await findCommit(repository, how.source)) ?? '')
      context.err.write(`Updated ${count} path${count === 1 ? '' : 's'} from ${what}\n`)
    }
    return 0
  })
}

async function sourceFiles(repository: Repository, revision: string): Promise<ReadonlyMap<string, Blob>> {
  const found =
    revision === '-'
      ? { oid: (await findCommit(repository, (await previousBranch(repository, 1)) ?? 'HEAD')) ?? '' }
      : await findObject(repository, revision)
  if (found === undefined) {
    if (revision === 'HEAD' && (await readHead(repository)).oid === undefined) return new Map()
    throw fatal(`could not resolve ${revision}`)
  }
  const tree = await treeOf(repository, found.oid)
  if (tree === undefined) throw fatal(`reference is not a tree: ${revision}`)
  return repository.objects.flatten(tree)
}

async function dirtyPaths(
  repository: Repository,
  index: Index,
  isWanted: (path: string) => boolean,
): Promise<Set<string>> {
  const scan = await scanWorkTree(repository, index, { untracked: 'none' })
  return new Set(
    (await changedInWorkTree(repository, index, scan.present, { isWanted, evenAssumedValid: true })).map(
      ({ entry }) => entry.path,
    ),
  )
}

async function restoreFromIndex(
  repository: Repository,
  draft: Draft,
  index: Index,
  wanted: ReadonlySet<string>,
  how: RestoreHow,
): Promise<number> {
  const conflicted = conflictsIn(index)
    .filter(({ path }) => wanted.has(path))
    .map(({ path }) => path)
  const stageOf = (path: string, stage: number) =>
    index.entries.find((entry) => entry.path === path && entry.stage === stage)
  const written: [string, Blob][] = []
  for (const path of conflicted) {
    if (how.isMerge)
      written.push([
        path,
        await conflictBlob(
          repository,
          path,
          how.style,
          [1, 2, 3].map((stage) => stageOf(path, stage)),
        ),
      ])
    else if (how.stage !== undefined) {
      const entry = stageOf(path, how.stage)
      if (entry === undefined)
        throw failure(`path '${path}' does not have ${how.stage === 2 ? 'our' : 'their'} version`)
      written.push([path, entry])
    } else throw failure(`path '${path}' is unmerged`)
  }
  const dirty = await dirtyPaths(repository, index, (path) => wanted.has(path))
  for (const [path, entry] of blobsOf(index)) if (dirty.has(path)) written.push([path, entry])
  await writeFiles(repository, draft, written, [])
  return written.length
}

async function conflictBlob(
  repository: Repository,
  _path: string,
  style: string,
  [base, ours, theirs]: (Blob | undefined)[],
): Promise<Blob> {
  const read = async (blob: Blob | undefined) =>
    blob === undefined ? '' : decodeText(await repository.objects.readBlob(blob.oid))
  const merged = mergeTexts(await read(base), await read(ours), await read(theirs), {
    labels: { ours: 'ours', base: 'base', theirs: 'theirs' },
    style: style === 'diff3' || style === 'zdiff3' ? style : 'merge',
  })
  const bytes = encodeText(merged.text)
  const oid = await objectId('blob', bytes)
  repository.objects.writeBlob(bytes, oid)
  return { mode: ours?.mode ?? modes.file, oid }
}

async function restoreFrom(
  repository: Repository,
  draft: Draft,
  index: Index,
  source: ReadonlyMap<string, Blob>,
  wanted: readonly string[],
  how: RestoreHow,
): Promise<number> {
  const staged = blobsOf(index)
  const isWanted = new Set(wanted)
  const gone = how.overlay ? [] : wanted.filter((path) => !source.has(path))
  if (how.workTree) {
    const dirty = await dirtyPaths(repository, index, (path) => isWanted.has(path))
    const differs = wanted.flatMap((path): [string, Blob][] => {
      const blob = source.get(path)
      return blob !== undefined && (dirty.has(path) || !sameBlob(staged.get(path), blob)) ? [[path, blob]] : []
    })
    await writeFiles(repository, draft, differs, gone)
  }
  if (how.staged) {
    const removed = new Set(gone)
    const kept = index.entries.filter(({ path }) => !removed.has(path) && !(isWanted.has(path) && source.has(path)))
    const next = wanted.flatMap((path): IndexEntry[] => {
      const blob = source.get(path)
      if (blob === undefined) return []
      const known = staged.get(path)
      return [known !== undefined && sameBlob(known, blob) ? known : indexEntry(path, blob.mode, blob.oid, undefined)]
    })
    const entries = [...kept, ...next].sort((a, b) => comparePaths(a.path, b.path))
    const inTheWay = new Set(fileAndDirectoryConflicts(entries).filter((entry) => kept.includes(entry)))
    await writeIndex(
      repository,
      entries.filter((entry) => !inTheWay.has(entry)),
    )
  }
  return wanted.filter((path) => source.has(path)).length
}

const resetSpecs = {
  soft: flag('--soft'),
  mixed: flag('--mixed'),
  hard: flag('--hard'),
  keep: flag('--keep'),
  merge: flag('--merge'),
  quiet: flag('-q', '--quiet'),
  noRefresh: flag('--no-refresh'),
  refresh: flag('--refresh'),
} as const

export async function reset(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('reset', args, resetSpecs, {
    unsupported: [
      '-p',
      '--patch',
      '-N',
      '--intent-to-add',
      '--pathspec-from-file',
      '--recurse-submodules',
      '--pathspec-file-nul',
    ],
  })
  const mode = given.last('soft', 'mixed', 'hard', 'keep', 'merge') ?? 'mixed'
  const reading = await open(context)
  const operands = [...given.operands]
  const [first] = operands
  const isRevision = first !== undefined && (await revisionOf(reading, first)) !== undefined
  const revision = isRevision ? (operands.shift() as string) : 'HEAD'
  if (!isRevision && first !== undefined && given.paths !== undefined)
    throw fatal(`Failed to resolve '${first}' as a valid revision.`)
  if (
    first !== undefined &&
    !isRevision &&
    !(await isFile(context, first)) &&
    !(await isTracked(context, reading, first)) &&
    !/[*?[:]/.test(first)
  )
    throw unknownRevision(first)
  const paths = [...operands, ...(given.paths ?? [])]
  if (paths.length > 0) {
    if (given.last('soft', 'hard', 'keep', 'merge') !== undefined) throw fatal(`Cannot do ${mode} reset with paths.`)
    return resetPaths(context, revision, paths, given.has('quiet'))
  }
  return change(context, 'reset', (repository, draft) =>
    resetTo(context, repository, draft, { revision, mode, quiet: given.has('quiet') }),
  )
}

async function isTracked(context: GitContext, repository: Repository, path: string): Promise<boolean> {
  const specs = pathspecsOf([path], await prefixOf(context, repository), repository.root)
  return (await readIndex(repository)).entries.some((entry) => specs.matches(entry.path))
}

async function resetPaths(
  context: GitContext,
  revision: string,
  paths: readonly string[],
  quiet: boolean,
): Promise<number> {
  await change(context, 'reset', async (repository) => {
    const specs = pathspecsOf(paths, await prefixOf(context, repository), repository.root)
    const source = await sourceFiles(repository, revision)
    const index = await readIndex(repository)
    await writeIndex(repository, withTree(index, source, specs))
  })
  if (!quiet) await printUnstaged(context)
  return 0
}

/** The index with these files; what has not changed keeps its entry. */
function withTree(index: Index, files: ReadonlyMap<string, Blob>, specs?: Pathspecs): IndexEntry[] {
  const isWanted = (path: string) => specs === undefined || specs.matches(path)
  const staged = blobsOf(index)
  const kept = index.entries.filter(({ path }) => !isWanted(path))
  const next = [...files]
    .filter(([path]) => isWanted(path))
    .map(([path, blob]): IndexEntry => {
      const known = staged.get(path)
      return known !== undefined && sameBlob(known, blob) ? known : indexEntry(path, blob.mode, blob.oid, undefined)
    })
  return [...kept, ...next].sort((a, b) => comparePaths(a.path, b.path))
}

async function printUnstaged(context: GitContext): Promise<void> {
  const repository = await open(context)
  const pairs = await workTreePairs(repository)
  if (pairs.length === 0) return
  context.out.write(
    `Unstaged changes after reset:\n${pairs.map(({ status, path }) => `${status}\t${quoter(repository)(path)}\n`).join('')}`,
  )
}

async function resetTo(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  { revision, mode, quiet }: { revision: string; mode: string; quiet: boolean },
): Promise<number> {
  const head = await readHead(repository)
  const given = revision === '-' ? ((await previousBranch(repository, 1)) ?? '-') : revision
  const oid = await findCommit(repository, given)
  if (oid === undefined && !(revision === 'HEAD' && head.oid === undefined))
    throw fatal(`Failed to resolve '${revision}' as a valid revision.`)
  const [old, next] = [await headFiles(repository, head.oid), await headFiles(repository, oid)]
  const index = await readIndex(repository)
  if (mode === 'soft' && ((await operationInProgress(repository)) === 'merge' || conflictsIn(index).length > 0))
    throw fatal('Cannot do a soft reset in the middle of a merge.')
  if (mode === 'keep') await keepReset(repository, draft, old, next)
  if (mode === 'merge') await mergeReset(repository, draft, index, next)
  if (mode === 'hard') await moveFiles(repository, draft, { old, next }, true)
  if (mode === 'mixed') await writeIndex(repository, withTree(index, next))
  await endOperation(repository, draft)
  if (oid !== undefined) {
    if (head.oid !== undefined)
      await repository.staged.write(
        join(repository.gitDirectory, 'ORIG_HEAD'),
        new TextEncoder().encode(`${head.oid}\n`),
      )
    await updateRef(repository, 'HEAD', oid, {
      by: identityOrNobody(context, repository),
      message: `reset: moving to ${revision}`,
    })
  }
  if (mode === 'hard' && !quiet && oid !== undefined) {
    const { message } = await repository.objects.readCommit(oid)
    context.out.write(`HEAD is now at ${await abbreviate(repository, oid)} ${subjectOf(message)}\n`)
  }
  if (mode !== 'mixed' || quiet) return 0
  // The new index is only staged, and is what the files are compared with.
  const pairs = await workTreePairs(repository)
  if (pairs.length > 0)
    context.out.write(
      `Unstaged changes after reset:\n${pairs.map(({ status, path }) => `${status}\t${quoter(repository)(path)}\n`).join('')}`,
    )
  return 0
}

async function keepReset(
  repository: Repository,
  draft: Draft,
  old: ReadonlyMap<string, Blob>,
  next: ReadonlyMap<string, Blob>,
): Promise<void> {
  await moveFiles(repository, draft, { old, next }, false)
}

/** Files that are as staged follow the commit; others must be the same in the index and the commit. */
async function mergeReset(
  repository: Repository,
  draft: Draft,
  index: Index,
  next: ReadonlyMap<string, Blob>,
): Promise<void> {
  const dirty = await dirtyPaths(repository, index, () => true)
  const staged = blobsOf(index)
  for (const path of dirty)
    if (!sameBlob(staged.get(path), next.get(path)))
      throw failure(
        `Entry '${path}' not uptodate. Cannot merge.\nfatal: Could not reset index file to revision 'HEAD'.`,
        128,
      )
  const conflicted = conflictsIn(index).map(({ path }) => path)
  const touched = [...new Set([...staged.keys(), ...next.keys(), ...conflicted])].filter(
    (path) => !sameBlob(staged.get(path), next.get(path)),
  )
  await writeFiles(
    repository,
    draft,
    touched.flatMap((path): [string, Blob][] => (next.has(path) ? [[path, next.get(path) as Blob]] : [])),
    touched.filter((path) => !next.has(path)),
  )
  await writeIndex(repository, withTree(index, next))
}
