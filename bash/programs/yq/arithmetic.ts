/** Operators on two nodes. */
import type { Context, Tools } from './context.js'
import {
  bool,
  child,
  copy,
  entriesOf,
  fill,
  isNull,
  isTrue,
  number,
  numberOf,
  resolved,
  seq,
  text,
  typeOf,
  type YamlNode,
  YqError,
} from './nodes.js'
import type { Expression } from './syntax.js'
import { isLike } from './wildcards.js'

const isWhole = (given: YamlNode) => typeOf(given) === '!!int'
const isNumber = (given: YamlNode) => isWhole(given) || typeOf(given) === '!!float'
const isText = (given: YamlNode) =>
  given.kind === 'scalar' && !['!!null', '!!bool', '!!int', '!!float'].includes(typeOf(given))

/** The result of a calculation, written as the left side is: a whole number stays one where both are. */
function calculated(left: YamlNode, right: YamlNode, value: number): YamlNode {
  const made = number(value)
  if (!isWhole(left) || !isWhole(right)) made.tag = '!!float'
  if (!left.tag.startsWith('!!')) made.tag = left.tag
  return { ...made, head: left.head, line: left.line, foot: left.foot }
}

export function add(one: YamlNode, other: YamlNode): YamlNode {
  const [left, right] = [resolved(one), resolved(other)]
  if (isNull(left)) return copy(right)
  if (left.kind === 'seq') return addedItems(left, right)
  if (isNull(right)) return copy(left)
  if (left.kind === 'map') {
    if (right.kind !== 'map')
      throw new YqError(`${right.tag} (${path(right)}) cannot be added to a !!map (${path(left)})`)
    const made = copy(left)
    for (const [key, value] of entriesOf(right)) put(made, key, copy(value))
    return made
  }
  if (isNumber(left) && isNumber(right)) {
    if (isWhole(left) && isWhole(right) && /^[-+]?\d+$/.test(left.value) && /^[-+]?\d+$/.test(right.value))
      return { ...copy(left), value: String(BigInt(left.value) + BigInt(right.value)) }
    return calculated(left, right, numberOf(left) + numberOf(right))
  }
  if (left.kind !== 'scalar' || right.kind !== 'scalar')
    throw new YqError(`${right.tag} (${path(right)}) cannot be added to a ${left.tag} (${path(left)})`)
  if (left.tag === '!!timestamp') throw new YqError('dates are not supported by this shell')
  if (!isText(left) && !isText(right))
    throw new YqError(`${right.tag} (${path(right)}) cannot be added to a ${left.tag} (${path(left)})`)
  return {
    ...copy(left),
    tag: isText(left) || !left.tag.startsWith('!!') ? left.tag : '!!str',
    value: left.value + right.value,
  }
}

function addedItems(left: YamlNode, right: YamlNode): YamlNode {
  const made = copy(left)
  const items = right.kind === 'seq' ? right.content : isNull(right) ? [] : [right]
  // What is appended is written as the items that are there.
  const [first] = left.content
  const added = items.map((item) => {
    const each = copy(item)
    if (
      first !== undefined &&
      first.kind === 'scalar' &&
      each.kind === 'scalar' &&
      each.style === '' &&
      each.tag === '!!str'
    )
      each.style = first.style
    return each
  })
  return fill(made, [...made.content, ...added])
}

function put(target: YamlNode, key: YamlNode, value: YamlNode): void {
  const at = target.content.findIndex((each, index) => index % 2 === 0 && each.value === key.value)
  if (at < 0) fill(target, [...target.content, copy(key), value])
  else fill(target, [...target.content.slice(0, at + 1), value, ...target.content.slice(at + 2)])
}

