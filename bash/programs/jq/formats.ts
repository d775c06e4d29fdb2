/** The formats `@csv`, `@base64` and so on. */
import { codecs, createDecoder, encodeGroups } from '../data/codecs/codec.js'
import { compactText } from './json/json-text.js'
import { describe } from './paths.js'
import { JqError, type Json } from './values.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const toText = (value: Json) => (typeof value === 'string' ? value : compactText(value))

export function applyFormat(name: string, value: Json): Json {
  switch (name) {
    case 'text':
      return toText(value)
    case 'json':
      return compactText(value)
    case 'csv':
      return row(value, 'csv', ',', (text) => `"${text.replaceAll('"', '""')}"`)
    case 'tsv':
      return row(value, 'tsv', '\t', escapeTabs)
    case 'html':
      return toText(value).replace(/[<>&'"]/g, (character) => htmlNames[character] as string)
    case 'uri':
      return [...encoder.encode(toText(value))]
        .map((byte) => {
          const character = String.fromCharCode(byte)
          if (/[A-Za-z0-9\-_.~]/.test(character)) return character
          return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
        })
        .join('')
    case 'sh':
      return shellText(value)
    case 'base64':
      return decoder.decode(encodeGroups(encoder.encode(toText(value)), codecs.base64))
    case 'base64d':
      return decodeBase64(value)
    default:
      throw new JqError(`${name} is not a valid format`)
  }
}

const htmlNames: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  "'": '&#39;',
  '"': '&quot;',
}

function escapeTabs(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => tabEscapes[character] as string)
}

const tabEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function row(value: Json, name: string, separator: string, quote: (text: string) => string): string {
  if (!Array.isArray(value)) throw new JqError(`${describe(value)} cannot be ${name}-formatted, only array`)
  return value
    .map((item) => {
      if (item === null) return ''
      if (typeof item === 'string') return quote(item)
      if (typeof item === 'number' || typeof item === 'boolean') return compactText(item)
      throw new JqError(`${describe(item)} is not valid in a csv row`)
    })
    .join(separator)
}

function shellText(value: Json): string {
  const items = Array.isArray(value) ? value : [value]
  return items
    .map((item) => {
      if (Array.isArray(item) || item instanceof Map)
        throw new JqError(`${describe(item)} can not be escaped for shell`)
      return typeof item === 'string' ? `'${item.replaceAll("'", "'\\''")}'` : compactText(item)
    })
    .join(' ')
}

function decodeBase64(value: Json): string {
  const text = toText(value)
  const digits = text.replace(/=+$/, '')
  if (/[^A-Za-z0-9+/]/.test(digits)) throw new JqError(`${describe(text)} is not valid base64 data`)
  if (digits.length % 4 === 1) throw new JqError(`${describe(text)} trailing base64 byte found`)
  const reader = createDecoder(codecs.base64, true)
  return decoder.decode(Uint8Array.from([...reader.decode(encoder.encode(text)), ...reader.end()]))
}
