/** Zip archives byte by byte, so that any of them can lie. */

export interface RawFile {
  name: string | Uint8Array
  data?: Uint8Array
  /** In the place of the compressed data. */
  raw?: Uint8Array
  /** Deflated unless it is 0; any other number is only claimed. */
  method?: number
  flags?: number
  /** As Unix has it, with the type. */
  mode?: number
  crc?: number
  /** As DOS has it: time and date. */
  time?: readonly [number, number]
  size?: number
  compressedSize?: number
  /** The name in the record before the data. */
  localName?: string
  offset?: number
  extra?: Uint8Array
  localExtra?: Uint8Array
}

export interface RawArchive {
  prefix?: Uint8Array
  /** What the end says, when it is not the truth. */
  count?: number
  directoryOffset?: number
  comment?: Uint8Array
  zip64?: { count?: number }
}

export async function zipBytes(files: readonly RawFile[], archive: RawArchive = {}): Promise<Uint8Array> {
  const { prefix = new Uint8Array() } = archive
  const parts: Uint8Array[] = [prefix]
  const records: Uint8Array[] = []
  let offset = prefix.length
  for (const file of files) {
    const { local, central } = await recordsOf(file, offset)
    if (file.offset === undefined) {
      parts.push(local)
      offset += local.length
    }
    records.push(central)
  }
  const directory = concat(records)
  const end = endOf(files.length, directory.length, offset, archive)
  return concat([...parts, directory, end])
}

async function recordsOf(file: RawFile, at: number) {
  const { data = new Uint8Array(), method = 8, flags = 0x800, mode = 0o100644 } = file
  const body = file.raw ?? (method === 8 ? await deflate(data) : data)
  const name = bytesOf(file.name)
  const localName = bytesOf(file.localName ?? file.name)
  // 1 January 2024.
  const { extra = new Uint8Array(), localExtra = extra, time = [0, 0x5821] } = file
  const common = (nameLength: number, extraLength: number) => [
    u16(20),
    u16(flags),
    u16(method),
    ...time.map(u16),
    u32(file.crc ?? crc32(data)),
    u32(file.compressedSize ?? body.length),
    u32(file.size ?? data.length),
    u16(nameLength),
    u16(extraLength),
  ]
  const local = concat([u32(0x04034b50), ...common(localName.length, localExtra.length), localName, localExtra, body])
  const central = concat([
    u32(0x02014b50),
    u16((3 << 8) | 30),
    ...common(name.length, extra.length),
    u16(0),
    u16(0),
    u16(0),
    u32((mode << 16) >>> 0),
    u32(file.offset ?? at),
    name,
    extra,
  ])
  return { local, central }
}

/** The record at the end of an archive, for one that has more than one. */
export function endRecord(
  count: number,
  size: number,
  offset: number,
  comment: Uint8Array = new Uint8Array(),
): Uint8Array {
  const numbers = [u16(0), u16(0), u16(count), u16(count), u32(size), u32(offset), u16(comment.length)]
  return concat([u32(0x06054b50), ...numbers, comment])
}

function endOf(count: number, size: number, offset: number, archive: RawArchive): Uint8Array {
  const claimed = archive.count ?? count
  const directoryOffset = archive.directoryOffset ?? offset
  if (archive.zip64 === undefined) return endRecord(claimed, size, directoryOffset, archive.comment)
  const counted = archive.zip64.count ?? count
  const end64 = concat([
    u32(0x06064b50),
    u64(44),
    u16(45),
    u16(45),
    u32(0),
    u32(0),
    u64(counted),
    u64(counted),
    u64(size),
    u64(directoryOffset),
  ])
  const locator = concat([u32(0x07064b50), u32(0), u64(offset + size), u32(1)])
  return concat([end64, locator, endRecord(0xffff, 0xffffffff, 0xffffffff)])
}

/** The extra field that holds sizes of 64 bits. */
export function zip64Extra(size: number, compressedSize: number): Uint8Array {
  return concat([u16(1), u16(16), u64(size), u64(compressedSize)])
}

export async function deflate(data: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? new TextEncoder().encode(text) : text
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

export function crc32(data: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of data) crc = (table[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

function u16(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >> 8) & 0xff)
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff)
}

function u64(value: number): Uint8Array {
  return concat([u32(value % 2 ** 32), u32(Math.floor(value / 2 ** 32))])
}
