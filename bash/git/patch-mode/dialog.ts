/** Asks about the hunks of one file, as git does where its input is no terminal. */
import { type GitContext, open } from '../context.js'
import { editText } from '../editor.js'
import { fatal, GitError } from '../git-error.js'
import { regexPattern } from '../patterns.js'
import {
  editedHunk,
  type FileHunks,
  type Hunk,
  noHunk,
  partsOf,
  reassemble,
  renderHunk,
  splitHunk,
  summarizeHunk,
} from './hunks.js'
import type { Mode } from './modes.js'

export interface Dialog {
  /** Prints to standard output, and shows it. */
  ask(prompt: string): string | undefined
  say(text: string): void
  complain(text: string): void
  /** `undefined` where the input has ended. */
  confirm(prompt: string): boolean | undefined
}

/** Answers are lines of the input. */
export function dialogOf({ out, err }: GitContext, input: string): Dialog {
  const answers = input.split('\n').map((line) => line.replace(/\r$/, ''))
  if (answers.at(-1) === '') answers.pop()
  const dialog: Dialog = {
    ask(prompt) {
      out.write(prompt)
      out.flush()
      return answers.shift()
    },
    say: (text) => out.write(text),
    complain(text) {
      err.write(`${text}\n`)
      err.flush()
    },
    confirm(prompt) {
      for (;;) {
        const answer = dialog.ask(prompt)
        if (answer === undefined) return undefined
        if (/^y/i.test(answer)) return true
        if (/^n/i.test(answer)) return false
      }
    },
  }
  return dialog
}

interface Asking {
  context: GitContext
  dialog: Dialog
  mode: Mode
  /** Whether a patch would apply; it says why not. */
  check(patch: string): Promise<boolean>
}

const remainder = `j - leave this hunk undecided, see next undecided hunk
J - leave this hunk undecided, see next hunk
k - leave this hunk undecided, see previous undecided hunk
K - leave this hunk undecided, see previous hunk
g - select a hunk to go to
/ - search for a hunk matching the given regex
s - split the current hunk into smaller hunks
e - manually edit the current hunk
? - print help
`

/** Decides on the hunks. True when the user wants no more files. */
export async function chooseHunks(asking: Asking, file: FileHunks): Promise<boolean> {
  const { dialog, mode } = asking
  const { hunks } = file
  const whole: Hunk = { ...noHunk }
  dialog.say(file.header)
  // As in git, what was once possible is not forgotten.
  const allowed = new Set<string>()
  let at = 0
  for (;;) {
    if (at < 0 || at >= hunks.length) at = 0
    const hunk = hunks[at] ?? whole
    const previous = lastUndecided(hunks.slice(0, at))
    const next = hunks.findIndex((each, i) => i > at && each.use === 'undecided')
    if (previous === -1 && next === -1 && hunk.use !== 'undecided') break
    const shown = hunks.length === 0 ? [] : optionsAt(file, at, previous, next)
    if (hunks.length > 0) dialog.say(isModeHunk(file, at) ? (file.mode ?? '') : renderHunk(hunk))
    for (const each of shown) allowed.add(each)
    const options = shown.map((each) => `,${each}`).join('')
    const subject = file.kind === 'deleted' ? 'deletion' : file.kind === 'added' ? 'addition' : 'this hunk'
    const what = isModeHunk(file, at) ? 'mode change' : subject
    const answer = dialog.ask(
      `(${at + 1}/${hunks.length || 1}) ${mode.verb} ${what}${mode.where} [y,n,q,a,d${options},?]? `,
    )
    if (answer === undefined) break
    const onward = () => (next === -1 ? hunks.length : next)
    const decideRest = (use: 'yes' | 'no') => {
      for (const each of hunks.length === 0 ? [whole] : hunks.slice(at)) if (each.use === 'undecided') each.use = use
    }
    const [letter = ''] = answer
    const lower = letter.toLowerCase()
    if (letter === '') continue
    if (lower === 'y' || lower === 'n') {
      hunk.use = lower === 'y' ? 'yes' : 'no'
      at = onward()
    } else if (lower === 'a') decideRest('yes')
    else if (lower === 'd') decideRest('no')
    else if (lower === 'q') {
      decideRest('no')
      return true
    } else if (letter === 'K' || letter === 'k') {
      if (allowed.has(letter)) at = letter === 'K' ? at - 1 : previous
      else dialog.complain('No previous hunk')
    } else if (letter === 'J' || letter === 'j') {
      if (allowed.has(letter)) at = letter === 'J' ? at + 1 : next
      else dialog.complain('No next hunk')
    } else if (letter === 'g') at = goTo(asking, file, at, answer.slice(1).trim(), allowed)
    else if (letter === '/') at = search(asking, file, at, answer.slice(1), allowed)
    else if (letter === 's') {
      const parts = partsOf(hunk)
      if (!allowed.has('s')) dialog.complain('Sorry, cannot split this hunk')
      else {
        if (parts > 1) hunks.splice(at, 1, ...splitHunk(hunk))
        dialog.say(`Split into ${parts} hunks.\n`)
      }
    } else if (letter === 'e') {
      if (!allowed.has('e')) dialog.complain('Sorry, cannot edit this hunk')
      else if (await edit(asking, file, at)) at = onward()
    } else dialog.say(helpFor(mode, options))
  }
  if (whole.use === 'yes') file.hunks.push({ ...whole, use: 'yes' })
  return false
}

