/** The signals of Linux. */

export const signalNames: readonly string[] = [
  'HUP',
  'INT',
  'QUIT',
  'ILL',
  'TRAP',
  'ABRT',
  'BUS',
  'FPE',
  'KILL',
  'USR1',
  'SEGV',
  'USR2',
  'PIPE',
  'ALRM',
  'TERM',
  'STKFLT',
  'CHLD',
  'CONT',
  'STOP',
  'TSTP',
  'TTIN',
  'TTOU',
  'URG',
  'XCPU',
  'XFSZ',
  'VTALRM',
  'PROF',
  'WINCH',
  'IO',
  'PWR',
  'SYS',
]

/** Of a name, with or without `SIG`, or of digits. */
export function signalNumber(text: string): number | undefined {
  if (/^\d+$/.test(text)) return signalNames[Number(text) - 1] === undefined ? undefined : Number(text)
  const at = signalNames.indexOf(text.toUpperCase().replace(/^SIG/, ''))
  return at < 0 ? undefined : at + 1
}

export function signalName(number: number): string | undefined {
  return signalNames[number - 1]
}
