/** `git am`: makes commits of the patches in mails. */
import { conflictsIn } from '../../../src/git/commands/status.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readGitFile, readIndex } from '../../../src/git/repository.js'
import { decodeText } from '../../io/byte-text.js'
import { type PatchMail, readMail, splitMailbox } from '../am/mailbox.js'
import { type AmState, clearAm, isApplying, readAm, saveAm, saveNext } from '../am/state.js'
import { change, cleanIdentity, type GitContext, identity, open, readIfThere, timeOf } from '../context.js'
import { indexPairs } from '../diff/pairs.js'
import { failure, fatal, GitError } from '../git-error.js'
import { flag, parseGit, value } from '../options.js'
import { parsePatch } from '../patch-file.js'
import { signedOff } from '../trailers.js'
import { applyPatches, stageResults, writeResult } from './apply.js'
import { cleanMessage, writeCommit } from './commit.js'
import { writeOrigHead } from './merge.js'
import { reset } from './reset.js'

const specs = {
  signoff: flag('-s', '--signoff'),
  keep: flag('-k', '--keep'),
  keepNonPatch: flag('--keep-non-patch'),
  binary: flag('-b', '--binary'),
  quiet: flag('-q', '--quiet'),
  noThreeWay: flag('--no-3way'),
  utf8: flag('-u', '--utf8'),
  noScissors: flag('--no-scissors'),
  noVerify: flag('-n', '--no-verify'),
  noKeepCr: flag('--no-keep-cr'),
  noGpgSign: flag('--no-gpg-sign'),
  continue: flag('--continue', '-r', '--resolved'),
  skip: flag('--skip'),
  abort: flag('--abort'),
  quit: flag('--quit'),
  allowEmpty: flag('--allow-empty'),
  show: { names: ['--show-current-patch'], value: 'optional' },
  format: value('--patch-format'),
} as const

const unsupported = [
  ...['-3', '--3way', '-i', '--interactive', '-c', '--scissors', '--keep-cr', '--whitespace', '--ignore-space-change'],
  ...['--ignore-whitespace', '--directory', '--exclude', '--include', '-C', '-p', '--reject', '-S', '--gpg-sign'],
  ...['--committer-date-is-author-date', '--ignore-date', '-m', '--message-id', '--empty'],
  ...['--quoted-cr', '--rerere-autoupdate', '--resolvemsg', '--retry'],
]

/** Ends the command after what it has written is kept. */
const stopped = 128

export async function am(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('am', args, specs, { unsupported })
  if (given.has('binary')) {
    context.err.write(
      'The -b/--binary option has been a no-op for long time, and\nit will be removed. Please do not use it anymore.\n',
    )
  }
  const format = given.value('format') ?? 'mbox'
  if (format !== 'mbox') throw fatal(`--patch-format=${format} is not supported by this git`)
  const isResumed = given.last('continue', 'skip', 'abort', 'quit', 'allowEmpty', 'show')
  if (isResumed !== undefined) {
    if (!(await isApplying(await open(context)))) throw fatal('Resolve operation not in progress, we are not resuming.')
    if (isResumed === 'show') return showPatch(context, given.value('show') ?? 'raw')
    return resume(context, isResumed)
  }
  const repository = await open(context)
  if (await isApplying(repository)) {
    throw fatal('previous rebase directory .git/rebase-apply still exists but mbox given.')
  }
  const mails = await mailsOf(context, given.all)
  const head = await readHead(repository)
  const tree = head.oid === undefined ? undefined : (await repository.objects.readCommit(head.oid)).tree
  const state: AmState = {
    mails,
    next: 1,
    isQuiet: given.has('quiet'),
    isSigned: given.has('signoff'),
    rules: { keepsSubject: given.has('keep'), keepsOtherBrackets: given.has('keepNonPatch') },
  }
  await change(context, 'am', async (changed) => {
    await saveAm(changed, state)
    if (head.oid !== undefined) await writeOrigHead(changed, head.oid)
  })
  // By then git counts as applying.
  const dirty = await indexPairs(repository, tree)
  if (dirty.length > 0) {
    throw fatal(`Dirty index: cannot apply patches (dirty: ${dirty.map(({ path }) => path).join(' ')})`)
  }
  return applyFrom(context, state)
}

async function mailsOf(context: GitContext, names: readonly string[]): Promise<string[]> {
  const mails: string[] = []
  for (const name of names.length > 0 ? names : ['-']) {
    const text = name === '-' ? decodeText(await context.input()) : await readIfThere(context, context.path(name))
    if (text === undefined) throw fatal(`could not open '${name}' for reading: No such file or directory`)
    const found = text === '' ? [] : splitMailbox(text)
    if (found === undefined) throw new GitError('Patch format detection failed.', stopped)
    mails.push(...found)
  }
  return mails
}

