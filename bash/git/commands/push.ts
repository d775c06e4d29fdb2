/** `git push` to a directory. */
import { lastValue } from '../../../src/git/config.js'
import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { isRefName } from '../../../src/git/refs/ref-name.js'
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import { editConfig } from '../config-file.js'
import { change, type GitContext, open } from '../context.js'
import { fatal, GitError } from '../git-error.js'
import { abbreviate, typeOf } from '../objects.js'
import { flag, optional, parseGit } from '../options.js'
import { updateRef } from '../reflog.js'
import { copyObjects } from '../remotes/copy-objects.js'
import { mapped, matchRef, parseRefspec, prettyRef, trackingRef } from '../remotes/refspec.js'
import { defaultRemote, openRemote, type Remote, refsOf, remoteNamed } from '../remotes/remote-repository.js'
import { findObject, fullRefName } from '../revisions.js'
import { identityOrNobody } from './checkout.js'
import { changeConfigFile } from './config.js'

const specs = {
  upstream: flag('-u', '--set-upstream'),
  force: flag('-f', '--force'),
  lease: optional('--force-with-lease'),
  includes: flag('--force-if-includes', '--no-force-if-includes'),
  delete: flag('-d', '--delete'),
  tags: flag('--tags'),
  followTags: flag('--follow-tags'),
  noFollowTags: flag('--no-follow-tags'),
  all: flag('--all'),
  quiet: flag('-q', '--quiet'),
  verbose: flag('-v', '--verbose'),
  dryRun: flag('-n', '--dry-run'),
  porcelain: flag('--porcelain'),
  progress: flag('--progress', '--no-progress'),
  noVerify: flag('--no-verify'),
  verify: flag('--verify'),
  noSubmodules: flag('--no-recurse-submodules', '--no-thin', '--thin', '--no-signed'),
} as const

const unsupported = [
  '--mirror',
  '--prune',
  '--atomic',
  '--recurse-submodules',
  '--signed',
  '-o',
  '--push-option',
  '--repo',
  '--receive-pack',
  '--exec',
]

type Update = {
  /** The name of what is pushed as it was given; undefined for a deletion. */
  from: string | undefined
  oid: string | undefined
  to: string
  before: string | undefined
  isForced: boolean
} & Partial<{ rejected: string; remotely: boolean; isUpToDate: boolean; isForcedUpdate: boolean }>

export async function push(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('push', args, specs, { unsupported })
  const own = await open(context)
  const { branch } = await readHead(own)
  const [named, ...texts] = given.all
  const name = named ?? defaultRemote(own.config, branch, true)
  const remote = remoteNamed(own.config, name)
  if (named === undefined && !remote.isConfigured)
    throw fatal(
      'No configured push destination.\nEither specify the URL from the command-line or configure a remote repository using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n',
    )
  if (given.has('delete') && texts.length === 0) throw fatal("--delete doesn't make sense without any refs")
  if (given.has('all') && texts.length > 0) throw fatal("--all can't be combined with refspecs")
  const url = remote.pushUrls[0] ?? remote.url
  const isAll = given.has('all') || given.has('tags')
  const implied = texts.length === 0 && !isAll ? [pushedByDefault(own, remote, branch, named !== undefined)] : []
  const other = await openRemote(context, own, url)
  const refspecs = [...texts.map((text) => (given.has('delete') ? `:${text}` : text)), ...implied]
  if (given.has('all')) refspecs.push('refs/heads/*:refs/heads/*')
  if (given.has('tags')) refspecs.push('refs/tags/*:refs/tags/*')
  const updates = await updatesOf(own, other, refspecs, given.has('force'), url)
  if (given.has('followTags')) await addFollowed(own, other, updates)
  for (const update of updates) await judge(own, other, update, { remote, leases: leasesOf(given) })
  const accepted = updates.filter((each) => each.rejected === undefined && each.isUpToDate !== true)
  if (!given.has('dryRun') && accepted.length > 0) await apply(context, own, other, accepted)
  const failed = updates.filter((each) => each.rejected !== undefined)
  await report(context, own, other, updates, {
    url,
    branch,
    quiet: given.has('quiet'),
    verbose: given.has('verbose'),
    porcelain: given.has('porcelain'),
  })
  if (!given.has('dryRun')) {
    const done = updates.filter((each) => each.rejected === undefined)
    if (remote.isConfigured) await follow(context, remote, done)
    if (given.has('upstream')) await setUpstreams(context, own, remote, done, given.has('quiet'))
  }
  return failed.length > 0 ? 1 : 0
}

