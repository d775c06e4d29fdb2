/** The functions of yq. */

import { isEqual, order } from './arithmetic.js'
import { commentOf, kindTag, styleName } from './attributes.js'
import type { Call, Context, Tools } from './context.js'
import { formatCalls } from './formats.js'
import {
  attach,
  become,
  bool,
  child,
  copy,
  entriesOf,
  fill,
  integer,
  isNull,
  isTrue,
  map,
  node,
  nothing,
  pathOf,
  relink,
  resolved,
  rootOf,
  seq,
  tagOf,
  text,
  type YamlNode,
  YqError,
} from './nodes.js'
import { stringCalls } from './strings.js'
import { type Expression, parseExpression } from './syntax.js'

const each =
  (run: (node: YamlNode, tools: Tools) => YamlNode | YamlNode[] | undefined): Call =>
  (context, _args, tools) => ({
    ...context,
    nodes: context.nodes.flatMap((one) => run(one, tools) ?? []),
  })

/** With one argument that is run on the node, or on all that is in it. */
const withArgument =
  (run: (node: YamlNode, on: (node: YamlNode) => YamlNode[]) => YamlNode | YamlNode[] | undefined): Call =>
  (context, args, tools) => {
    const [argument] = args
    if (argument === undefined) throw new YqError('bad expression, an argument is missing')
    return {
      ...context,
      nodes: context.nodes.flatMap((one) => run(one, (inside) => tools.on(context, inside, argument)) ?? []),
    }
  }

const items = (given: YamlNode): YamlNode[] => {
  const { kind, content } = resolved(given)
  return kind === 'map' ? content.filter((_, at) => at % 2 === 1) : content
}

function keysOf(given: YamlNode): YamlNode {
  const whole = resolved(given)
  if (whole.kind === 'map')
    return seq(entriesOf(whole).map(([key]) => ({ ...copy(key), head: '', line: '', foot: '' })))
  if (whole.kind === 'seq') return seq(whole.content.map((_, at) => integer(at)))
  throw new YqError(`cannot get keys of ${whole.tag}, keys only works for maps and arrays`)
}

/** `isMoved`: the values themselves and no copies, for what is put together again. */
function toEntries(given: YamlNode, isMoved = false): YamlNode | undefined {
  const whole = resolved(given)
  if (isNull(whole)) return undefined
  if (whole.kind === 'scalar') throw new YqError(`${whole.tag} has no keys`)
  const pairs: Array<[YamlNode, YamlNode]> =
    whole.kind === 'map' ? entriesOf(whole) : whole.content.map((item, at) => [integer(at), item])
  return seq(
    pairs.map(([key, value]) =>
      map([
        [text('key'), copy(key)],
        [text('value'), isMoved ? value : copy(value)],
      ]),
    ),
  )
}

function fromEntries(given: YamlNode, isMoved = false): YamlNode {
  const pairs = given.content.map((entry): [YamlNode, YamlNode] => {
    const key = child(entry, 'key')
    if (key === undefined) throw new YqError(`expected to find a 'key' entry`)
    const value = child(entry, 'value') ?? nothing()
    return [copy(key), isMoved ? value : copy(value)]
  })
  return map(pairs)
}

function has(given: YamlNode, key: YamlNode): boolean {
  const whole = resolved(given)
  if (whole.kind === 'map') return child(whole, key.value) !== undefined
  return (
    whole.kind === 'seq' && key.tag === '!!int' && Number(key.value) < whole.content.length && Number(key.value) >= 0
  )
}

function remove(target: YamlNode): void {
  const { parent, key } = target
  if (parent === undefined || target.isMissing) return
  if (parent.kind === 'seq') parent.content = parent.content.filter((one) => one !== target)
  else {
    const at = parent.content.indexOf(target.isKey ? target : (key as YamlNode))
    if (at >= 0) parent.content.splice(at, 2)
  }
  relink(parent)
}

function sortKeys(given: YamlNode): void {
  if (given.kind !== 'map') return
  const pairs = entriesOf(given).sort(([a], [b]) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0))
  fill(given, pairs.flat())
}

function flattened(given: YamlNode, depth: number): YamlNode[] {
  return given.content.flatMap((item) => (item.kind === 'seq' && depth !== 0 ? flattened(item, depth - 1) : [item]))
}

