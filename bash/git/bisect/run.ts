/** `git bisect run`: a command of the shell says which commits are good. */
import { join } from '../../../src/fs/path.js'
import type { Bytes } from '../../../src/fs/types.js'
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import { joinBytes } from '../../../src/text/join-bytes.js'
import type { Ran } from '../../io/host-programs.js'
import { change, createText, type GitContext, open } from '../context.js'
import { failure, GitError, NeedsShell } from '../git-error.js'
import { printNow } from '../merge/print-now.js'
import { markCommits } from './marking.js'
import { goTo } from './next.js'
import {
  type BisectEnd,
  exitCodes,
  isReady,
  isWithoutCheckout,
  quotedArguments,
  readMarks,
  readTerms,
  usualTerms,
} from './state.js'

/** What is being run. A command that can't be run is tried on a good commit, to see whether it is the command's fault. */
type Phase =
  | { for: 'test'; command: string; isFirst: boolean }
  | { for: 'verify'; command: string; status: number; current: string }

export async function runBisection(context: GitContext, args: readonly string[]): Promise<number> {
  if (args.length === 0) throw failure('bisect run failed: no command provided.')
  const repository = await open(context)
  const terms = (await readTerms(repository)) ?? usualTerms
  if (!(await isReady(context, repository, terms, undefined))) return 1
  return runCommand(context, repository, { for: 'test', command: quotedArguments(args), isFirst: true })
}

export async function goOnRunning(context: GitContext, ran: Ran): Promise<number> {
  const phase: Phase = JSON.parse(ran.phase)
  const { command } = phase
  if (phase.for === 'verify') return afterVerifying(context, phase, ran.status)
  if (phase.isFirst && (ran.status === 126 || ran.status === 127)) return verify(context, command, ran.status)
  return judge(context, command, ran.status)
}

function runCommand(context: GitContext, repository: Repository, phase: Phase): never {
  printNow(context, [`running ${phase.command}`])
  throw new NeedsShell({ line: phase.command, cwd: repository.root, phase: JSON.stringify(phase) })
}

async function verify(context: GitContext, command: string, status: number): Promise<number> {
  const repository = await open(context)
  const terms = (await readTerms(repository)) ?? usualTerms
  const [good] = (await readMarks(repository, terms)).good
  const current = await tested(repository)
  if (good === undefined || current === undefined || (await goTo(context, good)) !== 'done')
    throw failure(`unable to verify '${command}' on good revision`)
  return runCommand(context, repository, { for: 'verify', command, status, current })
}

async function tested(repository: Repository): Promise<string | undefined> {
  if (await isWithoutCheckout(repository)) return (await repository.refs.resolve('BISECT_HEAD')).oid
  return (await readHead(repository)).oid
}

async function afterVerifying(
  context: GitContext,
  { command, status, current }: Extract<Phase, { for: 'verify' }>,
  onGood: number,
): Promise<number> {
  if ((await goTo(context, current)) !== 'done') throw failure(`unable to verify '${command}' on good revision`)
  if (onGood === status) throw failure(`bogus exit code ${onGood} for good revision`)
  return judge(context, command, status)
}

/** Marks the commit by how the command ended, and runs it again for the next one. */
async function judge(context: GitContext, command: string, status: number): Promise<number> {
  const repository = await open(context)
  const terms = (await readTerms(repository)) ?? usualTerms
  if (status >= 128) {
    context.err.write(`error: bisect run failed: exit code ${status} from '${command}' is < 0 or >= 128\n`)
    return (256 - status) & 255
  }
  const state = status === 125 ? 'skip' : status === 0 ? terms.good : terms.bad
  const end = await markAside(context, state)
  if (end === 'done') return runCommand(context, await open(context), { for: 'test', command, isFirst: false })
  return atEnd(context, state, end)
}

/** Marks the tested commit. What that prints is kept in a file too, as git does. */
async function markAside(context: GitContext, state: string): Promise<BisectEnd> {
  const pieces: Bytes[] = []
  const aside = createText((bytes) => pieces.push(bytes))
  let end: BisectEnd
  try {
    end = await markCommits({ ...context, out: aside }, state, [])
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode !== 1) throw error
    context.err.write(`${error.message}\n`)
    end = 'failed'
  }
  aside.flush()
  const bytes = joinBytes(pieces)
  await change(context, 'bisect', (repository) =>
    repository.staged.write(join(repository.gitDirectory, 'BISECT_RUN'), bytes),
  )
  context.out.writeBytes(bytes)
  printNow(context, [])
  return end
}

function atEnd(context: GitContext, state: string, end: BisectEnd): number {
  if (end === 'found') context.out.write('bisect found first bad commit')
  else if (end === 'merge-base') context.out.write('bisect run success')
  else if (end === 'only-skipped') context.err.write('error: bisect run cannot continue any more\n')
  else
    context.err.write(
      `error: bisect run failed: 'git bisect--helper --bisect-state ${state}' exited with error code -${exitCodes[end]}\n`,
    )
  return exitCodes[end]
}
