/** Kinds of data that their first bytes tell. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import { timeText } from '../shared/times.js'
import type { FileType } from './file-type.js'

interface Magic {
  at?: number
  /** As Latin-1. */
  bytes: string
  type: (data: View) => FileType | undefined
}

interface View {
  bytes: Bytes
  io: ProgramIo
  /** As Latin-1. */
  text(start: number, end: number): string
  big(at: number, size: number): number
  little(at: number, size: number): number
}

const plain = (text: string, mime: string) => () => ({ text, mime })

const magics: readonly Magic[] = [
  { bytes: '\x89PNG\r\n\x1a\n', type: png },
  { bytes: 'GIF8', type: gif },
  { bytes: '\xff\xd8\xff', type: jpeg },
  { bytes: '%PDF-', type: pdf },
  { bytes: '\x1f\x8b\x08', type: gzip },
  { bytes: 'PK\x03\x04', type: zip },
  { bytes: 'PK\x05\x06', type: plain('Zip archive data (empty)', 'application/zip') },
  { bytes: 'BZh', type: bzip2 },
  { bytes: '\xfd7zXZ\0', type: xz },
  {
    bytes: '\x28\xb5\x2f\xfd',
    type: plain('Zstandard compressed data (v0.8+), Dictionary ID: None', 'application/zstd'),
  },
  {
    bytes: "7z\xbc\xaf'\x1c",
    type: ({ bytes }) => ({
      text: `7-zip archive data, version ${bytes[6]}.${bytes[7]}`,
      mime: 'application/x-7z-compressed',
    }),
  },
  { bytes: 'Rar!\x1a\x07', type: plain('RAR archive data', 'application/x-rar') },
  { at: 257, bytes: 'ustar  \0', type: plain('POSIX tar archive (GNU)', 'application/x-tar') },
  { at: 257, bytes: 'ustar\0', type: plain('POSIX tar archive', 'application/x-tar') },
  { bytes: '\x7fELF', type: elf },
  { bytes: 'SQLite format 3\0', type: sqlite },
  { bytes: '\0asm', type: wasm },
  { bytes: '\xca\xfe\xba\xbe', type: javaClass },
  { bytes: '!<arch>\n', type: plain('current ar archive', 'application/x-archive') },
  { bytes: 'RIFF', type: riff },
  { bytes: 'OggS', type: plain('Ogg data', 'application/ogg') },
  { bytes: 'ID3', type: plain('Audio file with ID3', 'audio/mpeg') },
  { bytes: 'fLaC', type: plain('FLAC audio bitstream data', 'audio/flac') },
  { bytes: 'II*\0', type: plain('TIFF image data, little-endian', 'image/tiff') },
  { bytes: 'MM\0*', type: plain('TIFF image data, big-endian', 'image/tiff') },
  { bytes: 'wOFF', type: plain('Web Open Font Format', 'font/woff') },
  { bytes: 'wOF2', type: plain('Web Open Font Format (Version 2)', 'font/woff2') },
  { bytes: '\0\0\x01\0', type: plain('MS Windows icon resource', 'image/vnd.microsoft.icon') },
  {
    bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    type: plain('Composite Document File V2 Document', 'application/x-ole-storage'),
  },
]

/** Undefined when no magic number fits. */
export function binaryType(bytes: Bytes, io: ProgramIo): FileType | undefined {
  const view = viewOf(bytes, io)
  for (const { at = 0, bytes: magic, type } of magics) {
    if (view.text(at, at + magic.length) !== magic) continue
    const found = type(view)
    if (found !== undefined) return found
  }
  return undefined
}

function viewOf(bytes: Bytes, io: ProgramIo): View {
  const number = (at: number, size: number, isBig: boolean) => {
    let value = 0
    for (let index = 0; index < size; index += 1) {
      value = value * 256 + (bytes[at + (isBig ? index : size - 1 - index)] ?? 0)
    }
    return value
  }
  return {
    bytes,
    io,
    text: (start, end) => Array.from(bytes.subarray(start, end), (byte) => String.fromCharCode(byte)).join(''),
    big: (at, size) => number(at, size, true),
    little: (at, size) => number(at, size, false),
  }
}

const pngColors: Readonly<Record<number, string>> = {
  0: ' grayscale',
  2: '/color RGB',
  3: ' colormap',
  4: ' gray+alpha',
  6: '/color RGBA',
}

function png({ bytes, big, text }: View): FileType {
  const mime = 'image/png'
  if (text(12, 16) !== 'IHDR') return { text: 'PNG image data', mime }
  const color = `${bytes[24]}-bit${pngColors[bytes[25] ?? -1] ?? ''}`
  const interlacing = bytes[28] === 0 ? 'non-interlaced' : 'interlaced'
  return { text: `PNG image data, ${big(16, 4)} x ${big(20, 4)}, ${color}, ${interlacing}`, mime }
}

function gif({ text, little }: View): FileType {
  return { text: `GIF image data, version ${text(3, 6)}, ${little(6, 2)} x ${little(8, 2)}`, mime: 'image/gif' }
}

function jpeg({ text, bytes }: View): FileType {
  const mime = 'image/jpeg'
  if (text(6, 10) !== 'JFIF') return { text: 'JPEG image data', mime }
  const version = `${bytes[11]}.${String(bytes[12]).padStart(2, '0')}`
  return { text: `JPEG image data, JFIF standard ${version}`, mime }
}

function pdf({ text }: View): FileType {
  const [version = ''] = /^\d+\.\d+/.exec(text(5, 10)) ?? []
  return { text: `PDF document${version && `, version ${version}`}`, mime: 'application/pdf' }
}