function pushedByDefault(own: Repository, remote: Remote, branch: string | undefined, isNamed: boolean): string {
  const configured = lastValue(own.config, `remote.${remote.name}.push`)
  if (configured !== undefined) return configured
  const mode = lastValue(own.config, 'push.default') ?? 'simple'
  if (mode === 'nothing') throw fatal('You didn\'t specify any refspecs to push, and push.default is "nothing".')
  if (mode === 'matching') return ':'
  if (branch === undefined)
    throw fatal(
      `You are not currently on a branch.\nTo push the history leading to the current (detached HEAD)\nstate now, use\n\n    git push ${remote.name} HEAD:<name-of-remote-branch>\n`,
    )
  if (mode === 'current') return `refs/heads/${branch}`
  const upstream = lastValue(own.config, `branch.${branch}.merge`)
  const theirs = lastValue(own.config, `branch.${branch}.remote`) ?? 'origin'
  // A central workflow pushes to where it pulls from.
  const isTriangular = isNamed && theirs !== remote.name && upstream !== undefined
  if (isTriangular && mode === 'simple') return `refs/heads/${branch}`
  if (upstream === undefined) {
    if (lastValue(own.config, 'push.autosetupremote') === 'true') return `refs/heads/${branch}`
    throw fatal(
      `The current branch ${branch} has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream ${remote.name} ${branch}\n\nTo have this happen automatically for branches without a tracking\nupstream, see 'push.autoSetupRemote' in 'git help config'.\n`,
    )
  }
  if (mode === 'simple' && upstream !== `refs/heads/${branch}`)
    throw fatal(
      `The upstream branch of your current branch does not match\nthe name of your current branch.  To push to the upstream branch\non the remote, use\n\n    git push ${remote.name} HEAD:${prettyRef(upstream)}\n\nTo push to the branch of the same name on the remote, use\n\n    git push ${remote.name} HEAD\n\nTo choose either option permanently, see push.default in 'git help config'.\n\nTo avoid automatically configuring an upstream branch when its name\nwon't match the local branch, see option 'simple' of branch.autoSetupMerge\nin 'git help config'.\n`,
    )
  return `refs/heads/${branch}:${upstream}`
}

async function updatesOf(
  own: Repository,
  other: Repository,
  refspecs: readonly string[],
  isForced: boolean,
  url: string,
): Promise<Update[]> {
  const theirs = await refsOf(other)
  const theirNames = theirs.map(({ name }) => name)
  const ownNames = await own.refs.list('refs/')
  const before = (name: string) => theirs.find((ref) => ref.name === name)?.oid
  const updates: Update[] = []
  const errors: string[] = []
  const add = (update: Omit<Update, 'before'>) => {
    if (!updates.some(({ to }) => to === update.to)) updates.push({ ...update, before: before(update.to) })
  }
  for (const text of refspecs) {
    const spec = parseRefspec(text)
    const forced = isForced || spec.isForced
    if (spec.from === '' && spec.to === '') {
      for (const name of ownNames)
        if (name.startsWith('refs/heads/') && theirNames.includes(name))
          add({ from: name, oid: (await own.refs.resolve(name)).oid, to: name, isForced: forced })
      continue
    }
    if (spec.from.includes('*')) {
      for (const name of ownNames) {
        const to = mapped({ ...spec, to: spec.to ?? spec.from }, name)
        if (to !== undefined) add({ from: name, oid: (await own.refs.resolve(name)).oid, to, isForced: forced })
      }
      continue
    }
    if (spec.from === '') {
      const to = matchRef(theirNames, spec.to ?? '')
      if (to === undefined) errors.push(`error: unable to delete '${spec.to}': remote ref does not exist\n`)
      else add({ from: undefined, oid: undefined, to, isForced: forced })
      continue
    }
    const source = spec.from === '@' ? 'HEAD' : spec.from
    const full = source === 'HEAD' ? 'HEAD' : matchRef(ownNames, source)
    const oid = full === undefined ? (await findObject(own, source))?.oid : (await own.refs.resolve(full)).oid
    if (oid === undefined) {
      errors.push(`error: src refspec ${spec.from} does not match any\n`)
      continue
    }
    const head = full === 'HEAD' ? (await own.refs.resolve('HEAD')).name : full
    const to = target(spec.to, head, theirNames, await typeOf(own, oid))
    if (to === undefined) throw noTarget(spec.to ?? spec.from, source, url)
    add({ from: full ?? source, oid, to, isForced: forced })
  }
  if (errors.length > 0) throw new GitError(`${errors.join('')}error: failed to push some refs to '${url}'`, 1)
  // First what is there, in the order of the other side.
  const isNew = (update: Update) => (update.before === undefined ? 1 : 0)
  return updates.sort((a, b) => isNew(a) - isNew(b) || (isNew(a) === 0 ? (a.to < b.to ? -1 : 1) : 0))
}

