/** `git rebase` of a linear branch. */
import type { Draft } from '../../../src/change/draft.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { conflictsIn, headFiles } from '../../../src/git/commands/status.js'
import { lastValue } from '../../../src/git/config.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { operationInProgress } from '../../../src/git/operation-in-progress.js'
import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { change, type GitContext, identity } from '../context.js'
import { indexPairs, treePairs, workTreePairs } from '../diff/pairs.js'
import { patchOf } from '../diff/patch-text.js'
import { editSteps } from '../editor.js'
import { failure, fatal, GitError } from '../git-error.js'
import { walkCommits } from '../history/walk.js'
import { printNow } from '../merge/print-now.js'
import { abbreviate } from '../objects.js'
import { flag, parseGit, value } from '../options.js'
import { abortRebase, editRest, goOnAfter, quitRebase, resume, showStopped, waitFor } from '../rebase/resume.js'
import { type Outcome, type Running, runSteps } from '../rebase/run.js'
import { saveState } from '../rebase/state.js'
import {
  autosquashed,
  howToGoOn,
  isAutosquashed,
  picks,
  readSteps,
  type Step,
  stepLines,
  stepsToEdit,
  withCommands,
} from '../rebase/steps.js'
import { appendReflog, moveHead } from '../reflog.js'
import { findCommit, upstreamRef } from '../revisions.js'
import { cleanMessage, plainText } from './commit.js'
import { headTree } from './diff.js'
import { writeOrigHead } from './merge.js'

const specs = {
  onto: value('--onto'),
  continue: flag('--continue'),
  abort: flag('--abort'),
  skip: flag('--skip'),
  quit: flag('--quit'),
  editTodo: flag('--edit-todo'),
  showPatch: flag('--show-current-patch'),
  root: flag('--root'),
  quiet: flag('-q', '--quiet'),
  merge: flag('-m', '--merge'),
  force: flag('-f', '--force-rebase', '--no-ff'),
  noStat: flag('-n', '--no-stat'),
  noVerify: flag('--no-verify'),
  interactive: flag('-i', '--interactive'),
  exec: value('-x', '--exec'),
  empty: value('--empty'),
  noAutostash: flag('--no-autostash'),
  autosquash: flag('--autosquash'),
  noAutosquash: flag('--no-autosquash'),
  strategyOption: value('-X', '--strategy-option'),
  noGpgSign: flag('--no-gpg-sign'),
  reapply: flag('--reapply-cherry-picks'),
  noReapply: flag('--no-reapply-cherry-picks'),
  noForkPoint: flag('--no-fork-point'),
  forkPoint: flag('--fork-point'),
} as const

type Given = ReturnType<typeof parse>

const parse = (args: readonly string[]) =>
  parseGit('rebase', args, specs, {
    unsupported: [
      '--autostash',
      '-v',
      '--verbose',
      '--stat',
      '-r',
      '--rebase-merges',
      '--apply',
      '-s',
      '--strategy',
      '--signoff',
      '--committer-date-is-author-date',
      '--ignore-date',
      '--reset-author-date',
      '-k',
      '--keep-empty',
      '--no-keep-empty',
      '-S',
      '--gpg-sign',
      '--keep-base',
      '--update-refs',
      '-C',
      '--whitespace',
      '--ignore-whitespace',
      '--reschedule-failed-exec',
    ],
  })

export async function rebase(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parse(args)
  if (context.ran !== undefined) return goOnAfter(context, context.ran)
  if (given.has('continue')) return resume(context, 'continue')
  if (given.has('skip')) return resume(context, 'skip')
  if (given.has('abort')) return abortRebase(context)
  if (given.has('quit')) return quitRebase(context)
  if (given.has('editTodo')) return editRest(context)
  if (given.has('showPatch')) return showStopped(context)
  const [favor, ...others] = given.values('strategyOption')
  if (others.length > 0 || (favor !== undefined && favor !== 'ours' && favor !== 'theirs'))
    throw fatal(`the strategy option '-X${favor}' is not supported by this git`)
  if (given.values('exec').some((line) => line.trim() === '' || line.includes('\n')))
    throw failure(
      given.values('exec').some((line) => line.includes('\n'))
        ? 'exec commands cannot contain newlines'
        : 'empty exec command',
    )
  const outcome = await change(context, 'rebase', (repository, draft) => start(context, repository, draft, given))
  return waitFor(context, outcome)
}

