/**
 * Adds and removes one entry of a JSON file with comments, as editors have them. Every byte outside the entry stays: the text is never
 * printed anew. Only punctuation beside the entry is added, and `withoutJsonEntry` takes away what `withJsonEntry` added.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { ConfigError } from './config-error.js'

/** `section` is the key of the object that holds entries by `name`. */
export interface EntryPlace {
  section: string
  name: string
}

interface Replacement {
  from: number
  to: number
  text: string
}

const byteOrderMark = '\uFEFF'

/** The value of the entry; undefined if there is none. */
export function jsonEntry(text: string, { section, name }: EntryPlace): unknown {
  const root = rootOf(body(text))
  const entries = root && sectionOf(root, section)
  const value = entries && propertyOf(entries, name)?.children?.[1]
  return value && valueIn(value)
}

/** The text with the entry, in the style of the text around it. */
export function withJsonEntry(text: string, place: EntryPlace, value: unknown): string {
  const given = body(text)
  const mark = text.slice(0, text.length - given.length)
  const style = styleOf(given)
  const root = rootOf(given)
  if (root === undefined) {
    const whole = print({ [place.section]: { [place.name]: value } }, style, 0)
    return `${mark}${given}${whole}${style.eol}`
  }
  const entries = sectionOf(root, place.section)
  if (entries === undefined) {
    return mark + apply(given, insertion(given, root, place.section, { [place.name]: value }, style))
  }
  const old = propertyOf(entries, place.name)?.children?.[1]
  if (old === undefined) return mark + apply(given, insertion(given, entries, place.name, value, style))
  if (isDeepStrictEqual(valueIn(old), value)) return text
  const isInline = !given.slice(old.offset, old.offset + old.length).includes('\n') && !isEmpty(old)
  const printed = isInline ? compact(value) : print(value, style, depthOf(entries) + 1)
  return mark + apply(given, [{ from: old.offset, to: old.offset + old.length, text: printed }])
}

/** The text without the entry, and without its section where nothing else is in it. */
export function withoutJsonEntry(text: string, { section, name }: EntryPlace): string {
  const given = body(text)
  const mark = text.slice(0, text.length - given.length)
  const root = rootOf(given)
  const entries = root && sectionOf(root, section)
  const property = entries && propertyOf(entries, name)
  if (root === undefined || entries === undefined || property === undefined) return text
  const isOnly = entries.children?.length === 1 && !hasComment(given, entries, property)
  return mark + apply(given, isOnly ? removal(given, root, parentOf(entries)) : removal(given, entries, property))
}

/** What inserts a property at the end of an object, before the whitespace in front of its brace. */
function insertion(text: string, object: Node, key: string, value: unknown, style: Style): Replacement[] {
  const last = object.children?.at(-1)
  const start = last === undefined ? object.offset + 1 : last.offset + last.length
  const end = object.offset + object.length - 1
  const { comma, contentEnd } = between(text, start, end)
  const hasBreak = text.slice(contentEnd, end).includes('\n')
  const isInline = last !== undefined && !hasBreak
  const depth = depthOf(object)
  const printed = `${JSON.stringify(key)}: ${isInline ? compact(value) : print(value, style, depth + 1)}`
  const lead = isInline ? ' ' : style.eol + style.indent.repeat(depth + 1)
  const tail = isInline || hasBreak ? '' : style.eol + style.indent.repeat(depth)
  const separator: Replacement[] =
    last === undefined || comma !== undefined ? [] : [{ from: start, to: start, text: ',' }]
  const added = `${lead}${printed}${comma === undefined ? '' : ','}${tail}`
  return [...separator, { from: contentEnd, to: contentEnd, text: added }]
}

