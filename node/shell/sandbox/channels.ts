/** Descriptors of the wrapper, besides stdin, stdout, stderr and the state channel. Scripts do not inherit them. */
export const channels = {
  /** The wrapper reports the pid of the first process inside and, if the shell was started, how it ended. */
  status: 4,
  /** The shell waits for a line, and exits if the input ends first. */
  start: 5,
  arguments: 6,
  firstMount: 7,
  /** Of a wrapper that holds its mounts: it reports that the command has ended, and waits for a line before it ends itself. */
  ended: 7,
  go: 8,
} as const
