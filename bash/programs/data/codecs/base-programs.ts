/** `base64`, `base32` and `basenc`. */

import { describeError } from '../../../io/describe-error.js'
import type { Program, ProgramIo } from '../../../io/program.js'
import { concat } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { type Codec, codecs, createDecoder, encodeGroups } from './codec.js'

const options = {
  decode: { names: ['-d', '--decode'] },
  ignoreGarbage: { names: ['-i', '--ignore-garbage'] },
  wrap: { names: ['-w', '--wrap'], value: 'required' },
} as const

function baseProgram(name: 'base64' | 'base32'): Program {
  return defineProgram({
    name,
    usage: '[OPTION]... [FILE]',
    options,
    run: (io, given) => run(io, given, codecs[name]),
  })
}

const basenc = defineProgram({
  name: 'basenc',
  usage: '[OPTION]... [FILE]',
  options: {
    ...options,
    base64: { names: ['--base64'] },
    base64url: { names: ['--base64url'] },
    base32: { names: ['--base32'] },
    base32hex: { names: ['--base32hex'] },
    base16: { names: ['--base16'] },
    base2msbf: { names: ['--base2msbf'] },
    base2lsbf: { names: ['--base2lsbf'] },
  },
  unsupported: ['--z85'],
  run(io, given) {
    const names = Object.keys(codecs) as Array<keyof typeof codecs>
    const chosen = given.last(...names) as keyof typeof codecs | undefined
    if (chosen === undefined) throw new ProgramError('missing encoding type')
    return run(io, given, codecs[chosen])
  },
})

type Given = Pick<ParsedArguments<typeof options>, 'has' | 'value' | 'operands'>

async function run(io: ProgramIo, given: Given, codec: Codec): Promise<number> {
  const [name = '-', extra] = given.operands
  if (extra !== undefined) throw new ProgramError(`extra operand ‘${extra}’`)
  const wrapText = given.value('wrap') ?? '76'
  if (!/^\d+$/.test(wrapText)) throw new ProgramError(`invalid wrap size: ‘${wrapText}’`)
  try {
    const reader = name === '-' ? io.stdin : await io.fs.openRead(name)
    const chunks = {
      async *[Symbol.asyncIterator]() {
        for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) yield chunk
      },
    }
    if (given.has('decode')) return await decode(io, chunks, codec, given.has('ignoreGarbage'))
    await encode(io, chunks, codec, Number(wrapText))
    return 0
  } catch (error) {
    await io.error(`${name}: ${describeError(error)}`)
    return 1
  }
}

type Chunks = AsyncIterable<Uint8Array<ArrayBuffer>>

async function encode(io: ProgramIo, chunks: AsyncIterable<Uint8Array>, codec: Codec, wrap: number): Promise<void> {
  let rest = new Uint8Array()
  let column = 0

  async function write(characters: Uint8Array<ArrayBuffer>): Promise<void> {
    if (characters.length === 0) return
    if (wrap === 0) {
      column += characters.length
      await io.stdout.write(characters)
      return
    }
    const lines = new Uint8Array(characters.length + Math.ceil(characters.length / wrap) + 1)
    let to = 0
    for (let at = 0; at < characters.length; ) {
      if (column === wrap) {
        lines[to] = 10
        to += 1
        column = 0
      }
      const count = Math.min(wrap - column, characters.length - at)
      lines.set(characters.subarray(at, at + count), to)
      at += count
      to += count
      column += count
    }
    await io.stdout.write(lines.subarray(0, to))
  }

  for await (const chunk of chunks as Chunks) {
    const all = rest.length > 0 ? concat([rest, chunk]) : chunk
    const whole = all.length - (all.length % codec.bytes)
    await write(encodeGroups(all.subarray(0, whole), codec))
    rest = all.slice(whole)
    io.step()
  }
  await write(encodeGroups(rest, codec))
  if (wrap > 0 && column > 0) await io.stdout.write('\n')
}

async function decode(
  io: ProgramIo,
  chunks: AsyncIterable<Uint8Array>,
  codec: Codec,
  ignoreGarbage: boolean,
): Promise<number> {
  const decoder = createDecoder(codec, ignoreGarbage)
  for await (const chunk of chunks) {
    await io.stdout.write(decoder.decode(chunk))
    if (!decoder.isValid()) break
    io.step()
  }
  if (decoder.isValid()) await io.stdout.write(decoder.end())
  if (decoder.isValid()) return 0
  await io.error('invalid input')
  return 1
}

export const basePrograms: readonly Program[] = [baseProgram('base64'), baseProgram('base32'), basenc]
