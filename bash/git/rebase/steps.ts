/** The steps of a rebase: as git writes them for an editor and for itself, and as they are read back. */
import { isTrue } from '../../../src/git/config.js'
import type { Repository } from '../../../src/git/repository.js'
import { fatal } from '../git-error.js'
import { subjectOf } from '../history/format.js'
import { abbreviate } from '../objects.js'
import { findCommit } from '../revisions.js'

type Command = 'pick' | 'reword' | 'edit' | 'squash' | 'fixup' | 'drop' | 'break' | 'exec' | 'noop'

export interface Step {
  command: Command
  /** Of the commit; empty for a step without one. */
  oid: string
  /** `-C` or `-c` of a fixup, which take its message. */
  flag?: '-C' | '-c'
  /** The rest of the line: the subject of a commit, or what to run. */
  text: string
}

const letters: Record<string, Command> = {
  p: 'pick',
  r: 'reword',
  e: 'edit',
  s: 'squash',
  f: 'fixup',
  d: 'drop',
  b: 'break',
  x: 'exec',
}
const names = new Set<string>([...Object.values(letters), 'noop'])
const missing: Record<string, string> = { l: 'label', t: 'reset', m: 'merge', u: 'update-ref' }

export const isMelded = (step: Step | undefined): boolean => step?.command === 'squash' || step?.command === 'fixup'

export async function picks(repository: Repository, oids: readonly string[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const oid of oids) {
    const { message, parents, tree } = await repository.objects.readCommit(oid)
    const [parent] = parents
    const isEmpty = parent !== undefined && (await repository.objects.readCommit(parent)).tree === tree
    steps.push({ command: 'pick', oid, text: `${subjectOf(message)}${isEmpty ? ' # empty' : ''}` })
  }
  return steps
}

/** What `--exec` runs comes behind each commit, with all that is melded into it. */
export function withCommands(steps: readonly Step[], commands: readonly string[]): Step[] {
  if (commands.length === 0) return [...steps]
  const added = commands.map((text): Step => ({ command: 'exec', oid: '', text }))
  const result: Step[] = []
  let isDue = false
  for (const step of steps) {
    if (isDue && !isMelded(step)) {
      result.push(...added)
      isDue = false
    }
    result.push(step)
    isDue ||= step.command === 'pick'
  }
  if (isDue || result.length === 0) result.push(...added)
  return result
}

/** One line for each step. */
export async function stepLines(repository: Repository, steps: readonly Step[], isShort = false): Promise<string> {
  let text = ''
  for (const step of steps) text += `${await stepLine(repository, step, isShort)}\n`
  return text
}

async function stepLine(repository: Repository, step: Step, isShort: boolean): Promise<string> {
  const { command, oid, flag, text } = step
  const name = isShort && oid !== '' ? await abbreviate(repository, oid) : oid
  return [command, flag, name, text].filter((part) => part !== undefined && part !== '').join(' ')
}

export interface ReadSteps {
  steps: Step[]
  /** One line for each mistake. */
  errors: string[]
}

/** With `isRest`, of a rebase that has begun. */
export async function readSteps(repository: Repository, text: string, isRest: boolean): Promise<ReadSteps> {
  const steps: Step[] = []
  const errors: string[] = []
  let canMeld = isRest
  let at = 0
  for (const [i, line] of text.split('\n').entries()) {
    const start = at
    at += line.length + 1
    if (/^\s*(#|$)/.test(line)) continue
    const step = await readStep(repository, line, text.slice(start))
    if (!('command' in step)) {
      errors.push(...step.errors, `error: invalid line ${i + 1}: ${line}`)
      continue
    }
    if (!canMeld && isMelded(step)) errors.push(`error: cannot '${step.command}' without a previous commit`)
    canMeld ||= step.command !== 'noop' && step.command !== 'drop'
    steps.push(step)
  }
  return { steps, errors }
}

async function readStep(repository: Repository, line: string, rest: string): Promise<Step | { errors: string[] }> {
  const [, before = '', word = '', space = ''] = /^(\s*)(\S+)([ \t]*)/.exec(line) ?? []
  const lacks = Object.hasOwn(missing, word) ? missing[word] : Object.values(missing).find((each) => each === word)
  if (lacks !== undefined) throw fatal(`the step '${lacks}' of a rebase is not supported by this git`)
  const command = Object.hasOwn(letters, word) ? letters[word] : names.has(word) ? (word as Command) : undefined
  if (command === undefined) return { errors: [] }
  const from = before.length + word.length + space.length
  const argument = line.slice(from)
  if (command === 'break' || command === 'noop')
    return argument === ''
      ? { command, oid: '', text: '' }
      : { errors: [`error: ${command} does not accept arguments: '${rest.slice(from)}'`] }
  if (argument === '') return { errors: [`error: missing arguments for ${command}`] }
  if (command === 'exec') return { command, oid: '', text: argument }
  const [, flag, name = '', text = ''] =
    (command === 'fixup' ? /^(-[Cc])[ \t]+(\S+)[ \t]*(.*)$/ : /^()(\S+)[ \t]*(.*)$/).exec(argument) ??
    /^()(\S+)[ \t]*(.*)$/.exec(argument) ??
    []
  const oid = await findCommit(repository, name)
  if (oid === undefined) return { errors: [`error: could not parse '${name}'`] }
  return { command, oid, text, ...(flag && { flag: flag as '-C' | '-c' }) }
}

export const howToGoOn =
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
${commandsHelp}
# However, if you remove everything, the rebase will be aborted.
#
`
}

/** The same in the middle of a rebase. */
export function restToEdit(lines: string): string {
  return `${lines}${commandsHelp}
# You are editing the todo file of an ongoing interactive rebase.
# To continue rebase after editing, run:
#     git rebase --continue
#
`
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
#`

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