function lastUndecided(hunks: readonly Hunk[]): number {
  for (let i = hunks.length - 1; i >= 0; i -= 1) if (hunks[i]?.use === 'undecided') return i
  return -1
}

const isModeHunk = ({ mode }: FileHunks, at: number) => mode !== undefined && at === 0

function optionsAt(file: FileHunks, at: number, previous: number, next: number): string[] {
  const { hunks, kind } = file
  const hunk = hunks[at] as Hunk
  return [
    ...(previous >= 0 ? ['k'] : []),
    ...(at > 0 ? ['K'] : []),
    ...(next >= 0 ? ['j'] : []),
    ...(at + 1 < hunks.length ? ['J'] : []),
    ...(hunks.length > 1 ? ['g', '/'] : []),
    ...(partsOf(hunk) > 1 ? ['s'] : []),
    ...(!isModeHunk(file, at) && kind !== 'deleted' ? ['e'] : []),
  ]
}

function helpFor(mode: Mode, options: string): string {
  const lines = remainder.match(/.*\n/g) ?? []
  return mode.help + lines.filter((line) => line[0] === '?' || options.includes(line[0] as string)).join('')
}

const maxListed = 20

function goTo(
  { dialog }: Asking,
  { hunks, mode }: FileHunks,
  at: number,
  given: string,
  allowed: ReadonlySet<string>,
): number {
  if (!allowed.has('g')) {
    dialog.complain('No other hunks to goto')
    return at
  }
  let answer: string | undefined = given
  let first = Math.max(at - maxListed / 2, mode === undefined ? 0 : 1)
  while (answer === '') {
    const end = Math.min(first + maxListed, hunks.length)
    for (; first < end; first += 1) {
      const hunk = hunks[first] as Hunk
      const sign = hunk.use === 'yes' ? '+' : hunk.use === 'no' ? '-' : ' '
      dialog.say(`${sign}${`${first + 1}`.padStart(2)}: ${summarizeHunk(hunk)}`)
    }
    const more = first < hunks.length ? ' (<ret> to see more)' : ''
    answer = dialog.ask(`go to which hunk${more}? `)
  }
  const wanted = (answer ?? '').trim()
  if (!/^\+?\d+$/.test(wanted)) dialog.complain(`Invalid number: '${wanted}'`)
  else if (Number(wanted) > 0 && Number(wanted) <= hunks.length) return Number(wanted) - 1
  else dialog.complain(`Sorry, only ${hunks.length} hunk${hunks.length === 1 ? '' : 's'} available.`)
  return at
}

function search(
  { dialog }: Asking,
  { hunks, mode }: FileHunks,
  at: number,
  given: string,
  allowed: ReadonlySet<string>,
): number {
  if (!allowed.has('/')) {
    dialog.complain('No other hunks to search')
    return at
  }
  const wanted = given === '' ? dialog.ask('search for regex? ') : given
  if (!wanted) return at
  const pattern = regexPattern(wanted, { syntax: 'extended', lines: true })
  for (let i = 0; i < hunks.length; i += 1) {
    const index = (at + i) % hunks.length
    const text = mode !== undefined && index === 0 ? mode : renderHunk(hunks[index] as Hunk)
    if (text.split('\n').some((line) => pattern.test(line))) return index
  }
  dialog.complain('No hunk matches the given pattern')
  return at
}

/** True when the edited hunk is to be used. */
async function edit(asking: Asking, file: FileHunks, at: number): Promise<boolean> {
  const { context, dialog, mode, check } = asking
  if (isModeHunk(file, at)) throw fatal('editing a mode change is not supported by this git')
  const original = file.hunks[at] as Hunk
  const { config } = await open(context)
  for (;;) {
    try {
      const text = await editText(context, config, 'addp-hunk-edit.diff', textToEdit(original, mode))
      const edited = editedHunk(original, text)
      if (edited === undefined) return false
      file.hunks[at] = { ...edited, use: 'yes' }
      const patch = reassemble(file, true)
      if (patch !== undefined && (await check(patch))) return true
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      dialog.complain(`${error.message}\nerror: could not edit '.git/addp-hunk-edit.diff': Success`)
    }
    file.hunks[at] = original
    const again = dialog.confirm('Your edited hunk does not apply. Edit again (saying "no" discards!) [y/n]? ')
    if (again !== true) return false
  }
}

function textToEdit(hunk: Hunk, { isReverse, hint }: Mode): string {
  const [removed, added] = isReverse ? ['+', '-'] : ['-', '+']
  return `# Manual hunk edit mode -- see bottom for a quick guide.
${renderHunk(hunk)}# ---
# To remove '${removed}' lines, make them ' ' lines (context).
# To remove '${added}' lines, delete them.
# Lines starting with # will be removed.
# If the patch applies cleanly, the edited hunk will immediately be marked for ${hint}.
# If it does not apply cleanly, you will be given an opportunity to
# edit again.  If all lines of the hunk are removed, then the edit is
# aborted and the hunk is left unchanged.
`
}
