/** The home directory, in scratch space: hidden from a listing, and no part of the project. */
export const homeInScratch = '/.home'

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