/** The full name of what is written there. */
function target(
  given: string | undefined,
  head: string | undefined,
  theirs: readonly string[],
  type: string | undefined,
): string | undefined {
  if (given === undefined) return head === 'HEAD' ? undefined : head
  if (given.startsWith('refs/')) return given
  const known = matchRef(theirs, given)
  if (known !== undefined) return known
  if (!isRefName(given)) return undefined
  if (head?.startsWith('refs/tags/') || type === 'tag') return `refs/tags/${given}`
  return head?.startsWith('refs/heads/') ? `refs/heads/${given}` : undefined
}

function noTarget(to: string, from: string, url: string): GitError {
  return new GitError(
    `error: The destination you provided is not a full refname (i.e.,
starting with "refs/"). We tried to guess what you meant by:

- Looking for a ref that matches '${to}' on the remote side.
- Checking if the <src> being pushed ('${from}')
  is a ref in "refs/{heads,tags}/". If so we add a corresponding
  refs/{heads,tags}/ prefix on the remote side.

Neither worked, so we gave up. You must fully qualify the ref.
hint: The <src> part of the refspec is a commit object.
hint: Did you mean to create a new branch by pushing to
hint: '${from}:refs/heads/${to}'?
error: failed to push some refs to '${url}'`,
    1,
  )
}

/** Annotated tags of what is pushed. */
async function addFollowed(own: Repository, other: Repository, updates: Update[]): Promise<void> {
  const known = new Set((await refsOf(other)).map(({ name }) => name))
  const tips = updates.flatMap(({ oid }) => (oid === undefined ? [] : [oid]))
  for (const { name, oid, peeled } of await refsOf(own)) {
    if (peeled === undefined || known.has(name)) continue
    for (const tip of tips)
      if ((await mergeBases(own, tip, peeled).catch(() => []))[0] === peeled) {
        updates.push({ from: name, oid, to: name, before: undefined, isForced: false })
        break
      }
  }
}

function leasesOf(given: { has(key: 'lease'): boolean; values(key: 'lease'): string[] }): string[] | undefined {
  return given.has('lease') ? given.values('lease') : undefined
}

/** Decides what becomes of an update. */
async function judge(
  own: Repository,
  other: Repository,
  update: Update,
  { remote, leases }: { remote: Remote; leases: readonly string[] | undefined },
): Promise<void> {
  const { before, oid, to, isForced } = update
  if (before === oid) {
    update.isUpToDate = true
    return
  }
  let force = isForced
  if (leases !== undefined) {
    const expected = await expectedAt(own, remote, to, leases)
    if (expected !== 'any') {
      if (expected !== before && !force) {
        update.rejected = 'stale info'
        return
      }
      force = true
    }
  }
  if (before !== undefined && oid !== undefined) {
    const isTag = to.startsWith('refs/tags/')
    const isKnown = (await typeOf(own, before)) !== undefined
    const isFast = !isTag && isKnown && (await mergeBases(own, before, oid).catch(() => []))[0] === before
    if (!isFast && !force) {
      update.rejected = isTag ? 'already exists' : isKnown ? 'non-fast-forward' : 'fetch first'
      return
    }
    if (!isFast) update.isForcedUpdate = true
  }
  const current = (await other.refs.resolve('HEAD')).name
  if (to !== current) return
  if (oid === undefined && (lastValue(other.config, 'receive.denydeletecurrent') ?? 'true') === 'true') {
    update.rejected = 'deletion of the current branch prohibited'
    update.remotely = true
  } else if (!other.isBare && oid !== undefined) {
    const setting = lastValue(other.config, 'receive.denycurrentbranch')?.toLowerCase() ?? 'refuse'
    if (setting === 'updateinstead')
      throw fatal("'receive.denyCurrentBranch = updateInstead' is not supported by this git")
    if (['ignore', 'false', 'no', 'off', 'warn'].includes(setting)) return
    update.rejected = 'branch is currently checked out'
    update.remotely = true
  }
}

