/** `grep -r` of just-bash takes every link for a directory, and where links lead upwards it does not end. */

import { inManner, type Manner } from '../worker/command-mode.js'
import type { Command } from '../worker/just-bash.js'

const recursive = /^(-[a-zA-Z]*[rR]|--(dereference-)?recursive$)/

/** As elsewhere, a search through directories passes links over. */
export function recursiveGrep(name: 'grep' | 'egrep' | 'fgrep', manner: Manner): Command {
  return {
    name,
    async execute(args, { origCommand }) {
      if (origCommand === undefined) throw new Error(`there is no ${name} to call`)
      if (!args.some((arg) => recursive.test(arg))) return origCommand(args)
      return inManner(manner, 'hidesLinks', () => origCommand(args))
    },
  }
}