function unique(all: readonly YamlNode[], keys: (item: YamlNode) => YamlNode[]): YamlNode[] {
  const seen = new Set<string>()
  return all.filter((item) => {
    const name = JSON.stringify(keys(item).map(identity))
    return !seen.has(name) && seen.add(name)
  })
}

function identity(given: YamlNode): unknown {
  const { kind, tag, value, content } = resolved(given)
  return kind === 'scalar' ? [tag === '!!str' ? 's' : 'v', value] : content.map(identity)
}

/** Aliases become what they stand for, and anchors are gone. */
function explode(given: YamlNode): void {
  if (given.kind === 'alias') {
    const target = copy(resolved(given))
    become(given, { ...target, anchor: '' })
    given.anchor = ''
  }
  given.anchor = ''
  if (given.kind === 'map' && given.content.some(({ tag }, at) => at % 2 === 0 && tag === '!!merge')) {
    const made = map([])
    const put = (key: YamlNode, value: YamlNode) => {
      const at = made.content.findIndex((one, index) => index % 2 === 0 && one.value === key.value)
      if (at < 0) made.content.push(key, value)
      else made.content[at + 1] = value
    }
    for (const [key, value] of entriesOf(given))
      if (key.tag !== '!!merge') put(key, value)
      else
        for (const one of value.kind === 'seq' ? [...value.content].reverse() : [value]) {
          const from = copy(resolved(one))
          explode(from)
          for (const [name, inside] of entriesOf(from)) put(name, inside)
        }
    given.content = made.content
  }
  for (const one of given.content) explode(one)
  relink(given)
}

function setPath(given: YamlNode, path: readonly YamlNode[], value: YamlNode): void {
  let at = given
  for (const step of path) {
    const isIndex = step.tag === '!!int'
    if (isNull(at)) become(at, isIndex ? seq([]) : map([]))
    const found = isIndex ? at.content[Number(step.value)] : child(at, step.value)
    const next: YamlNode = found ?? {
      ...nothing(),
      parent: at,
      key: isIndex ? Number(step.value) : text(step.value),
      isMissing: true,
    }
    attach(next)
    at = next
  }
  become(at, copy(value))
}

function contains(one: YamlNode, other: YamlNode): boolean {
  const [left, right] = [resolved(one), resolved(other)]
  if (left.kind !== right.kind) throw new YqError(`${left.tag} cannot check contained in ${right.tag}`)
  if (left.kind === 'scalar')
    return left.tag === '!!str' && right.tag === '!!str' ? left.value.includes(right.value) : isEqual(left, right)
  if (left.kind === 'seq')
    return right.content.every((item) => left.content.some((one) => one.kind === item.kind && contains(one, item)))
  return entriesOf(right).every(([key, value]) => {
    const found = child(left, key.value)
    return found !== undefined && found.kind === value.kind && contains(found, value)
  })
}

function extreme(given: YamlNode, sign: 1 | -1): YamlNode | undefined {
  const all = items(given)
  return all.reduce<YamlNode | undefined>(
    (best, item) => (best === undefined || order(item, best) * sign > 0 ? item : best),
    undefined,
  )
}

function picked(given: YamlNode, keys: readonly YamlNode[], isKept: boolean): YamlNode {
  const whole = resolved(given)
  if (whole.kind === 'map') {
    const pairs = isKept
      ? keys.flatMap((key) => entriesOf(whole).filter(([name]) => name.value === key.value))
      : entriesOf(whole).filter(([name]) => !keys.some((key) => key.value === name.value))
    return { ...map(pairs.map(([key, value]) => [copy(key), copy(value)])), style: whole.style }
  }
  if (whole.kind !== 'seq') throw new YqError(`cannot pick indices from type ${whole.tag} (${pathText(whole)})`)
  const kept = isKept
    ? keys.flatMap((key) => whole.content[Number(key.value)] ?? [])
    : whole.content.filter((_, at) => !keys.some((key) => Number(key.value) === at))
  return { ...seq(kept.map(copy)), style: whole.style }
}

const pathText = (given: YamlNode) =>
  pathOf(given)
    .map(({ value }) => value)
    .join('.')

/** The first argument on the first node, as text. */
function textArgument(context: Context, args: readonly Expression[], tools: Tools): string {
  const [argument] = args
  if (argument === undefined) return ''
  if (argument.do === 'call') return argument.name
  return tools.evaluate(context, argument).nodes[0]?.value ?? ''
}

