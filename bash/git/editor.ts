/** Texts that a command of the shell edits: messages, and the steps of a rebase. */
import { type GitConfig, lastValue, parseGitConfig } from '../../src/git/config.js'
import { type GitContext, wholeConfig } from './context.js'
import { failure, fatal, GitError, NeedsShell } from './git-error.js'

const unset = 'error: Terminal is dumb, but EDITOR unset'
const advice = 'Please supply the message using either -m or -F option.'

/** A message as the editor leaves it. The command ends here at first, and is run again when the text was edited. */
export async function editMessage(context: GitContext, config: GitConfig, text: string): Promise<string> {
  return edit(context, await messageEditor(context, config), 'COMMIT_EDITMSG', text, `\n${advice}`)
}

/** Any other text. */
export async function editText(context: GitContext, config: GitConfig, name: string, text: string): Promise<string> {
  return edit(context, await messageEditor(context, config), name, text, '')
}

/** The same for a command that has done something already: it is called again with what it says of its phase. */
export async function editMessageAndGoOn(
  context: GitContext,
  config: GitConfig,
  text: string,
  phase: string,
): Promise<string> {
  const editor = await messageEditor(context, config)
  if (editor === 'true' || editor === ':') return text
  throw new NeedsShell({ command: editor, name: 'COMMIT_EDITMSG', text, phase })
}

/** What git says when the editor of a message fails. */
export async function failedEditor(context: GitContext, config: GitConfig): Promise<GitError> {
  return failure(`There was a problem with the editor '${await messageEditor(context, config)}'.\n${advice}`)
}

async function messageEditor(context: GitContext, config: GitConfig): Promise<string> {
  const { GIT_EDITOR, VISUAL, EDITOR } = context.env
  const editor = GIT_EDITOR ?? (await configured(context, config, 'core.editor')) ?? VISUAL ?? EDITOR
  if (!editor) throw new GitError(`${unset}\n${advice}`, 1)
  return editor
}

/** The steps of a rebase. */
export async function editSteps(context: GitContext, config: GitConfig, text: string): Promise<string> {
  const { GIT_SEQUENCE_EDITOR, GIT_EDITOR, VISUAL, EDITOR } = context.env
  const editor =
    GIT_SEQUENCE_EDITOR ??
    (await configured(context, config, 'sequence.editor')) ??
    GIT_EDITOR ??
    (await configured(context, config, 'core.editor')) ??
    VISUAL ??
    EDITOR
  if (!editor) throw new GitError(unset, 1)
  return edit(context, editor, 'git-rebase-todo', text, '')
}

/** What the user has set, or `-c`. Nothing that a repository configures is run. */
async function configured(context: GitContext, config: GitConfig, key: string): Promise<string | undefined> {
  const editor = lastValue(config, key)
  const own = lastValue(await wholeConfig(context, parseGitConfig('')), key)
  if (editor === own || editor === 'true' || editor === ':') return editor
  throw fatal(
    `the ${key} of a repository is not run by this git: set ${key === 'core.editor' ? 'GIT_EDITOR' : 'GIT_SEQUENCE_EDITOR'}, or use git config --global`,
  )
}

function edit({ edited }: GitContext, command: string, name: string, text: string, after: string): string {
  if (command === 'true' || command === ':') return text
  const next = edited.shift()
  if (next === undefined) throw new NeedsShell({ command, name, text })
  if (next.status !== 0) throw failure(`There was a problem with the editor '${command}'.${after}`)
  return next.text
}
