/** Goes to the commit that is tested next, or says which one was the first bad one. */
import { mergeBasesOfMany } from '../../../src/git/refs/merge-base.js'
import { type Repository, readGitFile } from '../../../src/git/repository.js'
import { checkout } from '../commands/checkout.js'
import { show } from '../commands/log.js'
import { writeGitFile } from '../commands/merge.js'
import { change, type GitContext, open } from '../context.js'
import { failure } from '../git-error.js'
import { ancestors, walkCommits } from '../history/walk.js'
import { printNow } from '../merge/print-now.js'
import { pathspecsOf } from '../pathspec.js'
import { reportError } from '../report-error.js'
import { chooseNext, stepsLeft } from './choose.js'
import {
  appendLog,
  type BisectEnd,
  isReady,
  isWithoutCheckout,
  type Marks,
  named,
  needsStart,
  readMarks,
  startOf,
  type Terms,
  unquotedArguments,
} from './state.js'

type BadMarks = Marks & { bad: string }

/** After a commit was marked: goes on if there are enough, else says what is waited for. */
export async function goOn(context: GitContext, terms: Terms): Promise<BisectEnd> {
  if (await isReady(context, await open(context), terms, undefined)) return next(context, terms)
  await change(context, 'bisect', async (repository) => {
    const { bad, good } = await readMarks(repository, terms)
    const lacks =
      bad === undefined && good.length === 0
        ? 'both good and bad commits'
        : bad === undefined
          ? `bad commit, ${good.length} good commit${good.length === 1 ? '' : 's'} known`
          : 'good commit(s), bad commit known'
    const line = `status: waiting for ${lacks}\n`
    context.out.write(line)
    await appendLog(repository, `# ${line}`)
  })
  return 'done'
}

export async function next(context: GitContext, terms: Terms): Promise<BisectEnd> {
  const repository = await open(context)
  if ((await startOf(repository)) === undefined) throw needsStart()
  if (!(await isReady(context, repository, terms, terms.good))) return 'failed'
  const marks = await readMarks(repository, terms)
  const { bad } = marks
  if (bad === undefined) throw failure(`a ${terms.bad} revision is needed`)
  const checked = await checkAncestors(context, repository, terms, { ...marks, bad })
  if (checked !== 'done') return checked
  return halve(context, await open(context), terms, { ...marks, bad })
}

/** Where a good commit is not behind the bad one, what both come from has to be good too. */
async function checkAncestors(
  context: GitContext,
  repository: Repository,
  terms: Terms,
  marks: BadMarks,
): Promise<BisectEnd> {
  if ((await readGitFile(repository, 'BISECT_ANCESTORS_OK')) !== undefined || marks.good.length === 0) return 'done'
  const behind = await ancestors(repository, [marks.bad])
  if (marks.good.some((oid) => !behind.has(oid))) {
    const end = await checkMergeBases(context, repository, terms, marks)
    if (end !== 'done') return end
  }
  await change(context, 'bisect', (changed) => writeGitFile(changed, 'BISECT_ANCESTORS_OK', ''))
  return 'done'
}

async function checkMergeBases(
  context: GitContext,
  repository: Repository,
  terms: Terms,
  { bad, good, skipped }: BadMarks,
): Promise<BisectEnd> {
  for (const base of await mergeBasesOfMany(repository, bad, good)) {
    if (base === bad) return atBadBase(context, repository, terms, { bad, good, skipped })
    if (good.includes(base)) continue
    if (!skipped.includes(base)) {
      context.out.write('Bisecting: a merge base must be tested\n')
      return (await goTo(context, base)) === 'done' ? 'merge-base' : 'failed'
    }
    context.err.write(
      `warning: the merge base between ${bad} and [${good.join(' ')}] must be skipped.\nSo we cannot be sure the first ${terms.bad} commit is between ${base} and ${bad}.\nWe continue anyway.\n`,
    )
  }
  return 'done'
}

async function atBadBase(
  context: GitContext,
  repository: Repository,
  { bad: badTerm, good: goodTerm }: Terms,
  { bad, good }: BadMarks,
): Promise<BisectEnd> {
  if ((await readGitFile(repository, 'BISECT_EXPECTED_REV')) !== bad) {
    context.err.write(
      `Some ${goodTerm} revs are not ancestors of the ${badTerm} rev.\ngit bisect cannot work properly in this case.\nMaybe you mistook ${goodTerm} and ${badTerm} revs?\n`,
    )
    return 'failed'
  }
  const between = `between ${bad} and [${good.join(' ')}].\n`
  context.err.write(
    badTerm === 'bad' && goodTerm === 'good'
      ? `The merge base ${bad} is bad.\nThis means the bug has been fixed ${between}`
      : badTerm === 'new' && goodTerm === 'old'
        ? `The merge base ${bad} is new.\nThe property has changed ${between}`
        : `The merge base ${bad} is ${badTerm}.\nThis means the first '${goodTerm}' commit is ${between}`,
  )
  return 'bad-merge-base'
}

