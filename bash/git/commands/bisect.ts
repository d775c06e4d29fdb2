/** `git bisect`. */
import { readGitFile } from '../../../src/git/repository.js'
import { markCommits, printTerms, replay, skipCommits } from '../bisect/marking.js'
import { next } from '../bisect/next.js'
import { goOnRunning, runBisection } from '../bisect/run.js'
import { resetBisection, startBisection } from '../bisect/start.js'
import { exitCodes, isReady, readLog, readMarks, readTerms, unquotedArguments, usualTerms } from '../bisect/state.js'
import { type GitContext, open, prefixOf } from '../context.js'
import { failure, fatal, GitError } from '../git-error.js'
import { log } from './log.js'

export async function bisect(context: GitContext, args: readonly string[]): Promise<number> {
  const [command, ...rest] = args
  if (context.ran !== undefined) return goOnRunning(context, context.ran)
  if (command === 'help' || command === '-h') {
    context.out.write(help)
    return 0
  }
  const repository = await open(context)
  if ((await prefixOf(context, repository)) !== '')
    throw new GitError('You need to run this command from the toplevel of the working tree.', 1)
  if (command === undefined) throw new GitError(`usage: git bisect ${usage}`, 1)
  const terms = (await readTerms(repository)) ?? usualTerms
  if (['bad', 'good', 'new', 'old', terms.bad, terms.good].includes(command))
    return exitCodes[await markCommits(context, command, rest)]
  switch (command) {
    case 'start':
      return exitCodes[await startBisection(context, rest)]
    case 'skip':
      return exitCodes[await skipCommits(context, rest)]
    case 'next':
      if (rest.length > 0) throw failure('--bisect-next requires 0 arguments')
      return exitCodes[await next(context, terms)]
    case 'reset':
      if (rest.length > 1) throw failure('--bisect-reset requires either no argument or a commit')
      return (await resetBisection(context, rest[0])) ? 0 : 1
    case 'terms':
      if (rest.length > 1) throw failure('--bisect-terms requires 0 or 1 argument')
      await printTerms(context, rest[0])
      return 0
    case 'log': {
      if (rest.length > 0) throw failure('--bisect-log requires 0 arguments')
      const text = await readLog(repository)
      if (text === '') throw failure('We are not bisecting.')
      context.out.write(text)
      return 0
    }
    case 'replay':
      if (rest.length !== 1) throw failure('no logfile given')
      return exitCodes[await replay(context, rest[0] as string)]
    case 'run':
      return runBisection(context, rest)
    case 'visualize':
    case 'view':
      return visualize(context, rest)
    default:
      throw new GitError(`error: unknown subcommand: \`${command}'\nusage: git bisect ${usage}`, 129)
  }
}

/** The log of what is left. */
async function visualize(context: GitContext, args: readonly string[]): Promise<number> {
  const repository = await open(context)
  const terms = (await readTerms(repository)) ?? usualTerms
  if (!(await isReady(context, repository, terms, undefined))) return 1
  const [first] = args
  const name = first === undefined || first.startsWith('-') ? 'log' : first
  if (name !== 'log') throw fatal(`'git bisect visualize ${first}' is not supported by this git`)
  const { bad, good } = await readMarks(repository, terms)
  const options = first === 'log' ? args.slice(1) : args
  const names = unquotedArguments((await readGitFile(repository, 'BISECT_NAMES')) ?? '')
  const paths = names[0] === '--' ? names.slice(1) : names
  return log(context, [...options, bad as string, ...good.map((oid) => `^${oid}`), '--', ...paths])
}

const usage = '[help|start|bad|good|new|old|terms|skip|next|reset|visualize|view|replay|log|run]'

const help = `usage: git bisect ${usage}

git bisect help
	print this long help message.
git bisect start [--term-{new,bad}=<term> --term-{old,good}=<term>]
		 [--no-checkout] [--first-parent] [<bad> [<good>...]] [--] [<pathspec>...]
	reset bisect state and start bisection.
git bisect (bad|new) [<rev>]
	mark <rev> a known-bad revision/
		a revision after change in a given property.
git bisect (good|old) [<rev>...]
	mark <rev>... known-good revisions/
		revisions before change in a given property.
git bisect terms [--term-good | --term-bad]
	show the terms used for old and new commits (default: bad, good)
git bisect skip [(<rev>|<range>)...]
	mark <rev>... untestable revisions.
git bisect next
	find next bisection to test and check it out.
git bisect reset [<commit>]
	finish bisection search and go back to commit.
git bisect (visualize|view)
	show bisect status in gitk.
git bisect replay <logfile>
	replay bisection log.
git bisect log
	show bisect log.
git bisect run <cmd>...
	use <cmd>... to automatically bisect.

Please use "git help bisect" to get the full man page.
`
