/** `git bisect start` and `git bisect reset`. */
import { isRefName } from '../../../src/git/refs/ref-name.js'
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import { writeGitFile } from '../commands/merge.js'
import { change, type GitContext, open } from '../context.js'
import { failure, fatal } from '../git-error.js'
import { findCommit } from '../revisions.js'
import { checkOut, goOn } from './next.js'
import {
  appendLog,
  type BisectEnd,
  clearBisection,
  exitCodes,
  isWithoutCheckout,
  mark,
  quotedArguments,
  startOf,
  type Terms,
  usualTerms,
  writeTerms,
} from './state.js'

interface StartArguments {
  terms: Terms
  hasTerms: boolean
  isWithoutCheckout: boolean
  isFirstParent: boolean
  /** The bad one, then good ones. */
  commits: string[]
  /** With the `--` before them. */
  paths: readonly string[]
}

export async function startBisection(context: GitContext, args: readonly string[]): Promise<BisectEnd> {
  const repository = await open(context)
  const given = await parseStart(repository, args)
  const from = await whereFrom(context, repository, given)
  await change(context, 'bisect', async (changed) => {
    await clearBisection(changed)
    await writeGitFile(changed, 'BISECT_START', `${from}\n`)
    if (given.isFirstParent) await writeGitFile(changed, 'BISECT_FIRST_PARENT', '\n')
    if (given.isWithoutCheckout) {
      const oid = await findCommit(changed, from)
      if (oid === undefined) throw failure(`invalid ref: '${from}'`)
      await writeGitFile(changed, 'BISECT_HEAD', `${oid}\n`)
    }
    await writeGitFile(changed, 'BISECT_NAMES', `${quotedArguments(given.paths)}\n`)
    for (const [i, oid] of given.commits.entries())
      await mark(changed, given.terms, { state: i === 0 ? given.terms.bad : given.terms.good, oid, isLogged: false })
  })
  // What was written so far stays when the terms are refused.
  await change(context, 'bisect', async (changed) => {
    if (given.hasTerms || given.commits.length > 0) await writeTerms(changed, given.terms, isRefName)
    await appendLog(changed, `git bisect start${quotedArguments(args)}\n`)
  })
  return orClear(context, () => goOn(context, given.terms))
}

/** A bisection that fails as it starts leaves nothing. */
async function orClear(context: GitContext, body: () => Promise<BisectEnd>): Promise<BisectEnd> {
  const clear = () => change(context, 'bisect', clearBisection)
  try {
    const end = await body()
    if (exitCodes[end] !== 0) await clear()
    return end
  } catch (error) {
    await clear()
    throw error
  }
}

async function parseStart(repository: Repository, args: readonly string[]): Promise<StartArguments> {
  const given = {
    terms: { ...usualTerms },
    hasTerms: false,
    isWithoutCheckout: repository.isBare,
    isFirstParent: false,
    commits: [] as string[],
  }
  let index = 0
  for (; index < args.length; index += 1) {
    const arg = args[index] as string
    const [, side, equals, value] = /^--term-(good|old|bad|new)(?:(=)(.*))?$/s.exec(arg) ?? []
    if (arg === '--') break
    if (arg === '--no-checkout') given.isWithoutCheckout = true
    else if (arg === '--first-parent') given.isFirstParent = true
    else if (side !== undefined) {
      const term = equals === undefined ? args[(index += 1)] : value
      if (term === undefined) throw failure("'' is not a valid term")
      given.terms[side === 'good' || side === 'old' ? 'good' : 'bad'] = term
      given.hasTerms = true
    } else if (arg.startsWith('--')) throw failure(`unrecognized option: '${arg}'`)
    else {
      const oid = await findCommit(repository, arg).catch(() => undefined)
      if (oid !== undefined) given.commits.push(oid)
      else if (args.includes('--')) throw fatal(`'${arg}' does not appear to be a valid revision`)
      else break
    }
  }
  // A path alone at the end is not taken down.
  return { ...given, paths: index < args.length - 1 ? args.slice(index) : [] }
}

/** The branch or commit to return to in the end. */
async function whereFrom(
  context: GitContext,
  repository: Repository,
  { isWithoutCheckout: staysPut }: StartArguments,
): Promise<string> {
  const known = await startOf(repository)
  if (known !== undefined) {
    if (!staysPut && !(await checkOut(context, [known, '--'])))
      throw failure(`checking out '${known}' failed. Try 'git bisect start <valid-branch>'.`)
    return known
  }
  const head = await readHead(repository)
  if (head.oid === undefined)
    throw failure(head.branch === undefined ? 'bad HEAD - I need a HEAD' : 'bad HEAD - strange symbolic ref')
  return head.branch ?? head.oid
}

export async function resetBisection(context: GitContext, to: string | undefined): Promise<boolean> {
  const repository = await open(context)
  const target = to ?? (await startOf(repository))
  if (target === undefined) {
    context.out.write('We are not bisecting.\n')
    return true
  }
  if (to !== undefined && (await findCommit(repository, to).catch(() => undefined)) === undefined)
    throw failure(`'${to}' is not a valid commit`)
  if (!(await isWithoutCheckout(repository)) && !(await checkOut(context, [target, '--'])))
    throw failure(`could not check out original HEAD '${target}'. Try 'git bisect reset <commit>'.`)
  await change(context, 'bisect', clearBisection)
  return true
}
