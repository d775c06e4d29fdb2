/** The commands and their arguments. */
import { joinedText } from '../../io/byte-text.js'
import { readDelimited } from './delimited.js'
import { characterEscape, withEscapes } from './escapes.js'
import { readNumber } from './parse-address.js'
import { parseReplacement } from './replacement.js'
import type { Action, Range, ScriptOptions, Substitution } from './script.js'
import type { ScriptReader } from './script-reader.js'
import { sedRegex } from './sed-regex.js'
import { readText } from './text-argument.js'

/** Commands that GNU added. */
const beyondPosix = 'eFQRTvWz'
/** Commands for which POSIX has no ranges. */
const ofOneLine = '=ailqr'

export function readAction(
  reader: ScriptReader,
  name: string,
  range: Range | undefined,
  options: ScriptOptions,
): Action {
  if (options.posix && beyondPosix.includes(name)) reader.fail(`unknown command: \`${name}'`)
  if (options.posix && range?.end !== undefined && ofOneLine.includes(name))
    reader.fail('command only uses one address')
  switch (name) {
    case '{':
      return { name, end: 0 }
    case '}':
    case '=':
    case 'd':
    case 'D':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'x':
    case 'z':
    case 'F':
      endCommand(reader)
      return { name }
    case 'a':
    case 'i':
    case 'c':
      return { name, text: readText(reader, options) }
    case ':':
      return { name, label: readNewLabel(reader, range) }
    case 'b':
    case 't':
    case 'T': {
      const label = readLabel(reader)
      endCommand(reader)
      return { name, label, target: 0 }
    }
    case 'q':
    case 'Q': {
      if (range?.end !== undefined) reader.fail('command only uses one address')
      reader.skipBlanks()
      const status = options.posix ? 0 : readNumber(reader)
      endCommand(reader)
      return { name, status }
    }
    case 'l': {
      reader.skipBlanks()
      const width = !options.posix && /^[0-9]$/.test(reader.peek() ?? '') ? readNumber(reader) : undefined
      endCommand(reader)
      return { name, width }
    }
    case 'r':
    case 'R':
    case 'w':
    case 'W':
      if (options.sandbox) reader.fail('e/r/w commands disabled in sandbox mode')
      return { name, file: readFileName(reader) }
    case 's':
      return { name, substitution: readSubstitution(reader, options) }
    case 'y':
      return { name, map: readMap(reader) }
    case 'v':
      readLabel(reader)
      endCommand(reader)
      return { name }
    case 'e':
      if (options.sandbox) reader.fail('e/r/w commands disabled in sandbox mode')
      return { name, command: readCommand(reader, options) }
    default:
      return reader.fail(`unknown command: \`${name}'`)
  }
}

/** After a command only a separator, a closing brace or a comment can come. */
function endCommand(reader: ScriptReader): void {
  reader.skipBlanks()
  const next = reader.peek()
  if (next === undefined || next === '}' || next === '#') return
  reader.next()
  if (next === '\r' && (reader.peek() === '\n' || reader.peek() === undefined)) return
  if (next !== '\n' && next !== ';') reader.fail('extra characters after command')
}

function readLabel(reader: ScriptReader): string {
  reader.skipBlanks()
  let label = ''
  for (let next = reader.peek(); next !== undefined && !/^[\s;}#]$/.test(next); next = reader.peek()) {
    label += reader.next()
  }
  return label
}

function readNewLabel(reader: ScriptReader, range: Range | undefined): string {
  if (range !== undefined) reader.fail(": doesn't want any addresses")
  const label = readLabel(reader)
  if (label === '') reader.fail('":" lacks a label')
  return label
}

/** As a text of `a`, but it may be missing. */
function readCommand(reader: ScriptReader, options: ScriptOptions): string {
  reader.skipBlanks()
  const next = reader.peek()
  if (next !== undefined && next !== '\n') return joinedText(readText(reader, options))
  reader.next()
  return ''
}

/** All of the rest of the line. */
function readFileName(reader: ScriptReader): string {
  reader.skipBlanks()
  let name = ''
  for (let next = reader.next(); next !== undefined && next !== '\n'; next = reader.next()) name += next
  if (name === '') reader.fail('missing filename in r/R/w/W commands')
  return joinedText(name)
}

