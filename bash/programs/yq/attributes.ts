/** What is said about a node beside its value: its style, tag, comments, anchor. */
import type { Context, Tools } from './context.js'
import { attach, isNull, type Style, tagOf, text, type YamlNode, YqError } from './nodes.js'
import type { Expression } from './syntax.js'

export function assignAttribute(
  context: Context,
  { name, relative, left, right }: Extract<Expression, { do: 'attribute' }>,
  tools: Tools,
): Context {
  const targets = tools.evaluate(context, left).nodes
  const [shared] = relative ? [] : tools.evaluate(context, right).nodes
  for (const target of targets) {
    const [value = shared] = relative ? tools.on(context, target, right) : []
    if (value !== undefined) set(target, name, isNull(value) ? '' : value.value)
  }
  return context
}

const styleNames: Readonly<Record<string, Style>> = {
  '': '',
  double: 'double',
  single: 'single',
  literal: 'literal',
  folded: 'folded',
  flow: 'flow',
  tagged: 'tagged',
}

function set(target: YamlNode, name: string, value: string): void {
  attach(target)
  if (name === 'style') {
    const style = styleNames[value]
    if (style === undefined) throw new YqError(`Unknown style ${value}`)
    const isCollection = target.kind !== 'scalar'
    if (isCollection ? ['', 'flow', 'tagged'].includes(style) : style !== 'flow') target.style = style
    else target.style = ''
  } else if (name === 'tag' || name === 'type') target.tag = value
  else if (name === 'anchor') target.anchor = value
  else if (name === 'alias') {
    if (value !== '') Object.assign(target, { kind: 'alias', value, tag: '', style: '', content: [] })
  } else if (name === 'key') throw new YqError(`assigning to 'key' is not supported by this shell`)
  else {
    const place = name.startsWith('line')
      ? ['line']
      : name.startsWith('head')
        ? ['head']
        : name.startsWith('foot')
          ? ['foot']
          : ['line', 'head', 'foot']
    for (const each of place as Array<'line' | 'head' | 'foot'>) target[each] = value
    if (place.includes('head') && target.parent === undefined) target.leading = ''
    // What stands around an entry is said of its key.
    if (target.parent?.kind === 'map' && !target.isKey && typeof target.key === 'object') {
      if (place.includes('line') && target.key.line !== '') target.key.line = ''
    }
  }
}

export function styleName({ style }: YamlNode): string {
  return style
}

export function kindTag(given: YamlNode): string {
  if (given.kind === 'map') return given.tag || '!!map'
  if (given.kind === 'seq') return given.tag || '!!seq'
  return given.tag || tagOf(given.value)
}

export function commentOf(given: YamlNode, place: 'head' | 'line' | 'foot'): YamlNode {
  const own =
    given[place] ||
    (place === 'head'
      ? given.leading
          .replaceAll(/^---[ \t]*\n/gm, '')
          .replaceAll(/^# ?/gm, '')
          .replace(/\n+$/, '')
      : '')
  return text(own.replaceAll(/^# ?/gm, '').replace(/^\n/, ''))
}
