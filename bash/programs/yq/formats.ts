/** Other formats than YAML, in and out. */
import { decodeText, encodeText } from '../../io/byte-text.js'
import type { Call, Tools } from './context.js'
import {
  child,
  entriesOf,
  isNull,
  map,
  node,
  nothing,
  number,
  numberOf,
  resolved,
  seq,
  tagOf,
  text,
  type YamlNode,
  YqError,
} from './nodes.js'
import { writeYaml } from './write-yaml.js'

/** `indent` 0: in one line. */
export function writeJson(given: YamlNode, indent: number): string {
  return `${jsonText(resolved(given), indent, '')}\n`
}

function jsonText(given: YamlNode, indent: number, margin: string): string {
  const inner = margin + ' '.repeat(indent)
  const around = (begin: string, parts: string[], end: string) => {
    if (parts.length === 0) return begin + end
    if (indent === 0) return begin + parts.join(',') + end
    return `${begin}\n${parts.map((part) => inner + part).join(',\n')}\n${margin}${end}`
  }
  const whole = resolved(given)
  if (whole.kind === 'seq')
    return around(
      '[',
      whole.content.map((item) => jsonText(item, indent, inner)),
      ']',
    )
  if (whole.kind === 'map') {
    const space = indent === 0 ? '' : ' '
    const pairs = entriesOf(whole).map(
      ([key, value]) => `${quoted(resolved(key).value)}:${space}${jsonText(value, indent, inner)}`,
    )
    return around('{', pairs, '}')
  }
  return jsonScalar(whole)
}

function quoted(value: string): string {
  return JSON.stringify(value.toWellFormed()).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function jsonScalar(given: YamlNode): string {
  if (given.tag === '!!null') return 'null'
  if (given.tag === '!!bool') return String(/^t/i.test(given.value))
  if (given.tag === '!!int') {
    const plain = given.value.replaceAll('_', '').replace(/^\+/, '')
    return /^-?(0|[1-9]\d*)$/.test(plain) ? plain : String(numberOf(given))
  }
  if (given.tag === '!!float') {
    const value = numberOf(given)
    if (!Number.isFinite(value)) throw new YqError(`json: unsupported value: ${given.value}`)
    return /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(given.value) ? given.value : String(value)
  }
  return quoted(given.value)
}

/** Values in their order, with numbers as they are written. */
export function readJson(source: string): YamlNode[] {
  let at = 0
  const fail = (): never => {
    throw new YqError(
      at >= source.length ? 'unexpected EOF' : `invalid character '${source[at]}' looking for beginning of value`,
    )
  }
  const space = () => {
    while (/[ \t\n\r]/.test(source[at] ?? '')) at += 1
  }
  const string = (): string => {
    const end = /^"(?:[^"\\]|\\.)*"/s.exec(source.slice(at))
    if (end === null) return fail()
    at += end[0].length
    return JSON.parse(end[0].replaceAll('\t', '\\t')) as string
  }
  const value = (): YamlNode => {
    space()
    const first = source[at]
    if (first === '{') {
      at += 1
      const entries: Array<[YamlNode, YamlNode]> = []
      for (space(); source[at] !== '}'; space()) {
        if (entries.length > 0) {
          if (source[at] !== ',') fail()
          at += 1
          space()
        }
        const key = text(string())
        space()
        if (source[at] !== ':') fail()
        at += 1
        entries.push([key, value()])
      }
      at += 1
      return map(entries)
    }
    if (first === '[') {
      at += 1
      const items: YamlNode[] = []
      for (space(); source[at] !== ']'; space()) {
        if (items.length > 0) {
          if (source[at] !== ',') fail()
          at += 1
        }
        items.push(value())
      }
      at += 1
      return seq(items)
    }
    if (first === '"') return text(string())
    const [word] = /^(?:null|true|false|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)/.exec(source.slice(at)) ?? fail()
    at += (word as string).length
    const tag = tagOf(word as string)
    return tag === '!!null'
      ? nothing()
      : tag === '!!float' && Number.isInteger(Number(word))
        ? number(Number(word))
        : node('scalar', tag, word as string)
  }
  const made: YamlNode[] = []
  for (space(); at < source.length; space()) made.push(value())
  return made
}

