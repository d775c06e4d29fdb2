/** What a status says about the signal that ended a command: the shell that make runs it in is replaced by it. */

const names: Readonly<Record<number, string>> = {
  1: 'Hangup',
  2: 'Interrupt',
  3: 'Quit',
  6: 'Aborted',
  9: 'Killed',
  13: 'Broken pipe',
  14: 'Alarm clock',
  15: 'Terminated',
}

/** Undefined for an ordinary status. A script that exits with such a number can't be told from one that was killed. */
export function signalText(status: number): string | undefined {
  return status === 137 || status === 143 ? names[status - 128] : undefined
}
