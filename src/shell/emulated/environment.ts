/** The variables every command gets. */
export function standardEnvironment(home: string): Record<string, string> {
  return {
    HOME: home,
    PATH: '/usr/bin:/bin',
    USER: 'user',
    LOGNAME: 'user',
    SHELL: '/bin/bash',
    TERM: 'dumb',
    LANG: 'C.UTF-8',
  }
}

/** Set by the shell itself, in every command anew. */
const ownVariables = ['PWD', 'OLDPWD', 'SHLVL', '_']

/** Of the variables a command left exported those that the next one would not get anyway. */
export function besidesStandard(
  exported: Readonly<Record<string, string>>,
  standard: Readonly<Record<string, string>>,
): Record<string, string> {
  const isOwn = ([name, value]: [string, string]) => ownVariables.includes(name) || standard[name] === value
  return Object.fromEntries(Object.entries(exported).filter((entry) => !isOwn(entry)))
}
