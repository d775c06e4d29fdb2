/** Runs programs of the host for a command. */
import { isFsError } from '../../src/errors.js'
import type { Bytes } from '../../src/fs/types.js'
import type { OutputChunk } from '../../src/shell/types.js'
import { joinBytes } from '../../src/text/join-bytes.js'
import type { CalledProgram, HostProgramIo, ProgramCall, ProgramEnd, ProgramResult } from '../io/host-programs.js'
import type { ProgramToRun } from '../worker/messages.js'

export interface ProgramStreams {
  /** The next bytes of its input; undefined at the end. */
  read(): Promise<Bytes | undefined>
  write(chunk: OutputChunk): void
  signal: AbortSignal
}

/** A program that throws has failed: its status is 1, and the message goes to stderr. */
export async function runHostProgram(
  programs: Readonly<Record<string, CalledProgram>>,
  { name, args, cwd, env }: ProgramToRun,
  { read, write, signal }: ProgramStreams,
): Promise<ProgramEnd> {
  const encode = (data: string | Bytes) => (typeof data === 'string' ? new TextEncoder().encode(data) : data)
  const stream = (kind: OutputChunk['stream']) => ({
    write: (data: string | Bytes) => write({ stream: kind, bytes: encode(data) }),
  })

  async function bytes(): Promise<Bytes> {
    const chunks: Bytes[] = []
    for (let chunk = await read(); chunk !== undefined; chunk = await read()) chunks.push(chunk)
    return joinBytes(chunks)
  }

  const stderr = stream('stderr')
  const io: Omit<HostProgramIo, 'fs'> = {
    cwd,
    env,
    stdin: { read, bytes, text: async () => new TextDecoder().decode(await bytes()) },
    stdout: stream('stdout'),
    stderr,
    signal,
  }
  try {
    // The command's files are added where the program is bound to them.
    return await (programs[name] as CalledProgram)(args, io as HostProgramIo)
  } catch (error) {
    const message = isFsError(error) && 'path' in error.facts ? `${error.facts.path}: ${error.code}` : String(error)
    stderr.write(`${name}: ${message}\n`)
    return 1
  }
}

/** A program that runs operations, with the interface of the others. */
export function operationProgram(
  run: (call: ProgramCall) => Promise<ProgramResult>,
  bound: Omit<ProgramCall, 'args' | 'cwd' | 'env' | 'input'>,
): CalledProgram {
  return async (args, { cwd, env, stdin, stdout, stderr }) => {
    const result = await run({ ...bound, args: [...args], cwd, env, input: stdin.bytes })
    for (const { stream, data } of result.written) (stream === 'stdout' ? stdout : stderr).write(data)
    return result.request ?? result.exitCode
  }
}
