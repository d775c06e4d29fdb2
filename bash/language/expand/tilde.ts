/** `~`, `~user`, `~+` and `~-`. */
import type { Shell } from '../run/state/shell.js'
import { readText } from './variable-access.js'

/** The directory a tilde prefix stands for; undefined when it stays as it is. */
export function tildeDirectory(shell: Shell, prefix: string): string | undefined {
  switch (prefix) {
    case '~':
      return readText(shell, 'HOME') ?? '/home/user'
    case '~+':
      return shell.directory
    case '~-':
      return readText(shell, 'OLDPWD')
    case '~root':
      return '/root'
    default:
      return prefix === `~${readText(shell, 'USER') ?? 'user'}` ? (readText(shell, 'HOME') ?? '/home/user') : undefined
  }
}
