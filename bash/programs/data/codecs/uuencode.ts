/** `uuencode` and `uudecode`: files as printable lines, as they once went by mail. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { Program, ProgramIo } from '../../../io/program.js'
import { concat, readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { codecs, createDecoder, encodeGroups } from './codec.js'

const lineBytes = 45
const usageStatus = 64
const noInput = 4
const fatalStatus = 2

const base64 = { names: ['-m', '--base64'] }

const encoder = defineProgram({
  name: 'uuencode',
  usage: '[OPTION] [in-file] output-name',
  helpNames: ['-h', '--help'],
  options: { base64, encodesName: { names: ['-e', '--encode-file-name'] } },
  usageStatus,
  async run(io, given) {
    const [first, second, third] = given.operands
    if (first === undefined || third !== undefined) throw usageFailure(io, '[<in-file>] <output-name>')
    const [input, name] = second === undefined ? [undefined, first] : [first, second]
    const { bytes, mode } = await inputOf(io, input)
    const isBase64 = given.has('base64')
    const shown = given.has('encodesName') ? inBase64(new TextEncoder().encode(name)) : name
    const kind = `${isBase64 ? '-base64' : ''}${given.has('encodesName') ? '-encoded' : ''}`
    await io.stdout.write(`begin${kind} ${mode.toString(8).padStart(3, '0')} ${shown}\n`)
    for (let at = 0; at < bytes.length; at += lineBytes) {
      io.step()
      const line = bytes.subarray(at, at + lineBytes)
      await io.stdout.write(`${isBase64 ? inBase64(line) : classicLine(line)}\n`)
    }
    await io.stdout.write(isBase64 ? '====\n' : '`\nend\n')
    return 0
  },
})

function usageFailure(io: ProgramIo, rest: string): ProgramError {
  const usage = `Usage:  ${io.name} [ -<flag> | --<name> ]... ${rest}`
  return new ProgramError(`${usage}\nTry '${io.name} --help' for more information.`, usageStatus)
}

async function inputOf(io: ProgramIo, name: string | undefined): Promise<{ bytes: Bytes; mode: number }> {
  if (name === undefined || name === '-') return { bytes: await readAll(io.stdin), mode: 0o666 & ~io.umask }
  try {
    const { mode = 0o644 } = await io.fs.stat(name)
    return { bytes: await readAll(await io.fs.openRead(name)), mode: mode & 0o777 }
  } catch (error) {
    throw new ProgramError(`${name}: ${describeError(error)}`)
  }
}

function inBase64(bytes: Uint8Array): string {
  return String.fromCharCode(...encodeGroups(bytes, codecs.base64))
}

const shownSixBits = (bits: number) => String.fromCharCode(bits === 0 ? 0x60 : bits + 0x20)

function classicLine(line: Bytes): string {
  let text = shownSixBits(line.length)
  for (let at = 0; at < line.length; at += 3) {
    const [a = 0, b = 0, c = 0] = line.subarray(at, at + 3)
    text += [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63].map(shownSixBits).join('')
  }
  return text
}

const decoder = defineProgram({
  name: 'uudecode',
  usage: '[OPTION]... [file]...',
  helpNames: ['-h', '--help'],
  options: {
    output: { names: ['-o', '--output-file'], value: 'required' },
    ignoresExec: { names: ['-c', '--ignore-chmod'] },
  },
  usageStatus,
  async run(io, given) {
    const output = given.value('output')
    let status = 0
    for (const name of given.operands.length > 0 ? given.operands : ['-']) {
      try {
        const bytes = name === '-' ? await readAll(io.stdin) : await readAll(await io.fs.openRead(name))
        await decodeAll(io, bytes, { name: name === '-' ? 'standard input' : name, output })
      } catch (error) {
        if (error instanceof ProgramError) throw error
        await io.error(`${name}: ${describeError(error)}`)
        status = noInput
      }
    }
    return status
  },
})

interface Decoding {
  name: string
  output: string | undefined
}

/** The first file in a text; what follows its end is not looked at. What was read before a failure is written. */
async function decodeAll(io: ProgramIo, bytes: Bytes, { name, output }: Decoding): Promise<void> {
  const lines = decodeText(bytes).split('\n')
  const begin = /^begin(-base64)?(-encoded)? ([0-7]{3,4}) +(.+?)\r?$/
  const start = lines.findIndex((line) => begin.test(line))
  const [, isBase64, isEncoded, mode = '', written = ''] = begin.exec(lines[start] ?? '') ?? []
  if (start === -1) throw failure(name, "Invalid or missing 'begin' line")
  const body = lines.slice(start + 1).map((line) => line.replace(/\r$/, ''))
  const { pieces, fault } = isBase64 === undefined ? classicBytes(io, body) : base64Bytes(io, body)
  const content = concat(pieces)
  const target = output ?? (isEncoded === undefined ? written : decodeText(plainBase64(written) ?? new Uint8Array()))
  if (target === '-' || target === '/dev/stdout') await io.stdout.write(content)
  else {
    await io.fs.writeFile(target, content)
    await io.fs.setMode(target, Number.parseInt(mode, 8) & 0o777)
  }
  if (fault !== undefined) throw failure(name, fault)
}

const failure = (name: string, fault: string) => new ProgramError(`fatal error:\n${name}: ${fault}`, fatalStatus)

interface Decoded {
  pieces: Bytes[]
  fault?: string
}

function classicBytes(io: ProgramIo, lines: readonly string[]): Decoded {
  const pieces: Bytes[] = []
  for (const [index, line] of lines.entries()) {
    const count = line === '' ? 0 : (line.charCodeAt(0) - 0x20) & 63
    if (count === 0) return lines[index + 1] === 'end' ? { pieces } : { pieces, fault: "No `end' line" }
    io.step()
    const piece = classicLineBytes(line, count)
    if (piece === undefined) return { pieces, fault: 'invalid input' }
    pieces.push(piece)
  }
  return { pieces, fault: 'Short file' }
}

function classicLineBytes(line: string, count: number): Bytes | undefined {
  // Spaces at the end may have been cut off.
  const codes = Array.from(line.slice(1).padEnd(Math.ceil(count / 3) * 4), (character) => character.charCodeAt(0))
  if (codes.some((code) => code < 0x20 || code > 0x60)) return undefined
  const bytes = new Uint8Array(count)
  for (let at = 0, from = 0; at < count; at += 3, from += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = codes.slice(from, from + 4).map((code) => (code - 0x20) & 63)
    bytes[at] = (a << 2) | (b >> 4)
    bytes[at + 1] = ((b & 15) << 4) | (c >> 2)
    bytes[at + 2] = ((c & 3) << 6) | d
  }
  return bytes
}

function base64Bytes(io: ProgramIo, lines: readonly string[]): Decoded {
  const pieces: Bytes[] = []
  for (const line of lines) {
    if (line.startsWith('====')) return { pieces }
    io.step()
    const piece = plainBase64(line)
    if (piece === undefined) return { pieces, fault: 'invalid input' }
    pieces.push(piece)
  }
  return { pieces, fault: 'Short file' }
}

/** Undefined where it is none. */
function plainBase64(text: string): Bytes | undefined {
  const decoding = createDecoder(codecs.base64, false)
  const start = decoding.decode(new TextEncoder().encode(text))
  if (!decoding.isValid()) return undefined
  const bytes = concat([start, decoding.end()])
  return decoding.isValid() ? bytes : undefined
}

export const uuPrograms: readonly Program[] = [encoder, decoder]
