/** Runs expressions: from nodes to nodes, which are changed where they are. */

import { add, alternative, compared, divide, isEqual, modulo, multiply, subtract } from './arithmetic.js'
import { assignAttribute } from './attributes.js'
import type { Call, Context, Evaluate, Outside, Tools } from './context.js'
import {
  attach,
  become,
  bool,
  copy,
  effectiveEntries,
  entriesOf,
  isNull,
  isTrue,
  map,
  node,
  nothing,
  resolved,
  seq,
  text,
  type YamlNode,
  YqError,
} from './nodes.js'
import type { Expression } from './syntax.js'
import { isLike } from './wildcards.js'
import { asText } from './write-yaml.js'

export function evaluator(calls: ReadonlyMap<string, Call>, outside: Outside): Evaluate {
  const tools: Tools = {
    evaluate,
    outside,
    on: (context, node, expression) => evaluate({ ...context, nodes: [node] }, expression).nodes,
  }
  const withNodes = (context: Context, nodes: YamlNode[]): Context => ({ ...context, nodes })

  /** For each node all pairs of what the two sides give. */
  function crossed(
    context: Context,
    left: Expression,
    right: Expression,
    join: (left: YamlNode, right: YamlNode) => YamlNode | undefined,
  ): Context {
    const made: YamlNode[] = []
    for (const each of parts(context)) {
      const others = evaluate(each, right).nodes
      for (const one of evaluate(each, left).nodes)
        for (const other of others) {
          outside.step()
          const joined = join(one, other)
          if (joined !== undefined) outside.account(weight(joined))
          if (joined !== undefined) made.push(joined)
        }
    }
    return withNodes(context, made)
  }

  /** A tag of its own stays, unless it is to be replaced. */
  function assign(target: YamlNode, value: YamlNode, replacesTag = false): void {
    const isFree = value.parent === undefined && value.source === undefined && value !== target
    const from = isFree ? value : copy(value)
    const { tag } = target
    attach(target)
    become(target, from)
    if (!replacesTag && /^![^!]/.test(tag)) target.tag = tag
  }

  /** Documents that are evaluated together are one part, all else each node by itself. */
  function parts(context: Context): Context[] {
    const { nodes } = context
    if (nodes.length > 0 && nodes.every(({ source }) => source?.isAll)) return [context]
    return nodes.map((each) => withNodes(context, [each]))
  }

  function compound(
    context: Context,
    left: Expression,
    right: Expression,
    join: (left: YamlNode, right: YamlNode) => YamlNode,
  ): Context {
    for (const each of parts(context)) {
      const values = evaluate(each, right).nodes
      for (const target of evaluate(each, left).nodes)
        for (const value of values) {
          const joined = join(target, value)
          outside.account(weight(joined))
          assign(target, joined, true)
        }
    }
    return context
  }

  const joins: Readonly<Record<string, (left: YamlNode, right: YamlNode) => YamlNode>> = {
    '+': add,
    '-': subtract,
    '/': divide,
    '%': modulo,
  }

  function binary(context: Context, operator: string, left: Expression, right: Expression): Context {
    if (operator === '|') return evaluate(evaluate(context, left), right)
    if (operator === ',')
      return withNodes(context, [...evaluate(context, left).nodes, ...evaluate(context, right).nodes])
    if (operator === '=' || operator === '=c') {
      for (const each of parts(context)) {
        const values = evaluate(each, right).nodes
        for (const target of evaluate(each, left).nodes)
          for (const value of values) assign(target, value, operator === '=c')
      }
      return context
    }
    if (operator === '|=' || operator === '|=c') {
      for (const target of evaluate(context, left).nodes) {
        const [value] = tools.on(context, target, right)
        if (value !== undefined) assign(target, value, operator === '|=c')
      }
      return context
    }
    if (operator === '//=') return compound(context, left, right, (one, other) => (isTrue(one) ? one : other))
    if (operator === 'and' || operator === 'or') return logical(context, operator, left, right)
    if (operator === '//') return alternative(context, left, right, tools)
    if (operator === '==' || operator === '!=')
      return crossed(context, left, right, (one, other) => bool(isEqual(one, other) === (operator === '==')))
    if (/^[<>]=?$/.test(operator)) return crossed(context, left, right, (one, other) => compared(operator, one, other))
    if (operator.startsWith('*')) {
      const flags = operator.replace(/[*=]/g, '')
      return operator.includes('=')
        ? compound(context, left, right, (one, other) => multiply(one, other, flags))
        : crossed(context, left, right, (one, other) => multiply(one, other, flags))
    }
    const join = joins[operator.replace('=', '')]
    if (join === undefined) throw new YqError(`'${operator}' is not supported by this shell`)
    return operator.endsWith('=') ? compound(context, left, right, join) : crossed(context, left, right, join)
  }

  function logical(context: Context, operator: string, left: Expression, right: Expression): Context {
    const made: YamlNode[] = []
    for (const each of context.nodes) {
      const found = tools.on(context, each, left)
      for (const one of found.length === 0 ? [nothing()] : found) {
        const decided = operator === 'and' ? !isTrue(one) : isTrue(one)
        if (decided) made.push(bool(operator === 'or'))
        else for (const other of tools.on(context, each, right)) made.push(bool(isTrue(other)))
      }
    }
    return withNodes(context, made)
  }

  function member(given: YamlNode, name: string): YamlNode[] {
    const parent = resolved(given)
    if (parent.kind === 'map') {
      const entries = name === '<<' ? entriesOf(parent) : effectiveEntries(parent)
      const found = entries.filter(([key]) => isLike(resolved(key).value, name))
      if (found.length > 0) return found.map(([, value]) => value)
      if (name.includes('*')) return []
    } else if (parent.kind === 'seq') {
      if (/^-?\d+$/.test(name)) return [element(parent, Number(name))]
      if (name === '*') return [...parent.content]
      throw new YqError(`cannot index array with '${name}' (strconv.ParseInt: parsing "${name}": invalid syntax)`)
    } else if (!isNull(parent)) return []
    return [{ ...nothing(), parent, key: text(name), isMissing: true }]
  }

  function optional(given: YamlNode, name: string): YamlNode[] {
    try {
      return member(given, name)
    } catch (error) {
      if (error instanceof YqError) return []
      throw error
    }
  }

  function element(parent: YamlNode, given: number): YamlNode {
    const at = given < 0 ? given + parent.content.length : given
    if (at < 0) throw new YqError(`index [${given}] out of range, array size is ${parent.content.length}`)
    return parent.content[at] ?? { ...nothing(), parent, key: at, isMissing: true }
  }

  function indexed(context: Context, of: Expression, index: Expression | undefined): Context {
    const made: YamlNode[] = []
    for (const each of context.nodes) {
      const keys = index === undefined ? undefined : tools.on(context, each, index)
      for (const given of tools.on(context, each, of)) {
        const parent = resolved(given)
        if (keys === undefined)
          made.push(...(parent.kind === 'map' ? effectiveEntries(parent).map(([, value]) => value) : parent.content))
        else
          for (const key of keys)
            if (key.kind === 'seq') made.push(...key.content.flatMap((one) => at(parent, one)))
            else made.push(...at(parent, key))
      }
    }
    return withNodes(context, made)
  }

  function at(parent: YamlNode, key: YamlNode): YamlNode[] {
    const isIndex = key.tag === '!!int' && parent.kind !== 'map'
    if (!isIndex) return member(parent, key.value)
    if (parent.kind === 'seq') return [element(parent, Number(key.value))]
    return isNull(parent) ? [{ ...nothing(), parent, key: Number(key.value), isMissing: true }] : []
  }

  function sliced(context: Context, of: Expression, from: Expression | undefined, to: Expression | undefined): Context {
    const made: YamlNode[] = []
    for (const each of context.nodes) {
      const bound = (edge: Expression | undefined) => {
        const [value] = edge === undefined ? [] : tools.on(context, each, edge)
        return value === undefined ? undefined : Number(value.value)
      }
      for (const given of tools.on(context, each, of)) {
        const whole = resolved(given)
        if (whole.kind === 'scalar') made.push(text([...whole.value].slice(bound(from) ?? 0, bound(to)).join('')))
        else made.push({ ...seq(whole.content.slice(bound(from) ?? 0, bound(to)).map(copy)), style: whole.style })
      }
    }
    return withNodes(context, made)
  }

  function descend(given: YamlNode, withKeys: boolean): YamlNode[] {
    const below =
      given.kind === 'map'
        ? entriesOf(given).flatMap(([key, value]) => [...(withKeys ? [key] : []), ...descend(value, withKeys)])
        : given.content.flatMap((each) => descend(each, withKeys))
    outside.step()
    return [given, ...below]
  }

  function object(context: Context, entries: ReadonlyArray<[Expression, Expression]>): Context {
    const made: YamlNode[] = []
    for (const each of context.nodes) {
      let all: Array<Array<[YamlNode, YamlNode]>> = [[]]
      for (const [key, value] of entries) {
        const keys = tools.on(context, each, key)
        const values = tools.on(context, each, value)
        all = all.flatMap((before) =>
          keys.flatMap((name) => values.map((one) => [...before, [copy(name), copy(one)] as [YamlNode, YamlNode]])),
        )
      }
      made.push(...all.map((one) => map(one)))
    }
    return withNodes(context, made)
  }

  function evaluate(context: Context, expression: Expression): Context {
    outside.step()
    const { nodes } = context
    switch (expression.do) {
      case 'self':
        return context
      case 'value':
        return withNodes(context, [node('scalar', expression.tag, expression.value)])
      case 'text':
        return withNodes(context, interpolated(context, expression.parts))
      case 'name':
        return withNodes(
          context,
          nodes.flatMap((each) =>
            expression.isOptional ? optional(each, expression.name) : member(each, expression.name),
          ),
        )
      case 'descend':
        return withNodes(
          context,
          nodes.flatMap((each) => descend(each, expression.withKeys)),
        )
      case 'index':
        return indexed(context, expression.of, expression.index)
      case 'slice':
        return sliced(context, expression.of, expression.from, expression.to)
      case 'chain':
        return evaluate(evaluate(context, expression.left), expression.right)
      case 'binary':
        return binary(context, expression.operator, expression.left, expression.right)
      case 'attribute':
        return assignAttribute(context, expression, tools)
      case 'collect': {
        const inside = expression.inside
        const collect = (given: Context) => seq(inside === undefined ? [] : evaluate(given, inside).nodes.map(copy))
        if (nodes.length === 0) return withNodes(context, [seq([])])
        return withNodes(context, parts(context).map(collect))
      }
      case 'object':
        return object(context, expression.entries)
      case 'variable': {
        const found = context.variables.get(expression.name)
        if (found === undefined) throw new YqError(`variable '${expression.name}' is not defined`)
        return withNodes(context, found)
      }
      case 'bind': {
        const value = evaluate(context, expression.left).nodes
        const variables = new Map(context.variables).set(
          expression.name,
          expression.isReference ? value : value.map(placed),
        )
        return { nodes, variables }
      }
      case 'reduce': {
        let result = evaluate(withNodes(context, nodes.slice(0, 1)), expression.start).nodes
        for (const item of evaluate(context, expression.left).nodes) {
          const variables = new Map(context.variables).set(expression.name, [item])
          result = evaluate({ nodes: result, variables }, expression.step).nodes
        }
        return withNodes(context, result)
      }
      case 'call': {
        const call = calls.get(expression.name)
        if (call === undefined) throw new YqError(`'${expression.name}' is not supported by this shell`)
        return call(context, expression.args, tools)
      }
    }
  }

  function interpolated(context: Context, parts: ReadonlyArray<string | Expression>): YamlNode[] {
    if (parts.every((part) => typeof part === 'string')) return [text(parts.join(''))]
    return context.nodes.map((each) =>
      text(
        parts
          .map((part) => (typeof part === 'string' ? part : tools.on(context, each, part).map(asText).join('')))
          .join(''),
      ),
    )
  }

  return evaluate
}

const nodeBytes = 300

/** Roughly the memory that it takes. */
function weight({ value, content }: YamlNode): number {
  return nodeBytes + value.length * 2 + content.reduce((sum, each) => sum + weight(each), 0)
}

/** A copy that knows where it was. */
function placed(given: YamlNode): YamlNode {
  return { ...copy(given), parent: given.parent, key: given.key }
}
