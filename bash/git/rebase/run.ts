/** Runs the steps of a rebase, until they are done, it stops, or the shell has something to run. */
import type { Draft } from '../../../src/change/draft.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { headFiles } from '../../../src/git/commands/status.js'
import { mergeTrees, treeOfFiles } from '../../../src/git/merge/merge-trees.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import type { Repository } from '../../../src/git/repository.js'
import { printCommitted } from '../commands/commit.js'
import { writeGitFile } from '../commands/merge.js'
import { type GitContext, identity } from '../context.js'
import { fatal } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { applyMerge } from '../merge/apply-merge.js'
import { printNow } from '../merge/print-now.js'
import { abbreviate } from '../objects.js'
import { appendReflog, firstLine } from '../reflog.js'
import { type Melded, meld } from './melded-message.js'
import { clearState, type RebaseState, saveState } from './state.js'
import { isMelded, type Step, stepLines } from './steps.js'

/** What the shell has to do before the rebase goes on. Everything so far is written down. */
export type Wait =
  | { for: 'exec'; line: string }
  /** The message of `HEAD`. */
  | { for: 'reword'; step: Step; isFastForward: boolean }
  /** The message of what is in the index and of `HEAD` together. */
  | { for: 'meld'; step: Step }
  /** What to do with a commit that has become empty is for the user to say. */
  | { for: 'empty'; step: Step }

export type Outcome = number | Wait

export interface Running extends RebaseState {
  /** The tree that is checked out. */
  from: string | undefined
  tip: string
  /** Commits that need no change are kept as they are. */
  keepsOld: boolean
}

interface Place {
  context: GitContext
  repository: Repository
  draft: Draft
}

const hints = `hint: Resolve all conflicts manually, mark them as resolved with
hint: "git add/rm <conflicted_files>", then run "git rebase --continue".
hint: You can instead skip this commit: run "git rebase --skip".
hint: To abort and get back to the state before "git rebase", run "git rebase --abort".
`

export async function runSteps(place: Place, begun: Running): Promise<Outcome> {
  const { context, repository } = place
  let state = begun
  for (let step = state.todo[0]; step !== undefined; step = state.todo[0]) {
    const line = (await stepLines(repository, [step])).trimEnd()
    state = { ...state, todo: state.todo.slice(1), done: [...state.done, line] }
    const count = `${state.done.length}/${state.done.length + state.todo.length}`
    if (!state.isQuiet) context.err.write(`Rebasing (${count})\r`)
    if (step.command === 'break') return atBreak(place, state)
    if (step.command === 'exec') return beforeCommand(place, state, step.text)
    if (step.command === 'drop' || step.command === 'noop') continue
    const next = await pick(place, state, step)
    if (typeof next === 'number' || 'for' in next) return next
    state = next
  }
  return finish(place, state)
}

async function atBreak(place: Place, state: Running): Promise<number> {
  const { context, repository } = place
  await settle(place, state)
  const { message } = await repository.objects.readCommit(state.tip)
  clearLine(context)
  context.err.write(`Stopped at ${await abbreviate(repository, state.tip)} (${subjectOf(message)})\n`)
  return 0
}

async function beforeCommand(place: Place, state: Running, line: string): Promise<Wait> {
  await settle(place, state)
  clearLine(place.context)
  place.context.err.write(`Executing: ${line}\n`)
  return { for: 'exec', line }
}

/** Brings files, index and `HEAD` to where the rebase is, and writes it down. */
async function settle(place: Place, state: Running, how: Parameters<typeof saveState>[2] = {}): Promise<void> {
  const { repository } = place
  await checkOut(place, state, await headFiles(repository, state.tip))
  await repository.refs.detach('HEAD', state.tip)
  await saveState(repository, state, how)
}

async function checkOut(
  { repository, draft }: Place,
  { from }: Running,
  next: Awaited<ReturnType<typeof headFiles>>,
): Promise<void> {
  const old = from === undefined ? new Map() : await repository.objects.flatten(from)
  await moveFiles(repository, draft, { old, next }, false)
}

async function pick(place: Place, state: Running, step: Step): Promise<Running | Outcome> {
  const { context, repository } = place
  const { command, oid } = step
  const commit = await repository.objects.readCommit(oid)
  if (commit.parents.length > 1) throw fatal(`a step with the merge ${oid} is not supported by this git`)
  const isFirst = state.tip === state.root
  if (isFirst && isMelded(step)) throw fatal(`a ${command} of the first commit is not supported by this git`)
  const [parent] = commit.parents
  if (state.keepsOld && !isMelded(step) && (isFirst ? parent === undefined : parent === state.tip)) {
    await log(repository, { before: state.tip, after: oid, by: committerOf(place), message: 'rebase: fast-forward' })
    return picked(place, { ...state, tip: oid }, step, commit, true)
  }
  const tip = await repository.objects.readCommit(state.tip)
  const parentTree = parent === undefined ? undefined : (await repository.objects.readCommit(parent)).tree
  const [short, subject] = [await abbreviate(repository, oid), subjectOf(commit.message)]
  const merged = await mergeTrees(repository, {
    base: parentTree,
    ours: tip.tree,
    theirs: commit.tree,
    labels: { ours: 'HEAD', base: `parent of ${short} (${subject})`, theirs: `${short} (${subject})` },
    ...(state.favor && { favor: state.favor }),
  })
  const melded = isMelded(step) ? meld(state.melded, tip.message, step, commit.message) : undefined
  if (merged.conflicts.length > 0) {
    printNow(context, merged.messages)
    await repository.refs.detach('HEAD', state.tip)
    await applyMerge(repository, place.draft, state.from, merged, 'rebase')
    const conflicts = merged.conflicts.map(({ path }) => path)
    const message = melded?.text ?? commit.message
    const stopped = { commit, message, conflicts, ...(melded && { amends: state.tip }) }
    await saveState(repository, { ...state, melded: melded ?? state.melded }, { stopped })
    context.err.write(
      `error: could not apply ${short}... ${subject}\n${hints}Could not apply ${short}... ${step.text}\n`,
    )
    return 1
  }
  const tree = await treeOfFiles(repository, merged.files)
  if (melded !== undefined) return melt(place, state, { step, commit, tree, melded, head: tip })
  if (tree === tip.tree && commit.tree !== parentTree && state.empty !== 'keep') {
    if (state.empty === 'stop') return atEmpty(place, state, step, commit)
    context.err.write(`dropping ${oid} ${subject} -- patch contents already upstream\n`)
    return state
  }
  const committer = committerOf(place)
  const made = {
    tree,
    parents: isFirst ? [] : [state.tip],
    author: commit.author,
    committer,
    message: commit.message,
  }
  const after = await commitStep(repository, made, { before: state.tip, action: `rebase (${command})` })
  return picked(place, { ...state, tip: after }, step, commit, false)
}