function environment(asText: boolean): Call {
  return (context, args, tools) => {
    if (tools.outside.env === undefined) throw new YqError('env operations have been disabled')
    const name = textArgument(context, args, tools)
    const value = tools.outside.env.get(name)
    if (value === undefined) throw new YqError(`value for env variable '${name}' not provided in env()`)
    return { ...context, nodes: [asText ? text(value) : (tools.outside.parse(value)[0] ?? nothing())] }
  }
}

function grouped(all: readonly YamlNode[], on: (item: YamlNode) => YamlNode[]): YamlNode[] {
  const groups = new Map<string, YamlNode[]>()
  for (const item of all) {
    const name = JSON.stringify(on(item).map(identity))
    groups.set(name, [...(groups.get(name) ?? []), copy(item)])
  }
  return [...groups.values()].map(seq)
}

function sortedBy(given: YamlNode, on: (item: YamlNode) => YamlNode[]): YamlNode {
  const whole = resolved(given)
  const pairs = whole.kind === 'map' ? entriesOf(whole) : undefined
  const keyed = items(given).map((item, at) => ({ item, name: pairs?.[at]?.[0], keys: on(item) }))
  keyed.sort((a, b) => {
    for (let at = 0; at < Math.max(a.keys.length, b.keys.length); at += 1) {
      const difference = order(a.keys[at] ?? nothing(), b.keys[at] ?? nothing())
      if (difference !== 0) return difference
    }
    return 0
  })
  const made =
    pairs === undefined
      ? seq(keyed.map(({ item }) => copy(item)))
      : map(keyed.map(({ item, name }) => [copy(name as YamlNode), copy(item)]))
  return { ...made, style: whole.style }
}

const blank = () => ({ ...nothing(), value: '' })

const alias = (names: readonly string[], call: Call): Array<[string, Call]> => names.map((name) => [name, call])

