/** The base of our own commands. */

import { isFsError } from '../../../errors.js'
import { resolve } from '../../../fs/path.js'
import type { Bytes } from '../../../fs/types.js'
import { reasonOf, toErrno } from '../worker/errno.js'
import type { Command } from '../worker/just-bash.js'
import type { RemoteFiles } from '../worker/remote-files.js'
import { fromLatin1, toLatin1 } from '../worker/string-bytes.js'

/** The input of a command. */
export interface Call {
  args: string[]
  cwd: string
  env: ReadonlyMap<string, string>
  files: RemoteFiles
  stdin(): Bytes
  /** Limit for the file content it holds in memory. */
  maxBytes: number
  /** Resolves a path against the working directory. */
  path(given: string): string
}

export interface Outcome {
  stdout?: string | Bytes
  stderr?: string
  exitCode?: number
}

/** A failure with a one-line message. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message)
  }
}

/** The reason for an error, as a POSIX system words it. */
export function reason(error: unknown, right: 'read' | 'write' = 'read'): string {
  const translated = toErrno(error, '', '', right)
  return translated instanceof Error ? reasonOf(translated) : String(translated)
}

export function command(name: string, files: RemoteFiles, run: (call: Call) => Promise<Outcome> | Outcome): Command {
  return {
    name,
    async execute(args, { cwd, env, stdin, limits }) {
      try {
        const call: Call = {
          args,
          cwd,
          env,
          files,
          // A string with one byte per character, though its type does not say so.
          stdin: () => fromLatin1(stdin as unknown as string),
          maxBytes: limits.maxLiveBytes >> 1,
          path: (given) => resolve(cwd, given),
        }
        const { stdout = '', stderr = '', exitCode = 0 } = await run(call)
        const { maxStringLength } = limits
        if (stdout.length > maxStringLength) throw new CommandError(`more than ${maxStringLength} bytes of output`)
        if (typeof stdout === 'string') return { stdout, stderr, exitCode, stdoutKind: 'text' }
        return { stdout: toLatin1(stdout), stderr, exitCode, stdoutKind: 'bytes' }
      } catch (error) {
        if (error instanceof CommandError) {
          return { stdout: '', stderr: `${name}: ${error.message}\n`, exitCode: error.exitCode }
        }
        if (!isFsError(error)) throw error
        const path = 'path' in error.facts ? `${error.facts.path}: ` : ''
        return { stdout: '', stderr: `${name}: ${path}${reason(error)}\n`, exitCode: 1 }
      }
    },
  }
}