/** Each patch is a change of its own, so that those before one that fails stay. */
async function applyFrom(context: GitContext, state: AmState): Promise<number> {
  for (let number = state.next; number <= state.mails.length; number += 1) {
    const mail = readMail(state.mails[number - 1] as string, state.rules)
    try {
      if (mail.patch.trim() === '') throw new GitError('Patch is empty.', stopped)
      if (!state.isQuiet) context.out.write(`Applying: ${mail.subject}\n`)
      await change(context, 'am', async (repository, draft) => {
        const results = await applyPatches(context, repository, parsePatch(mail.patch, 1))
        for (const result of results) await writeResult(repository, draft, result)
        await stageResults(repository, results)
        await commitMail(context, repository, mail, state)
        await saveNext(repository, number + 1)
      })
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      await change(context, 'am', (repository) => saveNext(repository, number))
      return refused(context, error, number, mail)
    }
  }
  await change(context, 'am', clearAm)
  return 0
}

const advice = `When you have resolved this problem, run "git am --continue".
If you prefer to skip this patch, run "git am --skip" instead.
To restore the original branch and stop patching, run "git am --abort".\n`

const emptyAdvice = 'To record the empty patch as an empty commit, run "git am --allow-empty".\n'

function refused(context: GitContext, error: GitError, number: number, { subject, patch }: PatchMail): number {
  if (patch.trim() === '') {
    context.out.write(`${error.message}\n${advice.replace('To restore', `${emptyAdvice}To restore`)}`)
    return stopped
  }
  context.err.write(`${error.message}\nhint: Use 'git am --show-current-patch=diff' to see the failed patch\n`)
  context.out.write(`Patch failed at ${`${number}`.padStart(4, '0')} ${subject}\n${advice}`)
  return stopped
}

function messageOf(context: GitContext, repository: Repository, mail: PatchMail, isSigned: boolean): string {
  const message = cleanMessage(`${mail.subject}\n\n${mail.body}`)
  return isSigned ? signedOff(message, identity(context, repository.config, 'COMMITTER')) : message
}

async function commitMail(
  context: GitContext,
  repository: Repository,
  mail: PatchMail,
  { isSigned }: AmState,
): Promise<void> {
  const head = await readHead(repository)
  const { entries } = await readIndex(repository)
  const previous = head.oid === undefined ? undefined : await repository.objects.readCommit(head.oid)
  const tree = await repository.objects.writeTree(entries, previous?.tree)
  const author = { ...cleanIdentity(mail.name, mail.email), ...timeOf(context, mail.date) }
  const committer = identity(context, repository.config, 'COMMITTER')
  const message = messageOf(context, repository, mail, isSigned)
  const parents = head.oid === undefined ? [] : [head.oid]
  await writeCommit(repository, { tree, parents, author, committer, message }, 'am')
}

async function resume(context: GitContext, action: string): Promise<number> {
  if (action === 'quit') {
    await change(context, 'am', clearAm)
    return 0
  }
  if (action === 'abort') return abort(context)
  const state = await readAm(await open(context))
  if (action === 'skip') {
    await quietReset(context, 'HEAD')
    return applyFrom(context, { ...state, next: state.next + 1 })
  }
  const mail = readMail(state.mails[state.next - 1] ?? '', state.rules)
  const recordsEmpty = action === 'allowEmpty' && mail.patch.trim() === ''
  if (!state.isQuiet) context.out.write(`Applying: ${mail.subject}\n`)
  const status = await change(context, 'am', async (repository) => {
    const reason = await whyNotYet(repository)
    if (reason !== undefined && recordsEmpty) context.out.write('No changes - recorded it as an empty commit.\n')
    else if (reason !== undefined) {
      context.out.write(reason + advice)
      return stopped
    }
    await commitMail(context, repository, mail, state)
    await saveNext(repository, state.next + 1)
    return 0
  })
  return status === 0 ? applyFrom(context, { ...state, next: state.next + 1 }) : status
}

/** Why what is staged can't be committed. */
async function whyNotYet(repository: Repository): Promise<string | undefined> {
  const head = await readHead(repository)
  const tree = head.oid === undefined ? undefined : (await repository.objects.readCommit(head.oid)).tree
  if (conflictsIn(await readIndex(repository)).length > 0) {
    return 'You still have unmerged paths in your index.\nYou should \'git add\' each file with resolved conflicts to mark them as such.\nYou might run `git rm` on a file to accept "deleted by them" for it.\n'
  }
  if ((await indexPairs(repository, tree)).length > 0) return undefined
  return "No changes - did you forget to use 'git add'?\nIf there is nothing left to stage, chances are that something else\nalready introduced the same changes; you might want to skip this patch.\n"
}

async function abort(context: GitContext): Promise<number> {
  const original = await readGitFile(await open(context), 'ORIG_HEAD')
  if (original === undefined) throw failure('ORIG_HEAD is missing')
  await quietReset(context, original.trim())
  await change(context, 'am', clearAm)
  return 0
}

/** Changes that were not staged stay. */
async function quietReset(context: GitContext, to: string): Promise<void> {
  await reset(context, ['-q', '--merge', to])
}

async function showPatch(context: GitContext, what: string): Promise<number> {
  if (what !== 'raw' && what !== 'diff') {
    throw failure(`invalid value for '--show-current-patch': '${what}'`, 129)
  }
  const { mails, next, rules } = await readAm(await open(context))
  const mail = mails[next - 1] ?? ''
  context.out.write(what === 'raw' ? mail : readMail(mail, rules).patch)
  return 0
}
