/** How a shell is started with a script. Bash reads `~/.bashrc` when its input is a socket, as Node's pipes are, unless `--norc` is given. */
export function shellCommand(program: string, script: string): string[] {
  return [program, ...(program.endsWith('bash') ? ['--norc'] : []), '-c', script]
}
