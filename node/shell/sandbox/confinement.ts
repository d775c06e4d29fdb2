/** What every confined command has, whatever files it sees: bubblewrap, its namespaces, limits and environment. */
import fs from 'node:fs'
import path from 'node:path'
import { FsError } from '../../../src/errors.js'
import { shellCommand } from '../shell-command.js'
import { channels } from './channels.js'
import type { ConfinedCommand, Wrapped } from './confined-command.js'
import { type ControlGroupPlace, type ControlGroups, openControlGroups } from './control-groups.js'
import { limitSteps, type SandboxLimits, sandboxLimits } from './limits.js'
import { preludeFor } from './prelude.js'
import { confinesWith } from './trial.js'

export interface ConfinementOptions {
  allowNetwork?: boolean
  limits?: Partial<SandboxLimits>
  /** Where to look for programs. Default: the server's `PATH`. */
  searchPath?: string
  /** @internal Default: those of this machine. */
  controlGroups?: ControlGroupPlace
}

export interface Confinement {
  /** A description for people and models. */
  readonly name: string
  /** Whether commands are in a user namespace of their own. */
  readonly hasUserNamespace: boolean
  /** Prepares a command that sees what these arguments of bubblewrap mount. */
  wrap(command: ConfinedCommand, mounts: readonly string[]): Omit<Wrapped, 'descriptors'>
  close(): void
}

/** Tests bubblewrap, because containers may forbid it. Returns what is wrong where it does not work. */
export function openConfinement(options: ConfinementOptions): Confinement | { fault: string } {
  const { allowNetwork = false, searchPath = process.env.PATH ?? '' } = options
  const program = findProgram('bwrap', searchPath)
  if (program === undefined) return { fault: 'bubblewrap (bwrap) is not installed' }
  const { privileges, fault = 'bubblewrap does not work here' } = confinesWith(program)
  if (privileges === undefined) return { fault }
  const limits = sandboxLimits(options.limits)
  const namespaces = [...privileges, ...(allowNetwork ? [] : ['--unshare-net'])]
  const groups: ControlGroups | { fault: string } = openControlGroups(limits, options.controlGroups)
  return {
    name: `a bubblewrap sandbox ${allowNetwork ? 'with' : 'without'} network`,
    hasUserNamespace: privileges.includes('--unshare-user'),
    wrap({ program: shell, script, cwd, env, variables }, mounts) {
      const { prelude, environment } = preludeFor(env, variables, limitSteps(limits, shell))
      const args = [
        ...namespaces,
        ...mounts,
        '--clearenv',
        ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
        ...['--chdir', cwd, '--json-status-fd', String(channels.status)],
      ]
      // Arguments are separated by NUL: one in a value would start another argument.
      if (args.some((argument) => argument.includes('\0'))) {
        const message = 'a directory or a variable contains a null character'
        throw new FsError('INVALID_INPUT', { issues: [{ at: [], kind: 'other', message }] })
      }
      return {
        argv: [program, '--args', String(channels.arguments), '--', ...shellCommand(shell, prelude + script)],
        arguments: Buffer.from(args.map((argument) => `${argument}\0`).join('')),
        ...('admit' in groups && { admit: groups.admit }),
      }
    },
    close() {
      if ('close' in groups) groups.close()
    },
  }
}

export function findProgram(name: string, searchPath: string): string | undefined {
  const places = searchPath.split(path.delimiter).filter((directory) => path.isAbsolute(directory))
  return places.map((directory) => path.join(directory, name)).find((file) => fs.existsSync(file))
}