async function start(context: GitContext, repository: Repository, draft: Draft, given: Given): Promise<Outcome> {
  if ((await operationInProgress(repository)) === 'rebase') {
    throw new GitError(
      'fatal: It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.  If that is the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\nIf that is not the case, please\n\trm -fr ".git/rebase-merge"\nand run me again.  I am stopping in case you still have something\nvaluable there.\n',
      128,
    )
  }
  const head = await readHead(repository)
  const operands = [...given.all]
  const upstreamName = given.has('root')
    ? undefined
    : (operands.shift() ?? (head.branch === undefined ? undefined : upstreamRef(repository, head.branch)))
  if (upstreamName === undefined && !given.has('root'))
    throw new GitError(
      `There is no tracking information for the current branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n`,
      1,
    )
  const upstream = upstreamName === undefined ? undefined : await findCommit(repository, upstreamName)
  if (upstream === undefined && upstreamName !== undefined) throw fatal(`invalid upstream '${upstreamName}'`)
  const ontoName = given.value('onto')
  const by = identity(context, repository.config, 'COMMITTER')
  const root =
    given.has('root') && ontoName === undefined
      ? await repository.objects.writeCommit({
          tree: await repository.objects.writeTree([]),
          parents: [],
          author: identity(context, repository.config, 'AUTHOR'),
          committer: by,
          message: '',
        })
      : undefined
  const onto =
    ontoName === undefined
      ? (upstream ?? root)
      : ((await symmetricBase(repository, ontoName)) ?? (await findCommit(repository, ontoName)))
  if (onto === undefined) throw fatal(`Does not point to a valid commit '${ontoName}'`)
  const [branch] = operands
  const start = branch === undefined ? head.oid : await findCommit(repository, branch)
  if (start === undefined)
    throw fatal(branch === undefined ? 'You do not have any commits yet.' : `no such branch/commit '${branch}'`)
  const isBranch = branch !== undefined && (await repository.refs.resolve(`refs/heads/${branch}`)).oid !== undefined
  const name = branch === undefined ? head.branch : isBranch ? branch : undefined
  const ref = name === undefined ? undefined : `refs/heads/${name}`
  await refuseDirty(context, repository)
  if (await isUpToDate(repository, given, { onto, upstream, start })) {
    const state = `${ref === undefined ? 'HEAD' : `Current branch ${name}`} is up to date`
    if (!given.has('force')) {
      if (branch !== undefined && isBranch && head.branch !== branch) {
        await moveFiles(
          repository,
          draft,
          { old: await headFiles(repository, head.oid), next: await headFiles(repository, start) },
          false,
        )
        await moveHead(repository, { branch, oid: start }, { by, message: `rebase: checkout ${branch}` })
      }
      if (!given.has('quiet')) context.out.write(`${state}.\n`)
      return 0
    }
    if (!given.has('quiet')) printNow(context, [`${state}, rebase forced.`])
  }
  const { todo, known } = await todoOf(repository, start, upstream, given.has('root') || given.has('reapply'))
  if (
    known.length > 0 &&
    !given.has('quiet') &&
    lastValue(repository.config, 'advice.skippedcherrypicks') !== 'false'
  ) {
    for (const oid of known)
      context.err.write(`warning: skipped previously applied commit ${await abbreviate(repository, oid)}\n`)
    context.err.write(
      'hint: use --reapply-cherry-picks to include skipped commits\nhint: Disable this message with "git config advice.skippedCherryPicks false"\n',
    )
  }
  const found = await picks(repository, todo)
  const isEdited = given.has('interactive')
  const ordered = isEdited && isAutosquashed(repository, given) ? await autosquashed(repository, found) : found
  const planned = withCommands(ordered.length === 0 ? [nothing] : ordered, given.values('exec'))
  const running: Running = {
    from: head.oid === undefined ? undefined : (await repository.objects.readCommit(head.oid)).tree,
    tip: onto,
    onto,
    original: start,
    ref,
    todo: planned,
    done: [],
    favor: given.value('strategyOption') as 'ours' | 'theirs' | undefined,
    keepsOld: !given.has('force'),
    isQuiet: given.has('quiet'),
    empty: emptyOf(given),
    root,
    melded: undefined,
  }
  const startLog = (after: string) =>
    appendReflog(repository, 'HEAD', {
      before: head.oid ?? '',
      after,
      by,
      message: `rebase (start): checkout ${ontoName ?? upstreamName ?? root}`,
    })
  if (isEdited) {
    const text = await stepsToEdit(repository, planned, { upstream, start, onto })
    const edited = await editSteps(context, repository.config, text)
    const { steps, errors } = await readSteps(repository, cleanMessage(edited, true), false)
    if (steps.length === 0 && errors.length === 0) throw failure('nothing to do')
    await writeOrigHead(repository, start)
    if (errors.length > 0) {
      await moveFiles(
        repository,
        draft,
        { old: await headFiles(repository, head.oid), next: await headFiles(repository, onto) },
        false,
      )
      await repository.refs.detach('HEAD', onto)
      await startLog(onto)
      await saveState(repository, running, { todoText: edited })
      context.err.write(`${errors.join('\n')}\n${howToGoOn}\n`)
      return 1
    }
    running.todo = steps
  }
  await writeOrigHead(repository, start)
  const begun = running.keepsOld ? await withoutKept(repository, running) : running
  await startLog(begun.tip)
  return runSteps({ context, repository, draft }, begun)
}

const nothing: Step = { command: 'noop', oid: '', text: '' }

