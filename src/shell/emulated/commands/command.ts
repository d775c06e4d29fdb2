/** What commands of our own are written with. */

import { isFsError } from '../../../errors.js'
import { resolve } from '../../../fs/path.js'
import type { Bytes } from '../../../fs/types.js'
import { reasonOf, toErrno } from '../worker/errno.js'
import type { Command } from '../worker/just-bash.js'
import type { RemoteFiles } from '../worker/remote-files.js'
import { fromLatin1, toLatin1 } from '../worker/string-bytes.js'

/** What a command is run with. */
export interface Call {
  args: string[]
  cwd: string
  env: ReadonlyMap<string, string>
  files: RemoteFiles
  stdin(): Bytes
  /** The most that it may hold of files at once. */
  maxBytes: number
  /** A path as the user wrote it, made absolute. */
  path(given: string): string
}

export interface Outcome {
  stdout?: string | Bytes
  stderr?: string
  exitCode?: number
}

/** A failure that the command's user is told of in one line. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message)
  }
}

/** Why, in the words of a system. */
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
          // A string in which every character is a byte, though its type does not say so.
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
