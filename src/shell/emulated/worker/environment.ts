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