function readSubstitution(reader: ScriptReader, options: ScriptOptions): Substitution {
  const delimiter = reader.next()
  if (delimiter === undefined || delimiter === '\n' || delimiter === '\\') reader.fail("unterminated `s' command")
  const source = readDelimited(reader, delimiter, true)
  const text = source === undefined ? undefined : readDelimited(reader, delimiter, false)
  if (source === undefined || text === undefined) reader.fail("unterminated `s' command")
  const { ignoreCase, multiline, ...flags } = readFlags(reader, options)
  const replacement = withEscapes(reader, () => parseReplacement(text, options))
  const regex = sedRegex(reader, source, { ...options, ignoreCase, multiline })
  if (!options.posix && regex !== undefined && replacement.maxGroup > regex.groups) {
    reader.fail(`invalid reference \\${replacement.maxGroup} on \`s' command's RHS`)
  }
  return { regex, replacement, ...flags }
}

interface Flags extends Omit<Substitution, 'regex' | 'replacement'> {
  ignoreCase: boolean
  multiline: boolean
}

function readFlags(reader: ScriptReader, options: ScriptOptions): Flags {
  const flags: Flags = { isGlobal: false, isPrinted: false, number: 0, ignoreCase: false, multiline: false }
  for (;;) {
    const flag = reader.peek()
    if (flag === undefined || flag === '}' || flag === '#') break
    if (/^[0-9]$/.test(flag)) {
      if (flags.number > 0) {
        reader.next()
        reader.fail("multiple number options to `s' command")
      }
      flags.number = readNumber(reader)
      if (flags.number === 0) reader.fail("number option to `s' command may not be zero")
      continue
    }
    reader.next()
    if (flag === '\n' || flag === ';') break
    if (flag === 'w') {
      if (options.sandbox) reader.fail('e/r/w commands disabled in sandbox mode')
      flags.file = readFileName(reader)
      break
    }
    if (options.posix && 'iImMe'.includes(flag)) reader.fail("unknown option to `s'")
    setFlag(reader, flags, flag)
  }
  if (flags.runs !== undefined && options.sandbox) reader.fail('e/r/w commands disabled in sandbox mode')
  flags.number ||= 1
  return flags
}

function setFlag(reader: ScriptReader, flags: Flags, flag: string): void {
  switch (flag) {
    case 'g':
      if (flags.isGlobal) reader.fail("multiple `g' options to `s' command")
      flags.isGlobal = true
      return
    case 'p':
      if (flags.isPrinted) reader.fail("multiple `p' options to `s' command")
      flags.isPrinted = true
      return
    case 'i':
    case 'I':
      flags.ignoreCase = true
      return
    case 'm':
    case 'M':
      flags.multiline = true
      return
    case 'e':
      flags.runs ??= flags.isPrinted ? 'print-first' : 'then-print'
      return
    case ' ':
    case '\t':
    case '\r':
      return
    default:
      reader.fail("unknown option to `s'")
  }
}

function readMap(reader: ScriptReader): Map<string, string> {
  const delimiter = reader.next()
  const source = delimiter === undefined ? undefined : readDelimited(reader, delimiter, false)
  const from = source === undefined ? undefined : withEscapes(reader, () => mapCharacters(source))
  const target = delimiter === undefined || from === undefined ? undefined : readDelimited(reader, delimiter, false)
  if (from === undefined || target === undefined) return reader.fail("unterminated `y' command")
  const to = withEscapes(reader, () => mapCharacters(target))
  if (from.length !== to.length) reader.fail("strings for `y' command are different lengths")
  const map = new Map<string, string>()
  from.forEach((character, index) => {
    if (!map.has(character)) map.set(character, to[index] as string)
  })
  endCommand(reader)
  return map
}

function mapCharacters(text: string): string[] {
  const characters: string[] = []
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '\\') {
      const character = String.fromCodePoint(text.codePointAt(at) as number)
      characters.push(character)
      at += character.length
      continue
    }
    const found = characterEscape(text, at + 1)
    const next = text[at + 1]
    if (found !== undefined) characters.push(found.character)
    else characters.push(next ?? '\\')
    at = found?.next ?? at + 2
  }
  return characters
}
