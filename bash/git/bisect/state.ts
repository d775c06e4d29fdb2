/** Where a bisection is: the files and refs of `.git` as git has them. */
import { join } from '../../../src/fs/path.js'
import { type Repository, readGitFile } from '../../../src/git/repository.js'
import { writeGitFile } from '../commands/merge.js'
import type { GitContext } from '../context.js'
import { failure, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'

/** What commits with and without the change are called. */
export interface Terms {
  bad: string
  good: string
}

export const usualTerms: Terms = { bad: 'bad', good: 'good' }

/** How a step of a bisection ends. */
export type BisectEnd =
  | 'done'
  | 'found'
  /** A common ancestor has to be tested first. */
  | 'merge-base'
  | 'failed'
  | 'only-skipped'
  | 'bad-merge-base'
  | 'nothing-to-test'

export const exitCodes: Readonly<Record<BisectEnd, number>> = {
  done: 0,
  found: 0,
  'merge-base': 0,
  failed: 1,
  'only-skipped': 2,
  'bad-merge-base': 3,
  'nothing-to-test': 4,
}

export async function readTerms(repository: Repository): Promise<Terms | undefined> {
  const text = await readGitFile(repository, 'BISECT_TERMS')
  if (text === undefined) return undefined
  const [bad = '', good = ''] = text.split('\n')
  return { bad, good }
}

/** The branch or commit that it started from; undefined when there is no bisection. */
export async function startOf(repository: Repository): Promise<string | undefined> {
  return (await readGitFile(repository, 'BISECT_START')) || undefined
}

export interface Marks {
  bad: string | undefined
  good: string[]
  skipped: string[]
}

export async function readMarks(repository: Repository, { bad, good }: Terms): Promise<Marks> {
  const marks: Marks = { bad: undefined, good: [], skipped: [] }
  for (const ref of await repository.refs.list('refs/bisect/')) {
    const { oid } = await repository.refs.resolve(ref)
    const name = ref.slice('refs/bisect/'.length)
    if (oid === undefined) continue
    if (name === bad) marks.bad = oid
    else if (name.startsWith(`${good}-`)) marks.good.push(oid)
    else if (name.startsWith('skip-')) marks.skipped.push(oid)
  }
  return marks
}

/** Nothing is checked out in between: `BISECT_HEAD` says what is to be tested. */
export async function isWithoutCheckout(repository: Repository): Promise<boolean> {
  return (await readGitFile(repository, 'BISECT_HEAD')) !== undefined
}

const files = [
  'BISECT_HEAD',
  'BISECT_EXPECTED_REV',
  'BISECT_ANCESTORS_OK',
  'BISECT_LOG',
  'BISECT_NAMES',
  'BISECT_RUN',
  'BISECT_TERMS',
  'BISECT_FIRST_PARENT',
  'BISECT_START',
]

export async function clearBisection(repository: Repository): Promise<void> {
  const { refs } = repository
  for (const ref of await refs.list('refs/bisect/')) await refs.remove(ref)
  for (const name of files) await removeFile(repository, name)
}

export async function removeFile({ staged, gitDirectory }: Repository, name: string): Promise<void> {
  const path = join(gitDirectory, name)
  if ((await staged.stat(path)) !== undefined) staged.remove(path)
}

export async function appendLog(repository: Repository, text: string): Promise<void> {
  await writeGitFile(repository, 'BISECT_LOG', `${await readLog(repository)}${text}`)
}

export async function readLog({ staged, gitDirectory }: Repository): Promise<string> {
  const path = join(gitDirectory, 'BISECT_LOG')
  if ((await staged.stat(path))?.kind !== 'file') return ''
  return new TextDecoder().decode(await staged.reader(path)())
}

/** `[id] subject`, as in the log. */
export async function named(repository: Repository, oid: string): Promise<string> {
  const { message } = await repository.objects.readCommit(oid)
  return `[${oid}] ${subjectOf(message)}`
}

/** Marks a commit with a term or `skip`, and writes it down. */
export async function mark(
  repository: Repository,
  terms: Terms,
  { state, oid, isLogged }: { state: string; oid: string; isLogged: boolean },
): Promise<void> {
  if (state !== terms.bad && state !== terms.good && state !== 'skip')
    throw failure(`Bad bisect_write argument: ${state}`)
  await repository.refs.write(`refs/bisect/${state === terms.bad ? state : `${state}-${oid}`}`, oid)
  const line = `# ${state}: ${await named(repository, oid)}\n`
  await appendLog(repository, isLogged ? `${line}git bisect ${state} ${oid}\n` : line)
}

const ownWords = 'help start skip next reset visualize view replay log run terms'.split(' ')

export async function writeTerms(
  repository: Repository,
  { bad, good }: Terms,
  isRefName: (name: string) => boolean,
): Promise<void> {
  if (bad === good) throw failure('please use two different terms')
  for (const [term, usual] of [
    [bad, 'bad'],
    [good, 'good'],
  ] as const) {
    if (!isRefName(`refs/bisect/${term}`)) throw failure(`'${term}' is not a valid term`)
    if (ownWords.includes(term)) throw failure(`can't use the builtin command '${term}' as a term`)
    const taken = usual === 'bad' ? ['good', 'old'] : ['bad', 'new']
    if (taken.includes(term)) throw failure(`can't change the meaning of the term '${term}'`)
  }
  await writeGitFile(repository, 'BISECT_TERMS', `${bad}\n${good}\n`)
}

/** The terms that a command is of; those of the bisection under way, or the ones that it begins with. */
export async function termsFor(
  repository: Repository,
  command: string,
  isRefName: (name: string) => boolean,
): Promise<Terms> {
  const known = await readTerms(repository)
  if (['skip', 'start', 'terms'].includes(command)) return known ?? usualTerms
  if (known !== undefined) {
    if (command === known.bad || command === known.good) return known
    throw failure(`Invalid command: you're currently in a ${known.bad}/${known.good} bisect`)
  }
  const begun = command === 'new' || command === 'old' ? { bad: 'new', good: 'old' } : usualTerms
  if (['bad', 'good', 'new', 'old'].includes(command)) await writeTerms(repository, begun, isRefName)
  return begun
}

/** Whether a commit of each kind is known. `state` is the one that is marked now, and decides what to say. */
export async function isReady(
  context: GitContext,
  repository: Repository,
  terms: Terms,
  state: string | undefined,
): Promise<boolean> {
  const { bad, good } = await readMarks(repository, terms)
  if (bad !== undefined && good.length > 0) return true
  if (state === undefined) return false
  if (bad !== undefined && state === terms.good) {
    context.err.write(`warning: bisecting only with a ${terms.bad} commit\n`)
    return true
  }
  const lacking = (first: string, second: string) =>
    `You can use "git bisect ${first}" and "git bisect ${second}" for that.`
  throw failure(
    (await startOf(repository)) === undefined
      ? `You need to start by "git bisect start".\nYou then need to give me at least one good|old and bad|new revision.\n${lacking('good|old', 'bad|new')}`
      : `You need to give me at least one bad|new and good|old revision.\n${lacking('bad|new', 'good|old')}`,
  )
}

export function needsStart(): GitError {
  return new GitError('You need to start by "git bisect start"\n', 1)
}

/** Arguments as git writes them down: each in quotes, with a space before it. */
export function quotedArguments(args: readonly string[]): string {
  return args.map((arg) => ` '${arg.replaceAll(/['!]/g, (sign) => `'\\${sign}'`)}'`).join('')
}

export function unquotedArguments(text: string): string[] {
  return [...text.matchAll(/'(?:[^']|'\\['!]')*'/g)].map(([quoted]) =>
    quoted.slice(1, -1).replaceAll(/'\\(['!])'/g, '$1'),
  )
}
