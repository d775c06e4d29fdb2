/** Lists what xz files contain. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { BadData } from '../codec.js'
import { checkNames } from './checks.js'
import { unxzPieces } from './decompress.js'

interface Row {
  streams: number
  blocks: number
  packed: number
  plain: number
  checks: ReadonlySet<string>
}

export async function listFiles(io: ProgramIo, names: readonly string[], isVerbose: boolean): Promise<number> {
  if (isVerbose) throw new ProgramError("option '-v' with '-l' is not supported by this shell", 2)
  let status = 0
  const rows: Row[] = []
  for (const name of names) {
    try {
      if (name === '-') throw new ProgramError('--list does not support reading from standard input')
      const row = await rowOf(io, name)
      if (rows.length === 0) {
        await io.stdout.write('Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename\n')
      }
      rows.push(row)
      await io.stdout.write(line(row, name))
    } catch (error) {
      if (!(error instanceof ProgramError) && !isFsError(error)) throw error
      const text =
        error instanceof BadData ? badTexts[error.reason] : isFsError(error) ? describeError(error) : error.message
      await io.error(name === '-' ? text : `${name}: ${text}`)
      status = 1
    }
  }
  if (names.length > 1) {
    const sum = (key: 'streams' | 'blocks' | 'packed' | 'plain') => rows.reduce((total, row) => total + row[key], 0)
    const total = {
      streams: sum('streams'),
      blocks: sum('blocks'),
      packed: sum('packed'),
      plain: sum('plain'),
      checks: new Set(rows.flatMap(({ checks }) => [...checks])),
    }
    await io.stdout.write(`${'-'.repeat(79)}\n${line(total, `${rows.length} files`)}`)
  }
  return status
}

export const badTexts = {
  format: 'File format not recognized',
  damaged: 'Compressed data is corrupt',
  truncated: 'Unexpected end of input',
  trailing: 'Compressed data is corrupt',
  unsupported: 'Unsupported options',
} as const

async function rowOf(io: ProgramIo, name: string): Promise<Row> {
  const { size: packed = 0 } = await io.fs.stat(name)
  let [streams, blocks, plain] = [0, 0, 0]
  const checks = new Set<string>()
  const pieces = unxzPieces(await io.fs.openRead(name), io, (stream) => {
    streams += 1
    blocks += stream.blocks.length
    checks.add(checkNames[stream.check] ?? `Unknown-${stream.check}`)
  })
  for await (const piece of pieces) plain += piece.length
  return { streams, blocks, packed, plain, checks }
}

function line({ streams, blocks, packed, plain, checks }: Row, name: string): string {
  const counts = `${String(streams).padStart(5)} ${String(blocks).padStart(7)}`
  const sizes = `${niceSize(packed).padStart(11)} ${niceSize(plain).padStart(12)}`
  return `${counts}  ${sizes}  ${ratioText(packed, plain).padStart(5)}  ${[...checks].join(',').padEnd(7)} ${name}\n`
}

/** For example `1092 B` or `12.5 KiB`. */
export function niceSize(bytes: number): string {
  if (bytes < 10_000) return `${bytes} B`
  let size = bytes / 1024
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  while (size > 9999.9 && units.length > 1) {
    size /= 1024
    units.shift()
  }
  return `${size.toFixed(1)} ${units[0]}`
}

export function ratioText(packed: number, plain: number): string {
  const ratio = packed / plain
  return plain === 0 || ratio > 9.999 ? '---' : ratio.toFixed(3)
}
