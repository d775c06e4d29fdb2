/** Runs one program: gives it buffered output, and turns failures into a status. */

import { isFsError } from '../../src/errors.js'
import type { Bytes } from '../../src/fs/types.js'
import { copiedBytes } from '../../src/text/copied-bytes.js'
import { encodeText } from './byte-text.js'
import { describeError } from './describe-error.js'
import type { Output, Program, ProgramIo, ShellNetwork } from './program.js'
import { pathFrom } from './scratch-names.js'
import { BrokenPipe, type ByteWriter, concat } from './streams.js'

export interface ProgramRun extends Pick<ProgramIo, 'name' | 'args' | 'env' | 'cwd' | 'umask' | 'fs' | 'stdin'> {
  stdout: ByteWriter
  stderr: ByteWriter
  /** Where `/tmp` is, when it is elsewhere. */
  scratch: string | undefined
  run: ProgramIo['run']
  has: ProgramIo['has']
  step: ProgramIo['step']
  account: ProgramIo['account']
  now: ProgramIo['now']
  random: ProgramIo['random']
  network?: ShellNetwork
  clock: ProgramIo['clock']
}

const bufferBytes = 32 * 1024
export const brokenPipeStatus = 141

export async function runProgram(program: Program, given: ProgramRun): Promise<number> {
  const stdout = bufferedOutput(given.stdout)
  const stderr = bufferedOutput(given.stderr, 0)
  let accounted = 0

  async function writeError(text: string): Promise<void> {
    await stdout.flush()
    await stderr.write(text)
  }

  const io: ProgramIo = {
    ...given,
    stdout,
    stderr: { write: (data) => stdout.flush().then(() => stderr.write(data)), flush: stderr.flush },
    path: (path) => pathFrom(given.cwd, path, given.scratch),
    error: (message) => writeError(`${given.name}: ${message}\n`),
    async run(argv, options) {
      await stdout.flush()
      return given.run(argv, options)
    },
    account(bytes) {
      accounted += bytes
      given.account(bytes)
    },
  }
  try {
    const status = await program.run(io)
    await stdout.flush()
    return status
  } catch (error) {
    if (error instanceof BrokenPipe) return brokenPipeStatus
    if (!isFsError(error)) throw error
    await given.stderr.write(encodeText(`${given.name}: write error: ${describeError(error)}\n`))
    return 1
  } finally {
    given.account(-accounted)
  }
}

function bufferedOutput(writer: ByteWriter, limit = bufferBytes): Output {
  let chunks: Bytes[] = []
  let texts: string[] = []
  let size = 0

  function encodeTexts(): void {
    if (texts.length === 0) return
    chunks.push(encodeText(texts.join('')))
    texts = []
  }

  async function flush(): Promise<void> {
    if (size === 0) return
    encodeTexts()
    const data = concat(chunks)
    chunks = []
    size = 0
    await writer.write(data)
  }

  return {
    write(data) {
      if (data.length === 0) return undefined
      if (typeof data === 'string') texts.push(data)
      else {
        encodeTexts()
        // A copy, because small pieces are often views of large buffers that are reused.
        chunks.push(data.length < bufferBytes ? copiedBytes(data) : data)
      }
      size += data.length
      return size > limit ? flush() : undefined
    },
    flush,
    check: async () => writer.write(new Uint8Array()),
    ...(writer.path !== undefined && { path: writer.path }),
  }
}