async function halve(context: GitContext, repository: Repository, terms: Terms, marks: BadMarks): Promise<BisectEnd> {
  const { out } = context
  const words = unquotedArguments((await readGitFile(repository, 'BISECT_NAMES')) ?? '')
  const choice = await chooseNext(repository, marks, {
    specs: pathspecsOf(words[0] === '--' ? words.slice(1) : words, '', repository.root),
    isFirstParent: (await readGitFile(repository, 'BISECT_FIRST_PARENT')) !== undefined,
  })
  const { oid, all, reached, tried } = choice
  if (oid === undefined) {
    if (tried.length > 0) return onlySkipped(context, terms, tried)
    out.write(`${marks.bad} was both ${terms.good} and ${terms.bad}\n`)
    return 'failed'
  }
  if (all === 0) {
    context.err.write('No testable commit found.\nMaybe you started with bad path arguments?\n')
    return 'nothing-to-test'
  }
  if (oid === marks.bad) {
    if (tried.length > 0) return onlySkipped(context, terms, [...tried, marks.bad])
    return found(context, repository, terms, oid)
  }
  const [left, steps] = [all - reached - 1, stepsLeft(all)]
  out.write(
    `Bisecting: ${left} revision${left === 1 ? '' : 's'} left to test after this (roughly ${steps} step${steps === 1 ? '' : 's'})\n`,
  )
  return goTo(context, oid)
}

async function onlySkipped(context: GitContext, terms: Terms, candidates: readonly string[]): Promise<BisectEnd> {
  context.out.write(
    `There are only 'skip'ped commits left to test.\nThe first ${terms.bad} commit could be any of:\n${candidates.map((oid) => `${oid}\n`).join('')}We cannot bisect more!\n`,
  )
  await change(context, 'bisect', async (repository) => {
    const { bad, good } = await readMarks(repository, terms)
    await appendLog(repository, '# only skipped commits left to test\n')
    const walk = { order: 'date', isFirstParent: false, rewritesParents: false, isFullHistory: false } as const
    for await (const { oid } of walkCommits(repository, { ...walk, include: bad ? [bad] : [], exclude: good }))
      await appendLog(repository, `# possible first ${terms.bad} commit: ${await named(repository, oid)}\n`)
  })
  return 'only-skipped'
}

async function found(context: GitContext, repository: Repository, terms: Terms, oid: string): Promise<BisectEnd> {
  context.out.write(`${oid} is the first ${terms.bad} commit\n`)
  const { parents } = await repository.objects.readCommit(oid)
  const shown = ['--format=medium', '--no-decorate', '--date=default', '--no-abbrev-commit', '--stat', '--summary']
  if (parents.length > 0) await show(context, [...shown, '--cc', oid, '--'])
  await change(context, 'bisect', async (changed) =>
    appendLog(changed, `# first ${terms.bad} commit: ${await named(changed, oid)}\n`),
  )
  return 'found'
}

/** Checks out the commit that is to be tested, or only says which one it is. */
export async function goTo(context: GitContext, oid: string): Promise<BisectEnd> {
  const isOnlyNamed = await isWithoutCheckout(await open(context))
  await change(context, 'bisect', async (repository) => {
    await writeGitFile(repository, 'BISECT_EXPECTED_REV', `${oid}\n`)
    if (isOnlyNamed) await writeGitFile(repository, 'BISECT_HEAD', `${oid}\n`)
  })
  if (!isOnlyNamed && !(await checkOut(context, ['-q', oid, '--']))) return 'failed'
  context.out.write(`${await named(await open(context), oid)}\n`)
  return 'done'
}

/** Runs `git checkout` in between; what it says when it fails is printed. */
export async function checkOut(context: GitContext, args: readonly string[]): Promise<boolean> {
  printNow(context, [])
  try {
    return (await checkout({ ...context, command: 'checkout' }, args)) === 0
  } catch (error) {
    return reportError(context.err, error) === 0
  }
}
