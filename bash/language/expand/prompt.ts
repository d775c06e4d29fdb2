/** The escapes of prompts: `${x@P}` and `PS4`. */
import { basename } from '../../../src/fs/path.js'
import type { Shell } from '../run/state/shell.js'
import { readText } from './variable-access.js'

export function expandPrompt(shell: Shell, text: string): string {
  return text.replace(/\\([0-7]{3}|.)/gs, (whole, letter: string) => {
    if (/^[0-7]{3}$/.test(letter)) return String.fromCharCode(Number.parseInt(letter, 8))
    return simpleEscape(shell, letter) ?? whole
  })
}

function simpleEscape(shell: Shell, letter: string): string | undefined {
  const home = readText(shell, 'HOME')
  const { directory } = shell
  const short = home !== undefined && directory.startsWith(home) ? `~${directory.slice(home.length)}` : directory
  const escapes: Record<string, string> = {
    a: '\u0007',
    e: '\u001b',
    n: '\n',
    r: '\r',
    '\\': '\\',
    $: '$',
    '[': '',
    ']': '',
    h: (readText(shell, 'HOSTNAME') ?? 'localhost').replace(/\..*/, ''),
    H: readText(shell, 'HOSTNAME') ?? 'localhost',
    u: readText(shell, 'USER') ?? 'user',
    w: short,
    W: short === '~' ? '~' : basename(directory) || '/',
    s: basename(shell.name),
    v: '5.2',
    V: '5.2.15',
    j: String(shell.jobs.length),
    '#': '1',
    '!': '1',
  }
  return escapes[letter]
}