async function picked(
  place: Place,
  given: Running,
  step: Step,
  commit: Commit,
  isFastForward: boolean,
): Promise<Running | Outcome> {
  const { context, repository } = place
  const state = { ...given, melded: undefined }
  if (step.command === 'reword') {
    await settle(place, state)
    return { for: 'reword', step, isFastForward }
  }
  if (step.command !== 'edit') return state
  await settle(place, state, { stopped: { commit, message: commit.message, amends: state.tip } })
  clearLine(context)
  context.err.write(`Stopped at ${await abbreviate(repository, commit.oid)}...  ${step.text}\n${toAmend}`)
  return 0
}

export const toAmend = `You can amend the commit now, with

  git commit --amend 

Once you are satisfied with your changes, run

  git rebase --continue
`

/** Makes one commit of two. */
async function melt(
  place: Place,
  state: Running,
  { step, tree, melded, head }: { step: Step; commit: Commit; tree: string; melded: Melded; head: Commit },
): Promise<Running | Outcome> {
  const { repository } = place
  const [parent] = head.parents
  if (parent !== undefined && (await repository.objects.readCommit(parent)).tree === tree)
    throw fatal(`a ${step.command} that leaves nothing of a commit is not supported by this git`)
  const isLast = !isMelded(state.todo[0])
  if (isLast && melded.kept === undefined) {
    const next = { ...state, melded }
    await checkOut(place, next, await repository.objects.flatten(tree))
    await repository.refs.detach('HEAD', state.tip)
    await saveState(repository, next, { needsMessage: true })
    return { for: 'meld', step }
  }
  const message = isLast ? (melded.kept as string) : melded.text
  const made = { ...head, tree, committer: committerOf(place), message }
  const tip = await commitStep(repository, made, { before: state.tip, action: `rebase (${step.command})` })
  return { ...state, tip, melded: isLast ? undefined : melded }
}

/** A commit whose changes are there already, in a rebase that was told nothing about such commits. */
async function atEmpty(place: Place, state: Running, step: Step, commit: Commit): Promise<Outcome> {
  const { repository } = place
  await settle(place, state, { stopped: { commit, message: commit.message, conflicts: [] } })
  await writeGitFile(repository, 'CHERRY_PICK_HEAD', `${commit.oid}\n`)
  return { for: 'empty', step }
}

function committerOf({ context, repository }: Pick<Place, 'context' | 'repository'>) {
  return identity(context, repository.config, 'COMMITTER')
}

async function log(repository: Repository, entry: Parameters<typeof appendReflog>[2]): Promise<void> {
  await appendReflog(repository, 'HEAD', entry)
}

/** Writes a commit, and what the reflog says of it. */
export async function commitStep(
  repository: Repository,
  { tree, parents, author, committer, message }: Omit<Commit, 'oid'>,
  { before, action }: { before: string; action: string },
): Promise<string> {
  const after = await repository.objects.writeCommit({ tree, parents, author, committer, message })
  await log(repository, { before, after, by: committer, message: `${action}: ${firstLine(message)}` })
  return after
}

/** What a commit prints in the middle of a rebase. */
export async function printStep(
  context: GitContext,
  repository: Repository,
  commit: Commit,
  showsDate: boolean,
): Promise<void> {
  const text = await printCommitted(context, repository, commit, { showsDate, base: commit.parents[0] })
  printNow(context, [text.replace(/^\[.*?(?= [0-9a-f]+\])/, '[detached HEAD').trimEnd()])
}

/** Where a step counter was. */
function clearLine({ env, err }: GitContext): void {
  const isDumb = env.TERM === undefined || env.TERM === 'dumb'
  err.write(isDumb ? `\r${' '.repeat(Number(env.COLUMNS) || 80)}\r` : '\r\x1b[K')
}

async function finish(place: Place, state: Running): Promise<number> {
  const { context, repository } = place
  const { tip, ref, onto } = state
  const by = committerOf(place)
  await checkOut(place, state, await headFiles(repository, tip))
  if (ref === undefined) await repository.refs.detach('HEAD', tip)
  else {
    const before = (await repository.refs.resolve(ref)).oid ?? ''
    await repository.refs.point('HEAD', ref)
    await repository.refs.write(ref, tip)
    if (before !== tip)
      await appendReflog(repository, ref, { before, after: tip, by, message: `rebase (finish): ${ref} onto ${onto}` })
    await log(repository, { before: tip, after: tip, by, message: `rebase (finish): returning to ${ref}` })
  }
  await clearState(repository)
  if (state.isQuiet) return 0
  clearLine(context)
  context.err.write(`Successfully rebased and updated ${ref ?? 'detached HEAD'}.\n`)
  return 0
}
