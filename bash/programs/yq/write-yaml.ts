/** Nodes to YAML, laid out as the Go library does it. */
import { entriesOf, resolved, tagOf, type YamlNode } from './nodes.js'

export interface YamlRules {
  indent: number
  /** Scalars alone are written without quotes and comments. */
  unwrap: boolean
  compact: boolean
}

export function writeYaml(root: YamlNode, rules: YamlRules): string {
  if (root.kind === 'scalar' && rules.unwrap) return `${root.value}\n`
  const head = comment(root.head, '')
  const foot = comment(root.foot, '')
  if (isBlock(root)) return `${head}${ahead(root)}${block(root, 0, rules)}${foot}`
  return `${head}${inline(root, rules, 0, true)}${lineComment(root)}\n${foot}`
}

/** What stands in a line of its own before a collection. */
function ahead(given: YamlNode): string {
  const marks = marksOf(given)
  return marks === '' ? '' : `${marks}\n`
}

const isBlock = ({ kind, style, content }: YamlNode) =>
  (kind === 'map' || kind === 'seq') && style !== 'flow' && content.length > 0

function comment(given: string, margin: string): string {
  if (given === '') return ''
  return given
    .split('\n')
    .map((line) => (line === '' ? '\n' : `${margin}${line.startsWith('#') ? line : `# ${line}`}\n`))
    .join('')
}

function lineComment({ line }: YamlNode): string {
  return line === '' ? '' : ` ${line.startsWith('#') ? line : `# ${line}`}`
}

/** The anchor and a tag that can't be left out. */
function marksOf({ anchor, tag, kind, style, value, hasTag }: YamlNode): string {
  const marks: string[] = []
  if (anchor !== '' && kind !== 'alias') marks.push(`&${anchor}`)
  const usual = kind === 'map' ? '!!map' : kind === 'seq' ? '!!seq' : style === '' ? tagOf(value) : '!!str'
  const isOwn = tag !== '' && (style === 'tagged' || (!tag.startsWith('!!') && tag.startsWith('!')))
  // A value that has been calculated shows by itself what it is.
  const shows = ['!!str', '!!merge', '!!float', usual].includes(tag)
  const isForced = kind === 'scalar' && style === '' && tag.startsWith('!!') && !shows && value !== ''
  if (isOwn || isForced || (hasTag && tag !== '!!str')) marks.push(tag)
  return marks.join(' ')
}

function block(given: YamlNode, depth: number, rules: YamlRules): string {
  const margin = ' '.repeat(depth)
  return given.kind === 'map'
    ? entriesOf(given)
        .map(([key, value]) => entry(key, value, depth, rules))
        .join('')
    : given.content
        .map(
          (item) =>
            `${comment(item.head, margin)}${margin}-${after(item, depth, rules).replace(/^(?=[^\n])/, ' ')}${footOf(item, margin)}`,
        )
        .join('')
}

function footOf({ foot }: YamlNode, margin: string): string {
  return foot === '' ? '' : `${comment(foot, margin)}\n`
}

function entry(key: YamlNode, value: YamlNode, depth: number, rules: YamlRules): string {
  const margin = ' '.repeat(depth)
  const name = key.kind === 'scalar' ? scalar(key, rules, depth, true) : inline(key, rules, depth, true)
  const head = comment(key.head, margin) + comment(isBlock(value) ? '' : value.head, margin)
  const marks = marksOf(value)
  const space = key.kind === 'alias' ? ' ' : ''
  const foot = footOf(key, margin) || footOf(value, margin)
  if (!isBlock(value)) {
    const shown = inline(value, rules, depth + rules.indent, false)
    const between = shown === '' && marks === '' ? '' : ' '
    const line = lineComment(value) || lineComment(key)
    if (value.style === 'literal' || value.style === 'folded') {
      const [first = '', ...rest] = shown.split('\n')
      return `${head}${margin}${name}${space}: ${first}${line}\n${rest.join('\n')}\n${foot}`
    }
    return `${head}${margin}${name}${space}:${between}${shown}${line}\n${foot}`
  }
  const line = lineComment(key) || lineComment(value)
  const below = depth + (value.kind === 'seq' && rules.compact ? 0 : rules.indent)
  const first = comment(value.head, ' '.repeat(below))
  return `${head}${margin}${name}${space}:${marks === '' ? '' : ` ${marks}`}${line}\n${first}${block(value, below, rules)}${foot}`
}

/** What follows `- `. */
function after(item: YamlNode, depth: number, rules: YamlRules): string {
  if (!isBlock(item)) {
    const shown = inline(item, rules, depth + rules.indent, false)
    if (item.style === 'literal' || item.style === 'folded') {
      const [first = '', ...rest] = shown.split('\n')
      return `${first}${lineComment(item)}\n${rest.join('\n')}\n`
    }
    return `${shown}${lineComment(item)}\n`
  }
  const marks = marksOf(item)
  const below = block(item, depth + 2, rules)
  return marks === '' ? below.replace(/^ */, '') : `${marks}\n${below}`
}

function inline(given: YamlNode, rules: YamlRules, depth: number, isKey: boolean): string {
  const marks = marksOf(given)
  const shown = unmarked(given, rules, depth, isKey)
  return marks === '' ? shown : shown === '' ? marks : `${marks} ${shown}`
}

function unmarked(given: YamlNode, rules: YamlRules, depth: number, isKey: boolean): string {
  if (given.kind === 'alias') return `*${given.value}`
  if (given.kind === 'seq') return `[${given.content.map((item) => inline(item, rules, depth, true)).join(', ')}]`
  if (given.kind === 'map') {
    const pairs = entriesOf(given).map(([key, value]) => {
      const shown = inline(value, rules, depth, true)
      return `${inline(key, rules, depth, true)}:${shown === '' ? '' : ` ${shown}`}`
    })
    return `{${pairs.join(', ')}}`
  }
  return scalar(given, rules, depth, isKey)
}

function scalar({ value, style, tag, parent }: YamlNode, _rules: YamlRules, depth: number, isKey: boolean): string {
  const isInFlow = parent?.style === 'flow'
  if (style === 'double') return doubleQuoted(value)
  if (style === 'single') return hasControls(value) ? doubleQuoted(value) : singleQuoted(value)
  if ((style === 'literal' || style === 'folded') && !isKey) return blockScalar(value, style, depth)
  if (tag !== '!!str') return value
  if (value.includes('\n') && !isKey && !isInFlow) return blockScalar(value, 'literal', depth)
  if (tagOf(value) !== '!!str') return doubleQuoted(value)
  if (value.includes('\n') || hasControls(value)) return doubleQuoted(value)
  return isPlain(value, isInFlow) ? value : singleQuoted(value)
}

/** Tabs and line feeds are none. */
function hasControls(value: string): boolean {
  return [...value].some((character) => character < ' ' && character !== '\t' && character !== '\n')
}

function isPlain(value: string, isInFlow: boolean): boolean {
  if (value === '' || /^\s|\s$/.test(value)) return false
  if (/^[!&*#?|>@`"'%,[\]{}]/.test(value) && !/^[?][^\s]/.test(value)) return false
  if (/^[-:](\s|$)/.test(value) || /^(---|\.\.\.)/.test(value) || value === '-' || value === '=') return false
  if (/:(\s|$)/.test(value) || /\s#/.test(value)) return false
  return !(isInFlow && /[,[\]{}]/.test(value))
}

function singleQuoted(value: string): string {
  return `'${value.replaceAll("'", "''").replaceAll('\n', '\n\n')}'`
}

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
}

function doubleQuoted(value: string): string {
  const made = value.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
    /["\\\x00-\x1f\x7f\ufeff]/g,
    (character) => escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
  return `"${made}"`
}

function blockScalar(value: string, style: 'literal' | 'folded', depth: number): string {
  const margin = ' '.repeat(Math.max(2, depth))
  const end = value.endsWith('\n') ? (value.endsWith('\n\n') || value === '\n' ? '+' : '') : '-'
  const hint = /^[ \n]/.test(value) ? '2' : ''
  const body = value.replace(/\n$/, '')
  const lines = (style === 'folded' ? body.replaceAll(/([^\n])\n(?=[^\n ])/g, '$1\n\n') : body).split('\n')
  return `${style === 'literal' ? '|' : '>'}${hint}${end}\n${lines.map((line) => (line === '' ? '' : margin + line)).join('\n')}`
}

/** As it would be printed. */
export function asText(given: YamlNode): string {
  const whole = resolved(given)
  if (whole.kind === 'scalar') return whole.value
  return writeYaml(whole, { indent: 2, unwrap: true, compact: false }).replace(/\n$/, '')
}