const gzipSystems: Readonly<Record<number, string>> = {
  0: 'FAT filesystem (MS-DOS, OS/2, NT)',
  3: 'Unix',
  7: 'Macintosh',
  10: 'TOPS/20',
  11: 'NTFS filesystem (NT)',
}

function gzip({ bytes, io, text, little }: View): FileType {
  const flags = bytes[3] ?? 0
  const facts = ['gzip compressed data']
  if (flags & 8) {
    const start = flags & 4 ? 12 + little(10, 2) : 10
    const end = bytes.indexOf(0, start)
    facts.push(`was "${text(start, end)}"`)
  }
  const modified = little(4, 4)
  if (modified > 0) facts.push(`last modified: ${timeText(io, modified * 1000, '%a %b %e %H:%M:%S %Y')}`)
  if (bytes[8] === 2) facts.push('max compression')
  if (bytes[8] === 4) facts.push('max speed')
  const system = gzipSystems[bytes[9] ?? -1]
  if (system !== undefined) facts.push(`from ${system}`)
  facts.push(`original size modulo 2^32 ${little(bytes.length - 4, 4)}`)
  return { text: facts.join(', '), mime: 'application/gzip' }
}

function zip({ text, little, bytes }: View): FileType | undefined {
  if (bytes.length < 30) return undefined
  const name = text(30, 30 + little(26, 2))
  const content = text(38, 38 + 60)
  if (name === 'mimetype' && content.startsWith('application/epub+zip')) {
    return { text: 'EPUB document', mime: 'application/epub+zip' }
  }
  const version = little(4, 2)
  const methods: Readonly<Record<number, string>> = {
    0: 'store',
    8: 'deflate',
    9: 'deflate64',
    12: 'bzip2',
    14: 'LZMA',
    93: 'Zstd',
  }
  const method = methods[little(8, 2)]
  const shown = method === undefined ? '' : `, compression method=${method}`
  return {
    text: `Zip archive data, at least v${Math.floor(version / 10)}.${version % 10} to extract${shown}`,
    mime: 'application/zip',
  }
}

function bzip2({ text }: View): FileType | undefined {
  const level = text(3, 4)
  if (!/^[1-9]$/.test(level)) return undefined
  return { text: `bzip2 compressed data, block size = ${level}00k`, mime: 'application/x-bzip2' }
}

function xz({ bytes }: View): FileType {
  const checks: Readonly<Record<number, string>> = {
    0: 'checksum NONE',
    1: 'checksum CRC32',
    4: 'checksum CRC64',
    10: 'checksum SHA-256',
  }
  const check = checks[(bytes[7] ?? 0) & 15]
  return { text: `XZ compressed data${check === undefined ? '' : `, ${check}`}`, mime: 'application/x-xz' }
}

const elfMachines: Readonly<Record<number, string>> = {
  3: 'Intel 80386',
  40: 'ARM',
  62: 'x86-64',
  183: 'ARM aarch64',
  243: 'UCB RISC-V',
}

function elf({ bytes, big, little }: View): FileType {
  if (bytes.length < 20) return { text: 'ELF', mime: 'application/octet-stream' }
  const isBig = bytes[5] === 2
  const number = isBig ? big : little
  const kind = number(16, 2)
  const kinds: Readonly<Record<number, string>> = {
    1: 'relocatable',
    2: 'executable',
    3: 'shared object',
    4: 'core file',
  }
  const mimes: Readonly<Record<number, string>> = {
    1: 'application/x-object',
    2: 'application/x-executable',
    3: 'application/x-sharedlib',
    4: 'application/x-coredump',
  }
  const machine = elfMachines[number(18, 2)]
  const facts = [
    `ELF ${bytes[4] === 2 ? '64' : '32'}-bit ${isBig ? 'MSB' : 'LSB'} ${kinds[kind] ?? 'object'}`,
    ...(machine === undefined ? [] : [machine]),
    `version ${number(20, 4)} (${bytes[7] === 3 ? 'GNU/Linux' : 'SYSV'})`,
  ]
  return { text: facts.join(', '), mime: mimes[kind] ?? 'application/octet-stream' }
}

function sqlite({ bytes }: View): FileType | undefined {
  return bytes.length < 100 ? undefined : { text: 'SQLite 3.x database', mime: 'application/vnd.sqlite3' }
}

function wasm({ little }: View): FileType {
  const version = little(4, 4)
  return {
    text: `WebAssembly (wasm) binary module version 0x${version.toString(16)}${version === 1 ? ' (MVP)' : ''}`,
    mime: 'application/wasm',
  }
}

function javaClass({ big }: View): FileType | undefined {
  const major = big(6, 2)
  if (major < 45 || major > 100) return undefined
  const java = major < 49 ? `1.${major - 44}` : major <= 52 ? `1.${major - 44}` : String(major - 44)
  return {
    text: `compiled Java class data, version ${major}.${big(4, 2)} (Java ${java})`,
    mime: 'application/x-java-applet',
  }
}

function riff({ text }: View): FileType {
  const forms: Readonly<Record<string, [string, string]>> = {
    WEBP: ['Web/P image', 'image/webp'],
    WAVE: ['WAVE audio', 'audio/x-wav'],
    'AVI ': ['AVI', 'video/x-msvideo'],
  }
  const [what = '', mime = 'application/octet-stream'] = forms[text(8, 12)] ?? []
  return { text: `RIFF (little-endian) data${what && `, ${what}`}`, mime }
}
