/** Goes on with a rebase that has stopped, or ends it. */
import type { Draft } from '../../../src/change/draft.js'
import { moveFiles } from '../../../src/git/commands/checkout.js'
import { conflictsIn, headFiles } from '../../../src/git/commands/status.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { readHead } from '../../../src/git/refs/refs.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import type { Ran } from '../../io/host-programs.js'
import { cleanMessage, template } from '../commands/commit.js'
import { show } from '../commands/log.js'
import { longStatus, readStatus } from '../commands/status.js'
import { change, type GitContext, identity, open } from '../context.js'
import { indexPairs, workTreePairs } from '../diff/pairs.js'
import { editMessageAndGoOn, editSteps, failedEditor } from '../editor.js'
import { failure, fatal, GitError, NeedsShell } from '../git-error.js'
import { abbreviate } from '../objects.js'
import { moveHead } from '../reflog.js'
import { commitStep, type Outcome, printStep, type Running, runSteps, toAmend, type Wait } from './run.js'
import { clearState, noRebase, readState, type SavedState, saveState } from './state.js'
import { howToGoOn, isMelded, readSteps, restToEdit, type Step, stepLines } from './steps.js'

/** A message that is edited in the middle of a rebase. */
type Editing =
  | Extract<Wait, { for: 'reword' | 'meld' }>
  /** Of what was staged where the rebase stopped. */
  | { for: 'continue'; amends: boolean }

/** Has the shell do what a rebase waits for. */
export async function waitFor(context: GitContext, given: Outcome | Editing): Promise<number> {
  let outcome = given
  while (typeof outcome !== 'number') {
    const repository = await open(context)
    if (outcome.for === 'exec')
      throw new NeedsShell({ line: outcome.line, cwd: repository.root, phase: JSON.stringify(outcome) })
    if (outcome.for === 'empty') return askAboutEmpty(context, repository, outcome.step)
    outcome = await edited(context, repository, outcome)
  }
  return outcome
}

/** The shell has done it. */
export async function goOnAfter(context: GitContext, ran: Ran): Promise<number> {
  const wait: Extract<Wait, { for: 'exec' }> | Editing = JSON.parse(ran.phase)
  if (wait.for === 'exec') return waitFor(context, await afterCommand(context, wait.line, ran.status))
  if (ran.status === 0) return waitFor(context, await withMessage(context, wait, ran.text))
  return failed(context, wait, await failedEditor(context, (await open(context)).config))
}

async function askAboutEmpty(context: GitContext, repository: Repository, step: Step): Promise<number> {
  context.err.write(
    "The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git rebase --skip'\n",
  )
  context.err.flush()
  context.out.write(longStatus(await readStatus(context, repository)))
  context.out.flush()
  context.err.write(`Could not apply ${await abbreviate(repository, step.oid)}... ${step.text}\n`)
  return 1
}

async function edited(context: GitContext, repository: Repository, editing: Editing): Promise<Outcome> {
  const { state } = await readState(repository)
  const head = await headCommit(repository)
  const isAmended = editing.for === 'reword' || editing.for === 'meld' || editing.amends
  const text =
    editing.for === 'reword'
      ? head.message
      : editing.for === 'meld'
        ? (state.melded?.text ?? '')
        : (state.message ?? head.message)
  try {
    const shown = await template(context, repository, text, isAmended ? head : undefined)
    const message = await editMessageAndGoOn(context, repository.config, shown, JSON.stringify(editing))
    return await withMessage(context, editing, message)
  } catch (error) {
    if (error instanceof GitError) return failed(context, editing, error)
    throw error
  }
}

async function headCommit(repository: Repository): Promise<Commit> {
  const { oid } = await readHead(repository)
  if (oid === undefined) throw fatal('Cannot read HEAD')
  return repository.objects.readCommit(oid)
}

/** Makes the commit whose message was edited, and goes on. */
async function withMessage(context: GitContext, editing: Editing, text: string): Promise<Outcome> {
  const message = cleanMessage(text, true)
  if (message === '') return failed(context, editing, new GitError('Aborting commit due to empty commit message.', 1))
  return change(context, 'rebase', async (repository, draft) => {
    const { state } = await readState(repository)
    const head = await headCommit(repository)
    const committer = identity(context, repository.config, 'COMMITTER')
    const tree = await repository.objects.writeTree((await readIndex(repository)).entries, head.tree)
    const stopped = state.stopped === undefined ? undefined : await repository.objects.readCommit(state.stopped)
    const amended = editing.for !== 'continue' || editing.amends
    const made = amended
      ? { ...head, tree, committer, message }
      : { tree, parents: [head.oid], author: (stopped ?? head).author, committer, message }
    const action = `rebase (${editing.for === 'continue' ? 'continue' : editing.step.command})`
    const tip = await commitStep(repository, made, { before: head.oid, action })
    await printStep(context, repository, { ...made, oid: tip }, amended)
    return goOn({ context, repository, draft }, { ...state, melded: undefined }, { tree, tip })
  })
}

