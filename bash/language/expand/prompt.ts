/** Prompts: `${x@P}` and `PS4`. */
import { basename } from '../../../src/fs/path.js'
import { strftime } from '../../programs/data/format-date.js'
import { timeZone } from '../../programs/data/time-zone.js'
import { AbandonJump, ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import type { Word } from '../syntax/ast.js'
import { parsePrompt } from '../syntax/parse.js'
import { readText } from './variable-access.js'

/** Replaces the escapes, and then, with `shopt -s promptvars`, parameters and substitutions by `expand`. */
export function* expandPrompt(
  shell: Shell,
  text: string,
  expand: (shell: Shell, word: Word) => Steps<string>,
): Steps<string> {
  const decoded = text.includes('\\') ? decodePrompt(shell, text) : text
  if (!shell.options.has('promptvars') || !/[$`\\]/.test(decoded)) return decoded
  const { substitutionStatus } = shell
  try {
    return yield* expand(shell, parsePrompt(decoded))
  } catch (error) {
    // What cannot be expanded is shown as it is.
    if (error instanceof ExpansionFailure) yield* shell.report(error.message)
    else if (!(error instanceof AbandonJump)) throw error
    return decoded
  } finally {
    shell.substitutionStatus = substitutionStatus
  }
}

const timeFormats: Readonly<Record<string, string>> = {
  d: '%a %b %d',
  t: '%H:%M:%S',
  T: '%I:%M:%S',
  '@': '%I:%M %p',
  A: '%H:%M',
}

function decodePrompt(shell: Shell, text: string): string {
  return text.replace(
    /\\(?:([0-7]{1,3})|D\{([^}]*)\}?|(.))/gs,
    (whole, octal?: string, format?: string, letter = '') => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff).replace('\0', '')
      const wanted = format === undefined ? timeFormats[letter] : format === '' ? '%X' : format
      if (wanted === undefined) return simpleEscape(shell, letter) ?? whole
      return strftime(wanted, Math.floor(shell.run.now() / 1000), timeZone(readText(shell, 'TZ')))
    },
  )
}

function simpleEscape(shell: Shell, letter: string): string | undefined {
  const host = readText(shell, 'HOSTNAME') ?? 'localhost'
  const expands = shell.options.has('promptvars')
  const quoted = (path: string) => (expands ? path.replace(/["$`\\]/g, '\\$&') : path)
  const escapes: Record<string, string> = {
    a: '\u0007',
    e: '\u001b',
    n: '\n',
    r: '\r',
    '\\': '\\',
    $: expands ? '\\$' : '$',
    '[': '',
    ']': '',
    h: host.replace(/\..*/, ''),
    H: host,
    u: readText(shell, 'USER') ?? 'user',
    w: quoted(trimmed(shell, shortPath(shell))),
    W: quoted(shortPath(shell) === '~' ? '~' : basename(shell.directory) || '/'),
    s: basename(shell.name),
    v: '5.2',
    V: '5.2.15',
    j: String(shell.jobs.length),
    l: 'tty',
    '#': '0',
    '!': '1',
  }
  return escapes[letter]
}

function shortPath(shell: Shell): string {
  const home = readText(shell, 'HOME')
  const { directory } = shell
  const isInside = home !== undefined && `${directory}/`.startsWith(`${home}/`) && home !== ''
  return isInside ? `~${directory.slice(home.length)}` : directory
}

/** `PROMPT_DIRTRIM`: only the last components, where that is shorter. */
function trimmed(shell: Shell, path: string): string {
  const count = Number(readText(shell, 'PROMPT_DIRTRIM') ?? 0)
  if (!Number.isInteger(count) || count <= 0) return path
  const start = path.startsWith('~/') ? 2 : 0
  const kept = path.split('/').slice(-count).join('/')
  const skipped = path.length - kept.length - 1 - start
  return skipped > '...'.length ? `${path.slice(0, start)}.../${kept}` : path
}
