/** Kinds of text: its encoding, its line ends, and the language that it seems to be written in. */
import type { Bytes } from '../../../../src/fs/types.js'
import { sequenceLength } from '../../../io/byte-text.js'
import type { FileType } from './file-type.js'
import { jsonKind } from './json-kind.js'

interface Encoding {
  /** For example `ASCII text`. */
  name: string
  charset: string
  text: string
}

/** Undefined when the bytes are not text. */
export function textType(bytes: Bytes): FileType | undefined {
  const encoding = encodingOf(bytes)
  if (encoding === undefined) return undefined
  const { name, charset, text } = encoding
  const whole = wholeType(text)
  if (whole !== undefined) return { ...whole, encoding: charset }
  const language = languageOf(text)
  const ends = lineFacts(text)
  if (language === undefined) return { text: name + ends, mime: 'text/plain', encoding: charset }
  const { label, mime, isExecutable = false } = language
  return { text: `${label}, ${name}${isExecutable ? ' executable' : ''}${ends}`, mime, encoding: charset }
}

function encodingOf(bytes: Bytes): Encoding | undefined {
  const wide = wideEncoding(bytes)
  if (wide !== undefined) return wide
  let isAscii = true
  let isUtf8 = true
  let isLatin = true
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte < 0x80) {
      if (!isTextByte(byte)) return undefined
      continue
    }
    isAscii = false
    // A sequence that is cut off at the end of what was read does not count.
    const length = isUtf8
      ? sequenceLength(bytes, at) || (at > bytes.length - 4 && bytes.length >= 1024 * 1024 ? 4 : 0)
      : 0
    if (length === 0) isUtf8 = false
    else at += length - 1
  }
  if (isAscii) return { name: 'ASCII text', charset: 'us-ascii', text: latin1(bytes) }
  if (isUtf8) {
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    const text = new TextDecoder('utf-8').decode(bytes)
    return { name: `Unicode text, UTF-8${hasMark ? ' (with BOM)' : ''} text`, charset: 'utf-8', text }
  }
  for (const byte of bytes) if (byte >= 0x80 && byte < 0xa0) isLatin = false
  return isLatin
    ? { name: 'ISO-8859 text', charset: 'iso-8859-1', text: latin1(bytes) }
    : { name: 'Non-ISO extended-ASCII text', charset: 'unknown-8bit', text: latin1(bytes) }
}

function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 7 && byte <= 13) || byte === 0x1b
}

function wideEncoding(bytes: Bytes): Encoding | undefined {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff
  if (!isLittle && !isBig) return undefined
  const units: number[] = []
  for (let at = 2; at + 1 < bytes.length; at += 2) {
    const [first = 0, second = 0] = [bytes[at], bytes[at + 1]]
    const unit = isLittle ? second * 256 + first : first * 256 + second
    if (unit < 0x80 && !isTextByte(unit)) return undefined
    units.push(unit)
  }
  const order = isLittle ? 'little' : 'big'
  const text = units.map((unit) => String.fromCharCode(unit)).join('')
  return { name: `Unicode text, UTF-16, ${order}-endian text`, charset: isLittle ? 'utf-16le' : 'utf-16be', text }
}

function latin1(bytes: Bytes): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 8192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)))
  return pieces.join('')
}

const longLine = 300

function lineFacts(text: string): string {
  const counts = { CRLF: 0, CR: 0, LF: 0, NEL: 0 }
  let longest = 0
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit !== 10 && unit !== 13 && unit !== 0x85) continue
    longest = Math.max(longest, at - start)
    const isPair = unit === 13 && text.charCodeAt(at + 1) === 10
    if (isPair) at += 1
    counts[isPair ? 'CRLF' : unit === 13 ? 'CR' : unit === 10 ? 'LF' : 'NEL'] += 1
    start = at + 1
  }
  longest = Math.max(longest, text.length - start)
  const kinds = (['CRLF', 'CR', 'LF', 'NEL'] as const).filter((kind) => counts[kind] > 0)
  const facts: string[] = []
  if (longest > longLine) facts.push(`with very long lines (${longest})`)
  if (kinds.length === 0) facts.push('with no line terminators')
  else if (kinds.join() !== 'LF') facts.push(`with ${kinds.join(', ')} line terminators`)
  if (text.includes('\u001b')) facts.push('with escape sequences')
  if (text.includes('\b')) facts.push('with overstriking')
  return facts.map((fact) => `, ${fact}`).join('')
}

/** Kinds whose description says nothing of encoding and lines. */
function wholeType(text: string): Pick<FileType, 'text' | 'mime'> | undefined {
  const json = jsonKind(text)
  if (json === 'lines') return { text: 'New Line Delimited JSON text data', mime: 'application/x-ndjson' }
  if (json === 'one') return { text: 'JSON text data', mime: 'application/json' }
  if (/^(?:<\?xml[^>]*>\s*(?:<!--[\s\S]{0,500}?-->\s*)?(?:<!DOCTYPE svg[^>]*>\s*)?)?<svg\b/.test(text)) {
    return { text: 'SVG Scalable Vector Graphics image', mime: 'image/svg+xml' }
  }
  if (/^#! ?\/\S*\/perl\b/.test(text)) return { text: 'Perl script text executable', mime: 'text/x-perl' }
  return isCsv(text) ? { text: 'CSV text', mime: 'text/csv' } : undefined
}

/** More than two lines, of which the first ten have the same number of commas. */
function isCsv(text: string): boolean {
  const lines = text.replace(/"(?:[^"]|"")*"/g, '').split('\n')
  const isWhole = lines.at(-1) === ''
  const complete = lines.slice(0, -1)
  if (complete.length < 3 || (!isWhole && complete.length < 3)) return false
  const commas = (line: string) => line.split(',').length - 1
  const count = commas(complete[0] ?? '')
  return count > 0 && complete.slice(0, 10).every((line) => commas(line) === count)
}

