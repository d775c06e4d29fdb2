/** Extends `cp` of just-bash, whose `-p` does not preserve times, with `-a` and `-f`. */

import { type CommandMode, withMode } from '../worker/command-mode.js'
import type { Command } from '../worker/just-bash.js'

export function copyWithTimes(mode: CommandMode): Command {
  return {
    name: 'cp',
    async execute(args, { origCommand }) {
      if (origCommand === undefined) throw new Error('just-bash has no cp')
      const translated = args.flatMap(plain)
      const preserves = translated.some((arg) => arg === '--preserve' || /^-[a-zA-Z]*p/.test(arg))
      return preserves ? withMode(mode, 'keepsTimes', () => origCommand(translated)) : origCommand(translated)
    },
  }
}

/** Translates an option into those that just-bash has. It always replaces existing files. */
function plain(arg: string): string[] {
  if (arg === '--archive') return ['-rp']
  if (arg === '--force') return []
  if (!/^-[a-zA-Z]+$/.test(arg)) return [arg]
  const letters = arg.slice(1).replaceAll('a', 'rp').replaceAll('f', '')
  return letters === '' ? [] : [`-${letters}`]
}