async function goOn(
  place: { context: GitContext; repository: Repository; draft: Draft },
  state: SavedState,
  { tree, tip }: { tree: string; tip: string },
): Promise<Outcome> {
  const { stopped, amends, message, ...rest } = state
  void [stopped, amends, message]
  const running: Running = { ...rest, from: tree, tip, keepsOld: true }
  return runSteps(place, running)
}

/** Without a message the rebase stops where it is. */
async function failed(context: GitContext, editing: Editing, { message }: GitError): Promise<number> {
  context.err.write(`${message}\n`)
  if (editing.for === 'continue') throw failure('could not commit staged changes.')
  const { step } = editing
  await change(context, 'rebase', async (repository) => {
    const { state } = await readState(repository)
    const [head, commit] = [await headCommit(repository), await repository.objects.readCommit(step.oid)]
    const isAmended = editing.for === 'meld' || editing.isFastForward
    const stopped = {
      commit,
      message: (editing.for === 'meld' ? state.melded?.text : undefined) ?? commit.message,
      ...(isAmended && { amends: head.oid }),
    }
    await saveState(repository, state, { stopped, needsMessage: editing.for === 'meld' })
    context.err.write(
      editing.for === 'reword' && isAmended
        ? toAmend
        : `Could not apply ${await abbreviate(repository, commit.oid)}... ${step.text}\n`,
    )
  })
  return 1
}

async function afterCommand(context: GitContext, line: string, status: number): Promise<Outcome> {
  return change(context, 'rebase', async (repository, draft) => {
    const { state, errors } = await readState(repository)
    if (errors.length > 0) throw unreadable(errors)
    const head = await headCommit(repository)
    const dirt = await dirtOf(repository, head.tree)
    if (status === 0 && dirt === '') {
      const tip = head.oid
      return goOn({ context, repository, draft }, state, { tree: head.tree, tip })
    }
    const what =
      status === 0
        ? `succeeded: ${line}\nbut left changes to the index and/or the working tree\nCommit or stash your changes, and then run\n`
        : `failed: ${line}\n${dirt === '' ? '' : 'and made changes to the index and/or the working tree\n'}You can fix the problem, and then run\n`
    context.err.write(`${dirt}warning: execution ${what}\n  git rebase --continue\n\n\n`)
    return 1
  })
}

async function dirtOf(repository: Repository, tree: string): Promise<string> {
  const isChanged = (await workTreePairs(repository)).length > 0
  const isStaged = (await indexPairs(repository, tree)).length > 0
  return [
    isChanged ? 'error: cannot rebase: You have unstaged changes.\n' : '',
    isStaged
      ? `error: ${isChanged ? 'additionally, your' : 'cannot rebase: Your'} index contains uncommitted changes.\n`
      : '',
  ].join('')
}

const unreadable = (errors: readonly string[]) =>
  new GitError(`${errors.join('\n')}\nerror: please fix this using 'git rebase --edit-todo'.`, 1)

export async function resume(context: GitContext, how: 'continue' | 'skip'): Promise<number> {
  // A step of its own, because the rest looks at the files.
  if (how === 'skip') {
    await change(context, 'rebase', async (repository, draft) => {
      await readState(repository)
      const files = await headFiles(repository, (await readHead(repository)).oid)
      await moveFiles(repository, draft, { old: files, next: files }, true)
    })
  }
  return waitFor(context, await change(context, 'rebase', (repository, draft) => fromStop(context, repository, draft)))
}