const own: Array<[string, Call]> = [
  ['select', withArgument((one, on) => (on(one).some(isTrue) ? one : undefined))],
  [
    'filter',
    withArgument((one, on) => ({
      ...seq(
        items(one)
          .filter((item) => on(item).some(isTrue))
          .map(copy),
      ),
      style: one.style,
    })),
  ],
  ['has', withArgument((one, on) => on(one).map((key) => bool(has(one, key))))],
  ['keys', each(keysOf)],
  [
    'key',
    each((one) => (one.key === undefined ? undefined : typeof one.key === 'number' ? integer(one.key) : one.key)),
  ],
  ['is_key', each((one) => bool(one.isKey))],
  [
    'length',
    each((one) => {
      const whole = resolved(one)
      if (whole.kind !== 'scalar') return integer(items(whole).length)
      return integer(isNull(whole) ? 0 : [...whole.value].length)
    }),
  ],
  [
    'map',
    withArgument((one, on) => ({
      ...seq(
        items(one)
          .flatMap((item) => on(item))
          .map(copy),
      ),
      style: resolved(one).style,
    })),
  ],
  [
    'map_values',
    withArgument((one, on) => {
      const made = copy(resolved(one))
      for (const item of items(made)) {
        const [value] = on(item)
        if (value !== undefined) become(item, value)
      }
      return made
    }),
  ],
  ['to_entries', each((one) => toEntries(one))],
  ['from_entries', each((one) => fromEntries(one))],
  [
    'with_entries',
    withArgument((one, on) => {
      const entries = toEntries(one, true)
      if (entries === undefined) return undefined
      const made = fromEntries(seq(entries.content.flatMap((entry) => on(entry))), true)
      return {
        ...made,
        style: resolved(one).style,
        head: one.head,
        line: one.line,
        foot: one.foot,
        leading: one.leading,
      }
    }),
  ],
  ['sort', each((one) => sortedBy(one, (item) => [item]))],
  ['sort_by', withArgument((one, on) => sortedBy(one, on))],
  [
    'sort_keys',
    (context, args, tools) => {
      for (const target of tools.evaluate(context, args[0] ?? { do: 'self' }).nodes) sortKeys(target)
      return context
    },
  ],
  ['reverse', each((one) => ({ ...seq([...items(one)].reverse().map(copy)), style: one.style }))],
  ['unique', each((one) => ({ ...seq(unique(items(one), (item) => [item]).map(copy)), style: one.style }))],
  ['unique_by', withArgument((one, on) => ({ ...seq(unique(items(one), on).map(copy)), style: one.style }))],
  ['group_by', withArgument((one, on) => seq(grouped(items(one), on)))],
  [
    'flatten',
    (context, args, tools) => ({
      ...context,
      nodes: context.nodes.map((one) => {
        const depth = args[0] === undefined ? -1 : Number(tools.on(context, one, args[0])[0]?.value ?? -1)
        return { ...seq(flattened(one, depth).map(copy)), style: one.style }
      }),
    }),
  ],
  [
    'del',
    (context, args, tools) => {
      const targets = tools.evaluate(context, args[0] ?? { do: 'self' }).nodes
      for (const target of [...targets].reverse()) remove(target)
      return context
    },
  ],
  ['path', each((one) => seq(pathOf(one)))],
  [
    'setpath',
    (context, args, tools) => {
      const [path, value] = args
      if (path === undefined || value === undefined)
        throw new YqError('SETPATH must be given a block (path; value), got nothing')
      for (const one of context.nodes) {
        const [steps] = tools.on(context, one, path)
        const [given] = tools.on(context, one, value)
        setPath(one, steps?.content ?? [], given ?? nothing())
      }
      return context
    },
  ],
  [
    'delpaths',
    (context, args, tools) => {
      for (const one of context.nodes) {
        const [paths] = args[0] === undefined ? [] : tools.on(context, one, args[0])
        const targets = (paths?.content ?? []).map((path, index) => {
          if (path.kind !== 'seq')
            throw new YqError(
              `DELPATHS: expected entry [${index}] to be a sequence, but its a ${path.tag}. Note that delpaths takes an array of path arrays, e.g. [["a", "b"]]`,
            )
          return path.content.reduce<YamlNode | undefined>(
            (at, step) =>
              at === undefined ? undefined : at.kind === 'seq' ? at.content[Number(step.value)] : child(at, step.value),
            one,
          )
        })
        for (const target of targets) if (target !== undefined) remove(target)
      }
      return context
    },
  ],
  [
    'parent',
    (context, args, tools) => ({
      ...context,
      nodes: context.nodes.flatMap((one) => {
        let left = args[0] === undefined ? 1 : Number(tools.on(context, one, args[0])[0]?.value ?? 1)
        if (left < 0) {
          const all: YamlNode[] = []
          for (let at = one.parent; at !== undefined; at = at.parent) all.push(at)
          return all.at(left) ?? []
        }
        let at: YamlNode | undefined = one
        for (; left > 0 && at !== undefined; left -= 1) at = at.parent
        return at ?? []
      }),
    }),
  ],
  [
    'parents',
    each((one) => {
      const made: YamlNode[] = []
      for (let at = one.parent; at !== undefined; at = at.parent) made.push(copy(at))
      return seq(made)
    }),
  ],
  ['root', each(rootOf)],
  ['pick', withArgument((one, on) => picked(one, on(one)[0]?.content ?? [], true))],
  ['omit', withArgument((one, on) => picked(one, on(one)[0]?.content ?? [], false))],
  ['contains', withArgument((one, on) => on(one).map((other) => bool(contains(one, other))))],
  ['not', each((one) => bool(!isTrue(one)))],
  ['any', each((one) => bool(items(one).some(isTrue)))],
  ['all', each((one) => bool(items(one).every(isTrue)))],
  ['any_c', withArgument((one, on) => bool(items(one).some((item) => on(item).some(isTrue))))],
  ['all_c', withArgument((one, on) => bool(items(one).every((item) => on(item).some(isTrue))))],
  ['min', each((one) => extreme(one, -1))],
  ['max', each((one) => extreme(one, 1))],
  [
    'first',
    (context, args, tools) => ({
      ...context,
      nodes: context.nodes.flatMap((one) => {
        const [condition] = args
        const found =
          condition === undefined
            ? items(one)[0]
            : items(one).find((item) => tools.on(context, item, condition).some(isTrue))
        return found ?? []
      }),
    }),
  ],
  ['empty', (context) => ({ ...context, nodes: [] })],
  [
    'error',
    withArgument((one, on) => {
      throw new YqError(on(one)[0]?.value ?? '')
    }),
  ],
  [
    'with',
    (context, args, tools) => {
      const [path, update] = args
      if (path === undefined || update === undefined) throw new YqError('with must be given a block (path; expression)')
      for (const target of tools.evaluate(context, path).nodes) tools.on(context, target, update)
      return context
    },
  ],
  ['eval', withArgument(() => undefined)],
  [
    'explode',
    (context, args, tools) => {
      for (const target of tools.evaluate(context, args[0] ?? { do: 'self' }).nodes) explode(target)
      return context
    },
  ],
  ['kind', each((one) => text(one.kind))],
  ...alias(
    ['tag', 'type'],
    each((one) => text(one.kind === 'alias' ? '' : kindTag(one))),
  ),
  ['style', each((one) => text(styleName(one)))],
  ['anchor', each((one) => text(one.anchor))],
  ['alias', each((one) => text(one.kind === 'alias' ? one.value : ''))],
  ...alias(
    ['line_comment', 'lineComment'],
    each((one) => commentOf(one, 'line')),
  ),
  ...alias(
    ['head_comment', 'headComment'],
    each((one) => commentOf(one, 'head')),
  ),
  ...alias(
    ['foot_comment', 'footComment'],
    each((one) => commentOf(one, 'foot')),
  ),
  ['line', each((one) => integer(one.place.line))],
  ['column', each((one) => integer(one.place.column))],
  ...alias(
    ['document_index', 'documentIndex', 'di'],
    each((one) => integer(rootOf(one).source?.document ?? 0)),
  ),
  ...alias(
    ['file_index', 'fileIndex', 'fi'],
    each((one) => integer(rootOf(one).source?.fileIndex ?? 0)),
  ),
  ['filename', each((one) => text(rootOf(one).source?.file ?? ''))],
  ['env', environment(false)],
  ['strenv', environment(true)],
  ['load', withArgument(() => undefined)],
  [
    'split_doc',
    (context) => ({
      ...context,
      nodes: context.nodes.map((one, at) => ({
        ...copy(one),
        source: { file: '', fileIndex: 0, document: at, isAll: false },
      })),
    }),
  ],
  [
    'to_number',
    each((one) => {
      if (one.tag === '!!int' || one.tag === '!!float') return one
      const tag = tagOf(one.value)
      if (one.kind !== 'scalar' || (tag !== '!!int' && tag !== '!!float'))
        throw new YqError(
          `cannot convert node value [${one.value}] at path ${pathText(one)} of tag ${one.tag} to number`,
        )
      return node('scalar', tag, one.value)
    }),
  ],
  [
    'array_to_map',
    each((one) =>
      map(one.content.flatMap((item, at) => (isNull(item) ? [] : [[integer(at), copy(item)] as [YamlNode, YamlNode]]))),
    ),
  ],
  [
    'pivot',
    each((one) => {
      const rows = one.content
      if (rows.every(({ kind }) => kind === 'seq')) {
        const width = Math.max(0, ...rows.map(({ content }) => content.length))
        return seq(
          Array.from({ length: width }, (_, at) => seq(rows.map(({ content }) => copy(content[at] ?? blank())))),
        )
      }
      const names = [...new Set(rows.flatMap((row) => entriesOf(row).map(([key]) => key.value)))]
      return map(names.map((name) => [text(name), seq(rows.map((row) => copy(child(row, name) ?? blank())))]))
    }),
  ],
  [
    'shuffle',
    each((one, { outside }) => {
      const all = one.content.map(copy)
      for (let at = all.length - 1; at > 0; at -= 1) {
        const other = Math.floor(outside.random() * (at + 1))
        const kept = all[at] as YamlNode
        all[at] = all[other] as YamlNode
        all[other] = kept
      }
      return seq(all)
    }),
  ],
]

const special: Array<[string, Call]> = [
  [
    'eval',
    (context, args, tools) => {
      const [source] = args
      if (source === undefined) throw new YqError('eval needs an expression')
      const nodes = context.nodes.flatMap((one) =>
        tools.on(context, one, source).flatMap(({ value }) => tools.on(context, one, parseExpression(value))),
      )
      return { ...context, nodes }
    },
  ],
  ['load', withFile((content, tools) => tools.outside.parse(content)[0] ?? nothing())],
  ...alias(
    ['load_str', 'strload'],
    withFile((content) => text(content.replace(/\n$/, ''))),
  ),
]

function withFile(read: (content: string, tools: Tools) => YamlNode): Call {
  return (context, args, tools) => ({
    ...context,
    nodes: context.nodes.flatMap((one) =>
      (args[0] === undefined ? [] : tools.on(context, one, args[0])).map(({ value }) =>
        read(tools.outside.file(value), tools),
      ),
    ),
  })
}

export const calls: ReadonlyMap<string, Call> = new Map([...own, ...special, ...stringCalls, ...formatCalls])
