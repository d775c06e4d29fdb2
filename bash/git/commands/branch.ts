/** `git branch`. */
import { countApart } from '../../../src/git/commands/status.js'
import { lastValue } from '../../../src/git/config.js'
import { withBranchRenamed, withoutBranch } from '../../../src/git/config-sections.js'
import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { isRefName } from '../../../src/git/refs/ref-name.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readGitFile } from '../../../src/git/repository.js'
import { followRename } from '../../../src/git/work-tree/linked-worktrees.js'
import { type Colors, colorsOf, reset } from '../color.js'
import { editConfig, unsetValues } from '../config-file.js'
import { change, type GitContext, identity, open } from '../context.js'
import { failure, fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { globPattern } from '../patterns.js'
import { filterRefs, formatRefs, refsBelow, sortRefs, trackText } from '../ref-list.js'
import { appendReflog, noObject, updateRef } from '../reflog.js'
import { findCommit, fullRefName, previousBranch, upstreamRef } from '../revisions.js'
import { readWorktrees, usersOf } from '../worktrees/worktrees.js'
import { changeConfigFile, remotesOf } from './config.js'
import { bisectionStart, readStatus } from './status.js'

const branchSpecs = {
  all: flag('-a', '--all'),
  remotes: flag('-r', '--remotes'),
  list: flag('-l', '--list'),
  verbose: flag('-v', '--verbose'),
  quiet: flag('-q', '--quiet'),
  showCurrent: flag('--show-current'),
  delete: flag('-d', '--delete'),
  forceDelete: flag('-D'),
  move: flag('-m', '--move'),
  forceMove: flag('-M'),
  copy: flag('-c', '--copy'),
  forceCopy: flag('-C'),
  force: flag('-f', '--force'),
  upstream: value('-u', '--set-upstream-to'),
  unsetUpstream: flag('--unset-upstream'),
  track: optional('-t', '--track'),
  noTrack: flag('--no-track'),
  contains: value('--contains', '--with'),
  noContains: value('--no-contains', '--without'),
  merged: flag('--merged'),
  noMerged: flag('--no-merged'),
  pointsAt: value('--points-at'),
  format: value('--format'),
  sort: value('--sort'),
  ignoreCase: flag('-i', '--ignore-case'),
  noColumn: flag('--no-column'),
  color: optional('--color'),
  noColor: flag('--no-color'),
  abbrev: optional('--abbrev'),
  createReflog: flag('--create-reflog'),
} as const

export async function branch(context: GitContext, args: readonly string[]): Promise<number> {
  // These take a value that may be missing, which then is HEAD.
  const filled = args.flatMap((arg, i) => {
    if (arg === '--contains' || arg === '--no-contains')
      return args[i + 1] === undefined || args[i + 1]?.startsWith('-') ? [`${arg}=HEAD`] : [arg]
    return [arg]
  })
  const merged = withValues(filled, ['--merged', '--no-merged'])
  const given = parseGit('branch', merged.args, branchSpecs, {
    unsupported: ['--edit-description', '--column', '--recurse-submodules', '--omit-empty'],
  })
  const operands = given.all
  if (given.has('showCurrent')) {
    const { branch: current } = await readHead(await open(context))
    if (current !== undefined) context.out.write(`${current}\n`)
    return 0
  }
  if (given.has('delete') || given.has('forceDelete'))
    return deleteBranches(context, operands, {
      force: given.has('forceDelete') || given.has('force'),
      remotes: given.has('remotes'),
      quiet: given.has('quiet'),
    })
  if (given.has('move') || given.has('forceMove'))
    return moveBranch(context, operands, given.has('forceMove') || given.has('force'), false)
  if (given.has('copy') || given.has('forceCopy'))
    return moveBranch(context, operands, given.has('forceCopy') || given.has('force'), true)
  const upstream = given.value('upstream')
  if (upstream !== undefined) return setUpstream(context, operands[0], upstream)
  if (given.has('unsetUpstream')) return unsetUpstream(context, operands[0])
  if (
    operands.length > 0 &&
    !(given.has('list') || given.has('contains') || merged.values.size > 0 || given.has('pointsAt'))
  ) {
    if (given.has('all') || given.has('remotes'))
      throw fatal(
        "The -a, and -r, options to 'git branch' do not take a branch name.\nDid you mean to use: -a|-r --list <pattern>?",
      )
    return createBranch(context, operands, {
      force: given.has('force'),
      track: trackingOf(given.last('track', 'noTrack')),
      quiet: given.has('quiet'),
    })
  }
  return listBranches(context, given, operands, merged.values)
}

/** Options whose value is the next word, unless that is missing or another option. */
export function withValues(
  args: readonly string[],
  names: readonly string[],
): { args: string[]; values: Map<string, string[]> } {
  const values = new Map<string, string[]>()
  const rest: string[] = []
  for (let i = 0; i < args.length; i += 1) {
    const [name = '', ...given] = (args[i] as string).split('=')
    if (!names.includes(name)) {
      rest.push(args[i] as string)
      continue
    }
    const next = args[i + 1]
    const text = given.length > 0 ? given.join('=') : next !== undefined && !next.startsWith('-') ? next : 'HEAD'
    if (given.length === 0 && next !== undefined && !next.startsWith('-')) i += 1
    values.set(name, [...(values.get(name) ?? []), text])
  }
  return { args: rest, values }
}

interface ListArguments {
  has(key: 'all' | 'remotes' | 'verbose' | 'ignoreCase' | 'color'): boolean
  values(key: 'contains' | 'noContains' | 'sort'): string[]
  value(key: 'pointsAt' | 'format' | 'color'): string | undefined
  given: ReadonlyArray<{ key: string; value?: string }>
}

async function listBranches(
  context: GitContext,
  given: ListArguments,
  patterns: readonly string[],
  merged: ReadonlyMap<string, readonly string[]>,
): Promise<number> {
  const repository = await open(context)
  const head = await readHead(repository)
  const locals = given.has('remotes') ? [] : await refsBelow(repository, 'refs/heads/')
  const remotes = given.has('all') || given.has('remotes') ? await refsBelow(repository, 'refs/remotes/') : []
  const nameOf = (ref: string) => ref.replace(/^refs\/(heads|remotes)\//, '')
  const matches = patterns.map((glob) => globPattern(glob))
  const pointsAt = given.value('pointsAt')
  const filtered = await filterRefs(
    repository,
    [...locals, ...remotes].filter(({ ref }) => matches.length === 0 || matches.some((each) => each.test(nameOf(ref)))),
    {
      contains: given.values('contains'),
      noContains: given.values('noContains'),
      merged: merged.get('--merged') ?? [],
      noMerged: merged.get('--no-merged') ?? [],
      ...(pointsAt !== undefined && { pointsAt }),
    },
  )
  const listed = await sortRefs(repository, filtered, given.values('sort'))
  const isDetached =
    head.branch === undefined && head.oid !== undefined && !given.has('remotes') && patterns.length === 0
  const format = given.value('format')
  if (format !== undefined) {
    for (const line of await formatRefs(repository, listed, format, Math.floor(context.now() / 1000)))
      context.out.write(`${line}\n`)
    return 0
  }
  const verbosity = given.given.filter(({ key }) => key === 'verbose').length
  const rows: { mark: string; name: string; oid: string; ref?: string; target?: string; place?: string }[] = []
  if (isDetached && given.values('contains').length === 0 && merged.size === 0) {
    const rebasing = await readGitFile(repository, 'rebase-merge/head-name')
    const state = await readStatus(context, repository, { untracked: 'none' })
    const bisecting = await bisectionStart(repository)
    const text =
      rebasing === undefined
        ? bisecting === undefined
          ? `(${state.detached?.startsWith('HEAD ') ? state.detached : 'no branch'})`
          : `(no branch, bisect started on ${bisecting})`
        : `(no branch, rebasing ${rebasing.replace(/^refs\/heads\//, '')})`
    rows.push({ mark: '*', name: text, oid: head.oid ?? '' })
  }
  const trees = (await readWorktrees(repository)).filter(({ directory }) => directory !== repository.gitDirectory)
  for (const { ref, oid } of listed) {
    const elsewhere = trees.filter((each) => each.branch === ref && !each.isBare).at(-1)
    const isRemote = ref.startsWith('refs/remotes/')
    const name = isRemote && given.has('all') ? ref.slice('refs/'.length) : nameOf(ref)
    const target = await repository.refs.read(ref)
    rows.push({
      mark: ref === `refs/heads/${head.branch}` ? '*' : elsewhere === undefined ? ' ' : '+',
      ...(elsewhere && { place: context.shown(elsewhere.place) }),
      name,
      oid,
      ref,
      ...(target !== undefined && 'target' in target && { target: nameOf(target.target) }),
    })
  }
  const width = Math.max(0, ...rows.map(({ name }) => name.length))
  const colors = colorsOf(given, repository.config, 'branch')
  for (const { mark, name, oid, ref, target, place } of rows) {
    const slot =
      mark === '*' ? 'current' : mark === '+' ? 'worktree' : ref?.startsWith('refs/remotes/') ? 'remote' : 'local'
    const shown = verbosity === 0 ? name : name.padEnd(width)
    const painted = colors.isOn ? `${colors.code(`branch.${slot}`)}${shown}${reset}` : shown
    if (verbosity === 0) context.out.write(`${mark} ${painted}${target === undefined ? '' : ` -> ${target}`}\n`)
    else {
      const text = await verboseText(repository, { oid, ref, target, place }, verbosity, colors)
      context.out.write(`${mark} ${painted} ${text}\n`)
    }
  }
  return 0
}

async function verboseText(
  repository: Repository,
  row: { oid: string; ref: string | undefined; target: string | undefined; place: string | undefined },
  verbosity: number,
  colors: Colors,
): Promise<string> {
  const { oid, ref, target, place } = row
  if (target !== undefined) return `-> ${target}`
  const { message } = await repository.objects.readCommit(oid)
  const upstream = ref?.startsWith('refs/heads/') ? upstreamRef(repository, ref.slice('refs/heads/'.length)) : undefined
  let track = ''
  if (upstream !== undefined) {
    const theirs = (await repository.refs.resolve(upstream)).oid
    const text = trackText(theirs === undefined ? undefined : await countApart(repository, oid, theirs))
    const name = upstream.replace(/^refs\/(heads|remotes)\//, '')
    if (verbosity > 1) track = `[${colors.paint('branch.upstream', name)}${text === '' ? '' : `: ${text}`}] `
    else if (text !== '') track = `[${text}] `
  }
  const at = place === undefined || verbosity < 2 ? '' : `(${colors.paint('branch.worktree', place)}) `
  return `${await abbreviate(repository, oid)} ${at}${track}${subjectOf(message)}`
}

/** A name, or the branch before this one for `-`. */
export async function branchName(repository: Repository, given: string): Promise<string> {
  const [, count] = given === '-' ? ['', '1'] : (/^@\{-(\d+)\}$/.exec(given) ?? [])
  if (count === undefined) return given
  return (await previousBranch(repository, Number(count))) ?? given
}

export function checkNewBranch(name: string): void {
  if (name.startsWith('-') || !isRefName(name) || name === 'HEAD') throw fatal(`'${name}' is not a valid branch name`)
}

async function createBranch(
  context: GitContext,
  operands: readonly string[],
  { force, track, quiet }: { force: boolean; track: boolean | undefined; quiet: boolean },
): Promise<number> {
  const [name = '', start = 'HEAD', ...more] = operands
  if (more.length > 0) throw new GitError('usage: git branch [<options>] [-f] <branch-name> [<start-point>]', 129)
  return change(context, 'branch', async (repository) => {
    // Git names the current branch where nothing else is named.
    const begins = operands.length > 1 ? start : ((await readHead(repository)).branch ?? 'HEAD')
    await makeBranch(context, repository, { name, start: begins, force, quiet, track })
    return 0
  })
}

export async function makeBranch(
  context: GitContext,
  repository: Repository,
  {
    name,
    start,
    force,
    quiet = false,
    track,
  }: { name: string; start: string; force: boolean; quiet?: boolean; track?: boolean | undefined },
): Promise<string> {
  checkNewBranch(name)
  const ref = `refs/heads/${name}`
  const known = (await repository.refs.resolve(ref)).oid
  const head = await readHead(repository)
  if (known !== undefined && !force) throw fatal(`a branch named '${name}' already exists`)
  if (known !== undefined) await refuseToMove(context, repository, name)
  const oid = await findCommit(repository, start)
  if (oid === undefined)
    throw fatal(
      start === 'HEAD' && head.oid === undefined
        ? `not a valid object name: '${head.branch}'`
        : `not a valid object name: '${start}'`,
    )
  const by = identity(context, repository.config, 'COMMITTER')
  await updateRef(repository, ref, oid, {
    by,
    message: known === undefined ? `branch: Created from ${start}` : `branch: Reset to ${start}`,
  })
  await trackStart(context, repository, name, start, { explicit: track, quiet })
  return oid
}

async function refuseToMove(context: GitContext, repository: Repository, name: string): Promise<void> {
  const user = usersOf(await readWorktrees(repository), name).at(-1)
  if (user !== undefined)
    throw fatal(`cannot force update the branch '${name}' checked out at '${context.shown(user.place)}'`)
}

/** Whether a new branch is to follow where it starts; undefined when nothing was said of it. */
export function trackingOf(option: string | undefined): boolean | undefined {
  return option === undefined ? undefined : option === 'track'
}

/** A branch that starts from a remote one follows it, unless it is told not to. */
export async function trackStart(
  context: GitContext,
  repository: Repository,
  name: string,
  start: string,
  { explicit, quiet }: { explicit: boolean | undefined; quiet: boolean },
): Promise<void> {
  if (explicit === false) return
  const from = await fullRefName(repository, start)
  const setting = lastValue(repository.config, 'branch.autosetupmerge')?.toLowerCase() ?? 'true'
  const isRemote = from?.startsWith('refs/remotes/') === true && setting !== 'false'
  if (from === undefined || !(isRemote || ((explicit || setting === 'always') && from.startsWith('refs/heads/'))))
    return
  await follow(context, repository, name, from, quiet)
}

async function follow(
  context: GitContext,
  repository: Repository,
  name: string,
  from: string,
  quiet: boolean,
): Promise<void> {
  const remote = from.startsWith('refs/heads/')
    ? '.'
    : remotesOf(repository.config).find((each) => from.startsWith(`refs/remotes/${each}/`))
  if (remote === undefined) throw fatal(`cannot set up tracking information; starting point '${from}' is not a branch`)
  const merge = remote === '.' ? from : `refs/heads/${from.slice(`refs/remotes/${remote}/`.length)}`
  await changeConfigFile(repository, (before) =>
    editConfig(editConfig(before, `branch.${name}.remote`, remote, false), `branch.${name}.merge`, merge, false),
  )
  if (!quiet) context.out.write(`branch '${name}' set up to track '${from.replace(/^refs\/(heads|remotes)\//, '')}'.\n`)
}

async function setUpstream(context: GitContext, given: string | undefined, upstream: string): Promise<number> {
  return change(context, 'branch', async (repository) => {
    const name = given ?? (await readHead(repository)).branch
    if (name === undefined)
      throw fatal(`could not set upstream of HEAD to ${upstream} when it does not point to any branch.`)
    const from = await fullRefName(repository, upstream)
    if (from === undefined || !/^refs\/(heads|remotes)\//.test(from))
      throw fatal(`the requested upstream branch '${upstream}' does not exist`)
    await follow(context, repository, name, from, false)
    return 0
  })
}

async function unsetUpstream(context: GitContext, given: string | undefined): Promise<number> {
  return change(context, 'branch', async (repository) => {
    const name = given ?? (await readHead(repository)).branch ?? ''
    if (upstreamRef(repository, name) === undefined) throw fatal(`Branch '${name}' has no upstream information`)
    await changeConfigFile(repository, (before) =>
      unsetValues(unsetValues(before, `branch.${name}.remote`, undefined), `branch.${name}.merge`, undefined),
    )
    return 0
  })
}

async function deleteBranches(
  context: GitContext,
  names: readonly string[],
  { force, remotes, quiet }: { force: boolean; remotes: boolean; quiet: boolean },
): Promise<number> {
  if (names.length === 0) throw fatal('branch name required')
  return change(context, 'branch', async (repository) => {
    const head = await readHead(repository)
    let status = 0
    for (const given of names) {
      const name = await branchName(repository, given)
      const ref = `${remotes ? 'refs/remotes/' : 'refs/heads/'}${name}`
      const oid = (await repository.refs.resolve(ref)).oid
      if (oid === undefined) {
        context.err.write(`error: ${remotes ? 'remote-tracking ' : ''}branch '${name}' not found.\n`)
        status = 1
        continue
      }
      const user = remotes ? undefined : usersOf(await readWorktrees(repository), name).at(-1)
      if (user !== undefined) {
        context.err.write(`error: Cannot delete branch '${name}' checked out at '${context.shown(user.place)}'\n`)
        status = 1
        continue
      }
      const upstream = upstreamRef(repository, name)
      const into = (upstream && (await repository.refs.resolve(upstream)).oid) ?? head.oid
      const isMerged = into !== undefined && (await mergeBases(repository, oid, into)).includes(oid)
      if (!force && !remotes && !isMerged) {
        context.err.write(
          `error: The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.\n`,
        )
        status = 1
        continue
      }
      await repository.refs.remove(ref)
      await changeConfigFile(repository, (before) => (remotes ? before : withoutBranch(before, name)))
      if (!quiet)
        context.out.write(
          `Deleted ${remotes ? 'remote-tracking ' : ''}branch ${name} (was ${await abbreviate(repository, oid)}).\n`,
        )
    }
    return status
  })
}

async function moveBranch(
  context: GitContext,
  operands: readonly string[],
  force: boolean,
  isCopy: boolean,
): Promise<number> {
  return change(context, 'branch', async (repository) => {
    const head = await readHead(repository)
    const [first, second] = operands
    if (first === undefined) throw fatal('branch name required')
    const from = second === undefined ? head.branch : await branchName(repository, first)
    const to = second ?? first
    if (from === undefined) throw fatal(`cannot ${isCopy ? 'copy' : 'rename'} the current branch while not on any.`)
    checkNewBranch(to)
    const oid = (await repository.refs.resolve(`refs/heads/${from}`)).oid
    if (oid === undefined && head.branch !== from)
      throw failure(`refname refs/heads/${from} not found\nfatal: Branch ${isCopy ? 'copy' : 'rename'} failed`, 128)
    if (to === from) return 0
    const there = (await repository.refs.resolve(`refs/heads/${to}`)).oid
    if (there !== undefined && !force) throw fatal(`a branch named '${to}' already exists`)
    if (there !== undefined) await refuseToMove(context, repository, to)
    if (there !== undefined) await repository.refs.remove(`refs/heads/${to}`)
    const by = identity(context, repository.config, 'COMMITTER')
    if (isCopy) {
      if (oid !== undefined)
        await updateRef(repository, `refs/heads/${to}`, oid, {
          by,
          message: `Branch: copied refs/heads/${from} to refs/heads/${to}`,
        })
      return 0
    }
    const message = `Branch: renamed refs/heads/${from} to refs/heads/${to}`
    if (oid !== undefined) {
      await repository.refs.rename(`refs/heads/${from}`, `refs/heads/${to}`)
      await appendReflog(repository, `refs/heads/${to}`, { before: oid, after: oid, by, message })
    }
    const others = (await readWorktrees(repository)).filter(
      ({ branch, directory }) => branch === `refs/heads/${from}` && directory !== repository.gitDirectory,
    )
    await followRename(repository, from, to)
    for (const { directory } of oid === undefined ? [] : others)
      await appendReflog({ ...repository, gitDirectory: directory }, 'HEAD', {
        before: noObject,
        after: oid as string,
        by,
        message,
      })
    await changeConfigFile(repository, (before) => withBranchRenamed(before, from, to))
    if (head.branch === from) {
      await repository.refs.point('HEAD', `refs/heads/${to}`)
      if (oid !== undefined) {
        await appendReflog(repository, 'HEAD', { before: oid, after: noObject, by, message })
        await appendReflog(repository, 'HEAD', { before: noObject, after: oid, by, message })
      }
    }
    return 0
  })
}
