import { vectors } from '../dialects/vectors/cases.js'

/** Cases that can't be played with names of Windows, by id, with the reason. */
export const windowsUnfit: Readonly<Record<string, string>> = {
  'replay/search_files: literal: no glob, no regex': 'Windows has no name with *',
}

/** Wine has neither Git Bash nor a PowerShell that works. */
export const wineUnfit: Readonly<Record<string, string>> = {
  ...windowsUnfit,
  ...Object.fromEntries(
    vectors
      .filter(({ calls }) =>
        calls.flat().some((call) => 'tool' in call && ['bash', 'execute_command'].includes(call.tool)),
      )
      .map(({ id }) => [id, 'wine has no shell that commands could run in']),
  ),
}

const noSuchName = 'Windows has no such name; it is refused'

/** Cases of the contract that fail in wine, with the reason. Links are left out before: wine has none. */
export const contractInWine: Readonly<Record<string, string>> = {
  'readDir lists names that begin with a dot, and neither "." nor ".."': noSuchName,
  'a name may hold a trailing space': noSuchName,
  'a name may hold only a space': noSuchName,
  'a name may hold three dots': noSuchName,
  'a name may hold a trailing dot': noSuchName,
  'a name may hold a newline': noSuchName,
  'a name may hold a carriage return and a tab': noSuchName,
  'a name may hold an escape character': noSuchName,
  'a name may hold a backslash': noSuchName,
  'a name may hold a colon': noSuchName,
  'a name may hold a star and a question mark': noSuchName,
  'a name may hold quotes': noSuchName,
  'a name may hold angle brackets and a pipe': noSuchName,
  'a name may hold a device name of another system': noSuchName,
  'names with spaces around them are other names': noSuchName,
  'where case does not matter, a rename that changes only the case changes the name that is listed':
    'wine takes it for a rename to itself; Windows changes the name',
  'setModified takes 1970, times before it and times to come':
    'Node for Windows reports times before 1970 as after 2038, also without wine',
}
