/** What the shell inside does before a script: wait until it may, bound itself, and take over the variables of a session. */
import { channels } from './channels.js'

/** Shells let nobody set these, or take no notice of them in their environment; there they mean nothing to other programs. */
const handedOver = ['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'IFS', 'PPID', 'SHELLOPTS', 'UID']

/** Begins the names under which values are handed over; a session can't have such. */
const ours = 'POLYFS_VARIABLE_'

export interface Prelude {
  /** In front of the script, on its first line, so that the lines of errors are those of the script. */
  prelude: string
  /** With which the shell is started. */
  environment: Record<string, string>
}

/**
 * Variables such as `LD_PRELOAD` change how a program is loaded, so the shell is started with the values under other names and sets them
 * itself. Arguments would do as well, but everybody on the machine can read those.
 */
export function preludeFor(
  env: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
  limits: readonly string[] = [],
): Prelude {
  const environment = { ...env }
  const steps = [`read -r _ <&${channels.start} || exit 125`, `exec ${channels.start}<&-`, ...limits]
  for (const [at, [name, value]] of Object.entries(variables).entries()) {
    const disguise = `${ours}${at}`
    if (name.startsWith(ours)) continue
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || handedOver.includes(name)) environment[name] = value
    else {
      environment[disguise] = value
      steps.push(`export ${name}="$${disguise}"`, `unset ${disguise}`)
    }
  }
  // A session may trace what its shell does (`SHELLOPTS`), and this is none of its business.
  return { prelude: `{ ${steps.join('; ')}; } 2>/dev/null; `, environment }
}
