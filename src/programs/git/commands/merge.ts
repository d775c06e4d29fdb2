/** `git merge`, `git cherry-pick` and `git revert`. */
import type { Draft } from '../../../change/draft.js'
import { join } from '../../../fs/path.js'
import { moveFiles } from '../../../git/commands/checkout.js'
import { conflictsIn, headFiles } from '../../../git/commands/status.js'
import { lastValue } from '../../../git/config.js'
import type { Commit } from '../../../git/objects/objects.js'
import { endOperation, operationInProgress } from '../../../git/operation-in-progress.js'
import { mergeBases } from '../../../git/refs/merge-base.js'
import { readHead } from '../../../git/refs/refs.js'
import { type Repository, readGitFile, readIndex } from '../../../git/repository.js'
import { decodeText } from '../../../shell/io/byte-text.js'
import { change, type GitContext, identity, open } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { treePairs } from '../diff/pairs.js'
import { detectRenames } from '../diff/renames.js'
import { printStat, printSummary, statsOf } from '../diff/stat-text.js'
import { failure, fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { chosenCommits, walkSpecs } from '../history/log-options.js'
import { walkCommits } from '../history/walk.js'
import { applyMerge, refuseStaged, reworded } from '../merge/apply-merge.js'
import { type MergeResult, mergeTrees, treeOfFiles } from '../merge/merge-trees.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { updateRef } from '../reflog.js'
import { findCommit, fullRefName, previousBranch, rangeOf, upstreamRef } from '../revisions.js'
import { cleanMessage, plainText, printCommitted, signedOff } from './commit.js'

const mergeSpecs = {
  message: value('-m', '--message'),
  file: value('-F', '--file'),
  noFf: flag('--no-ff'),
  ff: flag('--ff'),
  ffOnly: flag('--ff-only'),
  squash: flag('--squash'),
  noSquash: flag('--no-squash'),
  noCommit: flag('--no-commit'),
  commit: flag('--commit'),
  noEdit: flag('--no-edit'),
  edit: flag('-e', '--edit'),
  quiet: flag('-q', '--quiet'),
  verbose: flag('-v', '--verbose'),
  stat: flag('--stat', '--summary'),
  noStat: flag('-n', '--no-stat', '--no-summary'),
  abort: flag('--abort'),
  continue: flag('--continue'),
  quit: flag('--quit'),
  strategy: value('-s', '--strategy'),
  strategyOption: value('-X', '--strategy-option'),
  allowUnrelated: flag('--allow-unrelated-histories'),
  noVerify: flag('--no-verify'),
  signoff: flag('--signoff'),
  noGpgSign: flag('--no-gpg-sign'),
  progress: flag('--progress', '--no-progress'),
  log: optional('--log'),
  noLog: flag('--no-log'),
} as const

export async function merge(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('merge', args, mergeSpecs, {
    unsupported: [
      '-S',
      '--gpg-sign',
      '--autostash',
      '--no-autostash',
      '--rerere-autoupdate',
      '--into-name',
      '--log',
      '--overwrite-ignore',
      '--cleanup',
      '--verify-signatures',
      '--no-verify-signatures',
    ],
  })
  if (given.has('abort')) return abortMerge(context)
  if (given.has('quit')) return quitMerge(context)
  if (given.has('continue')) return concludeMerge(context)
  const strategy = given.value('strategy')
  const isOurs = strategy === 'ours'
  if (strategy !== undefined && !['ort', 'recursive', 'resolve', 'ours'].includes(strategy))
    throw fatal(`the merge strategy '${strategy}' is not supported by this git`)
  const favor = favorOf(given.values('strategyOption'))
  if (given.all.length > 1) throw fatal('a merge of more than one branch is not supported by this git')
  const outcome = await change(
    context,
    'merge',
    async (repository, draft): Promise<{ code: number; from?: string; to?: string; isFast?: boolean }> => {
      const head = await readHead(repository)
      await refuseMergeInProgress(repository)
      const name =
        given.all[0] ??
        (head.branch === undefined
          ? undefined
          : upstreamRef(repository, head.branch)?.replace(/^refs\/(heads|remotes)\//, ''))
      if (name === undefined) throw fatal('No remote for the current branch.')
      const target = name === '-' ? ((await previousBranch(repository, 1)) ?? name) : name
      const theirs = await findCommit(repository, target)
      if (theirs === undefined) throw new GitError(`merge: ${target} - not something we can merge`, 1)
      const by = identity(context, repository.config, 'COMMITTER')
      if (head.oid === undefined) {
        await moveFiles(repository, draft, { old: new Map(), next: await headFiles(repository, theirs) }, false)
        await updateRef(repository, 'HEAD', theirs, { by, message: 'initial pull' })
        return { code: 0 }
      }
      const bases = await mergeBases(repository, head.oid, theirs)
      const [base] = bases
      if (base === theirs) {
        const note = given.last('squash', 'noSquash') === 'squash' ? ' (nothing to squash)' : ''
        if (!given.has('quiet')) context.out.write(`Already up to date.${note}\n`)
        return { code: 0 }
      }
      if (base === undefined && !given.has('allowUnrelated')) throw fatal('refusing to merge unrelated histories')
      const ffSetting = lastValue(repository.config, 'merge.ff')?.toLowerCase()
      const ffMode =
        given.last('ff', 'noFf', 'ffOnly') ?? (ffSetting === 'false' ? 'noFf' : ffSetting === 'only' ? 'ffOnly' : 'ff')
      const isFast = base === head.oid
      if (ffMode === 'ffOnly' && !isFast)
        throw new GitError(
          `hint: Diverging branches can't be fast-forwarded, you need to either:\nhint: \nhint: \tgit merge --no-ff\nhint: \nhint: or:\nhint: \nhint: \tgit rebase\nhint: \nfatal: Not possible to fast-forward, aborting.`,
          128,
        )
      await writeOrigHead(repository, head.oid)
      const isSquash = given.last('squash', 'noSquash') === 'squash'
      if (isFast && ffMode !== 'noFf' && !isOurs) {
        if (!given.has('quiet'))
          context.out.write(
            `Updating ${await abbreviate(repository, head.oid)}..${await abbreviate(repository, theirs)}\n`,
          )
        try {
          await moveFiles(
            repository,
            draft,
            { old: await headFiles(repository, head.oid), next: await headFiles(repository, theirs) },
            false,
          )
        } catch (error) {
          throw reworded(error, 'merge')
        }
        const note = given.has('message') ? ' (no commit created; -m option ignored)' : ''
        if (!given.has('quiet')) context.out.write(`Fast-forward${note}\n`)
        if (isSquash) {
          await writeGitFile(repository, 'SQUASH_MSG', await squashMessage(repository, head.oid, theirs))
          if (!given.has('quiet')) context.out.write('Squash commit -- not updating HEAD\n')
        } else await updateRef(repository, 'HEAD', theirs, { by, message: `merge ${target}: Fast-forward${note}` })
        return { code: 0, from: head.oid, to: theirs, isFast: true }
      }
      if (bases.length > 1) throw fatal('a merge with several common ancestors is not supported by this git')
      const [ours, other] = [await repository.objects.readCommit(head.oid), await repository.objects.readCommit(theirs)]
      await refuseStaged(repository, ours.tree, 'merge')
      const baseTree = base === undefined ? undefined : (await repository.objects.readCommit(base)).tree
      const merged: MergeResult = isOurs
        ? { files: new Map(await repository.objects.flatten(ours.tree)), conflicts: [], messages: [] }
        : await mergeTrees(repository, {
            base: baseTree,
            ours: ours.tree,
            theirs: other.tree,
            labels: {
              ours: 'HEAD',
              base: base === undefined ? 'empty tree' : await abbreviate(repository, base),
              theirs: target,
            },
            ...(favor && { favor }),
          })
      await applyMerge(repository, draft, ours.tree, merged, 'merge')
      for (const line of merged.messages) context.out.write(`${line}\n`)
      const message = await mergeMessage(context, repository, given, target, head.branch)
      if (isSquash) {
        await writeGitFile(repository, 'SQUASH_MSG', await squashMessage(repository, head.oid, theirs))
        if (merged.conflicts.length > 0) {
          context.out.write(
            'Squash commit -- not updating HEAD\nAutomatic merge failed; fix conflicts and then commit the result.\n',
          )
          return { code: 1 }
        }
        if (!given.has('quiet'))
          {
        context.out.write('Squash commit -- not updating HEAD\n')
        context.err.write('Automatic merge went well; stopped before committing as requested\n')
      }
        return { code: 0 }
      }
      if (merged.conflicts.length > 0 || given.last('noCommit', 'commit') === 'noCommit') {
        await writeGitFile(repository, 'MERGE_HEAD', `${theirs}\n`)
        await writeGitFile(repository, 'MERGE_MODE', ffMode === 'noFf' ? 'no-ff' : '')
        const paths = merged.conflicts.map(({ path }) => `#\t${path}\n`).join('')
        await writeGitFile(repository, 'MERGE_MSG', `${message}${paths === '' ? '' : `\n# Conflicts:\n${paths}`}`)
        if (merged.conflicts.length === 0) {
          if (!given.has('quiet'))
            context.err.write('Automatic merge went well; stopped before committing as requested\n')
          return { code: 0 }
        }
        context.out.write('Automatic merge failed; fix conflicts and then commit the result.\n')
        return { code: 1 }
      }
      const tree = await treeOfFiles(repository, merged.files)
      const committer = by
      const author = identity(context, repository.config, 'AUTHOR')
      const text = given.has('signoff') ? signedOff(message, committer) : message
      const oid = await repository.objects.writeCommit({
        tree,
        parents: [head.oid, theirs],
        author,
        committer,
        message: text,
      })
      await updateRef(repository, 'HEAD', oid, {
        by,
        message: `merge ${target}: Merge made by the '${isOurs ? 'ours' : 'ort'}' strategy.`,
      })
      if (!given.has('quiet')) context.out.write(`Merge made by the '${isOurs ? 'ours' : 'ort'}' strategy.\n`)
      return { code: 0, from: head.oid, to: oid }
    },
  )
  const isShown = !given.has('quiet') && given.last('stat', 'noStat') !== 'noStat'
  if (isShown && outcome.from !== undefined && outcome.to !== undefined)
    await printMergeStat(context, outcome.from, outcome.to)
  return outcome.code
}

function favorOf(options: readonly string[]): 'ours' | 'theirs' | undefined {
  let favor: 'ours' | 'theirs' | undefined
  for (const option of options) {
    if (option === 'ours' || option === 'theirs') favor = option
    else if (!['no-renames-dummy'].includes(option))
      throw fatal(`the strategy option '-X${option}' is not supported by this git`)
  }
  return favor
}

async function refuseMergeInProgress(repository: Repository): Promise<void> {
  const { entries } = await readIndex(repository)
  if (conflictsIn({ entries }).length > 0) {
    throw new GitError(
      "error: Merging is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
      128,
    )
  }
  if ((await readGitFile(repository, 'MERGE_HEAD')) !== undefined) {
    throw new GitError(
      'fatal: You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.',
      128,
    )
  }
  if ((await readGitFile(repository, 'CHERRY_PICK_HEAD')) !== undefined) {
    throw new GitError(
      'fatal: You have not concluded your cherry-pick (CHERRY_PICK_HEAD exists).\nPlease, commit your changes before you merge.',
      128,
    )
  }
}

export async function writeGitFile(repository: Repository, name: string, text: string): Promise<void> {
  await repository.staged.write(join(repository.gitDirectory, name), new TextEncoder().encode(text))
}

export async function writeOrigHead(repository: Repository, oid: string): Promise<void> {
  await writeGitFile(repository, 'ORIG_HEAD', `${oid}\n`)
}

async function mergeMessage(
  context: GitContext,
  repository: Repository,
  given: { has(key: 'message'): boolean; values(key: 'message'): string[]; value(key: 'file'): string | undefined },
  target: string,
  branch: string | undefined,
): Promise<string> {
  if (given.has('message')) return cleanMessage(given.values('message').join('\n\n'))
  const file = given.value('file')
  if (file !== undefined)
    return cleanMessage(
      file === '-'
        ? decodeText(await context.input())
        : decodeText(await context.workspace.fs.readFile(context.path(file))),
    )
  const ref = await fullRefName(repository, target)
  const what = ref?.startsWith('refs/heads/')
    ? `branch '${target}'`
    : ref?.startsWith('refs/remotes/')
      ? `remote-tracking branch '${target}'`
      : ref?.startsWith('refs/tags/')
        ? `tag '${target}'`
        : `commit '${target}'`
  const quiet = ['main', 'master']
  const into =
    branch === undefined
      ? ' into HEAD'
      : quiet.includes(branch) && !repository.config.has('merge.suppressdest')
        ? branch === 'main' || branch === 'master'
          ? ''
          : ''
        : ` into ${branch}`
  return `Merge ${what}${into}\n`
}

async function squashMessage(repository: Repository, head: string, theirs: string): Promise<string> {
  let text = 'Squashed commit of the following:\n'
  const options = {
    include: [theirs],
    exclude: [head],
    order: 'date',
    isFirstParent: false,
    rewritesParents: false,
    isFullHistory: false,
  } as const
  const { datePrinter } = await import('../history/print-date.js')
  const date = datePrinter('default', 0)
  for await (const { oid, author, message, parents } of walkCommits(repository, options)) {
    if (parents.length > 1) continue
    const body = message
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}\n`)
      .join('')
    text += `\ncommit ${oid}\nAuthor: ${author.name} <${author.email}>\nDate:   ${date(author)}\n\n${body}`
  }
  return text
}

export async function printMergeStat(context: GitContext, from: string, to: string): Promise<void> {
  const repository = await open(context)
  const trees = [
    (await repository.objects.readCommit(from)).tree,
    (await repository.objects.readCommit(to)).tree,
  ] as const
  const pairs = await detectRenames(await treePairs(repository, trees[0], trees[1]))
  const quote = quoter(repository)
  const shown = (path: string) => path
  context.out.write(printStat(await statsOf(pairs, plainText), { quote, shown }) + printSummary(pairs, quote, shown))
}

async function abortMerge(context: GitContext): Promise<number> {
  return change(context, 'merge', async (repository, draft) => {
    if ((await readGitFile(repository, 'MERGE_HEAD')) === undefined)
      throw fatal('There is no merge to abort (MERGE_HEAD missing).')
    await abandon(repository, draft)
    const { oid } = await readHead(repository)
    if (oid !== undefined)
      await updateRef(repository, 'HEAD', oid, {
        by: identity(context, repository.config, 'COMMITTER'),
        message: 'reset: moving to HEAD',
      })
    return 0
  })
}

async function quitMerge(context: GitContext): Promise<number> {
  return change(context, 'merge', async (repository, draft) => {
    await endOperation(repository, draft)
    return 0
  })
}

/** Puts the files of `HEAD` back where a merge has changed them; other changes stay. */
export async function abandon(repository: Repository, draft: Draft): Promise<void> {
  const head = await readHead(repository)
  const files = await headFiles(repository, head.oid)
  const index = await readIndex(repository)
  const { blobsOf } = await import('../../../git/commands/status.js')
  const { sameBlob } = await import('../../../git/work-tree/work-tree.js')
  const { writeFiles } = await import('../../../git/work-tree/write-files.js')
  const { writeIndex } = await import('../../../git/work-tree/write-index.js')
  const { indexEntry } = await import('../../../git/work-tree/index-file.js')
  const staged = blobsOf(index)
  const conflicted = conflictsIn(index).map(({ path }) => path)
  const touched = [...new Set([...staged.keys(), ...files.keys(), ...conflicted])].filter(
    (path) => !sameBlob(staged.get(path), files.get(path)),
  )
  const written = touched.flatMap((path) =>
    files.has(path)
      ? [[path, files.get(path) as { mode: number; oid: string }] as [string, { mode: number; oid: string }]]
      : [],
  )
  await writeFiles(
    repository,
    draft,
    written,
    touched.filter((path) => !files.has(path)),
  )
  await writeIndex(
    repository,
    [...files].map(([path, blob]) => {
      const known = staged.get(path)
      return known !== undefined && sameBlob(known, blob) ? known : indexEntry(path, blob.mode, blob.oid, undefined)
    }),
  )
  await endOperation(repository, draft)
}

async function concludeMerge(context: GitContext): Promise<number> {
  const repository = await open(context)
  if ((await readGitFile(repository, 'MERGE_HEAD')) === undefined)
    throw fatal('There is no merge in progress (MERGE_HEAD missing).')
  const { commit } = await import('./commit.js')
  return commit(context, ['--no-edit'])
}

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
        ? { ours: 'HEAD', base: parent === undefined ? '(empty tree)' : `parent of ${short} (${subject})`, theirs: `${short} (${subject})` }
        : { ours: 'HEAD', base: `${short} (${subject})`, theirs: parent === undefined ? '(empty tree)' : `parent of ${short} (${subject})` },
      ...(options.favor && { favor: options.favor }),
    })
    const message = isPick ? pickMessage(commit, options) : revertMessage(commit, options)
    const by = identity(context, repository.config, 'COMMITTER')
    const text = options.signoff ? signedOff(message, by) : message
    await applyMerge(repository, draft, base, merged, kind).catch((error) => {
      throw error instanceof GitError ? new GitError(`${error.message}\nfatal: ${kind} failed`, 128) : error
    })
    for (const line of merged.messages) context.out.write(`${line}\n`)
    if (merged.conflicts.length > 0) {
      await writeGitFile(repository, isPick ? 'CHERRY_PICK_HEAD' : 'REVERT_HEAD', `${oid}\n`)
      await writeGitFile(
        repository,
        'MERGE_MSG',
        `${text}\n# Conflicts:\n${merged.conflicts.map(({ path }) => `#\t${path}\n`).join('')}`,
      )
      if (series !== undefined) await writeSequencer(repository, kind, series)
      context.err.write(conflictHint(kind, short, subject))
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
    await updateRef(repository, 'HEAD', written, { by, message: `${kind}: ${subjectOf(text)}` })
    if (series === undefined || series.rest.length === 1) await clearSequencer(repository, draft)
    await endOperation(repository, draft)
    context.out.write(
      await printCommitted(context, repository, { oid: written, ...made }, { showsDate: true, base: head.oid }),
    )
    return { code: 0 }
  })
  if (result.code !== -1) return result.code
  const { longStatus, readStatus } = await import('./status.js')
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

function conflictHint(kind: string, short: string, subject: string): string {
  return `error: could not ${kind === 'revert' ? 'revert' : 'apply'} ${short}... ${subject}
hint: After resolving the conflicts, mark them with
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
  if ((await draft.look(directory)).image.kind !== 'directory') return
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
    const { commit } = await import('./commit.js')
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
