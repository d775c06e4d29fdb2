/** Values and names as the shell writes them. */
import { encodeText, isEscapedByte } from '../../../io/byte-text.js'

/** In bytes, as C counts. */
export function byteLength(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : encodeText(text).length
}

/** In characters, as the shell counts: bytes that begin one. */
export function characterLength(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let count = 0
  for (const character of text) if (isCounted(character)) count += 1
  return count
}

/** The first characters, with the bytes behind the last that belong to none. */
export function firstCharacters(text: string, most: number): string {
  let left = most
  let end = 0
  for (const character of text) {
    if (isCounted(character)) left -= 1
    if (left < 0) break
    end += character.length
  }
  return text.slice(0, end)
}

function isCounted(character: string): boolean {
  return !isEscapedByte(character) || character >= '\udcc0'
}

export function untilNul(text: string): string {
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

export function hexBlob(bytes: Uint8Array): string {
  return `X'${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}'`
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** With line ends replaced, so that nothing on the way changes them. */
export function quotedEscaped(text: string): string {
  const newline = text.includes('\n') ? unused(text, '\\n', '\\012') : undefined
  const carriage = text.includes('\r') ? unused(text, '\\r', '\\015') : undefined
  let made = quoted(text)
  if (newline !== undefined) made = made.replaceAll('\n', newline)
  if (carriage !== undefined) made = made.replaceAll('\r', carriage)
  if (carriage !== undefined) made = `replace(${made},'${carriage}',char(13))`
  if (newline !== undefined) made = `replace(${made},'${newline}',char(10))`
  return made
}

function unused(text: string, first: string, second: string): string {
  if (!text.includes(first)) return first
  if (!text.includes(second)) return second
  for (let count = 0; ; count += 1) {
    const made = `(${first}${count})`
    if (!text.includes(made)) return made
  }
}

const cEscapes: Readonly<Record<number, string>> = { 92: '\\\\', 34: '\\"', 9: '\\t', 10: '\\n', 13: '\\r' }

export function cString(text: string): string {
  let made = ''
  for (const byte of encodeText(text)) {
    const isPrinted = byte >= 32 && byte < 127
    made += cEscapes[byte] ?? (isPrinted ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)
  }
  return `"${made}"`
}

const jsonEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

export function jsonString(text: string): string {
  const made = text.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
    /[\\"\x00-\x1f]/g,
    (character) => jsonEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `"${made}"`
}

const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '&': '&amp;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function html(text: string): string {
  return text.replaceAll(/[<&>"']/g, (character) => entities[character] as string)
}

/** Anything but printable ASCII without space and quotes is quoted. */
export function csvField(text: string, separator: string): string {
  const isPlain = text !== '' && /^[!#-&(-~]*$/.test(text)
  return isPlain && !text.includes(separator) ? text : `"${text.replaceAll('"', '""')}"`
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function isNumber(text: string): boolean {
  return /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)
}

const suffixes: Readonly<Record<string, bigint>> = {
  kib: 1024n,
  mib: 1024n ** 2n,
  gib: 1024n ** 3n,
  kb: 1000n,
  mb: 1000n ** 2n,
  gb: 1000n ** 3n,
  k: 1000n,
  m: 1000n ** 2n,
  g: 1000n ** 3n,
}

/** What an argument says that is a number: digits, `0x…`, and a suffix such as `K`. */
export function integerOf(text: string): number {
  const [, sign = '', hex, decimal = '', rest = ''] = /^([-+]?)(?:0x([0-9a-fA-F]*)|(\d*))(.*)$/s.exec(text) ?? []
  const value = hex === undefined ? BigInt(decimal === '' ? 0 : decimal) : BigInt(`0x${hex || 0}`)
  const all = value * (suffixes[rest.toLowerCase()] ?? 1n)
  return Number(BigInt.asIntN(64, sign === '-' ? -all : all))
}

const backslashes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
}

export function withoutBackslashes(text: string): string {
  return text.replaceAll(/\\([0-7]{1,3}|[\s\S])/g, (_, what: string) =>
    /^[0-7]/.test(what) ? byteCharacter(Number.parseInt(what, 8) & 255) : (backslashes[what] ?? what),
  )
}

function byteCharacter(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)
}
