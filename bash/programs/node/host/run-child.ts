/** Runs a command of the shell for `child_process`. */

import type { Bytes } from '../../../../src/fs/types.js'
import { copiedBytes } from '../../../../src/text/copied-bytes.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteWriter, concat, readerOf } from '../../../io/streams.js'
import type { Value } from '../engine/machine.js'

export interface CommandGiven {
  argv: string[]
  cwd: string
  env: Record<string, string>
  input: Bytes | null
  /** Where its output goes. */
  stdout: 'pipe' | 'inherit' | 'ignore'
  stderr: 'pipe' | 'inherit' | 'ignore'
}

/** Shell code that puts the errors of a command into a file or nowhere. */
const withErrorsIn = '{ "$@"; } 2>"$0"'

export async function runCommand(io: ProgramIo, given: CommandGiven): Promise<Value> {
  const chunks: Bytes[] = []
  const collect: ByteWriter = {
    write(bytes) {
      io.account(bytes.length)
      chunks.push(copiedBytes(bytes))
      return undefined
    },
    close: async () => {},
  }
  const [command = ''] = given.argv
  if (!(await io.has(command))) return { missing: true }
  const errors = given.stderr === 'pipe' ? await freeName(io) : '/dev/null'
  const argv = given.stderr === 'inherit' ? given.argv : ['bash', '-c', withErrorsIn, errors, ...given.argv]
  const status = await io.run(argv, {
    ...(given.input !== null && { stdin: readerOf(given.input) }),
    ...(given.stdout !== 'inherit' && { stdout: given.stdout === 'pipe' ? collect : nowhere }),
    env: new Map(Object.entries(given.env)),
    cwd: given.cwd,
  })
  const stderr = given.stderr === 'pipe' ? await takeFile(io, errors) : new Uint8Array()
  return { status, stdout: chunks.length > 0 ? concat(chunks) : new Uint8Array(), stderr }
}

const nowhere: ByteWriter = { write: () => undefined, close: async () => {} }

async function freeName(io: ProgramIo): Promise<string> {
  const name = () => `/tmp/.node-${Math.floor(io.random() * 2 ** 40).toString(36)}`
  for (let at = name(); ; at = name()) {
    try {
      await io.fs.lstat(at)
    } catch {
      return at
    }
  }
}

async function takeFile(io: ProgramIo, path: string): Promise<Bytes> {
  const bytes = await io.fs.readFile(path)
  await io.fs.remove(path)
  return bytes
}
