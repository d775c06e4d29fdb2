/** Reports a shell's final directory and variables on a separate channel when the shell exits. */
import { sessionVariables } from '../../src/shell/session-variables.js'
import type { ShellState } from '../../src/shell/types.js'
import { shellQuoted } from '../../src/text/shell-quoted.js'

/** The file descriptor of the channel in the shell. */
export const stateChannel = 3

/**
 * Adds a report of the directory and variables to the end of a command, also after an `exit`. There is no report after
 * `exec`, nor in `sh` when the command replaces the trap. The channel is moved to a high number, away from descriptors
 * that commands use.
 */
export function withStateReport(command: string, shell: 'bash' | 'sh'): string {
  const channel = shell === 'bash' ? 250 : 9
  const report = `{ /usr/bin/env -0; pwd -P; } >&${channel} 2>/dev/null`
  const prepared = shell === 'bash' ? bashReport(report) : `trap '${report}' EXIT`
  return `exec ${channel}>&${stateChannel} ${stateChannel}>&-; ${prepared}; ${command}`
}

/**
 * The same for bash on Windows, where programs of other worlds inherit no descriptors: the report goes to a file. Variables are exported
 * by the script itself, because MSYS translates those it inherits, and WSL inherits none.
 */
export function withStateInFile(
  command: string,
  { kind, file, variables }: { kind: 'msys' | 'wsl'; file: string; variables: Readonly<Record<string, string>> },
): string {
  const place = kind === 'wsl' ? `"$(wslpath ${shellQuoted(file)})"` : shellQuoted(file.replaceAll('\\', '/'))
  const directory = kind === 'wsl' ? 'wslpath -w "$PWD"' : 'pwd -W'
  const before = `exec 250>${place}; /usr/bin/env -0 >&250; printf '${stateMark}\\0' >&250`
  const report = `{ /usr/bin/env -0; ${directory}; } >&250 2>/dev/null`
  return `${before}; ${exporting(variables)}${bashReport(report)}; ${command}`
}

/** Shell code that exports variables. */
export function exporting(variables: Readonly<Record<string, string>>): string {
  const known = Object.entries(variables).filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  return known.map(([name, value]) => `export ${name}=${shellQuoted(value)}; `).join('')
}

/** Between what a shell starts with and what it leaves. No variable has such a name. */
const stateMark = '=polyfs='

/** The report runs before any `EXIT` trap of the command, only in the shell itself, and does not appear in traces. */
function bashReport(report: string): string {
  // In a list, so that a failure is allowed under `set -e`; the code after it must see the status.
  const first = '{ polyfs_tell && :; } 2>/dev/null'
  return [
    `polyfs_tell() { local status=$?; [ "$BASHPID" != "$$" ] || ${report}; return $status; }`,
    `trap() { builtin trap "$@" || return; { polyfs_keep "$(builtin trap -p EXIT)"; } 2>/dev/null; }`,
    `polyfs_keep() { case $1 in *polyfs_tell*) ;; *) eval "set -- \${1:-trap -- \\"\\"}"; builtin trap "${first}; $3" EXIT; esac; }`,
    `builtin trap '${first}' EXIT`,
  ].join('; ')
}

/** The reported state without the variables every command gets; `undefined` without a report. */
export function parseState(
  report: Buffer,
  defaultVariables: Readonly<Record<string, string>>,
  virtualPath: (host: string) => string | undefined,
): ShellState | undefined {
  const entries = report.toString('utf8').split('\0')
  const directory = entries.pop()?.replace(/\n$/, '')
  if (directory === undefined || !/^(\/|[A-Za-z]:[\\/]|\\\\)/.test(directory)) return undefined
  const middle = entries.indexOf(stateMark)
  const known = middle < 0 ? defaultVariables : { ...defaultVariables, ...variablesIn(entries.slice(0, middle)) }
  const cwd = virtualPath(directory)
  const exported = variablesIn(entries.slice(middle + 1))
  return { env: sessionVariables(exported, known), ...(cwd !== undefined && { cwd }) }
}

function variablesIn(entries: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const entry of entries) {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(entry) ?? []
    if (name !== undefined && value !== undefined) variables[name] = value
  }
  return variables
}
