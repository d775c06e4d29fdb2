/** `git rebase` of a linear branch. */
import type { Draft } from '../../../src/change/draft.js'
import { join } from '../../../src/fs/path.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { conflictsIn, headFiles } from '../../../src/git/commands/status.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { zoneText } from '../../../src/git/objects/person.js'
import { operationInProgress } from '../../../src/git/operation-in-progress.js'
import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readGitFile, readIndex } from '../../../src/git/repository.js'
import { change, type GitContext, identity } from '../context.js'
import { indexPairs, treePairs, workTreePairs } from '../diff/pairs.js'
import { patchOf } from '../diff/patch-text.js'
import { editMessage, editSteps } from '../editor.js'
import { failure, fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { walkCommits } from '../history/walk.js'
import { applyMerge } from '../merge/apply-merge.js'
import { mergeTrees, treeOfFiles } from '../merge/merge-trees.js'
import { printNow } from '../merge/print-now.js'
import { abbreviate } from '../objects.js'
import { flag, parseGit, value } from '../options.js'
import { appendReflog, moveHead } from '../reflog.js'
import { findCommit, upstreamRef } from '../revisions.js'
import { removeDirectory } from './cherry-pick.js'
import { cleanMessage, plainText, printCommitted } from './commit.js'
import { headTree } from './diff.js'
import { writeGitFile, writeOrigHead } from './merge.js'
import {
  autosquashed,
  isAutosquashed,
  keptMessage,
  type Melded,
  meld,
  meldedText,
  picks,
  readSteps,
  type Step,
  stepLines,
  stepsToEdit,
} from './rebase-steps.js'

const specs = {
  onto: value('--onto'),
  continue: flag('--continue'),
  abort: flag('--abort'),
  skip: flag('--skip'),
  quit: flag('--quit'),
  root: flag('--root'),
  quiet: flag('-q', '--quiet'),
  verbose: flag('-v', '--verbose'),
  merge: flag('-m', '--merge'),
  force: flag('-f', '--force-rebase', '--no-ff'),
  noStat: flag('-n', '--no-stat'),
  stat: flag('--stat'),
  noVerify: flag('--no-verify'),
  interactive: flag('-i', '--interactive'),
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

export async function rebase(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('rebase', args, specs, {
    unsupported: [
      '--autostash',
      '-r',
      '--rebase-merges',
      '-x',
      '--exec',
      '--apply',
      '-s',
      '--strategy',
      '--edit-todo',
      '--show-current-patch',
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
  if (given.has('continue')) return resume(context, 'continue')
  if (given.has('skip')) return resume(context, 'skip')
  if (given.has('abort')) return abort(context)
  if (given.has('quit')) throw fatal("option '--quit' is not supported by this git")
  const [favor, ...others] = given.values('strategyOption')
  if (others.length > 0 || (favor !== undefined && favor !== 'ours' && favor !== 'theirs'))
    throw fatal(`the strategy option '-X${favor}' is not supported by this git`)
  return change(context, 'rebase', async (repository, draft) => {
    if ((await operationInProgress(repository)) === 'rebase') {
      throw new GitError(
        'fatal: It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.  If that is the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\nIf that is not the case, please\n\trm -fr ".git/rebase-merge"\nand run me again.  I am stopping in case you still have something\nvaluable there.',
        128,
      )
    }
    await refuseDirty(context, repository)
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
    const onto =
      ontoName === undefined
        ? upstream
        : ((await symmetricBase(repository, ontoName)) ?? (await findCommit(repository, ontoName)))
    if (onto === undefined)
      throw ontoName === undefined
        ? fatal("option '--root' without '--onto' is not supported by this git")
        : fatal(`Does not point to a valid commit '${ontoName}'`)
    const [branch] = operands
    const start = branch === undefined ? head.oid : await findCommit(repository, branch)
    if (start === undefined)
      throw fatal(branch === undefined ? 'You do not have any commits yet.' : `no such branch/commit '${branch}'`)
    const isBranch = branch !== undefined && (await repository.refs.resolve(`refs/heads/${branch}`)).oid !== undefined
    const ref =
      branch === undefined
        ? head.branch === undefined
          ? undefined
          : `refs/heads/${head.branch}`
        : isBranch
          ? `refs/heads/${branch}`
          : undefined
    const by = identity(context, repository.config, 'COMMITTER')
    const todo = await todoOf(repository, start, upstream, given.has('root') || given.has('reapply'))
    const [base] = await mergeBases(repository, onto, start)
    const isUpToDate =
      base === onto &&
      (upstream === undefined ||
        upstream === onto ||
        (await mergeBases(repository, upstream, start))[0] === upstream) &&
      !given.has('force') &&
      !given.has('interactive') &&
      (await isLinear(repository, onto, start)) &&
      ontoName === undefined
    if (isUpToDate) {
      if (branch !== undefined && isBranch && head.branch !== branch) {
        await moveFiles(
          repository,
          draft,
          { old: await headFiles(repository, head.oid), next: await headFiles(repository, start) },
          false,
        )
        await moveHead(repository, { branch, oid: start }, { by, message: `rebase: checkout ${branch}` })
      }
      if (!given.has('quiet'))
        context.out.write(`Current branch ${(ref ?? 'HEAD').replace(/^refs\/heads\//, '')} is up to date.\n`)
      return 0
    }
    let steps = picks(todo)
    if (given.has('interactive')) {
      if (isAutosquashed(repository, given)) steps = await autosquashed(repository, steps)
      const text = await stepsToEdit(repository, steps, { upstream, start, onto })
      steps = await readSteps(repository, await editSteps(context, repository.config, text))
      if (steps.length === 0) throw failure('nothing to do')
    }
    await writeOrigHead(repository, start)
    const logged = `rebase (start): checkout ${ontoName ?? upstreamName ?? ''}`
    await appendReflog(repository, 'HEAD', { before: head.oid ?? '', after: onto, by, message: logged })
    return run(context, repository, draft, {
      from: head.oid === undefined ? undefined : (await repository.objects.readCommit(head.oid)).tree,
      tip: onto,
      onto,
      original: start,
      ref,
      todo: steps,
      done: [],
      favor: favor as 'ours' | 'theirs' | undefined,
      keepsOld: !given.has('force'),
      isQuiet: given.has('quiet'),
    })
  })
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
): Promise<string[]> {
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
  for (const commit of commits.reverse())
    if (known.size === 0 || !known.has(await patchId(repository, commit))) todo.push(commit.oid)
  return todo
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

interface RebaseRun {
  /** The tree that is checked out. */
  from: string | undefined
  tip: string
  onto: string
  original: string
  ref: string | undefined
  todo: readonly Step[]
  done: readonly Step[]
  favor: 'ours' | 'theirs' | undefined
  /** Commits that need no change are kept as they are. */
  keepsOld: boolean
  isQuiet?: boolean
}

async function run(context: GitContext, repository: Repository, draft: Draft, state: RebaseRun): Promise<number> {
  const by = identity(context, repository.config, 'COMMITTER')
  const done = [...state.done]
  let tip = state.tip
  let melded: Melded | undefined
  for (const [i, step] of state.todo.entries()) {
    const { command, oid } = step
    done.push(step)
    const now = () => ({ ...state, tip, todo: state.todo.slice(i + 1), done })
    if (command === 'drop') continue
    if (command === 'break') return pause(context, repository, draft, now())
    const commit = await repository.objects.readCommit(oid)
    const isMelded = command === 'squash' || command === 'fixup'
    if (!isMelded) melded = undefined
    if (!isMelded && state.keepsOld && commit.parents[0] === tip) {
      tip = oid
      if (command === 'edit') return pause(context, repository, draft, now(), commit)
      if (command === 'reword') tip = await reworded(context, repository, tip)
      continue
    }
    const short = await abbreviate(repository, oid)
    const subject = subjectOf(commit.message)
    const [parent] = commit.parents
    const parentTree = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
    const tipCommit = await repository.objects.readCommit(tip)
    const merged = await mergeTrees(repository, {
      base: parentTree,
      ours: tipCommit.tree,
      theirs: commit.tree,
      labels: { ours: 'HEAD', base: `parent of ${short} (${subject})`, theirs: `${short} (${subject})` },
      ...(state.favor && { favor: state.favor }),
    })
    if (isMelded && merged.conflicts.length > 0)
      throw fatal(`a conflict at '${command} ${short} ${subject}' is not supported by this git`)
    if (merged.conflicts.length > 0) {
      printNow(context, merged.messages)
      await applyMerge(repository, draft, state.from, merged, 'rebase')
      await stop(
        repository,
        now(),
        commit,
        merged.conflicts.map(({ path }) => path),
      )
      context.err.write(
        `error: could not apply ${short}... ${subject}\nhint: Resolve all conflicts manually, mark them as resolved with\nhint: "git add/rm <conflicted_files>", then run "git rebase --continue".\nhint: You can instead skip this commit: run "git rebase --skip".\nhint: To abort and get back to the state before "git rebase", run "git rebase --abort".\nCould not apply ${short}... ${subject}\n`,
      )
      return 1
    }
    const tree = await treeOfFiles(repository, merged.files)
    if (isMelded) {
      melded = meld(melded, tipCommit.message, step, commit.message)
      const isLast = !['squash', 'fixup'].includes(state.todo[i + 1]?.command ?? '')
      const message =
        isLast && melded.needsEditor
          ? cleanMessage(await editMessage(context, repository.config, meldedText(melded)), true)
          : keptMessage(melded)
      const made = { ...tipCommit, tree, committer: by, message }
      tip = await commitStep(repository, made, tip, command)
      if (isLast && melded.needsEditor) await printStep(context, repository, { ...made, oid: tip })
      continue
    }
    if (tree === tipCommit.tree && commit.tree !== parentTree) {
      context.err.write(`dropping ${oid} ${subject} -- patch contents already upstream\n`)
      continue
    }
    const made = { tree, parents: [tip], author: commit.author, committer: by, message: commit.message }
    tip = await commitStep(repository, made, tip, command)
    if (command === 'reword') tip = await reworded(context, repository, tip)
    if (command === 'edit') return pause(context, repository, draft, now(), commit)
  }
  return finish(context, repository, draft, { ...state, tip })
}

async function commitStep(
  repository: Repository,
  commit: Omit<Commit, 'oid'>,
  before: string,
  command: string,
): Promise<string> {
  const { tree, parents, author, committer, message } = commit
  const after = await repository.objects.writeCommit({ tree, parents, author, committer, message })
  const logged = `rebase (${command}): ${subjectOf(message)}`
  await appendReflog(repository, 'HEAD', { before, after, by: committer, message: logged })
  return after
}

/** The same commit with the message that an editor makes of its own. */
async function reworded(context: GitContext, repository: Repository, oid: string): Promise<string> {
  const commit = await repository.objects.readCommit(oid)
  const message = cleanMessage(await editMessage(context, repository.config, commit.message), true)
  if (message === '') throw new GitError('Aborting commit due to empty commit message.', 1)
  const committer = identity(context, repository.config, 'COMMITTER')
  const made = { ...commit, committer, message }
  const after = await commitStep(repository, made, oid, 'reword')
  await printStep(context, repository, { ...made, oid: after })
  return after
}

/** What a commit prints in the middle of a rebase. */
async function printStep(context: GitContext, repository: Repository, commit: Commit): Promise<void> {
  const text = await printCommitted(context, repository, commit, { showsDate: true, base: commit.parents[0] })
  printNow(context, [text.replace(/^\[.*?(?= [0-9a-f]+\])/, '[detached HEAD').trimEnd()])
}

/** Stops between two steps: at a commit to amend, or where the steps say so. */
async function pause(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  state: RebaseRun,
  commit?: Commit,
): Promise<number> {
  const { tip, from } = state
  const old = from === undefined ? new Map() : await repository.objects.flatten(from)
  await moveFiles(repository, draft, { old, next: await headFiles(repository, tip) }, false)
  const head = await repository.objects.readCommit(tip)
  await stop(repository, state, head, undefined)
  const [short, subject] = [await abbreviate(repository, tip), subjectOf(head.message)]
  if (commit === undefined) {
    context.err.write(`Stopped at ${short} (${subject})\n`)
    return 0
  }
  await writeGitFile(repository, 'rebase-merge/amend', `${tip}\n`)
  context.err.write(
    `Stopped at ${await abbreviate(repository, commit.oid)}...  ${subject}\nYou can amend the commit now, with\n\n  git commit --amend \n\nOnce you are satisfied with your changes, run\n\n  git rebase --continue\n`,
  )
  return 0
}

async function finish(
  context: GitContext,
  repository: Repository,
  draft: Draft,
  { from, tip, ref, onto, isQuiet }: RebaseRun,
): Promise<number> {
  const by = identity(context, repository.config, 'COMMITTER')
  const old = from === undefined ? new Map() : await repository.objects.flatten(from)
  await moveFiles(repository, draft, { old, next: await headFiles(repository, tip) }, false)
  if (ref === undefined) await repository.refs.detach('HEAD', tip)
  else {
    const before = (await repository.refs.resolve(ref)).oid ?? ''
    await repository.refs.point('HEAD', ref)
    await repository.refs.write(ref, tip)
    if (before !== tip)
      await appendReflog(repository, ref, { before, after: tip, by, message: `rebase (finish): ${ref} onto ${onto}` })
    await appendReflog(repository, 'HEAD', {
      before: tip,
      after: tip,
      by,
      message: `rebase (finish): returning to ${ref}`,
    })
  }
  await clear(repository, draft)
  if (!isQuiet) context.err.write(`Successfully rebased and updated ${ref ?? 'detached HEAD'}.\n`)
  return 0
}

async function clear(repository: Repository, draft: Draft): Promise<void> {
  await removeDirectory(repository, draft, join(repository.gitDirectory, 'rebase-merge'))
  for (const name of ['REBASE_HEAD', 'MERGE_MSG']) {
    if ((await draft.entry(join(repository.gitDirectory, name))).image.kind === 'file')
      await draft.remove(join(repository.gitDirectory, name))
  }
}

/** Writes down where the rebase is, as git does. */
async function stop(
  repository: Repository,
  { tip, onto, original, ref, todo, done }: RebaseRun,
  commit: Commit,
  conflicts: readonly string[] | undefined,
): Promise<void> {
  await repository.refs.detach('HEAD', tip)
  const { author } = commit
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const files: Record<string, string> = {
    'head-name': `${ref ?? 'detached HEAD'}\n`,
    'orig-head': `${original}\n`,
    onto: `${onto}\n`,
    interactive: '',
    'git-rebase-todo': await stepLines(repository, todo),
    done: await stepLines(repository, done),
    msgnum: `${done.length}\n`,
    end: `${done.length + todo.length}\n`,
    ...(conflicts !== undefined && { message: commit.message, 'stopped-sha': `${commit.oid}\n` }),
    'author-script': `GIT_AUTHOR_NAME=${quoted(author.name)}\nGIT_AUTHOR_EMAIL=${quoted(author.email)}\nGIT_AUTHOR_DATE=${quoted(`@${author.timestamp} ${zoneText(author)}`)}\n`,
  }
  for (const [name, text] of Object.entries(files)) await writeGitFile(repository, `rebase-merge/${name}`, text)
  if (conflicts === undefined) return
  await writeGitFile(repository, 'REBASE_HEAD', `${commit.oid}\n`)
  await writeGitFile(
    repository,
    'MERGE_MSG',
    `${commit.message}\n# Conflicts:\n${conflicts.map((path) => `#\t${path}\n`).join('')}`,
  )
}

async function readState(repository: Repository) {
  const read = async (name: string) => readGitFile(repository, `rebase-merge/${name}`)
  const onto = await read('onto')
  if (onto === undefined) throw fatal('No rebase in progress?')
  const steps = async (file: string) => readSteps(repository, (await read(file)) ?? '', true)
  const [name, stopped, amends] = [(await read('head-name')) ?? '', await read('stopped-sha'), await read('amend')]
  return {
    onto,
    original: (await read('orig-head')) ?? '',
    ref: name.startsWith('refs/') ? name : undefined,
    todo: await steps('git-rebase-todo'),
    done: await steps('done'),
    ...(amends !== undefined && { amends }),
    ...(stopped !== undefined && { stopped }),
  }
}

async function resume(context: GitContext, how: 'continue' | 'skip'): Promise<number> {
  // A step of its own, because the rest looks at the files.
  if (how === 'skip') {
    await change(context, 'rebase', async (repository, draft) => {
      await readState(repository)
      const files = await headFiles(repository, (await readHead(repository)).oid)
      await moveFiles(repository, draft, { old: files, next: files }, true)
    })
  }
  return change(context, 'rebase', async (repository, draft) => {
    const state = await readState(repository)
    const head = await readHead(repository)
    if (head.oid === undefined) throw fatal('HEAD is missing')
    const by = identity(context, repository.config, 'COMMITTER')
    const headCommit = await repository.objects.readCommit(head.oid)
    const shared = { ...state, favor: undefined, keepsOld: true }
    if (how === 'skip') return run(context, repository, draft, { ...shared, from: headCommit.tree, tip: head.oid })
    const index = await readIndex(repository)
    const conflicted = conflictsIn(index).map(({ path }) => path)
    if (conflicted.length > 0)
      throw new GitError(
        `${conflicted.map((path) => `${path}: needs merge\n`).join('')}You must edit all merge conflicts and then\nmark them as resolved using git add`,
        1,
      )
    if ((await workTreePairs(repository)).length > 0)
      throw failure('cannot rebase: You have unstaged changes.\nerror: Please commit or stash them.', 1)
    const tree = await repository.objects.writeTree(index.entries, headCommit.tree)
    let tip = head.oid
    if (tree !== headCommit.tree && state.stopped !== undefined) {
      const picked = await repository.objects.readCommit(state.stopped)
      const message = cleanMessage(await editMessage(context, repository.config, picked.message), true)
      const made = { tree, parents: [head.oid], author: picked.author, committer: by, message }
      tip = await repository.objects.writeCommit(made)
      await appendReflog(repository, 'HEAD', {
        before: head.oid,
        after: tip,
        by,
        message: `rebase (continue): ${subjectOf(picked.message)}`,
      })
      const text = await printCommitted(
        context,
        repository,
        { oid: tip, ...made },
        { showsDate: false, base: head.oid },
      )
      printNow(context, [text.trimEnd()])
    }
    if (tree !== headCommit.tree && state.stopped === undefined) {
      if (state.amends !== head.oid) throw unfinished()
      const message = cleanMessage(await editMessage(context, repository.config, headCommit.message), true)
      const made = { ...headCommit, tree, committer: by, message }
      tip = await commitStep(repository, made, head.oid, 'continue')
      await printStep(context, repository, { ...made, oid: tip })
    }
    return run(context, repository, draft, { ...shared, from: tree, tip })
  })
}

function unfinished(): GitError {
  return new GitError(
    `error: you have staged changes in your working tree
If these changes are meant to be squashed into the previous commit, run:

  git commit --amend 

If they are meant to go into a new commit, run:

  git commit 

In both cases, once you're done, continue with:

  git rebase --continue
`,
    1,
  )
}

async function abort(context: GitContext): Promise<number> {
  return change(context, 'rebase', async (repository, draft) => {
    const { original, ref } = await readState(repository)
    const head = await readHead(repository)
    const by = identity(context, repository.config, 'COMMITTER')
    await moveFiles(
      repository,
      draft,
      { old: await headFiles(repository, head.oid), next: await headFiles(repository, original) },
      true,
    )
    if (ref === undefined)
      await moveHead(repository, { oid: original }, { by, message: `rebase (abort): updating HEAD` })
    else
      await moveHead(
        repository,
        { branch: ref.slice('refs/heads/'.length), oid: original },
        { by, message: `rebase (abort): returning to ${ref}` },
      )
    await clear(repository, draft)
    return 0
  })
}
