/** Where a rebase is, in the files of `.git/rebase-merge` as git has them. */
import { join } from '../../../src/fs/path.js'
import type { Commit } from '../../../src/git/objects/objects.js'
import { zoneText } from '../../../src/git/objects/person.js'
import { type Repository, readGitFile } from '../../../src/git/repository.js'
import { writeGitFile } from '../commands/merge.js'
import { fatal, type GitError } from '../git-error.js'
import type { Melded } from './melded-message.js'
import { type ReadSteps, readSteps, type Step, stepLines } from './steps.js'

export interface RebaseState {
  onto: string
  original: string
  /** The branch, by its full name. */
  ref: string | undefined
  todo: readonly Step[]
  /** The lines of what was done. */
  done: readonly string[]
  favor: 'ours' | 'theirs' | undefined
  isQuiet: boolean
  /** What becomes of a commit whose changes are there already. */
  empty: 'drop' | 'keep' | 'stop'
  /** The empty commit that a rebase of everything begins with. */
  root: string | undefined
  /** Of the commits that are being made one. */
  melded: Melded | undefined
}

/** Why a rebase stopped at a commit. */
export interface Stopped {
  commit: Commit
  message: string
  /** The commit that the next one amends. */
  amends?: string
  conflicts?: readonly string[]
}

const inState = (name: string) => `rebase-merge/${name}`

export async function saveState(
  repository: Repository,
  state: RebaseState,
  { stopped, todoText, needsMessage = false }: { stopped?: Stopped; todoText?: string; needsMessage?: boolean } = {},
): Promise<void> {
  const { onto, original, ref, todo, done, melded } = state
  const files: Record<string, string | undefined> = {
    'head-name': `${ref ?? 'detached HEAD'}\n`,
    'orig-head': `${original}\n`,
    onto: `${onto}\n`,
    interactive: '',
    'no-reschedule-failed-exec': '',
    'git-rebase-todo': todoText ?? (await stepLines(repository, todo)),
    done: done.length === 0 ? undefined : done.map((line) => `${line}\n`).join(''),
    msgnum: `${done.length}\n`,
    end: `${done.length + todo.length}\n`,
    quiet: state.isQuiet ? '' : undefined,
    strategy_opts: state.favor === undefined ? undefined : ` --${state.favor}`,
    keep_redundant_commits: state.empty === 'keep' ? '' : undefined,
    drop_redundant_commits: state.empty === 'drop' ? '' : undefined,
    'squash-onto': state.root === undefined ? undefined : `${state.root}\n`,
    'message-squash': melded?.text,
    'message-fixup': melded?.kept,
    'current-fixups': melded?.steps.join('\n'),
    message: stopped?.message,
    'stopped-sha': stopped === undefined ? undefined : `${stopped.commit.oid}\n`,
    'author-script': stopped === undefined ? undefined : authorScript(stopped.commit),
    amend: stopped?.amends === undefined ? undefined : `${stopped.amends}\n`,
  }
  for (const [name, text] of Object.entries(files)) await writeOrRemove(repository, inState(name), text)
  await writeOrRemove(repository, 'REBASE_HEAD', stopped === undefined ? undefined : `${stopped.commit.oid}\n`)
  const conflicts = stopped?.conflicts?.map((path) => `#\t${path}\n`).join('')
  const message =
    conflicts === undefined
      ? needsMessage
        ? (stopped?.message ?? melded?.text)
        : undefined
      : `${stopped?.message}${conflicts === '' ? '' : `\n# Conflicts:\n${conflicts}`}`
  await writeOrRemove(repository, 'MERGE_MSG', message)
  await writeOrRemove(repository, 'CHERRY_PICK_HEAD', undefined)
}

async function writeOrRemove(repository: Repository, name: string, text: string | undefined): Promise<void> {
  if (text !== undefined) return writeGitFile(repository, name, text)
  const path = join(repository.gitDirectory, name)
  if ((await repository.staged.stat(path)) !== undefined) repository.staged.remove(path)
}

function authorScript({ author }: Commit): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  return `GIT_AUTHOR_NAME=${quoted(author.name)}\nGIT_AUTHOR_EMAIL=${quoted(author.email)}\nGIT_AUTHOR_DATE=${quoted(`@${author.timestamp} ${zoneText(author)}`)}\n`
}

export interface SavedState extends RebaseState {
  stopped: string | undefined
  amends: string | undefined
  /** The message of the commit that the rebase stopped at. */
  message: string | undefined
}

/** The state with the steps that are left; those that can't be read are reported by `errors`. */
export async function readState(
  repository: Repository,
): Promise<{ state: SavedState; errors: string[]; todoText: string }> {
  const read = (name: string) => readGitFile(repository, inState(name))
  const has = async (name: string) => (await read(name)) !== undefined
  const onto = await read('onto')
  if (onto === undefined) throw noRebase()
  const todoText = (await read('git-rebase-todo')) ?? ''
  const doneText = (await read('done')) ?? ''
  const { steps, errors }: ReadSteps = await readSteps(repository, `${todoText}\n`, doneText !== '')
  const name = (await read('head-name')) ?? ''
  const options = (await read('strategy_opts')) ?? ''
  const [melding, kept] = [(await read('current-fixups')) ?? '', await readWhole(repository, 'message-fixup')]
  const state: SavedState = {
    onto,
    original: (await read('orig-head')) ?? '',
    ref: name.startsWith('refs/') ? name : undefined,
    todo: steps,
    done: doneText.split('\n').filter((line) => line !== ''),
    favor: options.includes('--ours') ? 'ours' : options.includes('--theirs') ? 'theirs' : undefined,
    isQuiet: await has('quiet'),
    empty: (await has('keep_redundant_commits')) ? 'keep' : (await has('drop_redundant_commits')) ? 'drop' : 'stop',
    root: await read('squash-onto'),
    melded:
      melding === ''
        ? undefined
        : {
            text: (await readWhole(repository, 'message-squash')) ?? '',
            steps: melding.split('\n'),
            ...(kept !== undefined && { kept }),
          },
    stopped: await read('stopped-sha'),
    amends: await read('amend'),
    message: await readWhole(repository, 'message'),
  }
  return { state, errors, todoText }
}

export const noRebase = (): GitError => fatal('No rebase in progress?')

/** With its blank lines. */
async function readWhole({ staged, gitDirectory }: Repository, name: string): Promise<string | undefined> {
  const path = join(gitDirectory, inState(name))
  if ((await staged.stat(path))?.kind !== 'file') return undefined
  return new TextDecoder().decode(await staged.reader(path)())
}

/** Removes all files of a rebase. */
export async function clearState(repository: Repository): Promise<void> {
  const directory = join(repository.gitDirectory, 'rebase-merge')
  for (const name of await repository.staged.list(directory)) repository.staged.remove(join(directory, name))
  repository.staged.remove(directory)
  for (const name of ['REBASE_HEAD', 'MERGE_MSG', 'CHERRY_PICK_HEAD']) await writeOrRemove(repository, name, undefined)
}
