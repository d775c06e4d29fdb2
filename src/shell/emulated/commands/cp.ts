/** `cp` of just-bash takes `-p` and keeps no times, and knows neither `-a` nor `-f`. */

import { inManner, type Manner } from '../worker/command-mode.js'
import type { Command } from '../worker/just-bash.js'

export function copyKeepingTimes(manner: Manner): Command {
  return {
    name: 'cp',
    async execute(args, { origCommand }) {
      if (origCommand === undefined) throw new Error('there is no cp to call')
      const known = args.flatMap(plain)
      const keeps = known.some((arg) => arg === '--preserve' || /^-[a-zA-Z]*p/.test(arg))
      return keeps ? inManner(manner, 'keepsTimes', () => origCommand(known)) : origCommand(known)
    },
  }
}

/** The option in those that just-bash has. It replaces what is there anyway. */
function plain(arg: string): string[] {
  if (arg === '--archive') return ['-rp']
  if (arg === '--force') return []
  if (!/^-[a-zA-Z]+$/.test(arg)) return [arg]
  const letters = arg.slice(1).replaceAll('a', 'rp').replaceAll('f', '')
  return letters === '' ? [] : [`-${letters}`]
}
