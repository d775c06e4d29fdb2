/** `git commit`. */
import { gitAdd } from '../../../src/git/commands/add.js'
import { conflictsIn } from '../../../src/git/commands/status.js'
import { lastValue } from '../../../src/git/config.js'
import { comparePaths } from '../../../src/git/objects/object-id.js'
import type { Commit, Person } from '../../../src/git/objects/objects.js'
import { endOperation } from '../../../src/git/operation-in-progress.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readGitFile, readIndex } from '../../../src/git/repository.js'
import { indexEntry } from '../../../src/git/work-tree/index-file.js'
import { decodeText } from '../../io/byte-text.js'
import { change, cleanIdentity, type GitContext, identity, open, prefixOf, timeOf } from '../context.js'
import { quoter } from '../diff/diff-options.js'
import { indexPairs, treePairs } from '../diff/pairs.js'
import type { TextOptions } from '../diff/patch-text.js'
import { detectRenames } from '../diff/renames.js'
import { printSummary, printTotals, statsOf } from '../diff/stat-text.js'
import { editMessage } from '../editor.js'
import { failure, fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { datePrinter } from '../history/print-date.js'
import { abbreviate } from '../objects.js'
import { flag, optional, parseGit, value } from '../options.js'
import { addHunks } from '../patch-mode/choose.js'
import { pathspecsOf } from '../pathspec.js'
import { firstLine, updateRef } from '../reflog.js'
import { commitNamed } from '../revisions.js'
import { signedOff, withTrailer } from '../trailers.js'
import { longStatus, readStatus, shortStatus } from './status.js'

const specs = {
  message: value('-m', '--message'),
  file: value('-F', '--file'),
  all: flag('-a', '--all'),
  amend: flag('--amend'),
  noEdit: flag('--no-edit'),
  edit: flag('-e', '--edit'),
  allowEmpty: flag('--allow-empty'),
  allowEmptyMessage: flag('--allow-empty-message'),
  quiet: flag('-q', '--quiet'),
  verbose: flag('-v', '--verbose'),
  author: value('--author'),
  date: value('--date'),
  resetAuthor: flag('--reset-author'),
  reuse: value('-C', '--reuse-message'),
  fixup: value('--fixup'),
  squash: value('--squash'),
  signoff: flag('-s', '--signoff'),
  noSignoff: flag('--no-signoff'),
  dryRun: flag('--dry-run'),
  short: flag('--short'),
  porcelain: flag('--porcelain'),
  noVerify: flag('-n', '--no-verify'),
  noGpgSign: flag('--no-gpg-sign'),
  include: flag('-i', '--include'),
  only: flag('-o', '--only'),
  cleanup: value('--cleanup'),
  trailer: value('--trailer'),
  noStatus: flag('--no-status'),
  status: flag('--status'),
  untracked: optional('-u', '--untracked-files'),
  noPostRewrite: flag('--no-post-rewrite'),
  patch: flag('-p', '--patch'),
} as const

export async function commit(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('commit', args, specs, {
    unsupported: [
      '--interactive',
      '-c',
      '--reedit-message',
      '-t',
      '--template',
      '-S',
      '--gpg-sign',
      '--pathspec-from-file',
      '-z',
      '--long',
      '--branch',
    ],
  })
  if (given.has('message') && given.has('file')) throw fatal(`options '-m' and '-F' cannot be used together`)
  if (given.has('all') && given.all.length > 0) throw fatal(`paths '${given.all[0]} ...' with -a does not make sense`)
  if (given.has('all') && given.has('patch'))
    throw fatal(`options '-a/--all' and '--interactive/-p/--patch' cannot be used together`)
  const isDry = given.has('dryRun') || given.has('short') || given.has('porcelain')
  if (isDry) return dryRun(context, given)
  return change(context, 'commit', async (repository, draft) => {
    const prefix = await prefixOf(context, repository)
    const head = await readHead(repository)
    const inMerge = (await readGitFile(repository, 'MERGE_HEAD')) !== undefined
    const inPick = (await readGitFile(repository, 'CHERRY_PICK_HEAD')) !== undefined
    const isAmend = given.has('amend')
    if (isAmend && head.oid === undefined) throw fatal('You have nothing to amend.')
    if (isAmend && inMerge) throw fatal('You are in the middle of a merge -- cannot amend.')
    if (isAmend && inPick) throw fatal('You are in the middle of a cherry-pick -- cannot amend.')
    if (given.has('all')) await gitAdd(repository, { paths: [''], update: true })
    if (given.has('patch')) await addHunks(context, repository, draft, given.all)
    const only =
      given.all.length > 0 && !given.has('patch') ? pathspecsOf(given.all, prefix, repository.root) : undefined
    const entries =
      only === undefined ? (await readIndex(repository)).entries : await withPaths(repository, given, prefix, head.oid)
    const conflicted = conflictsIn({ entries }).map(({ path }) => path)
    if (conflicted.length > 0) {
      const list = conflicted.map((path) => `U\t${path}\n`).join('')
      context.out.write(list)
      throw new GitError(
        "error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
        128,
      )
    }
    const previous = head.oid === undefined ? undefined : await repository.objects.readCommit(head.oid)
    const author = await authorOf(context, repository, given, isAmend ? previous : undefined)
    const committer = identity(context, repository.config, 'COMMITTER')
    const base = isAmend ? previous?.parents[0] : head.oid
    const baseTree = base === undefined ? undefined : (await repository.objects.readCommit(base)).tree
    const tree = await repository.objects.writeTree(entries, previous?.tree)
    const isSame = base === undefined ? entries.length === 0 : tree === baseTree
    const isAllowed = given.has('allowEmpty') || inMerge || (isAmend && (previous?.parents.length ?? 0) > 1)
    if (isSame && !isAllowed) {
      if (isAmend) {
        const state = await readStatus(context, repository)
        context.out.write(longStatus({ ...state, pairs: [] }, { isAmend: true }))
        throw new GitError(
          'You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with --allow-empty, or you can\nremove the commit entirely with "git reset HEAD^".',
          1,
        )
      }
      context.out.write(longStatus(await readStatus(context, repository), { isCommit: true }))
      throw new GitError(inPick ? emptyPick : '', 1)
    }
    const message = await messageOf(context, repository, given, previous, isAmend)
    if (message === '' && !given.has('allowEmptyMessage'))
      throw new GitError('Aborting commit due to empty commit message.', 1)
    const merged = inMerge
      ? ((await readGitFile(repository, 'MERGE_HEAD')) ?? '').split('\n').filter((oid) => oid !== '')
      : []
    const parents = isAmend ? (previous?.parents ?? []) : [...(head.oid === undefined ? [] : [head.oid]), ...merged]
    const action = isAmend
      ? 'commit (amend)'
      : head.oid === undefined
        ? 'commit (initial)'
        : inMerge
          ? 'commit (merge)'
          : inPick
            ? 'commit (cherry-pick)'
            : 'commit'
    const made = await writeCommit(repository, { tree, parents, author, committer, message }, action)
    await endOperation(repository, draft)
    if (!given.has('quiet'))
      context.out.write(
        await printCommitted(context, repository, made, {
          showsDate: isAmend || inPick || given.value('date') !== undefined || given.value('reuse') !== undefined,
          base: parents[0],
          isInitial: head.oid === undefined,
        }),
      )
    return 0
  })
}

const emptyPick = `The previous cherry-pick is now empty, possibly due to conflict resolution.
If you wish to commit it anyway, use:

    git commit --allow-empty

Otherwise, please use 'git cherry-pick --skip'`

type Given = ReturnType<typeof parse>
const parse = (args: readonly string[]) => parseGit('commit', args, specs)

async function dryRun(context: GitContext, given: Given): Promise<number> {
  if (given.has('all') || given.all.length > 0)
    throw fatal('commit --dry-run with -a or paths is not supported by this git')
  const repository = await open(context)
  const state = await readStatus(context, repository)
  if (given.has('short') || given.has('porcelain'))
    context.out.write(shortStatus(state, { isNul: false, relative: given.has('short'), branch: false }))
  else context.out.write(longStatus(state, { isCommit: true }))
  return state.pairs.length > 0 ? 0 : 1
}

/** The tree of `HEAD` with the named files as they are now, which are staged too. The index keeps what else was staged. */
async function withPaths(repository: Repository, given: Given, prefix: string, head: string | undefined) {
  const specsOf = pathspecsOf(given.all, prefix, repository.root)
  const before = await readIndex(repository)
  const known = before.entries.map(({ path }) => path)
  const unmatched = specsOf.unmatched(known)
  if (unmatched.length > 0) throw failure(`pathspec '${unmatched[0]}' did not match any file(s) known to git`)
  await gitAdd(repository, { paths: known.filter((path) => specsOf.matches(path)), update: true })
  const now = (await readIndex(repository)).entries
  if (given.has('include')) return now
  const files =
    head === undefined
      ? new Map<string, { mode: number; oid: string }>()
      : new Map(await repository.objects.flatten((await repository.objects.readCommit(head)).tree))
  for (const path of files.keys()) if (specsOf.matches(path)) files.delete(path)
  for (const entry of now) if (specsOf.matches(entry.path)) files.set(entry.path, entry)
  const byPath = new Map(now.map((entry) => [entry.path, entry]))
  return [...files]
    .sort(([a], [b]) => comparePaths(a, b))
    .map(([path, { mode, oid }]) => {
      const entry = byPath.get(path)
      return entry !== undefined && entry.oid === oid && entry.mode === mode
        ? entry
        : indexEntry(path, mode, oid, undefined)
    })
}

async function authorOf(
  context: GitContext,
  repository: Repository,
  given: Given,
  amended: Commit | undefined,
): Promise<Person> {
  const date = given.value('date')
  const explicit = given.value('author')
  const reused = given.value('reuse')
  const picked = await readGitFile(repository, 'CHERRY_PICK_HEAD')
  const source =
    reused !== undefined
      ? await repository.objects.readCommit(await commitNamed(repository, reused))
      : picked !== undefined && amended === undefined
        ? await repository.objects.readCommit(picked)
        : amended
  const original = given.has('resetAuthor') ? undefined : source?.author
  if (explicit !== undefined) {
    const [, name, email] = /^(.*?)\s*<([^>]*)>\s*$/s.exec(explicit) ?? []
    if (name === undefined || email === undefined)
      throw fatal(`--author '${explicit}' is not 'Name <email>' and matches no existing author`)
    const time = original && date === undefined ? original : timeOf(context, date ?? context.env.GIT_AUTHOR_DATE)
    return { ...cleanIdentity(name, email), timestamp: time.timestamp, timezoneOffset: time.timezoneOffset }
  }
  if (original !== undefined) return date === undefined ? original : { ...original, ...timeOf(context, date) }
  return identity(context, repository.config, 'AUTHOR', date === undefined ? {} : { date })
}

async function messageOf(
  context: GitContext,
  repository: Repository,
  given: Given,
  previous: Commit | undefined,
  isAmend: boolean,
): Promise<string> {
  const cleanup = given.value('cleanup') ?? lastValue(repository.config, 'commit.cleanup') ?? 'default'
  const keepsComments = cleanup === 'default' || cleanup === 'whitespace'
  const clean = (text: string) => (cleanup === 'verbatim' ? text : cleanMessage(text, !keepsComments))
  let text: string | undefined
  const file = given.value('file')
  const [fixup, squash, reuse] = [given.value('fixup'), given.value('squash'), given.value('reuse')]
  if (given.has('message'))
    text = given
      .values('message')
      .map((part) => `${part.replace(/\n+$/, '')}\n`)
      .join('\n')
  else if (file === '-') text = decodeText(await context.input())
  else if (file !== undefined) text = await readMessage(context, file)
  else if (reuse !== undefined)
    text = (await repository.objects.readCommit(await commitNamed(repository, reuse))).message
  if (fixup !== undefined) {
    if (/^(amend|reword):/.test(fixup)) throw fatal(`option '--fixup=${fixup}' is not supported by this git`)
    const target = await repository.objects.readCommit(await commitNamed(repository, fixup))
    text = `fixup! ${subjectOf(target.message)}\n${text === undefined ? '' : `\n${text}`}`
  }
  if (squash !== undefined) {
    const target = await repository.objects.readCommit(await commitNamed(repository, squash))
    text = `squash! ${subjectOf(target.message)}\n${text === undefined ? '' : `\n${text}`}`
  }
  if (text === undefined && isAmend) text = previous?.message
  if (text === undefined) {
    const prepared = (await readGitFile(repository, 'MERGE_MSG')) ?? (await readGitFile(repository, 'SQUASH_MSG'))
    if (prepared !== undefined) text = given.has('noEdit') ? cleanMessage(prepared) : prepared
  }
  const isGiven =
    given.has('message') || file !== undefined || reuse !== undefined || fixup !== undefined || given.has('noEdit')
  const isEdited = given.has('edit') || !isGiven
  if (isEdited) {
    text = cleanMessage(
      await editMessage(
        context,
        repository.config,
        await template(context, repository, text ?? '', isAmend ? previous : undefined),
      ),
      true,
    )
  }
  if (text === undefined) throw new GitError('Aborting commit due to empty commit message.', 1)
  let message = clean(text)
  if (given.last('signoff', 'noSignoff') === 'signoff')
    message = signedOff(message, identity(context, repository.config, 'COMMITTER'))
  for (const trailer of given.values('trailer'))
    message = withTrailer(message, trailer.replace(/^([^:=]+)[:=]\s*/, '$1: '))
  return message
}

/** The message with what git says below it. */
export async function template(
  context: GitContext,
  repository: Repository,
  text: string,
  amended: Commit | undefined,
): Promise<string> {
  const state = await readStatus(context, repository)
  const [parent] = amended?.parents ?? []
  const before = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
  const pairs = amended === undefined ? state.pairs : await detectRenames(await indexPairs(repository, before))
  const shown = longStatus({ ...state, pairs }, { isCommit: true })
    .replaceAll(/^ {2}\(.*\)\n/gm, '')
    .replace(/^(nothing to commit|nothing added|no changes added|Untracked files not listed).*\n/m, '')
  const date =
    amended === undefined ? '' : `\n${writtenBy(amended)}Date:      ${datePrinter('default', 0)(amended.author)}\n`
  const about = `Please enter the commit message for your changes. Lines starting
with '#' will be ignored, and an empty message aborts the commit.
${date}
${shown}`
  const comments = about
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' || line.startsWith('\t') ? `#${line}` : `# ${line}`))
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${body}\n${comments.join('\n')}\n`
}

function writtenBy({ author, committer }: Commit): string {
  const isOwn = author.name === committer.name && author.email === committer.email
  return isOwn ? '' : `Author:    ${author.name} <${author.email}>\n`
}

async function readMessage(context: GitContext, file: string): Promise<string> {
  const { fs } = context.workspace
  try {
    return decodeText(await fs.readFile(context.path(file)))
  } catch {
    throw fatal(`could not read log file '${file}': No such file or directory`)
  }
}

/** No trailing space, no blank lines around, and at most one between paragraphs; without comments if wanted. */
export function cleanMessage(message: string, stripsComments = false): string {
  const lines = message
    .split('\n')
    .filter((line) => !stripsComments || !line.startsWith('#'))
    .map((line) => line.trimEnd())
  const text = lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/^\n+|\n+$/g, '')
  return text === '' ? '' : `${text}\n`
}

/** Writes a commit and moves the current branch to it. */
export async function writeCommit(
  repository: Repository,
  commit: Omit<Commit, 'oid'>,
  action: string,
): Promise<Commit> {
  const oid = await repository.objects.writeCommit(commit)
  await updateRef(repository, 'HEAD', oid, { by: commit.committer, message: `${action}: ${firstLine(commit.message)}` })
  return { oid, ...commit }
}

export const plainText: TextOptions = {
  context: 3,
  interHunk: 0,
  minimal: false,
  indentHeuristic: true,
  allText: false,
}

/** `[main abc1234] subject` and what changed. */
export async function printCommitted(
  context: GitContext,
  repository: Repository,
  commit: Commit,
  { showsDate, base, isInitial = false }: { showsDate: boolean; base: string | undefined; isInitial?: boolean },
): Promise<string> {
  const head = await readHead(repository)
  const root = isInitial ? ' (root-commit)' : ''
  let text = `[${head.branch ?? 'detached HEAD'}${root} ${await abbreviate(repository, commit.oid)}] ${subjectOf(commit.message)}\n`
  const { author, committer } = commit
  if (author.name !== committer.name || author.email !== committer.email)
    text += ` Author: ${author.name} <${author.email}>\n`
  if (showsDate) text += ` Date: ${datePrinter('default', Math.floor(context.now() / 1000))(author)}\n`
  const before = base === undefined ? undefined : (await repository.objects.readCommit(base)).tree
  if (commit.parents.length > 1) return text
  const pairs = await detectRenames(await treePairs(repository, before, commit.tree))
  const stats = await statsOf(pairs, plainText)
  if (stats.length > 0) text += printTotals(stats)
  return text + printSummary(pairs, quoter(repository), (path) => path)
}
