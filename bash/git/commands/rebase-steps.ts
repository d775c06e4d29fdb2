/** The steps of a rebase: as git writes them for an editor and for itself, and as they are read back. */
import { isTrue } from '../../../src/git/config.js'
import type { Repository } from '../../../src/git/repository.js'
import { fatal, GitError } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { abbreviate } from '../objects.js'
import { findCommit } from '../revisions.js'

type Command = 'pick' | 'reword' | 'edit' | 'squash' | 'fixup' | 'drop' | 'break'

export interface Step {
  command: Command
  /** Of the commit; empty for a break. */
  oid: string
  /** `-C` or `-c` of a fixup, which take its message. */
  flag?: '-C' | '-c'
}

const letters: Record<string, Command> = {
  p: 'pick',
  r: 'reword',
  e: 'edit',
  s: 'squash',
  f: 'fixup',
  d: 'drop',
  b: 'break',
}
const missing: Record<string, string> = { x: 'exec', l: 'label', t: 'reset', m: 'merge', u: 'update-ref' }

export const picks = (oids: readonly string[]): Step[] => oids.map((oid) => ({ command: 'pick', oid }))

/** One line for each step. */
export async function stepLines(repository: Repository, steps: readonly Step[], isShort = false): Promise<string> {
  let text = ''
  for (const { command, oid, flag } of steps) {
    if (command === 'break') {
      text += 'break\n'
      continue
    }
    const commit = await repository.objects.readCommit(oid)
    const [parent] = commit.parents
    const isEmpty =
      isShort && parent !== undefined && (await repository.objects.readCommit(parent)).tree === commit.tree
    const name = isShort ? await abbreviate(repository, oid) : oid
    text += `${command}${flag === undefined ? '' : ` ${flag}`} ${name} ${subjectOf(commit.message)}${isEmpty ? ' # empty' : ''}\n`
  }
  return text
}

/** With `isRest`, of a rebase that has begun. */
export async function readSteps(repository: Repository, text: string, isRest = false): Promise<Step[]> {
  const steps: Step[] = []
  for (const [i, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, word = '', flag, name = ''] = /^\s*(\S+)(?:\s+(-[Cc])(?=\s))?(?:\s+(\S+))?/.exec(line) ?? []
    const lacks = Object.hasOwn(missing, word) ? missing[word] : Object.values(missing).find((each) => each === word)
    if (lacks !== undefined) throw fatal(`the step '${lacks}' of a rebase is not supported by this git`)
    const command = Object.hasOwn(letters, word) ? letters[word] : Object.values(letters).find((each) => each === word)
    const oid = command === 'break' ? '' : await findCommit(repository, name)
    if (command === undefined || oid === undefined)
      throw new GitError(`error: invalid line ${i + 1}: ${line}\n${howToGoOn}`, 1)
    steps.push({ command, oid, ...(flag !== undefined && { flag: flag as '-C' | '-c' }) })
  }
  const first = steps.find(({ command }) => command !== 'drop' && command !== 'break')
  if (isRest) return steps
  if (first?.command === 'squash' || first?.command === 'fixup')
    throw new GitError(`error: cannot '${first.command}' without a previous commit\n${howToGoOn}`, 1)
  return steps
}

const howToGoOn =
  "You can fix this with 'git rebase --edit-todo' and then run 'git rebase --continue'.\nOr you can abort the rebase with 'git rebase --abort'."

/** What an editor is given. */
export async function stepsToEdit(
  repository: Repository,
  steps: readonly Step[],
  { upstream, start, onto }: { upstream: string | undefined; start: string; onto: string },
): Promise<string> {
  const name = (oid: string) => abbreviate(repository, oid)
  const range = `${upstream === undefined ? '' : `${await name(upstream)}..`}${await name(start)}`
  const count = `${steps.length} command${steps.length === 1 ? '' : 's'}`
  return `${await stepLines(repository, steps, true)}
# Rebase ${range} onto ${await name(onto)} (${count})
${commandsHelp}`
}

