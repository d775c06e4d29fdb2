/** The commands of git that are there, and those that are not. */
import type { GitContext } from '../context.js'
import { add, clean, mv, rm } from './add.js'
import { branch, tag } from './branch.js'
import { checkout, reset, restore, switchBranch } from './checkout.js'
import { commit } from './commit.js'
import { config, init, remote } from './config.js'
import { diff, diffPlumbing } from './diff.js'
import { log, reflog, show, whatchanged } from './log.js'
import { merge, pick } from './merge.js'
import { status } from './status.js'

export type Command = (context: GitContext, args: readonly string[]) => Promise<number>

export const commands: Readonly<Record<string, Command>> = {
  add,
  branch,
  checkout,
  'cherry-pick': (context, args) => pick(context, args, 'cherry-pick'),
  clean,
  commit,
  config,
  diff,
  'diff-files': (context, args) => diffPlumbing(context, args, 'diff-files'),
  'diff-index': (context, args) => diffPlumbing(context, args, 'diff-index'),
  'diff-tree': (context, args) => diffPlumbing(context, args, 'diff-tree'),
  init,
  log: (context, args) => log(context, args),
  merge,
  mv,
  reflog,
  remote,
  reset,
  restore,
  revert: (context, args) => pick(context, args, 'revert'),
  rm,
  show,
  stage: add,
  status,
  switch: switchBranch,
  tag,
  whatchanged,
}

/** Commands of git that are missing here. */
export const missing: ReadonlySet<string> = new Set([])