interface Language {
  label: string
  mime: string
  isExecutable?: boolean
}

const interpreters: ReadonlyArray<[RegExp, Language]> = [
  [/^(bash)$/, { label: 'Bourne-Again shell script', mime: 'text/x-shellscript', isExecutable: true }],
  [/^(sh|dash)$/, { label: 'POSIX shell script', mime: 'text/x-shellscript', isExecutable: true }],
  [/^zsh$/, { label: "Paul Falstad's zsh script", mime: 'text/x-shellscript', isExecutable: true }],
  [/^ksh$/, { label: 'Korn shell script', mime: 'text/x-shellscript', isExecutable: true }],
  [/^t?csh$/, { label: 'C shell script', mime: 'text/x-shellscript', isExecutable: true }],
  [/^python[\d.]*$/, { label: 'Python script', mime: 'text/x-script.python', isExecutable: true }],
  [/^ruby$/, { label: 'Ruby script', mime: 'text/x-ruby', isExecutable: true }],
  [/^node$/, { label: 'Node.js script executable', mime: 'application/javascript' }],
  [/^[gmn]?awk$/, { label: 'awk script', mime: 'text/x-awk', isExecutable: true }],
  [/^php$/, { label: 'PHP script', mime: 'text/x-php', isExecutable: true }],
  [/^lua$/, { label: 'Lua script', mime: 'text/x-lua', isExecutable: true }],
]

const patterns: ReadonlyArray<[RegExp, Language]> = [
  [/^<\?php/, { label: 'PHP script', mime: 'text/x-php' }],
  [/^<\?xml version=["']1\.0["']/, { label: 'XML 1.0 document', mime: 'text/xml' }],
  [/^\s*<(?:!doctype\s+html|html|head|title|body|h1|script|style)\b/i, { label: 'HTML document', mime: 'text/html' }],
  [/^diff /, { label: 'diff output', mime: 'text/x-diff' }],
  [/^--- .*\n\+\+\+ .*\n@@ /, { label: 'unified diff output', mime: 'text/x-diff' }],
  [/^(?:import java\.|package [a-z][\w.]*;)/m, { label: 'Java source', mime: 'text/x-java' }],
  [/^from[ \t]+[\w.]+[ \t]+import\b/m, { label: 'Python script', mime: 'text/x-script.python', isExecutable: true }],
  [
    /^[ \t]{0,50}def {1,50}[A-Za-z_]\w{0,100} {0,50}\([^()\n]{0,255}\)(?: -> [^\n:]*)?:/m,
    { label: 'Python script', mime: 'text/x-script.python', isExecutable: true },
  ],
  [/^"""[\s\S]*?"""\s*(?:import|from)\b/, { label: 'Python script', mime: 'text/x-script.python', isExecutable: true }],
  [/^(?:class|namespace|template ?<|using namespace)\b[^\n]*[{;]/m, { label: 'C++ source', mime: 'text/x-c++' }],
  [/^#[ \t]*include\b/m, { label: 'C source', mime: 'text/x-c' }],
  [/^module(?:\.|\[["'])exports.*=/m, { label: 'JavaScript source', mime: 'application/javascript' }],
  [/^(?:const|var|let).*=.*require\(/m, { label: 'JavaScript source', mime: 'application/javascript' }],
  [
    /^export (?:async )?(?:function|class|default|const|var|let)\b/m,
    { label: 'JavaScript source', mime: 'application/javascript' },
  ],
  [/^import\b.*\bfrom ["']/m, { label: 'JavaScript source', mime: 'application/javascript' }],
  [/^["']use strict["']/m, { label: 'JavaScript source', mime: 'application/javascript' }],
  [
    /^\.PHONY|^[\w.-]+:[^=\n]*\n\t\S|^[A-Z_]+[ \t]*[:?]?=[^\n]*\n[\s\S]*^[\w.-]+:[^=\n]*\n\t\S/m,
    { label: 'makefile script', mime: 'text/x-makefile' },
  ],
  [
    /^(?:(?:int|void|char) +\w+\(|struct +\w|package main|typedef +\w)|main\(.*\)|^\/\* /m,
    { label: 'C source', mime: 'text/x-c' },
  ],
]

function languageOf(text: string): Language | undefined {
  const [, interpreter = ''] = /^#![ \t]*([^\r\n]*)/.exec(text) ?? []
  if (interpreter !== '') return scriptLanguage(interpreter)
  const start = text
    .slice(0, 8192)
    .replace(/\r\n/g, '\n')
    .replace(/^\ufeff/, '')
  return patterns.find(([pattern]) => pattern.test(start))?.[1]
}

function scriptLanguage(line: string): Language {
  const [command = '', first = ''] = line.trim().split(/\s+/)
  const isEnv = command === '/usr/bin/env'
  const name = (isEnv ? first : command).replace(/^.*\//, '')
  const known = interpreters.find(([pattern]) => pattern.test(name))?.[1]
  const shown = isEnv ? line.trim().replace(/^\S+\s+/, '') : line.trim()
  return known ?? { label: `a ${shown} script`, mime: 'text/plain', isExecutable: true }
}
