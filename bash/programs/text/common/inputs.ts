/** The files that a program reads, by its operands. */
import { isFsError } from '../../../../src/errors.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import { ProgramError } from '../../program-error.js'
import { shownName } from '../../quoting.js'

export interface Input {
  /** As given; `-` is standard input. */
  name: string
  reader: ByteReader
}

/** No operand means standard input. */
export function orStdin(operands: readonly string[]): readonly string[] {
  return operands.length > 0 ? operands : ['-']
}

export async function openInput(io: ProgramIo, name: string): Promise<ByteReader> {
  return name === '-' ? io.stdin : io.fs.openRead(name)
}

/** Reads no further. Standard input stays open, for whoever reads it next. */
export function closeInput({ name, reader }: Input): void {
  if (name !== '-') reader.close()
}

/** Handles the inputs in turn. One that can't be opened is reported and the others still are handled. */
export async function forEachInput(
  io: ProgramIo,
  operands: readonly string[],
  handle: (input: Input) => Promise<void>,
  describe: (name: string, reason: string) => string | Promise<string> = (name, reason) =>
    `${shownName(name)}: ${reason}`,
): Promise<number> {
  let status = 0
  for (const name of orStdin(operands)) {
    let reader: ByteReader
    try {
      reader = await openInput(io, name)
    } catch (error) {
      await io.error(await describe(name, describeError(error)))
      status = 1
      continue
    }
    await handle({ name, reader })
  }
  return status
}

/** All inputs as one stream, for programs that do not care where a file ends. `status` is final at its end. */
export function joinedInputs(io: ProgramIo, operands: readonly string[]): { reader: ByteReader; status(): number } {
  const names = [...orStdin(operands)]
  let current: ByteReader | undefined
  let status = 0

  async function open(): Promise<ByteReader | undefined> {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      try {
        return await openInput(io, name)
      } catch (error) {
        await io.error(`${shownName(name)}: ${describeError(error)}`)
        status = 1
      }
    }
    return undefined
  }

  async function read(): Promise<Bytes | undefined> {
    for (;;) {
      current ??= await open()
      if (current === undefined) return undefined
      const chunk = await current.read()
      if (chunk !== undefined) return chunk
      current = undefined
    }
  }

  const reader: ByteReader = {
    read,
    unread(bytes) {
      current?.unread(bytes)
    },
    close() {
      names.length = 0
    },
  }
  return { reader, status: () => status }
}

/** For programs that can't go on without their input. */
export async function requireInput(
  io: ProgramIo,
  name: string,
  describe = (reason: string) => `${shownName(name)}: ${reason}`,
  status = 1,
): Promise<ByteReader> {
  try {
    return await openInput(io, name)
  } catch (error) {
    if (!isFsError(error)) throw error
    throw new ProgramError(describe(describeError(error)), status)
  }
}

/** A message that points to `--help`, as GNU programs add it to a wrong use. */
export function misuse(io: ProgramIo, message: string, status = 1): ProgramError {
  return new ProgramError(`${message}\nTry '${io.name} --help' for more information.`, status)
}

/** At most `most` operands. */
export function refuseExtra(io: ProgramIo, operands: readonly string[], most: number, status = 1): void {
  const extra = operands[most]
  if (extra !== undefined) throw misuse(io, `extra operand ‘${extra}’`, status)
}
