/** Commands that just-bash lacks, lacks in browsers, or implements in a way that hides failures. */

import type { CommandMode } from '../worker/command-mode.js'
import type { Command } from '../worker/just-bash.js'
import type { RemoteFiles } from '../worker/remote-files.js'
import type { ScriptShell } from '../worker/script-shell.js'
import { command } from './command.js'
import { copyWithTimes } from './cp.js'
import { recursiveGrep } from './grep.js'
import { gunzip, gzip, tar, zcat } from './gzip-and-tar.js'
import { withByteEscapes } from './printf.js'
import { rm } from './rm.js'
import { id, mktemp, realpath, uname, xxd, yes } from './small-commands.js'
import { trap } from './trap.js'

export interface OwnCommandsOptions {
  /** Names of programs that run on the host. */
  programs: readonly string[]
  mode: CommandMode
  shell: ScriptShell
}

export function ownCommands(files: RemoteFiles, { programs, mode, shell }: OwnCommandsOptions): Command[] {
  const onHost = programs.map((name) =>
    command(name, files, ({ args, cwd, env, stdin }) => {
      const exported = Object.fromEntries([...env].filter(([variable]) => variable.startsWith('GIT_')))
      return files.program(name, { args, cwd, env: exported, stdin: stdin() })
    }),
  )
  const own = [rm, gzip, gunzip, zcat, tar, uname, id, mktemp, realpath, xxd, yes].map((make) => make(files))
  const greps = (['grep', 'egrep', 'fgrep'] as const).map((name) => recursiveGrep(name, mode))
  return [
    ...onHost,
    ...own,
    trap(files, shell),
    ...greps,
    copyWithTimes(mode),
    withByteEscapes('printf'),
    withByteEscapes('echo'),
  ]
}