/** What `--force-with-lease` expects there; undefined: nothing. */
async function expectedAt(
  own: Repository,
  remote: Remote,
  to: string,
  leases: readonly string[],
): Promise<string | undefined> {
  for (const lease of leases) {
    const [name = '', ...rest] = lease.split(':')
    if (name !== to && `refs/heads/${name}` !== to) continue
    if (rest.length > 0) return rest[0] === '' ? undefined : (await findObject(own, rest.join(':')))?.oid
    return trackedAt(own, remote, to)
  }
  return leases.length > 0 ? 'any' : trackedAt(own, remote, to)
}

async function trackedAt(own: Repository, { fetch }: Remote, to: string): Promise<string | undefined> {
  const ref = trackingRef(fetch, to)
  return ref === undefined ? undefined : (await own.refs.resolve(ref)).oid
}

async function apply(
  context: GitContext,
  own: Repository,
  { root }: Repository,
  updates: readonly Update[],
): Promise<void> {
  const there: GitContext = { ...context, cwd: root, settings: [], command: 'receive-pack' }
  await change(there, 'push', async (repository) => {
    await copyObjects(
      own,
      repository,
      updates.flatMap(({ oid }) => (oid === undefined ? [] : [oid])),
    )
    const by = identityOrNobody(context, own)
    for (const { to, oid } of updates) {
      if (oid === undefined) await repository.refs.remove(to)
      else await updateRef(repository, to, oid, { by, message: 'push' })
    }
  })
}

const checkedOut = (ref: string) => `refusing to update checked out branch: ${ref}
By default, updating the current branch in a non-bare repository
is denied, because it will make the index and work tree inconsistent
with what you pushed, and will require 'git reset --hard' to match
the work tree to HEAD.

You can set the 'receive.denyCurrentBranch' configuration variable
to 'ignore' or 'warn' in the remote repository to allow pushing into
its current branch; however, this is not recommended unless you
arranged to update its work tree to match what you pushed in some
other way.

To squelch this message and still keep the default behaviour, set
'receive.denyCurrentBranch' configuration variable to 'refuse'.`

const deletedCurrent = (ref: string) => `By default, deleting the current branch is denied, because the next
'git clone' won't result in any file checked out, causing confusion.

You can set 'receive.denyDeleteCurrent' configuration variable to
'warn' or 'ignore' in the remote repository to allow deleting the
current branch, with or without a warning message.

To squelch this message, you can set it to 'refuse'.
refusing to delete the current branch: ${ref}`

/** Lines of the other side, as git shows them without a terminal. */
function fromRemote(text: string): string {
  const lines = text
    .split('\n')
    .map((line, i) =>
      line === '' ? '' : `${i === 0 || /^(refusing|By default)/.test(line) ? 'error: ' : ''}${line}        `,
    )
  return lines.map((line) => `remote: ${line}\n`).join('')
}

async function report(
  context: GitContext,
  own: Repository,
  other: Repository,
  updates: readonly Update[],
  {
    url,
    branch,
    quiet,
    verbose,
    porcelain,
  }: { url: string; branch: string | undefined; quiet: boolean; verbose: boolean; porcelain: boolean },
): Promise<void> {
  const rejected = updates.filter((each) => each.rejected !== undefined)
  for (const { to, remotely, oid } of rejected)
    if (remotely) {
      const text = oid === undefined ? deletedCurrent(to) : checkedOut(to)
      context.err.write(fromRemote(text))
    }
  const changed = updates.filter((each) => !each.isUpToDate)
  const out = porcelain ? context.out : context.err
  const shown = porcelain || verbose ? updates : changed
  if (shown.length > 0 && (!quiet || rejected.length > 0)) {
    out.write(`To ${url}\n`)
    const ordered = [
      ...shown.filter((each) => each.isUpToDate),
      ...changed.filter((each) => each.rejected === undefined),
      ...rejected,
    ]
    for (const each of ordered) {
      if (quiet && each.rejected === undefined) continue
      out.write(await lineOf(own, other, each, porcelain))
    }
    if (porcelain && rejected.length === 0) out.write('Done\n')
  }
  if (changed.length === 0 && !quiet && !porcelain) context.err.write('Everything up-to-date\n')
  if (rejected.length === 0) return
  context.err.write(`error: failed to push some refs to '${url}'\n${adviceFor(rejected, branch)}`)
}

