/** The tar format: ustar headers with GNU's long names; pax headers are read. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ByteCursor } from '../../../io/byte-cursor.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import { ProgramError } from '../../program-error.js'
import type { Owner } from './tar-owner.js'

export interface TarHeader {
  name: string
  kind: 'file' | 'directory' | 'symlink' | 'hardlink'
  mode: number
  modifiedMs: number
  size: number
  target?: string
  owner: Owner
  group: Owner
}

export const blockBytes = 512
const nameBytes = 100
const types = { file: '0', hardlink: '1', symlink: '2', directory: '5' } as const

/** The blocks before the content. */
export function headerBlocks(header: TarHeader): Bytes[] {
  const blocks: Bytes[] = []
  const long = (text: string | undefined, type: 'L' | 'K') => {
    const bytes = encodeText(text ?? '')
    if (bytes.length <= nameBytes) return
    const content = new Uint8Array(Math.ceil((bytes.length + 1) / blockBytes) * blockBytes)
    content.set(bytes)
    const owner = { name: 'root', id: 0 }
    const own = {
      name: '././@LongLink',
      size: bytes.length + 1,
      mode: 0o644,
      modifiedMs: 0,
      target: '',
      owner,
      group: owner,
    }
    blocks.push(headerBlock({ ...header, ...own }, type), content)
  }
  long(header.target, 'K')
  long(header.name, 'L')
  blocks.push(headerBlock(header, types[header.kind]))
  return blocks
}

export function paddingAfter(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes
}

function headerBlock(header: TarHeader, type: string): Bytes {
  const block = new Uint8Array(blockBytes)
  const put = (value: string, at: number, length: number) => block.set(encodeText(value).subarray(0, length), at)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  put(header.name, 0, nameBytes)
  put(octal(header.mode, 7), 100, 8)
  block.set(idField(header.owner.id), 108)
  block.set(idField(header.group.id), 116)
  put(octal(header.kind === 'file' || type === 'L' || type === 'K' ? header.size : 0, 11), 124, 12)
  put(octal(Math.max(0, Math.floor(header.modifiedMs / 1000)), 11), 136, 12)
  put(type, 156, 1)
  put(header.target ?? '', 157, nameBytes)
  put('ustar  \0', 257, 8)
  put(header.owner.name, 265, 31)
  put(header.group.name, 297, 31)
  put(`${octal(checksum(block), 6)} `, 148, 8)
  return block
}

/** Octal digits, or a binary number where they don't suffice. */
function idField(id: number): Bytes {
  if (id <= 0o7777777) return encodeText(`${id.toString(8).padStart(7, '0')}\0`)
  const field = new Uint8Array(8)
  field[0] = 0x80
  new DataView(field.buffer).setUint32(4, id)
  return field
}

/** With its own field counted as spaces. */
function checksum(block: Bytes): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0)
}

/** The next header, or undefined at the end. Its content follows. */
export async function readHeader(cursor: ByteCursor): Promise<TarHeader | undefined> {
  let name: string | undefined
  let target: string | undefined
  let size: number | undefined
  let modifiedMs: number | undefined
  for (;;) {
    const block = await cursor.take(blockBytes)
    if (block.length === 0 || block.every((byte) => byte === 0)) return undefined
    const ownSize = number(block, 124, 12)
    if (block.length < blockBytes || checksum(block) !== number(block, 148, 8) || Number.isNaN(ownSize)) {
      throw new ProgramError(
        'This does not look like a tar archive\ntar: Exiting with failure status due to previous errors',
        2,
      )
    }
    const type = String.fromCharCode(block[156] ?? 0)
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      const content = await cursor.take(ownSize)
      await cursor.skip(paddingAfter(ownSize))
      if (type === 'L') name = untilNul(content)
      else if (type === 'K') target = untilNul(content)
      else if (type === 'x') {
        const records = paxRecords(content)
        name = records.get('path') ?? name
        target = records.get('linkpath') ?? target
        if (records.has('size')) size = Number(records.get('size'))
        if (records.has('mtime')) modifiedMs = Number(records.get('mtime')) * 1000
      }
      continue
    }
    const prefix = decodeText(block.subarray(257, 262)) === 'ustar' && block[263] !== 0x20 ? field(block, 345, 155) : ''
    const full = name ?? (prefix === '' ? '' : `${prefix}/`) + field(block, 0, nameBytes)
    const kind = kindOf(type, full)
    const link = target ?? field(block, 157, nameBytes)
    return {
      name: full,
      kind,
      mode: number(block, 100, 8) & 0o7777,
      modifiedMs: modifiedMs ?? (number(block, 136, 12) || 0) * 1000,
      size: kind === 'file' ? (size ?? ownSize) : 0,
      owner: { name: field(block, 265, 32), id: number(block, 108, 8) || 0 },
      group: { name: field(block, 297, 32), id: number(block, 116, 8) || 0 },
      ...((kind === 'symlink' || kind === 'hardlink') && { target: link }),
    }
  }
}

function kindOf(type: string, name: string): TarHeader['kind'] {
  if (type === '5') return 'directory'
  if (type === '2') return 'symlink'
  if (type === '1') return 'hardlink'
  if (!'0\x007'.includes(type)) throw new ProgramError(`${name}: Unknown file type '${type}'`, 2)
  return name.endsWith('/') ? 'directory' : 'file'
}

function paxRecords(content: Bytes): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const length = Number(decodeText(content.subarray(at, space)))
    if (space === -1 || !(length > 0)) break
    const [, key = '', value = ''] =
      /^([^=]*)=(.*)\n?$/s.exec(decodeText(content.subarray(space + 1, at + length))) ?? []
    records.set(key, value.replace(/\n$/, ''))
    at += length
  }
  return records
}

function field(block: Bytes, at: number, length: number): string {
  return untilNul(block.subarray(at, at + length))
}

/** Octal text up to a NUL or a space, or a binary number with its first bit set. NaN where it is neither. */
function number(block: Bytes, at: number, length: number): number {
  if ((block[at] ?? 0) & 0x80) {
    return block.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, (block[at] ?? 0) & 0x7f)
  }
  const [, digits] = /^\s*([0-7]*)(?:\s|$)/.exec(field(block, at, length)) ?? []
  return digits === undefined ? Number.NaN : Number.parseInt(digits || '0', 8)
}

function untilNul(bytes: Bytes): string {
  const end = bytes.indexOf(0)
  return decodeText(end === -1 ? bytes : bytes.subarray(0, end))
}
