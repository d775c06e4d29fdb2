/** `git worktree add`. */
import { basename, join } from '../../../src/fs/path.js'
import { isTrue } from '../../../src/git/config.js'
import type { Repository } from '../../../src/git/repository.js'
import { branch as branchCommand } from '../commands/branch.js'
import { identityOrNobody } from '../commands/checkout.js'
import { reset } from '../commands/reset.js'
import { change, type GitContext, open } from '../context.js'
import { fatal, GitError } from '../git-error.js'
import { printNow } from '../merge/print-now.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { appendReflog, noObject } from '../reflog.js'
import { reportError } from '../report-error.js'
import { findCommit } from '../revisions.js'
import { changeWorktrees } from './change.js'
import { checkPlace, readWorktrees, refuseInUse } from './worktrees.js'

const specs = {
  force: flag('-f', '--force'),
  create: value('-b'),
  forceCreate: value('-B'),
  detach: flag('-d', '--detach'),
  checkout: flag('--checkout'),
  noCheckout: flag('--no-checkout'),
  lock: flag('--lock'),
  reason: value('--reason'),
  quiet: flag('-q', '--quiet'),
  track: optional('--track'),
  noTrack: flag('--no-track'),
  guess: flag('--guess-remote'),
  noGuess: flag('--no-guess-remote'),
} as const

const usage = 'usage: git worktree add [<options>] <path> [<commit-ish>]'

export async function addWorktree(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('worktree add', args, specs, { unsupported: ['--orphan', '--relative-paths'] })
  const [target, start] = given.all
  const [create, forceCreate] = [given.value('create'), given.value('forceCreate')]
  if ([create, forceCreate, given.has('detach') || undefined].filter((each) => each !== undefined).length > 1)
    throw fatal("options '-b', '-B', and '--detach' cannot be used together")
  if (given.value('reason') !== undefined && !given.has('lock')) throw fatal("the option '--reason' requires '--lock'")
  if (target === undefined || given.all.length > 2) throw new GitError(usage, 129)
  const repository = await open(context)
  if (repository.isBare) throw fatal("'git worktree add' of a bare repository is not supported by this git")
  if (forceCreate !== undefined && !given.has('force'))
    refuseInUse(context, await readWorktrees(repository), forceCreate)
  const chosen = await choose(repository, {
    path: target,
    start: start === '-' ? '@{-1}' : start,
    create: forceCreate ?? create,
    isDetached: given.has('detach'),
    guesses:
      given.last('guess', 'noGuess') === 'guess' ||
      (!given.has('noGuess') && isTrue(repository.config, 'worktree.guessremote') === true),
  })
  const isQuiet = given.has('quiet')
  const isForced = forceCreate !== undefined
  if (!isQuiet)
    context.err.write(`Preparing worktree (${await preparing(repository, chosen, given.has('detach'), isForced)})\n`)
  if (chosen.create !== undefined) {
    const track = given.last('track', 'noTrack')
    const tracking =
      track === undefined
        ? []
        : [track === 'noTrack' ? '--no-track' : `--track${given.value('track') ? `=${given.value('track')}` : ''}`]
    const options = [...(isForced ? ['--force'] : []), ...(isQuiet ? ['--quiet'] : []), ...tracking]
    if (!(await makeBranch(context, [...options, chosen.create, chosen.start]))) return 255
  } else if (given.has('track') || given.has('noTrack'))
    throw fatal('--[no-]track can only be used if a new branch is created')
  return link(context, target, chosen.create ?? chosen.start, {
    force: given.given.filter(({ key }) => key === 'force').length,
    isDetached: given.has('detach'),
    checksOut: given.last('checkout', 'noCheckout') !== 'noCheckout',
    lock: given.value('reason') ?? (given.has('lock') ? 'added with --lock' : undefined),
    isQuiet,
  })
}

interface Chosen {
  /** A branch to be made. */
  create: string | undefined
  /** The branch or commit to check out, or to make the branch at. */
  start: string
}

/** Without a branch or commit, the name of the directory says which branch; it is made if there is none. */
async function choose(
  repository: Repository,
  given: { path: string; start: string | undefined; create: string | undefined; isDetached: boolean; guesses: boolean },
): Promise<Chosen> {
  const { start, create } = given
  if (create !== undefined || given.isDetached) return { create, start: start ?? 'HEAD' }
  if (start === undefined) {
    const name = basename(given.path.replace(/\/+$/, ''))
    if (await hasBranch(repository, name)) return { create: undefined, start: name }
    const remote = given.guesses ? await remoteBranch(repository, name) : undefined
    return { create: name, start: remote ?? 'HEAD' }
  }
  if ((await findCommit(repository, start).catch(() => undefined)) !== undefined) return { create, start }
  const remote = await remoteBranch(repository, start)
  return remote === undefined ? { create, start } : { create: start, start: remote }
}

