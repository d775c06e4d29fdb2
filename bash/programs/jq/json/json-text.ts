/** JSON as jq writes it. */
import { type Json, type JsonObject, sortedKeys } from '../values.js'

export interface JsonStyle {
  /** Undefined: everything on one line. */
  indent?: string
  sortKeys?: boolean
  ascii?: boolean
  color?: boolean
  /** Counts a long text while it is made: a value may have the same part many times. */
  account?: (bytes: number) => void
}

/** Shortest digits, at most 17; an exponent has two digits at least. What is infinite is the largest number. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return Object.is(value, -0) ? '-0' : String(value)
  if (Number.isNaN(value)) return 'null'
  if (!Number.isFinite(value)) return value < 0 ? '-1.7976931348623157e+308' : '1.7976931348623157e+308'
  const sign = value < 0 ? '-' : ''
  const [mantissa = '', exponentText = '0'] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const point = Number(exponentText) + 1
  if (point <= -4 || point > digits.length + 15) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    const exponent = String(Math.abs(point - 1)).padStart(2, '0')
    return `${sign}${digits[0]}${fraction}e${point - 1 < 0 ? '-' : '+'}${exponent}`
  }
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

const control = '\\u0000-\\u001f\\u007f'
const needsEscape = new RegExp(`["\\\\${control}\\ud800-\\udfff]`)
const escaped = new RegExp(
  `["\\\\${control}]|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]`,
  'g',
)
const plainEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
}

export function stringText(text: string, ascii = false): string {
  if (!ascii && !needsEscape.test(text)) return `"${text}"`
  const plain = text.replace(escaped, (character) => plainEscapes[character] ?? escapeUnit(character))
  return `"${ascii ? plain.replace(/[\u0080-\uffff]/g, escapeUnit) : plain}"`
}

function escapeUnit(character: string): string {
  const unit = character.charCodeAt(0)
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** On one line. */
export function compactText(value: Json, account?: JsonStyle['account']): string {
  return jsonText(value, account === undefined ? {} : { account })
}

export function jsonText(value: Json, style: JsonStyle): string {
  if (style.color) return coloredText(value, style, '')
  const written: Written = { text: '', pieces: [], depth: 0 }
  write(value, style, '\n', written)
  return written.text + written.pieces.join('')
}

interface Written {
  text: string
  /** What follows, and is not joined yet. */
  pieces: string[]
  /** How many containers are open. */
  depth: number
}

const mostPieces = 1 << 14

function joinPieces(written: Written, { account }: JsonStyle): void {
  const text = written.pieces.join('')
  account?.(text.length)
  written.text += text
  written.pieces = []
}

const maxDepth = 256

function write(value: Json, style: JsonStyle, lineStart: string, written: Written): void {
  const { pieces } = written
  if (written.depth > maxDepth) pieces.push('<stripped: exceeds max depth>')
  else if (typeof value === 'string') pieces.push(stringText(value, style.ascii))
  else if (typeof value === 'number') pieces.push(numberText(value))
  else if (value === null || typeof value === 'boolean') pieces.push(String(value))
  else {
    written.depth += 1
    if (Array.isArray(value)) writeArray(value, style, lineStart, written)
    else writeObject(value, style, lineStart, written)
    written.depth -= 1
  }
}

function writeArray(value: Json[], style: JsonStyle, lineStart: string, written: Written): void {
  if (value.length === 0) {
    written.pieces.push('[]')
    return
  }
  const inner = style.indent === undefined ? '' : lineStart + style.indent
  let separator = `[${inner}`
  for (const item of value) {
    written.pieces.push(separator)
    write(item, style, inner, written)
    separator = `,${inner}`
    if (written.pieces.length > mostPieces) joinPieces(written, style)
  }
  written.pieces.push(style.indent === undefined ? ']' : `${lineStart}]`)
}

function writeObject(value: JsonObject, style: JsonStyle, lineStart: string, written: Written): void {
  if (value.size === 0) {
    written.pieces.push('{}')
    return
  }
  const inner = style.indent === undefined ? '' : lineStart + style.indent
  const colon = style.indent === undefined ? ':' : ': '
  let separator = `{${inner}`
  for (const key of style.sortKeys ? sortedKeys(value) : value.keys()) {
    written.pieces.push(separator, stringText(key, style.ascii), colon)
    write(value.get(key) as Json, style, inner, written)
    separator = `,${inner}`
    if (written.pieces.length > mostPieces) joinPieces(written, style)
  }
  written.pieces.push(style.indent === undefined ? '}' : `${lineStart}}`)
}

const reset = '\x1b[0m'
const plain = '\x1b[0;39m'
const bold = '\x1b[1;39m'

function coloredText(value: Json, style: JsonStyle, level: string): string {
  const pretty = style.indent !== undefined
  const inner = level + (style.indent ?? '')
  const line = pretty ? `\n${inner}` : ''
  const end = pretty ? `\n${level}` : ''
  if (Array.isArray(value)) {
    if (value.length === 0) return `${bold}[]${reset}`
    const items = value.map((item) => line + coloredText(item, style, inner)).join(`${bold},`)
    return `${bold}[${items}${bold}${end}${bold}]${reset}`
  }
  if (value instanceof Map) {
    if (value.size === 0) return `${bold}{}${reset}`
    const keys = style.sortKeys ? sortedKeys(value) : [...value.keys()]
    const items = keys.map((key) => {
      const name = `\x1b[34;1m${stringText(key, style.ascii)}${reset}`
      const shown = coloredText(value.get(key) as Json, style, inner)
      return `${line}${reset}${name}${bold}:${pretty ? ' ' : ''}${reset}${shown}`
    })
    return `${bold}{${items.join(`${bold},`)}${bold}${end}${bold}}${reset}`
  }
  const text = jsonText(value, { ...style, color: false })
  const color = value === null ? '\x1b[1;30m' : typeof value === 'string' ? '\x1b[0;32m' : plain
  return `${color}${text}${reset}`
}
