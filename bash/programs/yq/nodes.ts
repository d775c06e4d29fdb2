/** A document of YAML as a tree that keeps how it was written: tags, styles, comments and anchors. */

export type Kind = 'map' | 'seq' | 'scalar' | 'alias'
export type Style = '' | 'double' | 'single' | 'literal' | 'folded' | 'flow' | 'tagged'

export interface Source {
  file: string
  fileIndex: number
  document: number
  /** All documents are evaluated together. */
  isAll: boolean
}

export interface YamlNode {
  kind: Kind
  tag: string
  /** Of a scalar as it is written, without quotes; of an alias the name of its anchor. */
  value: string
  style: Style
  anchor: string
  /** Its tag was written. */
  hasTag: boolean
  /** Comments without their marks, lines separated by line feeds. */
  head: string
  line: string
  foot: string
  /** Of a map: keys and values in turns. */
  content: YamlNode[]
  parent: YamlNode | undefined
  /** In a map; in a sequence its index. */
  key: YamlNode | number | undefined
  isKey: boolean
  /** It was asked for and is not there: it becomes part of its parent when something is assigned to it. */
  isMissing: boolean
  source: Source | undefined
  /** Of an alias, as it was read. */
  target: YamlNode | undefined
  place: { line: number; column: number }
  /** Of a document: what stands before it, written as it was. */
  leading: string
}

export class YqError extends Error {}

export function node(kind: Kind, tag: string, value = ''): YamlNode {
  return {
    kind,
    tag,
    value,
    style: '',
    anchor: '',
    hasTag: false,
    head: '',
    line: '',
    foot: '',
    content: [],
    parent: undefined,
    key: undefined,
    isKey: false,
    isMissing: false,
    source: undefined,
    target: undefined,
    place: { line: 0, column: 0 },
    leading: '',
  }
}

export const text = (value: string) => node('scalar', '!!str', value)
export const bool = (value: boolean) => node('scalar', '!!bool', String(value))
export const nothing = () => node('scalar', '!!null', 'null')
export const integer = (value: number | bigint) => node('scalar', '!!int', String(value))
export const isNull = ({ kind, tag }: YamlNode) => kind === 'scalar' && tag === '!!null'

export function number(value: number): YamlNode {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return integer(value)
  return node('scalar', '!!float', realText(value))
}

/** As Go prints a real number: the shortest, with an exponent of two digits where it is long. */
export function realText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const plain = String(value)
  const [, mantissa = '', sign = '', digits = ''] = /^(.*)e([+-])(\d+)$/.exec(plain) ?? []
  return mantissa === '' ? plain : `${mantissa}e${sign}${digits.padStart(2, '0')}`
}

/** Sets what is in it, so that each knows where it is. */
export function fill(parent: YamlNode, content: YamlNode[]): YamlNode {
  parent.content = content
  relink(parent)
  return parent
}

export function relink(parent: YamlNode): void {
  const { content } = parent
  if (parent.kind === 'seq')
    for (const [index, child] of content.entries()) Object.assign(child, { parent, key: index, isKey: false })
  else if (parent.kind === 'map')
    for (let at = 0; at + 1 < content.length; at += 2) {
      Object.assign(content[at] as YamlNode, { parent, isKey: true, key: content[at] })
      Object.assign(content[at + 1] as YamlNode, { parent, key: content[at], isKey: false })
    }
}

export function copy(given: YamlNode): YamlNode {
  const made: YamlNode = { ...given, parent: undefined, key: given.key }
  made.content = given.content.map(copy)
  relink(made)
  return made
}

export function map(entries: ReadonlyArray<[YamlNode, YamlNode]>): YamlNode {
  return fill(node('map', '!!map'), entries.flat())
}

export function seq(items: YamlNode[]): YamlNode {
  return fill(node('seq', '!!seq'), items)
}

export function entriesOf({ content }: YamlNode): Array<[YamlNode, YamlNode]> {
  return content.flatMap((key, at) =>
    at % 2 === 0 ? [[key, content[at + 1] as YamlNode] as [YamlNode, YamlNode]] : [],
  )
}