function adviceFor(rejected: readonly Update[], branch: string | undefined): string {
  const see = "hint: See the 'Note about fast-forwards' in 'git push --help' for details.\n"
  const has = (reason: string) => rejected.filter((each) => each.rejected === reason)
  if (has('non-fast-forward').some(({ to }) => to === `refs/heads/${branch}`))
    return `hint: Updates were rejected because the tip of your current branch is behind\nhint: its remote counterpart. Integrate the remote changes (e.g.\nhint: 'git pull ...') before pushing again.\n${see}`
  if (has('non-fast-forward').length > 0)
    return `hint: Updates were rejected because a pushed branch tip is behind its remote\nhint: counterpart. Check out this branch and integrate the remote changes\nhint: (e.g. 'git pull ...') before pushing again.\n${see}`
  if (has('already exists').length > 0)
    return 'hint: Updates were rejected because the tag already exists in the remote.\n'
  if (has('fetch first').length > 0)
    return `hint: Updates were rejected because the remote contains work that you do\nhint: not have locally. This is usually caused by another repository pushing\nhint: to the same ref. You may want to first integrate the remote changes\nhint: (e.g., 'git pull ...') before pushing again.\n${see}`
  return ''
}

async function lineOf(own: Repository, other: Repository, update: Update, porcelain: boolean): Promise<string> {
  const { from, to, before, oid } = update
  const shown = prettyRef(to)
  const printed = (sign: string, summary: string, note = '') => {
    if (porcelain) {
      const names = `${from ?? ''}:${to}`
      return `${sign}\t${names}\t${summary}${note === '' ? '' : ` (${note})`}\n`
    }
    const names = from === undefined ? shown : `${prettyRef(from)} -> ${shown}`
    return ` ${sign} ${summary.padEnd(17)} ${names}${note === '' ? '' : ` (${note})`}\n`
  }
  if (update.isUpToDate) return printed('=', '[up to date]')
  if (update.rejected !== undefined)
    return printed('!', update.remotely ? '[remote rejected]' : '[rejected]', update.rejected)
  if (oid === undefined) return printed('-', '[deleted]')
  if (before === undefined) {
    const kind = to.startsWith('refs/tags/') ? 'tag' : to.startsWith('refs/heads/') ? 'branch' : 'reference'
    return printed('*', `[new ${kind}]`)
  }
  const old = await abbreviate((await typeOf(own, before)) === undefined ? other : own, before)
  const now = await abbreviate(own, oid)
  if (update.isForcedUpdate) return printed('+', `${old}...${now}`, 'forced update')
  return printed(' ', `${old}..${now}`)
}

/** Refs that follow the remote go along. */
async function follow(context: GitContext, { fetch }: Remote, updates: readonly Update[]): Promise<void> {
  const moved = updates.flatMap(({ to, oid }) => {
    const ref = trackingRef(fetch, to)
    return ref === undefined ? [] : [{ ref, oid }]
  })
  if (moved.length === 0) return
  await change(context, 'push', async (repository) => {
    const by = identityOrNobody(context, repository)
    for (const { ref, oid } of moved) {
      const known = (await repository.refs.resolve(ref)).oid
      if (oid === undefined) {
        if (known !== undefined) await repository.refs.remove(ref)
      } else if (known !== oid) await updateRef(repository, ref, oid, { by, message: 'update by push' })
    }
  })
}

async function setUpstreams(
  context: GitContext,
  own: Repository,
  { name, fetch }: Remote,
  updates: readonly Update[],
  quiet: boolean,
): Promise<void> {
  for (const { from, to, oid } of updates) {
    if (from === undefined || oid === undefined || !to.startsWith('refs/heads/')) continue
    const local = from === 'HEAD' ? (await own.refs.resolve('HEAD')).name : ((await fullRefName(own, from)) ?? '')
    if (!local.startsWith('refs/heads/')) continue
    const branch = prettyRef(local)
    await change(context, 'push', (repository) =>
      changeConfigFile(repository, (before) =>
        editConfig(editConfig(before, `branch.${branch}.remote`, name, false), `branch.${branch}.merge`, to, false),
      ),
    )
    const tracked = trackingRef(fetch, to)
    const shown = tracked === undefined ? `refs/heads/${prettyRef(to)}` : prettyRef(tracked)
    if (!quiet) context.out.write(`branch '${branch}' set up to track '${shown}'.\n`)
  }
}
