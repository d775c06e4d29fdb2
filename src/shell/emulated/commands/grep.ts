/** Fixes `grep -r` of just-bash, which follows every link as a directory and never ends on cyclic links. */

import { type CommandMode, withMode } from '../worker/command-mode.js'
import type { Command } from '../worker/just-bash.js'

const recursive = /^(-[a-zA-Z]*[rR]|--(dereference-)?recursive$)/

/** A recursive search skips links, as in other implementations. */
export function recursiveGrep(name: 'grep' | 'egrep' | 'fgrep', mode: CommandMode): Command {
  return {
    name,
    async execute(args, { origCommand }) {
      if (origCommand === undefined) throw new Error(`just-bash has no ${name}`)
      if (!args.some((arg) => recursive.test(arg))) return origCommand(args)
      return withMode(mode, 'hidesLinks', () => origCommand(args))
    },
  }
}