export function subtract(one: YamlNode, other: YamlNode): YamlNode {
  const [left, right] = [resolved(one), resolved(other)]
  if (left.kind === 'seq') {
    const gone = right.kind === 'seq' ? right.content : [right]
    return fill(copy(left), left.content.filter((item) => !gone.some((each) => isSame(item, each))).map(copy))
  }
  if (isNull(left)) return copy(right)
  if (isNumber(left) && isNumber(right)) return calculated(left, right, numberOf(left) - numberOf(right))
  if (left.kind === 'map') throw new YqError('maps not yet supported for subtraction')
  throw new YqError(`${right.tag} cannot be subtracted from ${left.tag}`)
}

export function divide(one: YamlNode, other: YamlNode): YamlNode {
  const [left, right] = [resolved(one), resolved(other)]
  if (isText(left) && isText(right)) return seq(left.value.split(right.value).map(text))
  if (!isNumber(left) || !isNumber(right)) throw new YqError(`${left.tag} cannot be divided by ${right.tag}`)
  return { ...number(numberOf(left) / numberOf(right)), tag: '!!float' }
}

export function modulo(one: YamlNode, other: YamlNode): YamlNode {
  const [left, right] = [resolved(one), resolved(other)]
  if (!isNumber(left) || !isNumber(right)) throw new YqError(`${left.tag} cannot modulo by ${right.tag}`)
  if (numberOf(right) === 0 && left.tag === '!!int' && right.tag === '!!int') throw new YqError('cannot modulo by 0')
  return calculated(left, right, numberOf(left) % numberOf(right))
}

/** Numbers, repeated text, or two trees merged: `+` appends sequences, `d` merges them, `?` and `n` say which keys. */
export function multiply(one: YamlNode, other: YamlNode, flags: string): YamlNode {
  const [left, right] = [resolved(one), resolved(other)]
  if (isNumber(left) && isNumber(right)) return calculated(left, right, numberOf(left) * numberOf(right))
  if (isText(left) && isWhole(right)) return text(repeated(left.value, Number(right.value)))
  if (isWhole(left) && isText(right)) return text(repeated(right.value, Number(left.value)))
  const isTree = (each: YamlNode) => each.kind === 'map' || each.kind === 'seq'
  if (isNull(left) && isTree(right)) return copy(right)
  if (isNull(right) && isTree(left)) return copy(left)
  if (!isTree(left) || !isTree(right)) throw new YqError(`cannot multiply ${left.tag} with ${right.tag}`)
  return merged(left, right, flags)
}

const longestText = 10_000_000

function repeated(value: string, count: number): string {
  if (value.length * count > longestText)
    throw new YqError(`result of repeating string (${value.length * count} bytes) would be too long`)
  return value.repeat(Math.max(0, count))
}

function merged(left: YamlNode, right: YamlNode, flags: string): YamlNode {
  const made = copy(left)
  if (flags.includes('c')) made.tag = right.tag
  if (left.kind === 'seq' && right.kind === 'seq') {
    if (flags.includes('+')) return fill(made, [...made.content, ...right.content.map(copy)])
    if (!flags.includes('d')) return flags.includes('n') ? made : withComments(left, copy(right))
    const items = made.content.map((item, at) => {
      const over = right.content[at]
      return over === undefined ? item : overlaid(item, over, flags)
    })
    return fill(made, [...items, ...right.content.slice(items.length).map(copy)])
  }
  if (left.kind !== 'map' || right.kind !== 'map') return copy(right)
  for (const [key, value] of entriesOf(right)) {
    const before = child(made, key.value)
    if (before === undefined) {
      if (!flags.includes('?')) put(made, key, copy(value))
    } else if (!flags.includes('n') || (before.kind === 'map' && value.kind === 'map'))
      put(made, key, overlaid(before, value, flags))
  }
  return made
}

function withComments(from: YamlNode, to: YamlNode): YamlNode {
  return {
    ...to,
    style: to.style === '' ? from.style : to.style,
    head: to.head || from.head,
    line: to.line || from.line,
    foot: to.foot || from.foot,
  }
}

