/** Where a command leaves its shell: told on a channel of its own when the shell exits. */
import { keptVariables } from '../../src/shell/session-variables.js'
import type { ShellState } from '../../src/shell/types.js'

/** The channel as the shell gets it. */
export const stateChannel = 3

/**
 * The command, telling of its directory and variables at its end, also when that is an `exit`. Nothing is told by a shell that is
 * replaced (`exec`), nor by `sh` when its trap is. The channel is moved out of the way of commands that use numbered ones themselves.
 */
export function tellingState(command: string, shell: 'bash' | 'sh'): string {
  const channel = shell === 'bash' ? 250 : 9
  const tell = `{ /usr/bin/env -0; pwd -P; } >&${channel} 2>/dev/null`
  const prepared = shell === 'bash' ? tellingBash(tell) : `trap '${tell}' EXIT`
  return `exec ${channel}>&${stateChannel} ${stateChannel}>&-; ${prepared}; ${command}`
}

/** Whatever trap on `EXIT` the command sets, telling comes first, and only from the shell itself. A trace shows nothing of it. */
function tellingBash(tell: string): string {
  // As part of a list it may fail under `set -e`, as what comes after it must see the status.
  const first = '{ polyfs_tell && :; } 2>/dev/null'
  return [
    `polyfs_tell() { local status=$?; [ "$BASHPID" != "$$" ] || ${tell}; return $status; }`,
    `trap() { builtin trap "$@" || return; { polyfs_keep "$(builtin trap -p EXIT)"; } 2>/dev/null; }`,
    `polyfs_keep() { case $1 in *polyfs_tell*) ;; *) eval "set -- \${1:-trap -- \\"\\"}"; builtin trap "${first}; $3" EXIT; esac; }`,
    `builtin trap '${first}' EXIT`,
  ].join('; ')
}

/** What was told, without the variables every command gets; `undefined` when nothing was. */
export function parseState(
  told: Buffer,
  usual: Readonly<Record<string, string>>,
  virtualPath: (host: string) => string | undefined,
): ShellState | undefined {
  const entries = told.toString('utf8').split('\0')
  const directory = entries.pop()?.replace(/\n$/, '')
  if (directory === undefined || !directory.startsWith('/')) return undefined
  const exported: Record<string, string> = {}
  for (const entry of entries) {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(entry) ?? []
    if (name !== undefined && value !== undefined) exported[name] = value
  }
  const cwd = virtualPath(directory)
  return { env: keptVariables(exported, usual), ...(cwd !== undefined && { cwd }) }
}
