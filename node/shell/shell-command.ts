import type { FoundShell } from './find-shell.js'

/**
 * How a POSIX shell is started with a script. A program without a directory is one of `/bin`, and the script sees that name as `$0`. Bash
 * reads `~/.bashrc` when its input is a socket, as Node's pipes are, unless `--norc` is given.
 */
export function shellCommand(program: string, script: string): string[] {
  const isBare = !program.includes('/')
  const options = program.endsWith('bash') ? ['--norc'] : []
  return [isBare ? `/bin/${program}` : program, ...options, '-c', script, ...(isBare ? [program] : [])]
}

/** The command with its errors in the pipe of its output, so that both arrive in the order in which they were written. The process stays the same. */
export function withOnePipe(program: string, argv: readonly string[]): string[] {
  return [...shellCommand(program, 'exec "$@" 2>&1'), program, ...argv]
}

/**
 * How a shell of Windows is started with a script; undefined for `cmd.exe`, for which Node builds the command line. `isMerged`: errors go
 * where the output goes.
 */
export function windowsCommand(
  { program, kind }: FoundShell,
  script: string,
  { cwd, isMerged }: { cwd: string; isMerged: boolean },
): string[] | undefined {
  // On a line of its own, because the script may end in a comment. A space makes Node quote it: MSYS expands what is not quoted.
  const whole = isMerged ? `exec 2>&1\n${script}` : ` ${script}`
  if (kind === 'msys') return [program, '--norc', '-c', whole]
  if (kind === 'wsl') return [program, '--cd', cwd, '--exec', '/bin/bash', '--norc', '-c', whole]
  if (kind === 'powershell')
    return [program, '-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded(script)]
  return undefined
}

/** In base64, which needs no quoting. Without the first line, output has the code page of a console. */
function encoded(script: string): string {
  const lines = [
    '[Console]::OutputEncoding = [Text.Encoding]::UTF8',
    "$ProgressPreference = 'SilentlyContinue'",
    script,
  ]
  return Buffer.from(lines.join('\r\n'), 'utf16le').toString('base64')
}
