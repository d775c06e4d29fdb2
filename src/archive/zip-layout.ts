/** The records of a zip archive as we write it: sizes before the bytes, or after them if streamed; names in UTF-8, Unix times and modes. */
import type { Bytes } from '../fs/types.js'
import { joinBytes } from '../text/join-bytes.js'

/** An entry as its records describe it. */
export interface LaidOut {
  /** Of a directory, with a slash at the end. */
  name: Bytes
  method: number
  crc32: number
  compressedSize: number
  size: number
  /** Unix file type and permissions. */
  unixMode?: number
  modifiedMs?: number
  /** Checksum and sizes come after the bytes, because they are not known before. */
  described?: boolean
  /** The time without a zone is UTC, so that the bytes are the same on every machine. */
  isUtc?: boolean
}

/** The record before the bytes of an entry. */
export function localHeader(entry: LaidOut): Bytes {
  const extra = timeField(entry.modifiedMs)
  const known = entry.described ? { ...entry, crc32: 0, compressedSize: 0, size: 0 } : entry
  return joinBytes([record(u32(0x04034b50), common(known, extra)), entry.name, extra])
}

/** The record after the bytes of a streamed entry. */
export function dataDescriptor({ crc32, compressedSize, size }: LaidOut): Bytes {
  return record(u32(0x08074b50), u32(crc32), u32(compressedSize), u32(size))
}

/** The record of an entry in the archive's directory. */
export function directoryRecord(entry: LaidOut, offset: number): Bytes {
  const { name, unixMode } = entry
  const extra = timeField(entry.modifiedMs)
  const madeBy = unixMode === undefined ? version : (unix << 8) | version
  const isDirectory = name[name.length - 1] === slash
  const attributes = (((unixMode ?? 0) << 16) | (isDirectory ? 0x10 : 0)) >>> 0
  return joinBytes([
    // Comment, disk and internal attributes: none.
    record(u32(0x02014b50), u16(madeBy), common(entry, extra), u16(0), u16(0), u16(0), u32(attributes), u32(offset)),
    name,
    extra,
  ])
}

/** The end of an archive; if its count is too small for the entries, a zip64 record has the count. */
export function endRecords({ count, size, offset }: { count: number; size: number; offset: number }): Bytes {
  const end = (entries: number) => [u16(0), u16(0), u16(entries), u16(entries), u32(size), u32(offset), u16(0)]
  if (count < 0xffff) return record(u32(0x06054b50), ...end(count))
  const large = [u64(44), u16(zip64Version), u16(zip64Version), u32(0), u32(0), u64(count), u64(count)]
  return record(
    ...[u32(0x06064b50), ...large, u64(size), u64(offset)],
    ...[u32(0x07064b50), u32(0), u64(offset + size), u32(1)],
    ...[u32(0x06054b50), ...end(0xffff)],
  )
}

const [version, zip64Version, unix, slash] = [20, 45, 3, 0x2f]
const [utf8Flag, describedFlag] = [0x800, 0x8]

function common(entry: LaidOut, extra: Bytes): Bytes {
  const { name, method, crc32, compressedSize, size, described } = entry
  const flags = described ? utf8Flag | describedFlag : utf8Flag
  const numbers = [u16(version), u16(flags), u16(method), ...dosTime(entry)]
  return record(...numbers, u32(crc32), u32(compressedSize), u32(size), u16(name.length), u16(extra.length))
}

/** Local time in steps of two seconds from 1980 on; its first value means none. */
function dosTime({ modifiedMs = Number.NaN, isUtc = false }: LaidOut): [Bytes, Bytes] {
  const [year, month, day, hours, minutes, seconds] = isUtc ? utcParts(modifiedMs) : localParts(modifiedMs)
  if (!(year >= 1980 && year < 1980 + 128)) return [u16(0), u16((1 << 5) | 1)]
  return [u16((hours << 11) | (minutes << 5) | (seconds >> 1)), u16(((year - 1980) << 9) | ((month + 1) << 5) | day)]
}

type TimeParts = [year: number, month: number, day: number, hours: number, minutes: number, seconds: number]

function localParts(ms: number): TimeParts {
  const time = new Date(ms)
  const date = [time.getFullYear(), time.getMonth(), time.getDate()] as const
  return [...date, time.getHours(), time.getMinutes(), time.getSeconds()]
}

function utcParts(ms: number): TimeParts {
  const time = new Date(ms)
  const date = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()] as const
  return [...date, time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()]
}

/** The milliseconds of a date and a time as an archive has them, in UTC. */
export function fromDosTime(raw: number): number {
  const [date, time] = [raw >>> 16, raw & 0xffff]
  const day = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31] as const
  return Date.UTC(...day, time >> 11, (time >> 5) & 63, (time & 31) * 2)
}

/** The time in UTC to the second; empty if it does not fit. */
function timeField(modifiedMs: number | undefined): Bytes {
  const seconds = Math.floor((modifiedMs ?? Number.NaN) / 1000)
  if (!(seconds >= -(2 ** 31) && seconds < 2 ** 31)) return new Uint8Array()
  return record(u16(0x5455), u16(5), Uint8Array.of(1), u32(seconds >>> 0))
}

const record = (...parts: Bytes[]) => joinBytes(parts)
const u16 = (value: number) => Uint8Array.of(value, value >>> 8)
const u32 = (value: number) => Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24)
const u64 = (value: number) => record(u32(value % 2 ** 32), u32(Math.floor(value / 2 ** 32)))