/** What takes a property out, with the whitespace before it and one comma. */
function removal(text: string, object: Node, property: Node): Replacement[] {
  const index = object.children?.indexOf(property) ?? 0
  const previous = object.children?.[index - 1]
  const next = object.children?.[index + 1]
  const end = property.offset + property.length
  const objectEnd = object.offset + object.length - 1
  if (previous === undefined && next === undefined) {
    const inside = text.slice(object.offset + 1, property.offset) + text.slice(end, objectEnd)
    if (inside.replace(',', '').trim() === '') return [{ from: object.offset + 1, to: objectEnd, text: '' }]
  }
  const { comma } = between(text, end, next?.offset ?? objectEnd)
  const rest = text.slice(comma === undefined ? end : comma + 1)
  const before = text.slice(object.offset + 1, property.offset)
  // What follows on the same line must not become part of a line comment.
  const keepsBreak = /\/\/[^\n]*\n\s*$/.test(before) && !/^[ \t]*\r?\n/.test(rest)
  const from = keepsBreak ? property.offset : text.slice(0, property.offset).trimEnd().length
  if (comma !== undefined)
    return [
      { from, to: end, text: '' },
      { from: comma, to: comma + 1, text: '' },
    ]
  const whole: Replacement = { from, to: end, text: '' }
  if (previous === undefined) return [whole]
  const separator = between(text, previous.offset + previous.length, property.offset).comma
  if (separator === undefined) return [whole]
  return [
    { from: separator, to: separator + 1, text: '' },
    { ...whole, from: Math.max(from, separator + 1) },
  ]
}

/** The comma in a range without values, and where the last comma or comment in it ends. */
function between(text: string, start: number, end: number): { comma?: number; contentEnd: number } {
  const found = [...text.slice(start, end).matchAll(/\/\/[^\r\n]*|\/\*.*?\*\/|,/gs)]
  const comma = found.find(([token]) => token === ',')
  const last = found.at(-1)
  return {
    ...(comma !== undefined && { comma: start + comma.index }),
    contentEnd: last === undefined ? start : start + last.index + last[0].length,
  }
}

function hasComment(text: string, object: Node, property: Node): boolean {
  const before = text.slice(object.offset + 1, property.offset)
  const after = text.slice(property.offset + property.length, object.offset + object.length - 1)
  return (before + after).replaceAll(',', '').trim() !== ''
}

/** Undefined for a text without a value. Fails where the text is not JSON, or not an object. */
function rootOf(text: string): Node | undefined {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [error] = errors
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length
    throw new ConfigError(`is not valid JSON: ${printParseErrorCode(error.error)} in line ${line}`)
  }
  if (root !== undefined && root.type !== 'object') throw new ConfigError('is not a JSON object')
  return root
}

function sectionOf(root: Node, key: string): Node | undefined {
  const section = propertyOf(root, key)?.children?.[1]
  if (section !== undefined && section.type !== 'object')
    throw new ConfigError(`has something else than an object as ${key}`)
  return section
}

function propertyOf(object: Node, key: string): Node | undefined {
  const found = object.children?.filter((property) => property.children?.[0]?.value === key) ?? []
  if (found.length > 1) throw new ConfigError(`has ${JSON.stringify(key)} twice`)
  return found[0]
}

function parentOf(node: Node): Node {
  if (node.parent === undefined) throw new Error('a section is a property of the root')
  return node.parent
}

function valueIn(node: Node): unknown {
  if (node.type === 'array') return node.children?.map(valueIn) ?? []
  if (node.type !== 'object') return node.value
  const properties =
    node.children?.map(({ children: [key, value] = [] }) => [key?.value, value && valueIn(value)]) ?? []
  return Object.fromEntries(properties)
}

interface Style {
  eol: string
  indent: string
}

/** The line ending and the indentation of the first line that has one. */
function styleOf(text: string): Style {
  const indent = /\n([ \t]+)(?=["}])/.exec(text)?.[1] ?? '  '
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', indent }
}

function depthOf(object: Node): number {
  let depth = 0
  for (let node = object.parent; node !== undefined; node = node.parent) if (node.type === 'object') depth++
  return depth
}

function isEmpty({ type, children = [] }: Node): boolean {
  return (type === 'object' || type === 'array') && children.length === 0
}

function print(value: unknown, { eol, indent }: Style, depth: number): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', eol + indent.repeat(depth))
}

/** On one line, with spaces. */
function compact(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(compact).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inside = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${compact(each)}`)
  return inside.length === 0 ? '{}' : `{ ${inside.join(', ')} }`
}

function body(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

function apply(text: string, replacements: readonly Replacement[]): string {
  const ordered = replacements
    .map((each, index) => ({ ...each, index }))
    .sort((a, b) => b.from - a.from || b.index - a.index)
  return ordered.reduce((changed, { from, to, text: put }) => changed.slice(0, from) + put + changed.slice(to), text)
}
