/** Converts text between encodings. */

import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { concat } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { type Encoding, encodingNames, encodingOf, IncompleteInput, transliterate } from './encodings.js'

export const iconv = defineProgram({
  name: 'iconv',
  usage: '[OPTION...] [FILE...]',
  usageHint: "Try `iconv --help' or `iconv --usage' for more information.",
  options: {
    from: { names: ['-f', '--from-code'], value: 'required' },
    to: { names: ['-t', '--to-code'], value: 'required' },
    list: { names: ['-l', '--list'] },
    omit: { names: ['-c'] },
    output: { names: ['-o', '--output'], value: 'required' },
    silent: { names: ['-s', '--silent'] },
    verbose: { names: ['--verbose'] },
  },
  async run(io, given) {
    if (given.has('list')) {
      await io.stdout.write(encodingNames.map((name) => `${name}//\n`).join(''))
      return 0
    }
    const from = named(given.value('from'), 'from')
    const to = named(given.value('to'), 'to')
    const output = given.value('output')
    const writer = output === undefined || output === '-' ? undefined : await io.fs.openWrite(output)
    const write = async (bytes: Uint8Array<ArrayBuffer>) => {
      if (bytes.length > 0) await (writer ?? io.stdout).write(bytes)
    }
    const omits = given.has('omit') || to.modifiers.includes('IGNORE')
    const convert = converter(from.encoding, to.encoding, { omits, translit: to.modifiers.includes('TRANSLIT') })
    let status = 0
    for (const name of given.operands.length > 0 ? given.operands : ['-']) {
      const result = await convertFile(io, name, convert, write)
      if (result !== 0) status = 1
      if (result === 2) break
    }
    if (status === 0 && convert.hasOmitted() && !given.has('omit')) status = 1
    await writer?.close()
    return status
  },
})

function named(text: string | undefined, direction: 'from' | 'to'): { encoding: Encoding; modifiers: string[] } {
  const [name = '', ...modifiers] = (text ?? 'UTF-8').split('//')
  const encoding = encodingOf(name === '' ? 'UTF-8' : name)
  if (encoding === undefined) {
    throw new ProgramError(`conversion ${direction} \`${name}' is not supported by this shell`, 2)
  }
  return { encoding, modifiers: modifiers.flatMap((modifier) => modifier.toUpperCase().split(/[,/]/)) }
}

class IllegalInput extends Error {
  constructor(readonly position: number) {
    super()
  }
}

type Convert = ReturnType<typeof converter>

function converter(from: Encoding, to: Encoding, { omits, translit }: { omits: boolean; translit: boolean }) {
  let isStart = true
  let omitted = false

  function encode(point: number, position: number, output: number[]): void {
    const bytes = to.encode(point)
    if (bytes !== undefined) {
      for (const byte of bytes) output.push(byte)
      return
    }
    const replacement = translit ? transliterate(point) : undefined
    if (replacement !== undefined) {
      for (const character of replacement) output.push(...(to.encode(character.codePointAt(0) as number) ?? [63]))
      return
    }
    if (!omits) throw new IllegalInput(position)
    omitted = true
  }

  return {
    hasOmitted: () => omitted,
    /** The converted bytes so far are given to `done` before a failure. */
    run(bytes: Uint8Array, isEnd: boolean, position: number, done: (bytes: Uint8Array<ArrayBuffer>) => void): number {
      const output: number[] = []
      if (isStart) output.push(...(to.mark ?? []))
      isStart = false
      let fault: IllegalInput | undefined
      let decoded: { points: number[]; used: number } | undefined
      let end = bytes
      try {
        decoded = from.decode(end, isEnd, (at) => {
          if (!omits) throw new IllegalInput(position + at)
          omitted = true
        })
      } catch (error) {
        if (error instanceof IncompleteInput) {
          flushValid(bytes.length)
          throw error
        }
        if (!(error instanceof IllegalInput)) throw error
        fault = error
        end = bytes.subarray(0, error.position - position)
        decoded = from.decode(end, false, () => {})
      }
      try {
        for (const [index, point] of decoded.points.entries()) encode(point, position + index, output)
      } catch (error) {
        done(Uint8Array.from(output))
        throw error
      }
      done(Uint8Array.from(output))
      if (fault !== undefined) throw fault
      return decoded.used

      function flushValid(length: number): void {
        const { points } = from.decode(bytes.subarray(0, length), false, () => {})
        for (const point of points) encode(point, position, output)
        done(Uint8Array.from(output))
      }
    },
  }
}

/** 0: all is well; 1: this file failed; 2: nothing more can be converted. */
async function convertFile(
  io: ProgramIo,
  name: string,
  convert: Convert,
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
): Promise<0 | 1 | 2> {
  let pieces: Uint8Array<ArrayBuffer>[] = []
  const keep = (bytes: Uint8Array<ArrayBuffer>) => pieces.push(bytes)
  const flush = async () => {
    for (const piece of pieces) await write(piece)
    pieces = []
  }
  let reader: Awaited<ReturnType<typeof io.fs.openRead>>
  try {
    reader = name === '-' ? io.stdin : await io.fs.openRead(name)
  } catch (error) {
    await io.error(`cannot open input file \`${name}': ${describeError(error)}`)
    return 1
  }
  let rest = new Uint8Array()
  let position = 0
  try {
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
      const bytes = rest.length > 0 ? concat([rest, chunk]) : chunk
      const used = convert.run(bytes, false, position, keep)
      position += used
      rest = bytes.slice(used) as Uint8Array<ArrayBuffer>
      await flush()
      io.step()
    }
    if (rest.length > 0) convert.run(rest, true, position, keep)
    await flush()
    return 0
  } catch (error) {
    await flush()
    if (error instanceof IllegalInput) await io.error(`illegal input sequence at position ${error.position}`)
    else if (error instanceof IncompleteInput) {
      await io.error('incomplete character or shift sequence at end of buffer')
    } else throw error
    return 2
  }
}
