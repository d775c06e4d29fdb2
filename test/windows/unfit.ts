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

/** Cases of the contract that fail in wine, because it has no links and does not replace a file that is open. */
export const contractInWine: readonly string[] = []
