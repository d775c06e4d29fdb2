/**
 * How a shell is started with a script. A program without a directory is one of `/bin`, and the script sees that name as `$0`. Bash reads
 * `~/.bashrc` when its input is a socket, as Node's pipes are, unless `--norc` is given.
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
