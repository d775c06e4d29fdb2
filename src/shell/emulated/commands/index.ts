/** Commands that agents expect and just-bash lacks, or lacks in a browser, or has in a way that hides a failure. */

import type { Manner } from '../worker/command-mode.js'
import type { Command } from '../worker/just-bash.js'
import type { RemoteFiles } from '../worker/remote-files.js'
import type { OwnShell } from '../worker/script-shell.js'
import { command } from './command.js'
import { copyKeepingTimes } from './cp.js'
import { recursiveGrep } from './grep.js'
import { gunzip, gzip, tar, zcat } from './gzip-and-tar.js'
import { exactly } from './printf.js'
import { rm } from './rm.js'
import { id, mktemp, realpath, uname, xxd, yes } from './small-commands.js'
import { trap } from './trap.js'

export interface OwnCommandsOptions {
  /** Those of the side that keeps the files: they are asked for there. */
  programs: readonly string[]
  manner: Manner
  shell: OwnShell
}

export function ownCommands(files: RemoteFiles, { programs, manner, shell }: OwnCommandsOptions): Command[] {
  const asked = programs.map((name) =>
    command(name, files, ({ args, cwd, env, stdin }) => {
      const exported = Object.fromEntries([...env].filter(([variable]) => variable.startsWith('GIT_')))
      return files.program(name, { args, cwd, env: exported, stdin: stdin() })
    }),
  )
  const own = [rm, gzip, gunzip, zcat, tar, uname, id, mktemp, realpath, xxd, yes].map((make) => make(files))
  const greps = (['grep', 'egrep', 'fgrep'] as const).map((name) => recursiveGrep(name, manner))
  return [...asked, ...own, trap(files, shell), ...greps, copyKeepingTimes(manner), exactly('printf'), exactly('echo')]
}
