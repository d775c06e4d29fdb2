/** What a confined command may use of the machine, where the kernel bounds it. */
import os from 'node:os'

export interface SandboxLimits {
  /** At once, threads too, of one command with all it starts; 4096 unless given. The kernel bounds none of root's. */
  maxProcesses: number
  /** Of each process, in memory of its own; three quarters of the machine's unless given. */
  maxMemoryBytes: number
  /** Of each file that is written; 16 GiB unless given. */
  maxFileBytes: number
}

/** Wide enough for compilers and browsers; the point is that one command can't take the machine down. */
export function sandboxLimits(given: Partial<SandboxLimits> = {}): SandboxLimits {
  return {
    maxProcesses: 4096,
    maxMemoryBytes: Math.floor(os.totalmem() * 0.75),
    maxFileBytes: 16 * 2 ** 30,
    ...given,
  }
}

/**
 * For the shell inside, before anything else: only there are processes counted apart from all others of the user. A bound that is lower already
 * stays, so failing is no fault. Address space is not bounded: programs reserve far more of it than they use.
 */
export function limitSteps({ maxProcesses, maxMemoryBytes, maxFileBytes }: SandboxLimits, program: string): string[] {
  // POSIX counts in half kibibytes, bash in whole ones unless it plays the part of sh.
  const blockBytes = program.endsWith('bash') ? 1024 : 512
  return [
    'ulimit -c 0',
    `ulimit -d ${Math.ceil(maxMemoryBytes / 1024)}`,
    `ulimit -f ${Math.ceil(maxFileBytes / blockBytes)}`,
    // In bash the one is a bound that can't be set, in others the other is unknown.
    `ulimit -p ${maxProcesses} || ulimit -u ${maxProcesses}`,
  ]
}