const commandsHelp = `#
# Commands:
# p, pick <commit> = use commit
# r, reword <commit> = use commit, but edit the commit message
# e, edit <commit> = use commit, but stop for amending
# s, squash <commit> = use commit, but meld into previous commit
# f, fixup [-C | -c] <commit> = like "squash" but keep only the previous
#                    commit's log message, unless -C is used, in which case
#                    keep only this commit's message; -c is same as -C but
#                    opens the editor
# x, exec <command> = run command (the rest of the line) using shell
# b, break = stop here (continue rebase later with 'git rebase --continue')
# d, drop <commit> = remove commit
# l, label <label> = label current HEAD with a name
# t, reset <label> = reset HEAD to a label
# m, merge [-C <commit> | -c <commit>] <label> [# <oneline>]
#         create a merge commit using the original merge commit's
#         message (or the oneline, if no original merge commit was
#         specified); use -c <commit> to reword the commit message
# u, update-ref <ref> = track a placeholder for the <ref> to be updated
#                       to this position in the new commits. The <ref> is
#                       updated at the end of the rebase
#
# These lines can be re-ordered; they are executed from top to bottom.
#
# If you remove a line here THAT COMMIT WILL BE LOST.
#
# However, if you remove everything, the rebase will be aborted.
#
`

/** Commits called `fixup! …` behind those that they mend. */
export async function autosquashed(repository: Repository, steps: readonly Step[]): Promise<Step[]> {
  const groups: { subject: string; oid: string; steps: Step[] }[] = []
  for (const step of steps) {
    const subject = subjectOf((await repository.objects.readCommit(step.oid)).message)
    const [, kind] = /^(fixup|squash|amend)! /.exec(subject) ?? []
    const wanted = subject.replace(/^((fixup|squash|amend)! )+/, '')
    const target =
      kind === undefined
        ? undefined
        : (groups.find((group) => group.subject === wanted) ??
          groups.find((group) => /^[0-9a-f]{4,40}$/.test(wanted) && group.oid.startsWith(wanted)) ??
          groups.find((group) => group.subject.startsWith(wanted)))
    if (target === undefined) groups.push({ subject, oid: step.oid, steps: [step] })
    else if (kind === 'squash') target.steps.push({ ...step, command: 'squash' })
    else target.steps.push({ ...step, command: 'fixup', ...(kind === 'amend' && { flag: '-C' as const }) })
  }
  return groups.flatMap((group) => group.steps)
}

export function isAutosquashed(
  { config }: Repository,
  given: { last(...keys: ('autosquash' | 'noAutosquash')[]): string | undefined },
): boolean {
  const option = given.last('autosquash', 'noAutosquash')
  return option === undefined ? isTrue(config, 'rebase.autosquash') === true : option === 'autosquash'
}

/** The message of commits that become one. */
export interface Melded {
  parts: { text: string; isSkipped: boolean }[]
  needsEditor: boolean
}

export function meld(before: Melded | undefined, first: string, { command, flag }: Step, message: string): Melded {
  const parts = [...(before?.parts ?? [{ text: first, isSkipped: false }])]
  const isSkipped = command === 'fixup' && flag === undefined
  if (flag !== undefined) for (const part of parts) part.isSkipped = true
  // What said only what it belongs to is not part of the message.
  const text = command === 'squash' ? message.replace(/^squash! .*\n?/, (line) => `# ${line}`) : message
  parts.push({ text: flag === undefined ? text : message.replace(/^amend! .*\n\n?/, ''), isSkipped })
  return { parts, needsEditor: before?.needsEditor === true || command === 'squash' || flag === '-c' }
}

/** As it is edited. */
export function meldedText({ parts }: Melded): string {
  const sections = parts.map(({ text, isSkipped }, i) => {
    const body = text.trimEnd()
    if (isSkipped) {
      const which = i === 0 ? 'The 1st commit message' : `The commit message #${i + 1}`
      return `# ${which} will be skipped:\n\n${body.replaceAll(/^/gm, '# ')}\n`
    }
    return `# This is the ${i === 0 ? '1st commit message' : `commit message #${i + 1}`}:\n\n${body}\n`
  })
  return `# This is a combination of ${parts.length} commits.\n${sections.join('\n')}`
}

/** Without an editor: the message that was kept. */
export function keptMessage({ parts }: Melded): string {
  return parts.filter(({ isSkipped }) => !isSkipped).at(-1)?.text ?? ''
}