function cell(value: string, separator: string): string {
  return value === '' || !(value.includes(separator) || /["\r\n]/.test(value) || /^\s/.test(value))
    ? value
    : `"${value.replaceAll('"', '""')}"`
}

/** A row, rows, or maps with a line of names above them. */
export function writeTable(given: YamlNode, separator: string): string {
  const whole = resolved(given)
  const line = (cells: readonly YamlNode[]) =>
    `${cells
      .map((one) => {
        const inside = resolved(one)
        if (inside.kind !== 'scalar')
          throw new YqError(
            `csv encoding only works for arrays of: scalars (string/numbers/booleans), arrays of scalars, and arrays of maps with scalar values. You have a ${inside.tag}`,
          )
        return cell(isNull(inside) ? '' : inside.value, separator)
      })
      .join(separator)}\n`
  if (whole.kind === 'scalar') return `${whole.value}\n`
  if (whole.kind !== 'seq') throw new YqError(`csv encoding only works for arrays, got: ${whole.tag}`)
  const [first] = whole.content
  if (first === undefined) return ''
  if (resolved(first).kind === 'scalar') return line(whole.content)
  if (resolved(first).kind === 'seq') return whole.content.map((row) => line(resolved(row).content)).join('')
  const names = entriesOf(resolved(first)).map(([key]) => key)
  const rows = whole.content.map((row) => line(names.map((name) => child(resolved(row), name.value) ?? nothing())))
  return line(names) + rows.join('')
}

export function readTable(source: string, separator: string, parse?: (cell: string) => YamlNode | undefined): YamlNode {
  const rows: string[][] = []
  let row: string[] = []
  let at = source.startsWith('\ufeff') ? 1 : 0
  while (at < source.length) {
    let field = ''
    if (source[at] === '"') {
      at += 1
      while (at < source.length && !(source[at] === '"' && source[at + 1] !== '"')) {
        if (source[at] === '"') at += 1
        field += source[at]
        at += 1
      }
      at += 1
    } else {
      const start = at
      while (at < source.length && source[at] !== separator && source[at] !== '\n') at += 1
      field = source.slice(start, at).replace(/\r$/, '')
    }
    row.push(field)
    if (source[at] === '\r') at += 1
    if (source[at] === separator) {
      at += 1
      if (at < source.length) continue
      row.push('')
    }
    at += 1
    rows.push(row)
    row = []
  }
  const [names = [], ...rest] = rows
  const typed = (value: string) => (value === '' ? text('') : (parse?.(value) ?? node('scalar', tagOf(value), value)))
  return seq(
    rest
      .filter((each) => each.length > 1 || each[0] !== '')
      .map((each) => map(names.map((name, index) => [text(name), typed(each[index] ?? '')]))),
  )
}

export function writeProperties(given: YamlNode, unwrap: boolean): string {
  const lines: string[] = []
  const walk = (one: YamlNode, path: string) => {
    const whole = resolved(one)
    if (whole.kind === 'scalar') {
      for (const line of whole.head === '' ? [] : whole.head.split('\n')) lines.push(`# ${line}`)
      const isQuoted = !unwrap && whole.tag === '!!str' && /\s/.test(whole.value)
      lines.push(`${path} = ${isQuoted ? `"${whole.value}"` : whole.value.replaceAll('\n', '\\n')}`)
    } else if (whole.kind === 'seq')
      for (const [at, item] of whole.content.entries()) walk(item, path === '' ? `${at}` : `${path}.${at}`)
    else
      for (const [key, value] of entriesOf(whole)) {
        if (key.head !== '') lines.push(...key.head.split('\n').map((line) => `# ${line}`))
        walk(value, path === '' ? key.value : `${path}.${key.value}`)
      }
  }
  walk(given, '')
  return lines.map((line) => `${line}\n`).join('')
}

const encode =
  (write: (one: YamlNode, indent: number | undefined) => string): Call =>
  (context, args, tools) => ({
    ...context,
    nodes: context.nodes.map((one) => {
      const given = args[0] === undefined ? undefined : tools.on(context, one, args[0])[0]
      return text(write(one, given === undefined ? undefined : Number(given.value)))
    }),
  })

const decode =
  (read: (value: string, tools: Tools) => YamlNode): Call =>
  (context, _args, tools) => ({ ...context, nodes: context.nodes.map((one) => read(resolved(one).value, tools)) })

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function toBase64(value: string): string {
  const bytes = encodeText(value)
  let made = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3)
    const bits = (a << 16) | (b << 8) | c
    const left = bytes.length - at
    made += [18, 12, 6, 0].map((shift, index) => (index > left ? '=' : base64[(bits >> shift) & 63])).join('')
  }
  return made
}

