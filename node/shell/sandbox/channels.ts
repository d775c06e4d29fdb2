/** Descriptors of the wrapper, beside input, output, errors and the channel for the state. None is open in what a script starts. */
export const channels = {
  /** The wrapper tells the process id of the first process inside, and in the end how the shell ended if it was started. */
  status: 4,
  /** The shell waits for a line, and ends when there is none. */
  start: 5,
  arguments: 6,
  firstMount: 7,
} as const
