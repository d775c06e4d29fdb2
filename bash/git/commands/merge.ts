/** `git merge`. */
import { join } from '../../../src/fs/path.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { conflictsIn, headFiles } from '../../../src/git/commands/status.js'
import { lastValue } from '../../../src/git/config.js'
import { abandon } from '../../../src/git/merge/abandon.js'
import { type MergeResult, mergeTrees, treeOfFiles } from '../../../src/git/merge/merge-trees.js'
import { endOperation } from '../../../src/git/operation-in-progress.js'
import { mergeBases } from '../../../src/git/refs/merge-base.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readGitFile, readIndex } from '../../../src/git/repository.js'
import { decodeText } from '../../io/byte-text.js'
import { change, type GitContext, identity, open } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { treePairs } from '../diff/pairs.js'
import { detectRenames } from '../diff/renames.js'
import { printStat, printSummary, statsOf } from '../diff/stat-text.js'
import { fatal, GitError } from '../git-error.js'
import { datePrinter } from '../history/print-date.js'
import { walkCommits } from '../history/walk.js'
import { applyMerge, refuseStaged, reworded } from '../merge/apply-merge.js'
import { printNow } from '../merge/print-now.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { updateRef } from '../reflog.js'
import { findCommit, fullRefName, previousBranch, upstreamRef } from '../revisions.js'
import { signedOff } from '../trailers.js'
import { cleanMessage, commit, plainText } from './commit.js'

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

/** What a pull merges: its words in the message, and its name in reflogs. */
export interface Pulled {
  subject: string
  action: string
}

export async function merge(context: GitContext, args: readonly string[], pulled?: Pulled): Promise<number> {
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
      const action = pulled?.action ?? `merge ${target}`
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
        } else await updateRef(repository, 'HEAD', theirs, { by, message: `${action}: Fast-forward${note}` })
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
      printNow(context, merged.messages)
      const message = await mergeMessage(context, repository, given, target, head.branch, pulled?.subject)
      if (isSquash) {
        await writeGitFile(repository, 'SQUASH_MSG', await squashMessage(repository, head.oid, theirs))
        if (merged.conflicts.length > 0) {
          context.out.write(
            'Squash commit -- not updating HEAD\nAutomatic merge failed; fix conflicts and then commit the result.\n',
          )
          return { code: 1 }
        }
        if (!given.has('quiet')) {
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
        message: `${action}: Merge made by the '${isOurs ? 'ours' : 'ort'}' strategy.`,
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

export function favorOf(options: readonly string[]): 'ours' | 'theirs' | undefined {
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
  subject: string | undefined,
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
  return `Merge ${subject ?? what}${into}\n`
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

async function concludeMerge(context: GitContext): Promise<number> {
  const repository = await open(context)
  if ((await readGitFile(repository, 'MERGE_HEAD')) === undefined)
    throw fatal('There is no merge in progress (MERGE_HEAD missing).')
  return commit(context, ['--no-edit'])
}