async function hasBranch({ refs }: Repository, name: string): Promise<boolean> {
  return (await refs.resolve(`refs/heads/${name}`).catch(() => ({ oid: undefined }))).oid !== undefined
}

/** A remote branch of that name, if only one remote has it. */
async function remoteBranch({ refs }: Repository, name: string): Promise<string | undefined> {
  const found = (await refs.list('refs/remotes/')).filter((ref) => ref.split('/').slice(3).join('/') === name)
  return found.length === 1 ? found[0]?.slice('refs/remotes/'.length) : undefined
}

async function preparing(
  repository: Repository,
  { create, start }: Chosen,
  isDetached: boolean,
  isForced: boolean,
): Promise<string> {
  if (create !== undefined) {
    const old = isForced ? await findCommit(repository, create).catch(() => undefined) : undefined
    if (old === undefined) return `new branch '${create}'`
    return `resetting branch '${create}'; was at ${await abbreviate(repository, old)}`
  }
  if (!isDetached && (await hasBranch(repository, start))) return `checking out '${start}'`
  const oid = await findCommit(repository, start).catch(() => undefined)
  if (oid === undefined) throw fatal(`invalid reference: ${start}`)
  return `detached HEAD ${await abbreviate(repository, oid)}`
}

async function makeBranch(context: GitContext, args: readonly string[]): Promise<boolean> {
  printNow(context, [])
  try {
    return (await branchCommand({ ...context, command: 'branch' }, args)) === 0
  } catch (error) {
    return reportError(context.err, error) === 0
  }
}

/** Makes the directory and the files of `.git` that lead to it, and checks it out. */
async function link(
  context: GitContext,
  target: string,
  name: string,
  how: { force: number; isDetached: boolean; checksOut: boolean; lock: string | undefined; isQuiet: boolean },
): Promise<number> {
  const repository = await open(context)
  const worktrees = await readWorktrees(repository)
  const place = await context.workspace.fs.locate(context.path(target))
  const stale = await checkPlace(context, repository, worktrees, {
    given: target,
    place,
    force: how.force,
    action: 'add',
  })
  const isBranch = !how.isDetached && (await hasBranch(repository, name))
  if (isBranch && how.force === 0) refuseInUse(context, worktrees, name)
  const oid = await findCommit(repository, name).catch(() => undefined)
  if (oid === undefined) throw fatal(`invalid reference: ${name}`)
  const id = await freeId(repository, place, stale)
  const { commonDirectory } = repository
  const directory = join(commonDirectory, `worktrees/${id}`)
  const text = (content: string) => new TextEncoder().encode(content)
  await changeWorktrees(context, repository, { label: 'add', places: [place] }, async (draft, tools) => {
    if (stale !== undefined) await tools.forget(stale)
    await draft.makeParents(join(place, '.git'))
    await draft.write(join(place, '.git'), text(`gitdir: ${directory}\n`))
    await draft.makeParents(join(directory, 'HEAD'))
    await draft.write(join(directory, 'HEAD'), text(isBranch ? `ref: refs/heads/${name}\n` : `${oid}\n`))
    await draft.write(join(directory, 'commondir'), text('../..\n'))
    await draft.write(join(directory, 'gitdir'), text(`${join(place, '.git')}\n`))
    if (how.lock !== undefined) await draft.write(join(directory, 'locked'), text(`${how.lock}\n`))
  })
  const inside = { ...context, cwd: place, command: 'reset' }
  await change(inside, 'worktree add', (made) =>
    appendReflog(made, 'HEAD', { before: noObject, after: oid, by: identityOrNobody(context, made), message: '' }),
  )
  if (!how.checksOut) return 0
  printNow(context, [])
  return reset(inside, ['--hard', ...(how.isQuiet ? ['--quiet'] : [])])
}

async function freeId({ staged, commonDirectory }: Repository, place: string, stale?: string): Promise<string> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names of refs have none.
  const name = basename(place).replaceAll(/[\u0000-\u0020\u007f~^:?*[\\]|^\.|\.(?=\.)|@(?=\{)|\.$|\.lock$/g, '-')
  for (let count = 0; ; count += 1) {
    const id = count === 0 ? name : `${name}${count}`
    if (id === stale || (await staged.stat(join(commonDirectory, `worktrees/${id}`))) === undefined) return id
  }
}
