/** Resource limits of confined commands, where the kernel enforces them. */
import os from 'node:os'

export interface SandboxLimits {
  /** Maximum number of processes and threads of one command and its children. Default: 4096. The kernel does not limit root. */
  maxProcesses: number
  /** Memory of each process. Default: three quarters of the machine's. */
  maxMemoryBytes: number
  /** Size of each written file. Default: 16 GiB. */
  maxFileBytes: number
}

/** Generous enough for compilers and browsers; they only stop one command from taking the machine down. */
export function sandboxLimits(given: Partial<SandboxLimits> = {}): SandboxLimits {
  return {
    maxProcesses: 4096,
    maxMemoryBytes: Math.floor(os.totalmem() * 0.75),
    maxFileBytes: 16 * 2 ** 30,
    ...given,
  }
}

/**
 * Commands for the shell inside, run before the script: only there are its processes counted separately from the user's
 * others. A lower existing limit stays, so errors are ignored. Address space is not limited: programs reserve far more
 * than they use.
 */
export function limitSteps({ maxProcesses, maxMemoryBytes, maxFileBytes }: SandboxLimits, program: string): string[] {
  // POSIX uses blocks of 512 bytes; bash uses 1024 unless it runs as `sh`.
  const blockBytes = program.endsWith('bash') ? 1024 : 512
  return [
    'ulimit -c 0',
    `ulimit -d ${Math.ceil(maxMemoryBytes / 1024)}`,
    `ulimit -f ${Math.ceil(maxFileBytes / blockBytes)}`,
    // Bash can't set `-p`; other shells do not know `-u`.
    `ulimit -p ${maxProcesses} || ulimit -u ${maxProcesses}`,
  ]
}
