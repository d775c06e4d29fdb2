/** The message of commits that become one, as git keeps it between the steps of a rebase. */
import type { Step } from './steps.js'

export interface Melded {
  /** What an editor is given. */
  text: string
  /** The message where none is edited. */
  kept?: string
  /** The steps so far: command and commit. */
  steps: string[]
}

const first = { shown: '# This is the 1st commit message:', skipped: '# The 1st commit message will be skipped:' }

export function meld(before: Melded | undefined, headMessage: string, step: Step, message: string): Melded {
  const { command, flag, oid } = step
  const takes = flag !== undefined
  const hadSquash = before?.steps.some((each) => each.startsWith('squash ')) === true
  const number = (before?.steps.length ?? 0) + 2
  const begun =
    before === undefined
      ? `${takes ? first.skipped : first.shown}\n\n${takes ? commented(headMessage) : headMessage}`
      : rest(takes && !hadSquash ? skipped(before.text) : before.text)
  let text = `# This is a combination of ${number} commits.\n${begun}`
  const steps = [...(before?.steps ?? []), `${command} ${oid}`]
  if (command === 'fixup' && !takes) {
    text += `\n# The commit message #${number} will be skipped:\n\n${commented(message)}`
    const kept = before === undefined ? headMessage : before.kept
    return { text, steps, ...(kept !== undefined && { kept }) }
  }
  const isSquash = command === 'squash' || hadSquash
  const subject =
    message.startsWith('amend!') || (isSquash && /^(squash|fixup)!/.test(message)) ? subjectLines(message) : ''
  const body = message.slice(subject.length)
  text += `\n# This is the commit message #${number}:\n\n${commented(subject)}${body}`
  // What an `amend!` said only to be found is no part of the message.
  const replaces = flag === '-C' && !hadSquash && (before === undefined || before.kept !== undefined)
  return { text, steps, ...(replaces && { kept: body.replace(/^\n+/, '') }) }
}

function subjectLines(message: string): string {
  const blank = message.indexOf('\n\n')
  return blank === -1 ? message : message.slice(0, blank + 1)
}

/** Without the line that counts the commits. */
const rest = (text: string) => (text.startsWith('#') ? text.slice(text.indexOf('\n') + 1) : text)

function commented(text: string): string {
  return text.replaceAll(/^(?=[^\n])(?!\t)/gm, '# ').replaceAll(/^(?=\n|\t)/gm, '#')
}

/** All messages so far as comments. */
function skipped(text: string): string {
  const [head = '', ...sections] = text.split(
    /\n(?=# (?:This is the (?:1st commit message|commit message #\d+):|The (?:1st commit message|commit message #\d+) will be skipped:)\n)/,
  )
  const hidden = sections.map((section) => {
    if (/^# The /.test(section)) return section
    const end = section.indexOf('\n\n')
    const title = section.slice(0, end).replace(/^# This is the (.*):$/, '# The $1 will be skipped:')
    return `${title}\n\n${commented(section.slice(end + 2))}`
  })
  return [head, ...hidden].join('\n')
}
