/** YAML to nodes. The only file that knows the parser. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { fill, node, nothing, type Style, tagOf, type YamlNode, YqError } from './nodes.js'

const styles: Readonly<Record<string, Style>> = {
  QUOTE_DOUBLE: 'double',
  QUOTE_SINGLE: 'single',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
}
const shortTags = 'tag:yaml.org,2002:'

/** Comments and marks at the beginning, which are kept as they are. */
const leadingContent = /^(?:[ \t]*(?:#[^\n]*)?\n|%[^\n]*\n|---[ \t]*\n)+/

export function readYaml(text: string): YamlNode[] {
  const [leading = ''] = leadingContent.exec(text) ?? []
  const kept = leading.includes('#') || leading.includes('---') ? leading.replace(/^\n+/, '') : ''
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    keepSourceTokens: false,
    uniqueKeys: false,
    strict: false,
    lineCounter: lines,
    logLevel: 'silent',
  }) as Document[]
  const made: YamlNode[] = []
  for (const [index, document] of documents.entries()) {
    const [fault] = document.errors
    if (fault !== undefined) {
      const at = fault.linePos?.[0].line ?? 1
      throw new YqError(
        `yaml: line ${at}: ${
          fault.message
            .split('\n')[0]
            ?.replace(/ at line .*$/, '')
            .replace(/:$/, '') ?? 'is not YAML'
        }`,
      )
    }
    const root: YamlNode = document.contents === null ? nothing() : convert(document.contents as Node, text, lines)
    if (document.contents === null) root.value = ''
    if (index === 0) {
      root.leading = kept
      if (document.commentBefore !== null && kept === '') root.head = clean(document.commentBefore)
      if (kept !== '') dropHead(root)
    } else if (document.commentBefore) root.head = clean(document.commentBefore)
    if (document.comment) root.foot = (isApart(text) ? '\n' : '') + clean(document.comment)
    linkAliases(root, new Map())
    made.push(root)
  }
  return made
}

/** What stands before the first entry was kept with the beginning. */
function dropHead(root: YamlNode): void {
  root.head = ''
  const [first] = root.content
  if (first !== undefined) first.head = ''
}

/** A comment at the end after an empty line. */
function isApart(text: string): boolean {
  const last = text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .at(-1)
  return last?.trim() === ''
}

/** An alias stands for the last anchor of its name before it. */
function linkAliases(given: YamlNode, anchors: Map<string, YamlNode>): void {
  if (given.kind === 'alias') given.target = anchors.get(given.value)
  else if (given.anchor !== '') anchors.set(given.anchor, given)
  for (const inside of given.content) linkAliases(inside, anchors)
}

function clean(comment: string | null | undefined): string {
  if (!comment) return ''
  return comment
    .split('\n')
    .map((line) => line.replace(/^ /, ''))
    .join('\n')
    .replace(/^\n+|\n+$/g, '')
}

function convert(given: Node, text: string, lines: LineCounter): YamlNode {
  const made = unplaced(given, text, lines)
  made.hasTag = given.tag !== undefined
  const [start] = given.range ?? [0]
  const { line, col } = lines.linePos(start)
  made.place = { line, column: col }
  made.head = clean(given.commentBefore)
  if (isScalar(given) || isAlias(given) || (isFlow(given) && given.comment)) made.line = clean(given.comment)
  else if (given.comment) made.foot = clean(given.comment)
  if ('anchor' in given && given.anchor) made.anchor = given.anchor
  return made
}

function isFlow(given: Node): boolean {
  return (isMap(given) || isSeq(given)) && given.flow === true
}

function unplaced(given: Node, text: string, lines: LineCounter): YamlNode {
  if (isAlias(given)) return node('alias', '', given.source)
  const tag = given.tag?.startsWith(shortTags) ? `!!${given.tag.slice(shortTags.length)}` : given.tag
  if (isMap(given)) {
    const made = node('map', tag ?? '!!map')
    if (given.flow && given.items.length > 0) made.style = 'flow'
    const content: YamlNode[] = []
    for (const [index, { key, value }] of given.items.entries()) {
      const name = convert(key as Node, text, lines)
      const inside = value === null ? nothing() : convert(value as Node, text, lines)
      if (value === null) inside.value = ''
      // A comment between a key and what is below it belongs to the line of the key, or to the first entry.
      if (value !== null && inside.head !== '' && (isMap(value) || isSeq(value)) && !isFlow(value as Node)) {
        const after = (key as Node).range?.[1] ?? 0
        const isSameLine = /^\s*:[ \t]*(?:[&!]\S+[ \t]*)*#/.test(text.slice(after))
        if (isSameLine) name.line = inside.head
        else if (inside.content[0] !== undefined) inside.content[0].head ||= inside.head
        inside.head = ''
      }
      if (index === 0 && name.head === '' && given.commentBefore && !given.flow) name.head = ''
      if (tagOf(name.value) === '!!merge' && name.style === '') name.tag = '!!merge'
      content.push(name, inside)
    }
    return fill(made, content)
  }
  if (isSeq(given)) {
    const made = node('seq', tag ?? '!!seq')
    if (given.flow && given.items.length > 0) made.style = 'flow'
    return fill(
      made,
      given.items.map((item) => (item === null ? nothing() : convert(item as Node, text, lines))),
    )
  }
  if (!isScalar(given)) throw new YqError('yaml: something that is neither a map nor a sequence nor a scalar')
  const style = styles[given.type ?? ''] ?? ''
  const source = style === '' ? (given.source ?? String(given.value ?? '')) : String(given.value ?? '')
  const made = node('scalar', tag ?? (style === '' ? tagOf(source) : '!!str'), source)
  made.style = style
  return made
}
