/** `grep -r` of just-bash takes every link for a directory, and where links lead upwards it does not end. */
import type { Command } from '../emulated/just-bash.js'

/** Whether listings with kinds show links; while a count is not zero they do not. */
export interface LinksInListings {
  hiddenFor: number
}

const recursive = /^(-[a-zA-Z]*[rR]|--(dereference-)?recursive$)/

/** As elsewhere, a search through directories passes links over. What else runs at the same moment does not see them listed either. */
export function recursiveGrep(name: 'grep' | 'egrep' | 'fgrep', links: LinksInListings): Command {
  return {
    name,
    async execute(args, { origCommand }) {
      if (origCommand === undefined) throw new Error(`there is no ${name} to call`)
      if (!args.some((arg) => recursive.test(arg))) return origCommand(args)
      links.hiddenFor += 1
      try {
        return await origCommand(args)
      } finally {
        links.hiddenFor -= 1
      }
    },
  }
}
