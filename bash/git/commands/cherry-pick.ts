/** `git cherry-pick` and `git revert`. */
import type { Draft } from '../../../src/change/draft.js'
import { join } from '../../../src/fs/path.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { conflictsIn, headFiles } from '../../../src/git/commands/status.js'
import { abandon } from '../../../src/git/merge/abandon.js'
import { mergeTrees, treeOfFiles } from '../../../src/git/merge/merge-trees.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { endOperation, operationInProgress } from '../../../src/git/operation-in-progress.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readGitFile, readIndex } from '../../../src/git/repository.js'
import { change, type GitContext, identity, open } from '../context.js'
import { failure, fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { chosenCommits, walkSpecs } from '../history/log-options.js'
import { applyMerge, refuseStaged } from '../merge/apply-merge.js'
import { printNow } from '../merge/print-now.js'
import { abbreviate } from '../objects.js'
import { flag, parseGit, value } from '../options.js'
import { firstLine, updateRef } from '../reflog.js'
import { findCommit, rangeOf } from '../revisions.js'
import { signedOff } from '../trailers.js'
import { commit, printCommitted } from './commit.js'
import { favorOf, writeGitFile } from './merge.js'
import { longStatus, readStatus } from './status.js'

const pickSpecs = {
  noCommit: flag('-n', '--no-commit'),
  edit: flag('-e', '--edit'),
  noEdit: flag('--no-edit'),
  signoff: flag('-s', '--signoff'),
  mainline: value('-m', '--mainline'),
  record: flag('-x'),
  allowEmpty: flag('--allow-empty'),
  keepRedundant: flag('--keep-redundant-commits'),
  continue: flag('--continue'),
  abort: flag('--abort'),
  skip: flag('--skip'),
  quit: flag('--quit'),
  ff: flag('--ff'),
  strategy: value('--strategy'),
  strategyOption: value('-X', '--strategy-option'),
  noGpgSign: flag('--no-gpg-sign'),
} as const

type PickArguments = ReturnType<typeof parsePick>
const parsePick = (args: readonly string[]) => parseGit('cherry-pick', args, pickSpecs)

export async function pick(
  context: GitContext,
  args: readonly string[],
  kind: 'cherry-pick' | 'revert',
): Promise<number> {
  const given = parseGit(kind, args, pickSpecs, {
    unsupported: ['-S', '--gpg-sign', '--cleanup', '--rerere-autoupdate', '--allow-empty-message', '--reference'],
  })
  if (given.has('continue') || given.has('skip')) return continuePicks(context, kind, given.has('skip'))
  if (given.has('abort')) return abortPicks(context, kind)
  if (given.has('quit')) {
    return change(context, kind, async (repository, draft) => {
      await endOperation(repository, draft)
      await clearSequencer(repository, draft)
      return 0
    })
  }
  if (given.all.length === 0) throw new GitError(`usage: git ${kind} [<options>] <commit-ish>...`, 129)
  const repository = await open(context)
  const oids = await pickedCommits(repository, given.all, kind)
  if (oids.length === 0) throw new GitError('error: empty commit set passed\nfatal: ' + `${kind} failed`, 128)
  return runPicks(context, kind, oids, given, { isSeries: oids.length > 1 })
}

/** The commits of ranges, oldest first, in the order given. For a revert the newest come first. */
async function pickedCommits(
  repository: Repository,
  revisions: readonly string[],
  kind: 'cherry-pick' | 'revert',
): Promise<string[]> {
  const isRange = revisions.some((each) => /\.\./.test(each) || each.startsWith('^'))
  if (!isRange) {
    const oids: string[] = []
    for (const revision of revisions) {
      const oid = await findCommit(repository, revision)
      if (oid === undefined) throw fatal(`bad revision '${revision}'`)
      oids.push(oid)
    }
    return oids
  }
  const include: string[] = []
  const exclude: string[] = []
  for (const revision of revisions) {
    const range = await rangeOf(repository, revision)
    if (range === undefined) throw fatal(`bad revision '${revision}'`)
    include.push(...range.include)
    exclude.push(...range.exclude)
  }
  const found: string[] = []
  const given = parseGit('rev-list', [], walkSpecs)
  const options = {
    include,
    exclude,
    order: 'date',
    isFirstParent: false,
    rewritesParents: false,
    isFullHistory: false,
  } as const
  for await (const { oid } of chosenCommits(repository, given, options)) found.push(oid)
  return kind === 'revert' ? found : found.reverse()
}

interface PickOptions {
  noCommit: boolean
  signoff: boolean
  record: boolean
  allowEmpty: boolean
  keepRedundant: boolean
  mainline: number | undefined
  favor: 'ours' | 'theirs' | undefined
}

function pickOptions(given: PickArguments): PickOptions {
  const mainline = given.value('mainline')
  return {
    noCommit: given.has('noCommit'),
    signoff: given.has('signoff'),
    record: given.has('record'),
    allowEmpty: given.has('allowEmpty') || given.has('keepRedundant'),
    keepRedundant: given.has('keepRedundant'),
    mainline: mainline === undefined ? undefined : Number(mainline),
    favor: favorOf(given.values('strategyOption')),
  }
}

async function runPicks(
  context: GitContext,
  kind: 'cherry-pick' | 'revert',
  oids: readonly string[],
  given: PickArguments,
  { isSeries }: { isSeries: boolean },
): Promise<number> {
  const options = pickOptions(given)
  const running = await open(context)
  if (isSeries && (await running.staged.stat(join(running.gitDirectory, 'sequencer'))) !== undefined) {
    const inProgress = (await operationInProgress(running)) === 'revert' ? 'revert' : 'cherry-pick'
    throw new GitError(
      `error: a ${inProgress} is already in progress\nhint: try "git ${inProgress} (--continue | --abort | --quit)"\nfatal: ${kind} failed`,
      128,
    )
  }
  const start = (await readHead(running)).oid
  for (const [i, oid] of oids.entries()) {
    const code = await pickOne(
      context,
      kind,
      oid,
      options,
      isSeries ? { rest: oids.slice(i), start: start ?? '' } : undefined,
    )
    if (code !== 0) return code
  }
  return 0
}

interface Series {
  /** With the current one. */
  rest: readonly string[]
  start: string
}

async function pickOne(
  context: GitContext,
  kind: 'cherry-pick' | 'revert',
  oid: string,
  options: PickOptions,
  series: Series | undefined,
): Promise<number> {
  const result = await change(context, kind, async (repository, draft): Promise<{ code: number; made?: Commit }> => {
    const head = await readHead(repository)
    const commit = await repository.objects.readCommit(oid)
    const short = await abbreviate(repository, oid)
    const subject = subjectOf(commit.message)
    const parent = parentOf(commit, options.mainline, kind)
    const parentTree = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
    const headCommit = head.oid === undefined ? undefined : await repository.objects.readCommit(head.oid)
    const base = options.noCommit ? await indexTree(repository) : headCommit?.tree
    if (!options.noCommit) await refuseStaged(repository, headCommit?.tree, kind)
    const isPick = kind === 'cherry-pick'
    const merged = await mergeTrees(repository, {
      base: isPick ? parentTree : commit.tree,
      ours: base,
      theirs: isPick ? commit.tree : parentTree,
      labels: isPick
        ? {
            ours: 'HEAD',
            base: parent === undefined ? '(empty tree)' : `parent of ${short} (${subject})`,
            theirs: `${short} (${subject})`,
          }
        : {
            ours: 'HEAD',
            base: `${short} (${subject})`,
            theirs: parent === undefined ? '(empty tree)' : `parent of ${short} (${subject})`,
          },
      ...(options.favor && { favor: options.favor }),
    })
    const message = isPick ? pickMessage(commit, options) : revertMessage(commit, options)
    const by = identity(context, repository.config, 'COMMITTER')
    const text = options.signoff ? signedOff(message, by) : message
    await applyMerge(repository, draft, base, merged, kind).catch((error) => {
      throw error instanceof GitError ? new GitError(`${error.message}\nfatal: ${kind} failed`, 128) : error
    })
    printNow(context, merged.messages)
    if (merged.conflicts.length > 0) {
      await writeGitFile(repository, isPick ? 'CHERRY_PICK_HEAD' : 'REVERT_HEAD', `${oid}\n`)
      await writeGitFile(
        repository,
        'MERGE_MSG',
        `${text}\n# Conflicts:\n${merged.conflicts.map(({ path }) => `#\t${path}\n`).join('')}`,
      )
      if (series !== undefined) await writeSequencer(repository, kind, series)
      context.err.write(conflictHint(kind, short, subject, !options.noCommit))
      return { code: 1 }
    }
    if (options.noCommit) {
      if (!isPick) await writeGitFile(repository, 'REVERT_HEAD', `${oid}\n`)
      await writeGitFile(repository, 'MERGE_MSG', text)
      return { code: 0 }
    }
    const tree = await treeOfFiles(repository, merged.files)
    if (tree === headCommit?.tree && !options.keepRedundant && !(options.allowEmpty && commit.tree === parentTree)) {
      if (isPick) await writeGitFile(repository, 'CHERRY_PICK_HEAD', `${oid}\n`)
      await writeGitFile(repository, 'MERGE_MSG', text)
      if (series !== undefined) await writeSequencer(repository, kind, series)
      return { code: -1 }
    }
    const author = isPick ? commit.author : identity(context, repository.config, 'AUTHOR')
    const made = { tree, parents: head.oid === undefined ? [] : [head.oid], author, committer: by, message: text }
    const written = await repository.objects.writeCommit(made)
    await updateRef(repository, 'HEAD', written, { by, message: `${kind}: ${firstLine(text)}` })
    if (series === undefined || series.rest.length === 1) await clearSequencer(repository, draft)
    await endOperation(repository, draft)
    context.out.write(
      await printCommitted(context, repository, { oid: written, ...made }, { showsDate: true, base: head.oid }),
    )
    return { code: 0 }
  })
  if (result.code !== -1) return result.code
  context.out.write(longStatus(await readStatus(context, await open(context))))
  if (kind === 'cherry-pick') {
    context.err.write(
      "The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git cherry-pick --skip'\n",
    )
  }
  return 1
}

function parentOf(commit: Commit, mainline: number | undefined, kind: string): string | undefined {
  if (commit.parents.length > 1) {
    if (mainline === undefined)
      throw failure(`commit ${commit.oid} is a merge but no -m option was given.\nfatal: ${kind} failed`, 128)
    const parent = commit.parents[mainline - 1]
    if (parent === undefined)
      throw failure(`commit ${commit.oid} does not have parent ${mainline}\nfatal: ${kind} failed`, 128)
    return parent
  }
  if (mainline !== undefined && mainline !== 1)
    throw failure(`commit ${commit.oid} does not have parent ${mainline}\nfatal: ${kind} failed`, 128)
  return commit.parents[0]
}

async function indexTree(repository: Repository): Promise<string> {
  const { entries } = await readIndex(repository)
  if (conflictsIn({ entries }).length > 0) throw failure('your index file is unmerged.', 128)
  return repository.objects.writeTree(entries)
}

function pickMessage({ oid, message }: Commit, { record }: PickOptions): string {
  if (!record) return message
  const text = message.trimEnd()
  const last = text.split(/\n\n/).at(-1) ?? ''
  const isTrailer =
    text.includes('\n\n') && last.split('\n').every((line) => /^([A-Za-z0-9-]+: |\(cherry picked from)/.test(line))
  return `${text}${isTrailer ? '\n' : '\n\n'}(cherry picked from commit ${oid})\n`
}

function revertMessage({ oid, message, parents }: Commit, { mainline }: PickOptions): string {
  const subject = subjectOf(message)
  const [, again] = /^Revert "(.*)"$/s.exec(subject) ?? []
  const title = again !== undefined && !again.startsWith('Revert "') ? `Revert "${subject}"` : `Revert "${subject}"`
  const merged =
    parents.length > 1 && mainline !== undefined ? `, reversing\nchanges made to ${parents[mainline - 1]}` : ''
  return `${title}\n\nThis reverts commit ${oid}${merged}.\n`
}

function conflictHint(kind: string, short: string, subject: string, isCommitted: boolean): string {
  const failed = `error: could not ${kind === 'revert' ? 'revert' : 'apply'} ${short}... ${subject}\n`
  if (!isCommitted)
    return `${failed}hint: after resolving the conflicts, mark the corrected paths\nhint: with 'git add <paths>' or 'git rm <paths>'\n`
  return `${failed}hint: After resolving the conflicts, mark them with
hint: "git add/rm <pathspec>", then run
hint: "git ${kind} --continue".
hint: You can instead skip this commit with "git ${kind} --skip".
hint: To abort and get back to the state before "git ${kind}",
hint: run "git ${kind} --abort".
`
}

async function writeSequencer(
  repository: Repository,
  kind: 'cherry-pick' | 'revert',
  { rest, start }: Series,
): Promise<void> {
  const word = kind === 'revert' ? 'revert' : 'pick'
  let todo = ''
  for (const oid of rest) todo += `${word} ${oid} ${subjectOf((await repository.objects.readCommit(oid)).message)}\n`
  await writeGitFile(repository, 'sequencer/todo', todo)
  await writeGitFile(repository, 'sequencer/head', `${start}\n`)
  await writeGitFile(repository, 'sequencer/abort-safety', `${(await readHead(repository)).oid}\n`)
}

async function clearSequencer(repository: Repository, draft: Draft): Promise<void> {
  await removeDirectory(repository, draft, join(repository.gitDirectory, 'sequencer'))
}

export async function removeDirectory(repository: Repository, draft: Draft, directory: string): Promise<void> {
  if ((await draft.entry(directory)).image.kind !== 'directory') return
  for (const { name } of await repository.fs.readDir(directory)) await draft.remove(join(directory, name))
  await draft.remove(directory)
}

async function continuePicks(context: GitContext, kind: 'cherry-pick' | 'revert', isSkip: boolean): Promise<number> {
  const repository = await open(context)
  const file = kind === 'revert' ? 'REVERT_HEAD' : 'CHERRY_PICK_HEAD'
  const current = await readGitFile(repository, file)
  const todo = ((await readGitFile(repository, 'sequencer/todo')) ?? '')
    .split('\n')
    .flatMap((line) => /^\w+ ([0-9a-f]{40})/.exec(line)?.[1] ?? [])
  if (current === undefined && todo.length === 0)
    throw failure(`no cherry-pick or revert in progress\nfatal: ${kind} failed`, 128)
  if (isSkip) {
    await change(context, kind, async (own, draft) => abandon(own, draft))
  } else if (current !== undefined) {
    const { entries } = await readIndex(repository)
    if (conflictsIn({ entries }).length > 0) {
      throw failure(
        `Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.`,
        128,
      )
    }
    const code = await commit(context, ['--no-edit', '--cleanup=strip'])
    if (code !== 0) return code
  }
  const rest = todo.slice(1)
  const start = (await readGitFile(repository, 'sequencer/head')) ?? ''
  await change(context, kind, async (own, draft) => clearSequencer(own, draft))
  const options = pickOptions(parsePick([]))
  for (const [i, oid] of rest.entries()) {
    const code = await pickOne(context, kind, oid, options, { rest: rest.slice(i), start })
    if (code !== 0) return code
  }
  return 0
}

async function abortPicks(context: GitContext, kind: 'cherry-pick' | 'revert'): Promise<number> {
  return change(context, kind, async (repository, draft) => {
    const file = kind === 'revert' ? 'REVERT_HEAD' : 'CHERRY_PICK_HEAD'
    const start = await readGitFile(repository, 'sequencer/head')
    if ((await readGitFile(repository, file)) === undefined && start === undefined)
      throw failure(`no cherry-pick or revert in progress\nfatal: ${kind} failed`, 128)
    const head = await readHead(repository)
    if (start !== undefined && head.oid !== undefined && start !== head.oid) {
      await moveFiles(
        repository,
        draft,
        { old: await headFiles(repository, head.oid), next: await headFiles(repository, start) },
        true,
      )
      await endOperation(repository, draft)
      await updateRef(repository, 'HEAD', start, {
        by: identity(context, repository.config, 'COMMITTER'),
        message: `reset: moving to ${start}`,
      })
    } else {
      await abandon(repository, draft)
      if (head.oid !== undefined)
        await updateRef(repository, 'HEAD', head.oid, {
          by: identity(context, repository.config, 'COMMITTER'),
          message: `reset: moving to ${head.oid}`,
        })
    }
    await clearSequencer(repository, draft)
    return 0
  })
}
