/**
 * Adds and removes one table of a TOML file. Every byte outside the table stays. Both results are checked: they parse, and differ from
 * what was there in this table only.
 */
import { isDeepStrictEqual } from 'node:util'
import { parse, stringify, TomlError } from 'smol-toml'
import { ConfigError } from './config-error.js'
import type { EntryPlace } from './json-entry.js'

type Table = Record<string, unknown>

/** The value of the entry; undefined if there is none. */
export function tomlEntry(text: string, { section, name }: EntryPlace): unknown {
  const entries = parsed(text)[section]
  return isTable(entries) ? entries[name] : undefined
}

/** The text with the table at its end, or in place of the existing one. */
export function withTomlEntry(text: string, place: EntryPlace, value: Table): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const table = stringify({ [place.section]: { [place.name]: value } })
    .trimEnd()
    .replaceAll('\n', eol)
  const old = tableIn(text, place)
  const changed =
    old === undefined
      ? `${text}${text === '' ? '' : eol}${table}${eol}`
      : `${text.slice(0, old.from)}${table}${eol}${text.slice(old.to)}`
  return checked(text, changed, place, value)
}

/** The text without the table, and without the empty line before it. */
export function withoutTomlEntry(text: string, place: EntryPlace): string {
  const old = tableIn(text, place)
  if (old === undefined) {
    if (tomlEntry(text, place) === undefined) return text
    throw new ConfigError(`has ${place.section}.${place.name} in another form than a table`)
  }
  // The line break before it is what was added: to a text that ends with one, that makes an empty line.
  const before = text.slice(0, old.from).replace(/\r?\n$/, '')
  return checked(text, before + text.slice(old.to), place, undefined)
}

/** Where the table is written: its head, and the lines up to the next head. */
function tableIn(text: string, { section, name }: EntryPlace): { from: number; to: number } | undefined {
  const part = (key: string) => `(?:${key}|"${key}"|'${key}')`
  const head = new RegExp(
    String.raw`^[ \t]*\[[ \t]*${part(section)}[ \t]*\.[ \t]*${part(name)}[ \t]*\][^\n]*(?:\n|$)`,
    'm',
  )
  const found = head.exec(text)
  if (found === null) return undefined
  const start = found.index + found[0].length
  const own = /^(?:(?![ \t]*\[[ \t]*["'\w])[^\n]*(?:\n|$))*/.exec(text.slice(start))?.[0] ?? ''
  // Empty lines and comments above the next table belong to that one.
  const belongs = own.replace(/(?:^[ \t]*(?:#[^\n]*)?\r?\n)+$/m, (lines) =>
    start + own.length < text.length ? '' : lines,
  )
  return { from: found.index, to: start + belongs.length }
}

/** Fails unless `changed` differs from `text` in the entry only. */
function checked(text: string, changed: string, { section, name }: EntryPlace, value: unknown): string {
  const expected = parsed(text)
  const { [name]: _, ...others } = isTable(expected[section]) ? expected[section] : {}
  const entries = value === undefined ? others : { ...others, [name]: value }
  const { [section]: __, ...rest } = expected
  const { [section]: found = {}, ...foundRest } = parsed(changed)
  if (isDeepStrictEqual(plain([found, foundRest]), plain([entries, rest]))) return changed
  throw new ConfigError(`has ${section} in a form that can't be changed without touching the rest`)
}

function parsed(text: string): Table {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof TomlError) throw new ConfigError(`is not valid TOML: ${error.message.split('\n')[0]}`)
    throw error
  }
}

/** Tables of the parser have no prototype. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
