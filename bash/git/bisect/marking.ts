/** Marks commits as good, bad or skipped, and repeats what a log says. */
import { isRefName } from '../../../src/git/refs/ref-name.js'
import { type Repository, readGitFile } from '../../../src/git/repository.js'
import { change, type GitContext, open, readIfThere } from '../context.js'
import { failure, fatal, GitError } from '../git-error.js'
import { walkCommits } from '../history/walk.js'
import { typeOf } from '../objects.js'
import { commitOf, findObject, rangeOf } from '../revisions.js'
import { goOn } from './next.js'
import { resetBisection, startBisection } from './start.js'
import {
  type BisectEnd,
  mark,
  needsStart,
  readTerms,
  removeFile,
  startOf,
  type Terms,
  termsFor,
  unquotedArguments,
  usualTerms,
} from './state.js'

export async function markCommits(context: GitContext, state: string, names: readonly string[]): Promise<BisectEnd> {
  if ((await startOf(await open(context))) === undefined) throw needsStart()
  const terms = await change(context, 'bisect', (repository) => termsFor(repository, state, isRefName))
  if (state !== terms.good && state !== terms.bad && state !== 'skip') return 'failed'
  if (names.length > 1 && state === terms.bad) throw failure(`'git bisect ${terms.bad}' can take only one argument.`)
  await change(context, 'bisect', async (repository) => {
    const expected = await readGitFile(repository, 'BISECT_EXPECTED_REV')
    const commits = await commitsOf(context, repository, names)
    for (const oid of commits) await mark(repository, terms, { state, oid, isLogged: true })
    if (expected === undefined || commits.every((oid) => oid === expected)) return
    await removeFile(repository, 'BISECT_ANCESTORS_OK')
    await removeFile(repository, 'BISECT_EXPECTED_REV')
  })
  return goOn(context, terms)
}

async function commitsOf(context: GitContext, repository: Repository, names: readonly string[]): Promise<string[]> {
  const tested = (await readGitFile(repository, 'BISECT_HEAD')) === undefined ? 'HEAD' : 'BISECT_HEAD'
  const commits: string[] = []
  for (const name of names.length === 0 ? [tested] : names) {
    const found = await findObject(repository, name).catch(() => undefined)
    if (found === undefined) throw failure(`Bad rev input: ${name}`)
    const commit = await commitOf(repository, found.oid).catch(() => undefined)
    if (commit === undefined) {
      const type = await typeOf(repository, found.oid)
      if (type !== undefined) context.err.write(`error: object ${found.oid} is a ${type}, not a commit\n`)
      throw fatal(`Bad rev input (not a commit): ${name}`)
    }
    commits.push(commit)
  }
  return commits
}

export async function skipCommits(context: GitContext, names: readonly string[]): Promise<BisectEnd> {
  const repository = await open(context)
  const expanded: string[] = []
  for (const name of names) {
    if (!name.includes('..')) {
      expanded.push(name)
      continue
    }
    const range = await rangeOf(repository, name)
    if (range === undefined) throw fatal(`bad revision '${name}'`)
    const walk = { order: 'date', isFirstParent: false, rewritesParents: false, isFullHistory: false } as const
    for await (const { oid } of walkCommits(repository, { ...walk, ...range })) expanded.push(oid)
  }
  return markCommits(context, 'skip', expanded)
}

export async function printTerms(context: GitContext, option: string | undefined): Promise<void> {
  const terms = await readTerms(await open(context))
  if (terms === undefined) throw failure('no terms defined')
  const { out } = context
  if (option === undefined)
    out.write(`Your current terms are ${terms.good} for the old state\nand ${terms.bad} for the new state.\n`)
  else if (option === '--term-good' || option === '--term-old') out.write(`${terms.good}\n`)
  else if (option === '--term-bad' || option === '--term-new') out.write(`${terms.bad}\n`)
  else
    throw failure(
      `invalid argument ${option} for 'git bisect terms'.\nSupported options are: --term-good|--term-old and --term-bad|--term-new.`,
    )
}

export async function replay(context: GitContext, file: string): Promise<BisectEnd> {
  const repository = await open(context)
  const path = context.path(file.startsWith('/') ? file : `${context.shown(repository.root)}/${file}`)
  const text = await readIfThere(context, path)
  if (!text) throw failure(`cannot read file '${file}' for replaying`)
  await resetBisection(context, undefined)
  for (const line of text.split(/\r?\n/)) if (!(await replayLine(context, line))) return 'failed'
  return goOn(context, (await readTerms(await open(context))) ?? usualTerms)
}

async function replayLine(context: GitContext, line: string): Promise<boolean> {
  const [, word = '', rest = ''] = /^[ \t]*git[ -]bisect[ \t]+([^ \t]*)[ \t]*(.*)$/s.exec(line) ?? []
  if (word === '') return true
  const terms: Terms = await change(context, 'bisect', (repository) => termsFor(repository, word, isRefName))
  if (word === 'start') return (await startBisection(context, unquotedArguments(rest))) === 'done'
  if (word === terms.good || word === terms.bad || word === 'skip') {
    await change(context, 'bisect', async (repository) => {
      const found = await findObject(repository, rest).catch(() => undefined)
      if (found === undefined) throw failure(`couldn't get the oid of the rev '${rest}'`)
      await mark(repository, terms, { state: word, oid: found.oid, isLogged: true })
    })
    return true
  }
  if (word !== 'terms') throw new GitError(`error: '${word}'?? what are you talking about?`, 1)
  await printTerms(context, unquotedArguments(rest)[0])
  return true
}
