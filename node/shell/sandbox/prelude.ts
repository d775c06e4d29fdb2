/**
 * Code that the shell inside runs before a script: it waits for permission to start, sets limits and sets the session's
 * variables.
 */
import { channels } from './channels.js'

/** Variables that shells make read-only or ignore in their environment; they have no meaning for other programs. */
const shellOnly = ['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'IFS', 'PPID', 'SHELLOPTS', 'UID']

/** Prefix of the temporary names that carry values; session variables with this prefix are dropped. */
const temporaryPrefix = 'POLYFS_VARIABLE_'

export interface Prelude {
  /** Goes before the script on its first line, so that line numbers in errors stay correct. */
  prelude: string
  /** The environment the shell is started with. */
  environment: Record<string, string>
}

/**
 * Variables such as `LD_PRELOAD` change how a program is loaded, so the shell is started with their values under
 * temporary names and sets them itself. Arguments are not used, because everyone on the machine can read them.
 */
export function preludeFor(
  env: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
  limits: readonly string[] = [],
): Prelude {
  const environment = { ...env }
  const steps = [`read -r _ <&${channels.start} || exit 125`, `exec ${channels.start}<&-`, ...limits]
  for (const [at, [name, value]] of Object.entries(variables).entries()) {
    const temporaryName = `${temporaryPrefix}${at}`
    if (name.startsWith(temporaryPrefix)) continue
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || shellOnly.includes(name)) environment[name] = value
    else {
      environment[temporaryName] = value
      steps.push(`export ${name}="$${temporaryName}"`, `unset ${temporaryName}`)
    }
  }
  // Hidden from traces that a session may have enabled (`SHELLOPTS`).
  return { prelude: `{ ${steps.join('; ')}; } 2>/dev/null; `, environment }
}
