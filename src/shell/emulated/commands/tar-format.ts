/** Tar archives in memory: ustar with GNU long names; pax paths are read too. */

import type { Bytes } from '../../../fs/types.js'
import { joinBytes } from '../../../text/join-bytes.js'
import { CommandError } from './command.js'

export interface TarEntry {
  name: string
  kind: 'file' | 'directory' | 'symlink'
  mode: number
  modifiedMs: number
  bytes: Bytes
  target?: string
}

const block = 512

export function packTar(entries: readonly TarEntry[]): Bytes {
  const blocks: Bytes[] = []
  for (const entry of entries) {
    const name = new TextEncoder().encode(entry.name)
    if (name.length > 100) blocks.push(header({ ...entry, name: '././@LongLink', bytes: name }, 'L'), padded(name))
    blocks.push(header(entry, { file: '0', directory: '5', symlink: '2' }[entry.kind]), padded(entry.bytes))
  }
  blocks.push(new Uint8Array(2 * block))
  return joinBytes(blocks)
}

export function unpackTar(archive: Bytes): TarEntry[] {
  const entries: TarEntry[] = []
  let longName: string | undefined
  for (let at = 0; at + block <= archive.length; ) {
    const head = archive.subarray(at, at + block)
    if (head.every((byte) => byte === 0)) break
    if (sumOf(head) !== octal(head, 148, 8)) throw new CommandError('This does not look like a tar archive', 2)
    const size = octal(head, 124, 12)
    const bytes = archive.slice(at + block, at + block + size)
    if (bytes.length < size) throw new CommandError('Unexpected EOF in archive', 2)
    at += block + Math.ceil(size / block) * block
    const type = String.fromCharCode(head[156] ?? 0)
    if (type === 'L') longName = text(bytes)
    else if (type === 'x') longName = /\d+ path=([^\n]*)\n/.exec(new TextDecoder().decode(bytes))?.[1]
    if ('LxgK'.includes(type)) continue
    const prefix = text(head.subarray(345, 500))
    const name = longName ?? (prefix === '' ? '' : `${prefix}/`) + text(head.subarray(0, 100))
    longName = undefined
    const kind = type === '5' || name.endsWith('/') ? 'directory' : type === '2' ? 'symlink' : 'file'
    const rest = { mode: octal(head, 100, 8) & 0o777, modifiedMs: octal(head, 136, 12) * 1000 }
    if (!'025\0'.includes(type)) continue
    entries.push({ name, kind, ...rest, bytes, ...(kind === 'symlink' && { target: text(head.subarray(157, 257)) }) })
  }
  return entries
}

function header(entry: TarEntry, type: string): Bytes {
  const head = new Uint8Array(block)
  const put = (value: string, at: number, length: number) =>
    head.set(new TextEncoder().encode(value).subarray(0, length), at)
  put(entry.name, 0, 100)
  put(`${entry.mode.toString(8).padStart(7, '0')}\0`, 100, 8)
  put('0001750\0', 108, 8)
  put('0001750\0', 116, 8)
  put(`${entry.bytes.length.toString(8).padStart(11, '0')}\0`, 124, 12)
  put(
    `${Math.floor(entry.modifiedMs / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
    12,
  )
  put(type, 156, 1)
  put(entry.target ?? '', 157, 100)
  put('ustar\x0000', 257, 8)
  put('user', 265, 32)
  put('user', 297, 32)
  put(`${sumOf(head).toString(8).padStart(6, '0')}\0 `, 148, 8)
  return head
}

/** The checksum of a header, with its own field counted as spaces. */
function sumOf(head: Bytes): number {
  return head.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0)
}

function octal(head: Bytes, at: number, length: number): number {
  return Number.parseInt(text(head.subarray(at, at + length)).trim() || '0', 8)
}

function text(bytes: Bytes): string {
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end))
}

function padded(bytes: Bytes): Bytes {
  const whole = new Uint8Array(Math.ceil(bytes.length / block) * block)
  whole.set(bytes)
  return whole
}
