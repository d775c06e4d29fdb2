/** The commands of npm that are here. */

import type { Call, Command } from './command.js'
import { exec } from './commands/exec.js'
import { init } from './commands/init.js'
import { ci, install, uninstall } from './commands/install.js'
import { ls } from './commands/ls.js'
import { pkg } from './commands/pkg.js'
import { run } from './commands/run.js'
import { version } from './commands/version.js'

const globalDirectory = '/usr'

function printed(path: (directory: string) => string): Command {
  return {
    async run({ io, settings, project }) {
      const top = settings.is('global') ? `${globalDirectory}/lib` : project.directory
      await io.stdout.write(`${path(top)}\n`)
      return 0
    },
  }
}

export const commands: Readonly<Record<string, Command>> = {
  run,
  exec,
  pkg,
  ls,
  ll: ls,
  init,
  install,
  ci,
  uninstall,
  version,
  root: printed((top) => `${top === '/' ? '' : top}/node_modules`),
  prefix: printed((top) => (top === `${globalDirectory}/lib` ? globalDirectory : top)),
}

/** `npm test` and the like: scripts with commands of their own. */
export function lifecycle(name: string): Command {
  const asRun = (call: Call): Call => ({ ...call, args: [name, ...call.args] })
  return {
    run: (call) => run.run(asRun(call)),
    forWorkspaces: (call, workspaces) => run.forWorkspaces?.(asRun(call), workspaces) ?? run.run(asRun(call)),
  }
}