async function fromStop(context: GitContext, repository: Repository, draft: Draft): Promise<Outcome | Editing> {
  const { state, errors } = await readState(repository)
  const head = await headCommit(repository)
  const index = await readIndex(repository)
  const conflicted = conflictsIn(index).map(({ path }) => path)
  if (conflicted.length > 0 || (await workTreePairs(repository)).length > 0) {
    for (const path of new Set(conflicted)) context.out.write(`${path}: needs merge\n`)
    context.out.write('You must edit all merge conflicts and then\nmark them as resolved using git add\n')
    return 1
  }
  if (errors.length > 0) throw unreadable(errors)
  const isClean = (await indexPairs(repository, head.tree)).length === 0
  if (!isClean && state.message === undefined) throw unfinished()
  if (!isClean && state.amends !== undefined && state.amends !== head.oid)
    throw failure(
      "\nYou have uncommitted changes in your working tree. Please, commit them\nfirst and then run 'git rebase --continue' again.",
    )
  if (!isClean) return { for: 'continue', amends: state.amends !== undefined }
  const place = { context, repository, draft }
  const melded = meldedSoFar(state, head)
  const { tree, oid: tip } = head
  if (melded !== 'last') return goOn(place, { ...state, melded }, { tree, tip })
  // The last of those that become one was skipped: the message of the others is left.
  if (state.melded?.steps.slice(0, -1).some((step) => step.startsWith('squash ')))
    return { for: 'continue', amends: true }
  const made = {
    ...head,
    committer: identity(context, repository.config, 'COMMITTER'),
    message: cleanMessage(head.message, true),
  }
  const after = await commitStep(repository, made, { before: head.oid, action: 'rebase (continue)' })
  await printStep(context, repository, { ...made, oid: after }, true)
  return goOn(place, { ...state, melded: undefined }, { tree, tip: after })
}

/** What is left of the messages that become one, where a step was skipped or done by hand; `last` when it was the last. */
function meldedSoFar(state: SavedState, head: Commit): SavedState['melded'] | 'last' {
  const { melded, amends, stopped, todo } = state
  if (melded === undefined || amends === undefined) return melded
  const goesOn = isMelded(todo[0])
  if (amends !== head.oid || stopped === undefined) return goesOn ? melded : undefined
  const steps = melded.steps.slice(0, -1)
  if (steps.length === 0) return undefined
  if (!goesOn) return 'last'
  return { ...melded, steps, text: head.message }
}

function unfinished(): GitError {
  return new GitError(
    `error: could not open '.git/rebase-merge/author-script' for reading: No such file or directory
error: you have staged changes in your working tree
If these changes are meant to be squashed into the previous commit, run:

  git commit --amend 

If they are meant to go into a new commit, run:

  git commit 

In both cases, once you're done, continue with:

  git rebase --continue

error: could not commit staged changes.`,
    1,
  )
}

export async function abortRebase(context: GitContext): Promise<number> {
  return change(context, 'rebase', async (repository, draft) => {
    const { original, ref } = (await readState(repository)).state
    const head = await readHead(repository)
    const by = identity(context, repository.config, 'COMMITTER')
    const [old, next] = [await headFiles(repository, head.oid), await headFiles(repository, original)]
    await moveFiles(repository, draft, { old, next }, true)
    if (ref === undefined)
      await moveHead(repository, { oid: original }, { by, message: `rebase (abort): returning to ${original}` })
    else
      await moveHead(
        repository,
        { branch: ref.slice('refs/heads/'.length), oid: original },
        { by, message: `rebase (abort): returning to ${ref}` },
      )
    await clearState(repository)
    return 0
  })
}

/** Ends the rebase and leaves everything as it is. */
export async function quitRebase(context: GitContext): Promise<number> {
  return change(context, 'rebase', async (repository) => {
    await readState(repository)
    await clearState(repository)
    return 0
  })
}

export async function editRest(context: GitContext): Promise<number> {
  return change(context, 'rebase', async (repository) => {
    const { state, errors, todoText } = await readState(repository)
    if (errors.length > 0) context.err.write(`${errors.join('\n')}\n`)
    const lines =
      errors.length > 0
        ? `${todoText
            .split('\n')
            .filter((line) => !/^\s*(#|$)/.test(line))
            .join('\n')}\n`
        : await stepLines(repository, state.todo, true)
    const text = await editSteps(context, repository.config, restToEdit(lines))
    const read = await readSteps(repository, cleanMessage(text, true), state.done.length > 0)
    if (read.errors.length > 0) {
      await saveTodo(repository, text)
      context.err.write(`${read.errors.join('\n')}\n${howToGoOn}\n`)
      return 1
    }
    await saveTodo(repository, await stepLines(repository, read.steps))
    return 0
  })
}

async function saveTodo(repository: Repository, text: string): Promise<void> {
  const path = `${repository.gitDirectory}/rebase-merge/git-rebase-todo`
  await repository.staged.write(path, new TextEncoder().encode(text))
}

export async function showStopped(context: GitContext): Promise<number> {
  const repository = await open(context)
  await readState(repository)
  if ((await repository.refs.resolve('REBASE_HEAD')).oid === undefined) throw noRebase()
  return show(context, ['REBASE_HEAD', '--'])
}
