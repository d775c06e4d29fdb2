/** Joins lines of files side by side, or all lines of each file. */
import type { Bytes } from '../../../../src/fs/types.js'
import { encodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { shownName } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { forEachInput, openInput, orStdin } from '../common/inputs.js'
import { LineReader, withoutDelimiter } from '../common/line-reader.js'

const letters: Readonly<Record<string, number>> = { n: 10, t: 9, b: 8, f: 12, r: 13, v: 11, '\\': 92 }

export const paste = defineProgram({
  name: 'paste',
  usage: '[OPTION]... [FILE]...',
  options: {
    delimiters: { names: ['-d', '--delimiters'], value: 'required' },
    serial: { names: ['-s', '--serial'] },
    zero: { names: ['-z', '--zero-terminated'] },
  },
  async run(io, given) {
    const delimiters = parseDelimiters(given.value('delimiters') ?? '\t')
    const lineEnd = given.has('zero') ? 0 : 10
    const names = orStdin(given.operands)
    const output = new ByteOutput(io.stdout)
    const status = given.has('serial')
      ? await pasteSerially(io, names, { output, delimiters, lineEnd })
      : await pasteSideBySide(io, names, { output, delimiters, lineEnd })
    await output.flush()
    return status
  },
})

interface Pasting {
  output: ByteOutput
  /** Used in turn; an empty one writes nothing. */
  delimiters: readonly Bytes[]
  lineEnd: number
}

/** One delimiter per byte; `\0` is none at all. */
function parseDelimiters(text: string): Bytes[] {
  const bytes = encodeText(text)
  const found: Bytes[] = []
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte !== 0x5c) {
      found.push(Uint8Array.of(byte))
      continue
    }
    at += 1
    const next = bytes[at]
    if (next === undefined) {
      throw new ProgramError(`delimiter list ends with an unescaped backslash: ${text}`)
    }
    const character = String.fromCharCode(next)
    found.push(character === '0' ? new Uint8Array() : Uint8Array.of(letters[character] ?? next))
  }
  return found.length > 0 ? found : [new Uint8Array()]
}

async function pasteSerially(io: ProgramIo, names: readonly string[], pasting: Pasting): Promise<number> {
  const { output, delimiters, lineEnd } = pasting
  return forEachInput(io, names, async ({ reader }) => {
    let count = 0
    for await (const lines of lineBatches(reader, lineEnd)) {
      for (const line of lines) {
        if (count > 0) output.bytes(delimiters[(count - 1) % delimiters.length] as Bytes)
        output.bytes(withoutDelimiter(line, lineEnd))
        count += 1
      }
      if (output.isFull) await output.drain()
    }
    output.byte(lineEnd)
    await output.flush()
  })
}

async function pasteSideBySide(io: ProgramIo, names: readonly string[], pasting: Pasting): Promise<number> {
  const { output, delimiters, lineEnd } = pasting
  const readers = await openAll(io, names, lineEnd)
  for (;;) {
    const lines: Array<Bytes | undefined> = []
    for (const reader of readers) {
      const next = reader.next()
      lines.push(next instanceof Promise ? await next : next)
    }
    if (lines.every((line) => line === undefined)) return 0
    lines.forEach((line, index) => {
      if (index > 0) output.bytes(delimiters[(index - 1) % delimiters.length] as Bytes)
      if (line !== undefined) output.bytes(line)
    })
    output.byte(lineEnd)
    if (output.isFull) await output.drain()
  }
}

/** Standard input may be named several times: its lines are dealt out. */
async function openAll(io: ProgramIo, names: readonly string[], lineEnd: number): Promise<LineReader[]> {
  let stdin: LineReader | undefined
  const readers: LineReader[] = []
  for (const name of names) {
    if (name === '-') {
      stdin ??= new LineReader(io.stdin, lineEnd)
      readers.push(stdin)
      continue
    }
    try {
      readers.push(new LineReader(await openInput(io, name), lineEnd))
    } catch (error) {
      throw new ProgramError(`${shownName(name)}: ${describeError(error)}`)
    }
  }
  return readers
}
