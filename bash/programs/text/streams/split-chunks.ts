/** `split -n`: a given number of pieces. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { type ByteReader, lineBatches } from '../../../io/streams.js'
import { ProgramError } from '../../program-error.js'
import { quoted, shownName } from '../../quoting.js'

/** Pieces of output, one after the other. */
export interface Pieces {
  /** Ends the current piece and begins another. */
  next(): Promise<void>
  /** Writes to the current piece; begins the first one when there is none. */
  write(bytes: Bytes): Promise<void>
  end(): Promise<void>
}

export interface Chunks {
  kind: 'bytes' | 'lines' | 'roundRobin'
  count: number
  /** Only this piece, from 1, to standard output. */
  only: number | undefined
}

/** `N`, `K/N`, `l/N`, `l/K/N`, `r/N`, `r/K/N` */
export function parseChunks(text: string): Chunks {
  const [, letter, first, second] = /^(?:([lr])\/)?(\d+)(?:\/(\d+))?$/.exec(text) ?? []
  if (first === undefined) throw new ProgramError(`invalid number of chunks: ${quoted(text.replace(/^[lr]\//, ''))}`)
  const count = Number(second ?? first)
  const only = second === undefined ? undefined : Number(first)
  if (count === 0) throw new ProgramError(`invalid number of chunks: ${quoted(second ?? first)}`)
  if (only !== undefined && (only === 0 || only > count))
    throw new ProgramError(`invalid chunk number: ${quoted(first)}`)
  return { kind: letter === 'l' ? 'lines' : letter === 'r' ? 'roundRobin' : 'bytes', count, only }
}

interface Splitting {
  name: string
  reader: ByteReader
  chunks: Chunks
  delimiter: number
  pieces: Pieces
  isElided: boolean
}

export async function intoChunks(io: ProgramIo, splitting: Splitting): Promise<void> {
  if (splitting.chunks.kind === 'roundRobin') return roundRobin(io, splitting)
  const size = await sizeOf(io, splitting)
  if (splitting.chunks.kind === 'bytes') return byBytes(io, splitting, size)
  return byLines(io, splitting, size)
}

async function sizeOf(io: ProgramIo, { name, reader }: Splitting): Promise<number> {
  const found = name === '-' ? await reader.stat?.() : await io.fs.stat(name)
  if (found?.kind !== 'file' || found.size === undefined) {
    throw new ProgramError(`${shownName(name)}: cannot determine file size`)
  }
  return found.size
}

/** Where pieces go: all of them to files, or one to standard output. */
function target(io: ProgramIo, { chunks, pieces, isElided }: Splitting) {
  let current = -1
  let isOpen = false
  return async (piece: number, bytes: Bytes): Promise<void> => {
    if (chunks.only !== undefined) {
      if (piece === chunks.only - 1 && bytes.length > 0) await io.stdout.write(bytes)
      return
    }
    while (current < piece) {
      current += 1
      isOpen = false
      if (isElided) continue
      await pieces.next()
      isOpen = true
    }
    if (bytes.length === 0) return
    if (!isOpen) await pieces.next()
    isOpen = true
    await pieces.write(bytes)
  }
}

const none: Bytes = new Uint8Array()

async function byBytes(io: ProgramIo, splitting: Splitting, size: number): Promise<void> {
  const { reader, chunks } = splitting
  const write = target(io, splitting)
  // A file with fewer bytes than pieces makes empty pieces at the end.
  const piece = Math.max(1, Math.floor(size / chunks.count))
  let at = 0
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) {
    for (let start = 0; start < chunk.length; ) {
      const index = Math.min(chunks.count - 1, Math.floor(at / piece))
      const end = index === chunks.count - 1 ? Number.POSITIVE_INFINITY : (index + 1) * piece
      const part = chunk.subarray(start, start + Math.min(chunk.length, end - at))
      await write(index, part)
      start += part.length
      at += part.length
    }
  }
  await write(chunks.count - 1, none)
}

/** A line belongs to the piece in which it begins. */
async function byLines(io: ProgramIo, splitting: Splitting, size: number): Promise<void> {
  const { reader, chunks, delimiter } = splitting
  const write = target(io, splitting)
  const piece = Math.max(1, Math.floor(size / chunks.count))
  let at = 0
  for await (const lines of lineBatches(reader, delimiter)) {
    for (const line of lines) {
      await write(Math.min(chunks.count - 1, Math.floor(at / piece)), line)
      at += line.length
    }
  }
  await write(chunks.count - 1, none)
}

/** Lines are dealt out, so all pieces are collected first. */
async function roundRobin(io: ProgramIo, splitting: Splitting): Promise<void> {
  const { reader, chunks, delimiter } = splitting
  const dealt: Bytes[][] = Array.from({ length: chunks.count }, () => [])
  let number = 0
  for await (const lines of lineBatches(reader, delimiter)) {
    for (const line of lines) {
      dealt[number % chunks.count]?.push(line)
      number += 1
      io.account(line.length)
    }
  }
  const write = target(io, splitting)
  for (const [piece, lines] of dealt.entries()) {
    await write(piece, none)
    for (const line of lines) await write(piece, line)
  }
}