function emptyOf(given: Given): 'drop' | 'keep' | 'stop' {
  const named = given.value('empty')
  if (named === 'ask') return 'stop'
  if (named === 'drop' || named === 'keep') return named
  if (named !== undefined)
    throw fatal(`unrecognized empty type '${named}'; valid values are "drop", "keep", and "ask".`)
  return given.has('interactive') ? 'stop' : given.has('exec') ? 'keep' : 'drop'
}

/** Without the first steps, where they change nothing. */
async function withoutKept(repository: Repository, state: Running): Promise<Running> {
  let { tip } = state
  let count = 0
  for (const { command, oid } of state.todo) {
    if (command === 'drop' || command === 'noop') {
      count += 1
      continue
    }
    if (command !== 'pick') break
    const { parents } = await repository.objects.readCommit(oid)
    if (parents.length !== 1 || parents[0] !== tip) break
    tip = oid
    count += 1
  }
  const done = (await stepLines(repository, state.todo.slice(0, count))).split('\n').filter((line) => line !== '')
  return { ...state, tip, todo: state.todo.slice(count), done }
}

async function isUpToDate(
  repository: Repository,
  given: Given,
  { onto, upstream, start }: { onto: string; upstream: string | undefined; start: string },
): Promise<boolean> {
  if (given.has('interactive') || given.has('exec') || given.has('root')) return false
  if (given.value('onto') !== undefined) return false
  if ((await mergeBases(repository, onto, start))[0] !== onto) return false
  if (upstream !== undefined && upstream !== onto && (await mergeBases(repository, upstream, start))[0] !== upstream)
    return false
  return isLinear(repository, onto, start)
}

async function symmetricBase(repository: Repository, name: string): Promise<string | undefined> {
  const [, left, right] = /^(.*?)\.\.\.(.*)$/s.exec(name) ?? []
  if (left === undefined || right === undefined) return undefined
  const [one, other] = [await findCommit(repository, left || 'HEAD'), await findCommit(repository, right || 'HEAD')]
  if (one === undefined || other === undefined) return undefined
  return (await mergeBases(repository, one, other))[0]
}

async function refuseDirty(context: GitContext, repository: Repository): Promise<void> {
  for (const { path } of conflictsIn(await readIndex(repository))) context.out.write(`${path}: needs merge\n`)
  const [local, staged] = [await workTreePairs(repository), await indexPairs(repository, await headTree(repository))]
  const lines = [
    ...(local.length > 0 ? ['error: cannot rebase: You have unstaged changes.'] : []),
    ...(staged.length > 0
      ? [
          local.length > 0
            ? 'error: additionally, your index contains uncommitted changes.'
            : 'error: cannot rebase: Your index contains uncommitted changes.',
        ]
      : []),
  ]
  if (lines.length > 0) throw new GitError(`${lines.join('\n')}\nerror: Please commit or stash them.`, 1)
}

const walkDefaults = { order: 'topo', isFirstParent: false, rewritesParents: false, isFullHistory: false } as const

async function isLinear(repository: Repository, onto: string, start: string): Promise<boolean> {
  for await (const { parents } of walkCommits(repository, { ...walkDefaults, include: [start], exclude: [onto] }))
    if (parents.length > 1) return false
  return true
}

/** The commits to apply, oldest first, without those that the upstream has already. */
async function todoOf(
  repository: Repository,
  start: string,
  upstream: string | undefined,
  keepsAll: boolean,
): Promise<{ todo: string[]; known: string[] }> {
  const commits: Commit[] = []
  for await (const commit of walkCommits(repository, {
    ...walkDefaults,
    include: [start],
    exclude: upstream === undefined ? [] : [upstream],
  })) {
    if (commit.parents.length < 2) commits.push(commit)
  }
  const known = new Set<string>()
  if (upstream !== undefined && !keepsAll) {
    for await (const commit of walkCommits(repository, { ...walkDefaults, include: [upstream], exclude: [start] })) {
      if (commit.parents.length < 2) known.add(await patchId(repository, commit))
    }
  }
  const todo: string[] = []
  const left: string[] = []
  for (const commit of commits.reverse())
    (known.size > 0 && known.has(await patchId(repository, commit)) ? left : todo).push(commit.oid)
  return { todo, known: left }
}

/** The same for commits that make the same change somewhere else. */
async function patchId(repository: Repository, { tree, parents, oid }: Commit): Promise<string> {
  const [parent] = parents
  const before = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
  const options = {
    ...plainText,
    oldPrefix: 'a/',
    newPrefix: 'b/',
    abbrev: 7,
    fullIndex: false,
    quote: (path: string) => path,
    shown: (path: string) => path,
  }
  let text = ''
  for (const pair of await treePairs(repository, before, tree)) text += await patchOf(repository, pair, options)
  const bare = text
    .replaceAll(/^@@.*$/gm, '@@')
    .replaceAll(/^index .*$/gm, '')
    .replaceAll(/[ \t]+/g, '')
  return text === '' ? `empty ${oid}` : bare
}
