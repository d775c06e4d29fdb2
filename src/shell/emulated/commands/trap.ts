/** The `trap` command. It supports `EXIT`; for signals it prints a warning, since there are none in this shell. */

import type { RemoteFiles } from '../worker/remote-files.js'
import type { ScriptShell } from '../worker/script-shell.js'
import { command } from './command.js'

export const trap = (files: RemoteFiles, shell: ScriptShell) =>
  command('trap', files, ({ args }) => {
    const given = args.filter((arg) => arg !== '--')
    if (given.some((arg) => /^-[pl]/.test(arg))) return {}
    // Without an action, the conditions are reset.
    const [action = '-', ...conditions] = given.length === 1 ? ['-', ...given] : given
    const isReset = action === '-' || action === ''
    const signals = conditions.filter((condition) => !isEnd(condition))
    if (signals.length < conditions.length) {
      if (shell.isCurrent()) shell.exitAction = isReset ? undefined : action
      else if (!isReset) return { stderr: 'bash: trap: only EXIT of the script itself can be trapped\n', exitCode: 1 }
    }
    if (isReset || signals.length === 0) return {}
    return { stderr: 'bash: trap: this shell has no signals\n' }
  })

function isEnd(condition: string): boolean {
  return ['EXIT', '0'].includes(condition.toUpperCase())
}