/** The entries that a map has with those it merges. What comes later counts, as in yq without its flag for the specification. */
export function effectiveEntries(given: YamlNode): Array<[YamlNode, YamlNode]> {
  const own = entriesOf(given)
  if (!own.some(([{ tag }]) => tag === '!!merge')) return own
  const made = new Map<string, [YamlNode, YamlNode]>()
  for (const [key, value] of own) {
    const merged = key.tag === '!!merge' ? (value.kind === 'seq' ? value.content : [value]) : undefined
    const entries =
      merged === undefined
        ? [[key, value] as [YamlNode, YamlNode]]
        : merged.flatMap((each) => effectiveEntries(resolved(each)))
    for (const entry of entries) made.set(entry[0].value, entry)
  }
  return [...made.values()]
}

export function rootOf(given: YamlNode): YamlNode {
  let at = given
  while (at.parent !== undefined) at = at.parent
  return at
}

/** The node that an alias stands for. */
export function resolved(given: YamlNode): YamlNode {
  if (given.kind !== 'alias') return given
  if (given.target !== undefined) return given.target
  const find = (at: YamlNode): YamlNode | undefined => {
    if (at.kind !== 'alias' && at.anchor === given.value) return at
    for (const child of at.content) {
      const found = find(child)
      if (found !== undefined) return found
    }
    return undefined
  }
  const found = find(rootOf(given))
  if (found === undefined) throw new YqError(`unknown anchor '${given.value}' referenced`)
  return found
}

export function child(parent: YamlNode, name: string): YamlNode | undefined {
  return entriesOf(parent).find(([key]) => key.value === name)?.[1]
}

export function pathOf(given: YamlNode): YamlNode[] {
  const made: YamlNode[] = []
  for (let at: YamlNode | undefined = given; at?.parent !== undefined; at = at.parent)
    made.unshift(typeof at.key === 'number' ? integer(at.key) : text((at.key as YamlNode).value))
  return made
}

/** Makes what was only asked for a part of its parent. */
export function attach(given: YamlNode): void {
  const { parent } = given
  if (!given.isMissing || parent === undefined) return
  given.isMissing = false
  attach(parent)
  if (typeof given.key === 'number') {
    if (isNull(parent)) become(parent, seq([]))
    while (parent.content.length < given.key) parent.content.push(nothing())
    parent.content[given.key] = given
  } else {
    if (isNull(parent)) become(parent, map([]))
    parent.content.push(given.key as YamlNode, given)
  }
  relink(parent)
}

/** Gives a node another content and keeps where it is and what is said about it. */
export function become(target: YamlNode, from: YamlNode): void {
  const { parent, key, isKey, head, line, foot, anchor, style, source, leading, isMissing } = target
  const keepsStyle = target.kind === from.kind && from.style === '' && style !== '' && target.kind !== 'scalar'
  const made = { ...from }
  Object.assign(target, made, {
    parent,
    key,
    isKey,
    source,
    leading,
    isMissing,
    head: made.head === '' ? head : made.head,
    line: made.line === '' ? line : made.line,
    foot: made.foot === '' ? foot : made.foot,
    anchor: made.anchor === '' && target.kind !== 'alias' ? anchor : made.anchor,
    style: keepsStyle ? style : made.style,
  })
  relink(target)
}

export function isTrue(given: YamlNode): boolean {
  return !isNull(given) && !(given.tag === '!!bool' && /^(false|False|FALSE)$/.test(given.value))
}

const int = /^[-+]?(0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/
const float = /^[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?$/
const special = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/
const time = /^\d{4}-\d\d?-\d\d?([Tt\s]+\d\d?:\d\d:\d\d(\.\d*)?\s*(Z|[-+]\d\d?(:\d\d)?)?)?$/

/** What a plain scalar is. */
export function tagOf(value: string): string {
  if (/^(null|Null|NULL|~|)$/.test(value)) return '!!null'
  if (/^(true|True|TRUE|false|False|FALSE)$/.test(value)) return '!!bool'
  if (int.test(value)) return '!!int'
  if (float.test(value) || special.test(value)) return '!!float'
  return time.test(value) ? '!!timestamp' : value === '<<' ? '!!merge' : '!!str'
}

/** What a value is, also under a tag of its own. */
export function typeOf({ tag, value, kind }: YamlNode): string {
  return kind === 'scalar' && !tag.startsWith('!!') ? tagOf(value) : tag
}

export function numberOf(given: YamlNode): number {
  const value = given.value.replaceAll('_', '')
  if (/^[-+]?0[box]/.test(value))
    return value.startsWith('-') ? -Number(value.slice(1)) : Number(value.replace('+', ''))
  if (special.test(value)) return /nan/i.test(value) ? Number.NaN : value.startsWith('-') ? -Infinity : Infinity
  return Number(value)
}
