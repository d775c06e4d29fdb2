/** Dumps bytes in a format. */
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { boundedInput } from '../bounded-input.js'
import { readSize } from '../parse-size.js'
import { parseFormat, showPiece, type Unit, unitBytes } from './hexdump-format.js'

const shortAddress = '"%07.7_Ax\\n"'
const words = (format: string) => [shortAddress, `"%07.7_ax " 8/2 "${format} " "\\n"`]
const bytes = (format: string) => [shortAddress, `"%07.7_ax " 16/1 "${format} " "\\n"`]
const canonical = ['"%08.8_Ax\\n"', '"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x "', '"  |" 16/1 "%_p" "|\\n"']
const predefined: Readonly<Record<string, readonly string[]>> = {
  octalBytes: bytes('%03o'),
  characters: bytes('%3_c'),
  canonical,
  decimal: words('  %05u'),
  octal: words(' %06o'),
  hexadecimal: words('   %04x'),
}

export const hexdump = defineProgram({
  name: 'hexdump',
  aliases: ['hd'],
  usage: '[options] <file>...',
  options: {
    octalBytes: { names: ['-b', '--one-byte-octal'] },
    characters: { names: ['-c', '--one-byte-char'] },
    canonical: { names: ['-C', '--canonical'] },
    decimal: { names: ['-d', '--two-bytes-decimal'] },
    octal: { names: ['-o', '--two-bytes-octal'] },
    hexadecimal: { names: ['-x', '--two-bytes-hex'] },
    format: { names: ['-e', '--format'], value: 'required' },
    formatFile: { names: ['-f', '--format-file'], value: 'required' },
    length: { names: ['-n', '--length'], value: 'required' },
    skip: { names: ['-s', '--skip'], value: 'required' },
    all: { names: ['-v', '--no-squeezing'] },
  },
  unsupported: ['-L', '--color'],
  async run(io, given) {
    const formats: string[] = []
    for (const { key, value = '' } of given.given) {
      formats.push(...(predefined[key] ?? []))
      if (key === 'format') formats.push(value)
      if (key === 'formatFile') formats.push(...(await formatLines(io, value)))
    }
    if (formats.length === 0) formats.push(...(io.name === 'hd' ? canonical : words('%04x')))
    const length = given.value('length')
    const skip = sizeOf(given.value('skip') ?? '0')
    const bounds = length === undefined ? { skip } : { skip, limit: sizeOf(length) }
    return dump(io, formats.map(parseFormat), given.operands, bounds, given.has('all'))
  },
})

function sizeOf(text: string): number {
  const size = readSize(text)
  if (size === undefined) throw new ProgramError(`failed to parse length: '${text}'`)
  return size
}

async function formatLines(io: ProgramIo, file: string): Promise<string[]> {
  try {
    const lines = decodeText(await io.fs.readFile(file)).split('\n')
    return lines.filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'))
  } catch (error) {
    throw new ProgramError(`${file}: ${describeError(error)}`)
  }
}

async function dump(
  io: ProgramIo,
  formats: readonly Unit[][],
  names: readonly string[],
  bounds: { skip: number; limit?: number },
  showAll: boolean,
): Promise<number> {
  const blockBytes = Math.max(...formats.map(formatBytes))
  for (const units of formats) fillBlock(units, blockBytes)
  const input = boundedInput(io, names, bounds)
  await input.skipped()
  let address = bounds.skip
  let previous: Uint8Array | undefined
  let starred = false
  for (;;) {
    if (blockBytes === 0) break
    const block = await input.read(blockBytes)
    if (block.length === 0) break
    const isSame =
      !showAll &&
      previous !== undefined &&
      block.length === blockBytes &&
      block.every((byte, at) => byte === previous?.[at])
    if (isSame) {
      if (!starred) await io.stdout.write('*\n')
      starred = true
    } else {
      starred = false
      await io.stdout.write(showBlock(formats, block, blockBytes, address))
    }
    previous = block.slice()
    address += block.length
    io.step()
  }
  if (address > bounds.skip) {
    const last = formats.flat().filter(isLastAddress)
    for (const { pieces } of last)
      for (const piece of pieces) await io.stdout.write(showPiece(piece, undefined, address))
  }
  return input.failed() ? 1 : 0
}

const isLastAddress = (unit: Unit) => unit.pieces.some(({ conversion }) => conversion?.kind === 'lastAddress')
const formatBytes = (units: readonly Unit[]) => units.reduce((sum, unit) => sum + unit.repeat * unitBytes(unit), 0)

/** A last unit without a repeat count is repeated until the block is full. */
function fillBlock(units: readonly Unit[], blockBytes: number): void {
  const last = units.at(-1)
  if (last === undefined || last.isRepeatSet || unitBytes(last) === 0) return
  const missing = blockBytes - formatBytes(units)
  if (missing > 0) last.repeat += Math.floor(missing / unitBytes(last))
}

function showBlock(formats: readonly Unit[][], block: Uint8Array, blockBytes: number, address: number): string {
  const whole = new Uint8Array(blockBytes)
  whole.set(block)
  let text = ''
  for (const units of formats) {
    let at = 0
    for (const unit of units) {
      if (isLastAddress(unit)) continue
      for (let count = unit.repeat; count > 0; count -= 1) {
        for (const [index, piece] of unit.pieces.entries()) {
          const isBehind = at >= block.length && piece.bytes > 0
          const view = isBehind ? undefined : new DataView(whole.buffer, at, Math.min(piece.bytes, blockBytes - at))
          const shown = showPiece(piece, view, address + at)
          const isVeryLast = count === 1 && unit.repeat > 1 && index === unit.pieces.length - 1
          text += isVeryLast && /\s$/.test(piece.conversion ? piece.after : piece.before) ? shown.slice(0, -1) : shown
          at += piece.bytes
        }
      }
    }
  }
  return text
}