function fromBase64(value: string): string {
  const bytes: number[] = []
  let bits = 0
  let count = 0
  for (const character of value.replaceAll(/\s|=/g, '')) {
    const index = base64.indexOf(character)
    if (index < 0) throw new YqError(`illegal base64 data at input byte ${value.indexOf(character)}`)
    bits = (bits << 6) | index
    count += 6
    if (count < 8) continue
    count -= 8
    bytes.push((bits >> count) & 255)
  }
  return decodeText(Uint8Array.from(bytes))
}

const shellPlain = /[\w@%+=:,./-]/

/** Quotes begin where they are needed, and end before a quote of the text. */
function shellQuoted(value: string): string {
  let made = ''
  let isOpen = false
  for (const character of value) {
    if (character === "'") {
      made += isOpen ? "'\\'" : "\\'"
      isOpen = false
      continue
    }
    if (!isOpen && !shellPlain.test(character)) {
      made += "'"
      isOpen = true
    }
    made += character
  }
  return isOpen ? `${made}'` : made
}

const writeJsonIndented = encode((one, indent = 2) => {
  const made = writeJson(one, indent)
  return indent === 0 ? made.replace(/\n$/, '') : made
})
const writeJsonLine = encode((one) => writeJson(one, 0).replace(/\n$/, ''))
const yamlText = encode((one, indent = 2) => writeYaml(one, { indent, unwrap: true, compact: false }))
const parseYaml = decode((value, { outside }) => outside.parse(value)[0] ?? nothing())

export const formatCalls: ReadonlyArray<readonly [string, Call]> = [
  ['to_json', writeJsonIndented],
  ['tojson', writeJsonIndented],
  ['@json', writeJsonLine],
  ['from_json', decode((value) => readJson(value)[0] ?? nothing())],
  ['@jsond', decode((value) => readJson(value)[0] ?? nothing())],
  ['to_yaml', yamlText],
  ['@yaml', yamlText],
  ['from_yaml', parseYaml],
  ['@yamld', parseYaml],
  ['to_csv', encode((one) => writeTable(one, ','))],
  ['@csv', encode((one) => writeTable(one, ',').replace(/\n$/, ''))],
  ['to_tsv', encode((one) => writeTable(one, '\t'))],
  ['@tsv', encode((one) => writeTable(one, '\t').replace(/\n$/, ''))],
  ['from_csv', decode((value) => readTable(value, ','))],
  ['@csvd', decode((value) => readTable(value, ','))],
  ['from_tsv', decode((value) => readTable(value, '\t'))],
  ['@tsvd', decode((value) => readTable(value, '\t'))],
  ['to_props', encode((one) => writeProperties(one, true))],
  ['@props', encode((one) => writeProperties(one, true))],
  ['@base64', encode((one) => toBase64(resolved(one).value))],
  ['@base64d', decode((value) => text(fromBase64(value)))],
  [
    '@uri',
    encode((one) =>
      encodeURIComponent(resolved(one).value)
        .replaceAll('%20', '+')
        .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
    ),
  ],
  ['@urid', decode((value) => text(decodeURIComponent(value.replaceAll('+', ' '))))],
  ['@sh', encode((one) => shellQuoted(resolved(one).value))],
]