function overlaid(before: YamlNode, value: YamlNode, flags: string): YamlNode {
  const [left, right] = [before, value.kind === 'alias' ? value : resolved(value)]
  const bothTrees = left.kind === right.kind && (left.kind === 'map' || left.kind === 'seq')
  return bothTrees ? merged(left, right, flags) : withComments({ ...left, style: '' }, copy(right))
}

export function alternative(context: Context, left: Expression, right: Expression, tools: Tools): Context {
  const nodes = context.nodes.flatMap((each) => {
    const found = tools.on(context, each, left).filter(isTrue)
    return found.length > 0 ? found : tools.on(context, each, right)
  })
  return { ...context, nodes: context.nodes.length === 0 ? tools.evaluate(context, right).nodes : nodes }
}

/** `==`: the right side may be a pattern. */
export function isEqual(one: YamlNode, other: YamlNode): boolean {
  const [left, right] = [resolved(one), resolved(other)]
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    if (isNull(left) || isNull(right)) return isNull(left) && isNull(right)
    if (left.tag === '!!str' && right.tag === '!!str') return isLike(left.value, right.value)
    if (isNumber(left) && isNumber(right)) return numberOf(left) === numberOf(right)
    return left.value === right.value
  }
  return isSame(left, right)
}

/** The same value, whatever it looks like. */
export function isSame(one: YamlNode, other: YamlNode): boolean {
  const [left, right] = [resolved(one), resolved(other)]
  if (left.kind !== right.kind) return false
  if (left.kind === 'scalar') return left.value === right.value && (left.tag === right.tag || !isNumber(left))
  if (left.kind === 'seq')
    return (
      left.content.length === right.content.length &&
      left.content.every((item, at) => isSame(item, right.content[at] as YamlNode))
    )
  const entries = entriesOf(left)
  return (
    entries.length === entriesOf(right).length &&
    entries.every(([key, value]) => {
      const found = child(right, key.value)
      return found !== undefined && isSame(value, found)
    })
  )
}

export function compared(operator: string, one: YamlNode, other: YamlNode): YamlNode {
  const [left, right] = [resolved(one), resolved(other)]
  if (isNull(left) && isNull(right)) return bool(operator.endsWith('='))
  if (isNull(left) || isNull(right)) return bool(false)
  const numbers = isNumber(left) && isNumber(right)
  if (!numbers && left.kind !== 'scalar') throw new YqError(`${left.tag} not yet supported for comparison`)
  if (!numbers && isNumber(left) !== isNumber(right))
    throw new YqError(`${left.tag} cannot be compared with ${right.tag}`)
  const [a, b] = numbers ? [numberOf(left), numberOf(right)] : [left.value, right.value]
  if (operator === '<') return bool(a < b)
  if (operator === '<=') return bool(a <= b)
  return bool(operator === '>' ? a > b : a >= b)
}

const ranks = ['!!null', '!!bool', '!!int', '!!float', '!!timestamp', '!!str', '!!seq', '!!map']

/** For sorting: kinds in an order of their own, numbers by value, all else by text. */
export function order(one: YamlNode, other: YamlNode): number {
  const [left, right] = [resolved(one), resolved(other)]
  const rank = ({ tag, kind }: YamlNode) => {
    const at = ranks.indexOf(tag === '!!float' ? '!!int' : tag)
    return at < 0 ? ranks.indexOf(kind === 'scalar' ? '!!str' : `!!${kind}`) : at
  }
  if (rank(left) !== rank(right)) return rank(left) - rank(right)
  if (isNumber(left)) return numberOf(left) - numberOf(right)
  if (left.tag === '!!bool') return Number(isTrue(left)) - Number(isTrue(right))
  return left.value < right.value ? -1 : left.value > right.value ? 1 : 0
}

function path(given: YamlNode): string {
  const made: string[] = []
  for (let at: YamlNode | undefined = given; at?.parent !== undefined; at = at.parent)
    made.unshift(typeof at.key === 'number' ? String(at.key) : ((at.key as YamlNode).value ?? ''))
  return made.join('.')
}
