/** Expressions of yq: what binds how tightly is as in the original, where a pipe binds more tightly than `and`, `or` and a comma. */
import { YqError } from './nodes.js'

export type Expression =
  | { do: 'self' }
  | { do: 'value'; tag: string; value: string }
  | { do: 'text'; parts: Array<string | Expression> }
  | { do: 'name'; name: string; isOptional: boolean }
  | { do: 'descend'; withKeys: boolean }
  | { do: 'index'; of: Expression; index: Expression | undefined }
  | { do: 'slice'; of: Expression; from: Expression | undefined; to: Expression | undefined }
  | { do: 'chain'; left: Expression; right: Expression }
  | { do: 'binary'; operator: string; left: Expression; right: Expression }
  | { do: 'attribute'; name: string; relative: boolean; left: Expression; right: Expression }
  | { do: 'collect'; inside: Expression | undefined }
  | { do: 'object'; entries: Array<[Expression, Expression]> }
  | { do: 'call'; name: string; args: Expression[] }
  | { do: 'variable'; name: string }
  | { do: 'bind'; left: Expression; name: string; isReference: boolean }
  | { do: 'reduce'; left: Expression; name: string; start: Expression; step: Expression }

interface Token {
  kind: 'name' | 'word' | 'text' | 'value' | 'variable' | 'sign'
  text: string
  /** Nothing is between it and what is before it. */
  isClose: boolean
  isOptional?: boolean
  at: number
}

const signs =
  /^(\*=[+?cdn]*|\*[+?cdn]*|\|=c|\|=|\+=|-=|\/\/=|\/=|%=|==|!=|<=|>=|=c|=|<|>|\/\/|\/|%|\+|-|\||,|:|;|\(|\)|\[|\]|\{|\}|\?)/
const pathName = /^\.([^ ;}{:[\],|.()=\n!"$?]+)(\??)/
const numberText = /^-?(0x[0-9A-Fa-f]+|\d+(\.\d+)?([eE][-+]?\d+)?)(?![\w.])/

function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    const rest = source.slice(at)
    const [blank] = /^(\s|#[^\n]*)+/.exec(rest) ?? []
    if (blank !== undefined) {
      at += blank.length
      continue
    }
    const before = source[at - 1] ?? ' '
    const isClose = at > 0 && !/\s/.test(before)
    const add = (token: Omit<Token, 'isClose' | 'at'>, length: number) => {
      tokens.push({ ...token, isClose, at })
      at += length
    }
    const last = tokens.at(-1)
    const isAfterValue =
      last !== undefined && (last.kind !== 'sign' || [')', ']', '}'].includes(last.text)) && last.kind !== 'word'
    const [dots] = /^\.\.\.?/.exec(rest) ?? []
    const quoted = /^\.?"((?:[^"\\]|\\[\s\S])*)"(\??)/.exec(rest)
    const named = pathName.exec(rest)
    const [number] = numberText.exec(rest) ?? []
    const [word] = /^@?[A-Za-z_][A-Za-z0-9_]*/.exec(rest) ?? []
    const [variable] = /^\$[A-Za-z_][A-Za-z0-9_-]*/.exec(rest) ?? []
    if (dots !== undefined) add({ kind: 'sign', text: dots }, dots.length)
    else if (quoted !== null && rest.startsWith('.'))
      add({ kind: 'name', text: unescaped(quoted[1] as string), isOptional: quoted[2] === '?' }, quoted[0].length)
    else if (quoted !== null) add({ kind: 'text', text: quoted[1] as string }, quoted[0].replace(/\?$/, '').length)
    else if (named !== null)
      add({ kind: 'name', text: named[1] as string, isOptional: named[2] === '?' }, named[0].length)
    else if (rest.startsWith('.[')) add({ kind: 'sign', text: '.[' }, 2)
    else if (rest.startsWith('.')) add({ kind: 'sign', text: '.' }, 1)
    else if (number !== undefined && !(number.startsWith('-') && isAfterValue))
      add({ kind: 'value', text: number }, number.length)
    else if (variable !== undefined) add({ kind: 'variable', text: variable.slice(1) }, variable.length)
    else if (rest.startsWith('~')) add({ kind: 'value', text: '~' }, 1)
    else if (word !== undefined) add({ kind: 'word', text: word }, word.length)
    else {
      const [sign] = signs.exec(rest) ?? []
      if (sign === undefined) throw new YqError(`invalid input text "${rest.slice(0, 20)}"`)
      add({ kind: 'sign', text: sign }, sign.length)
    }
  }
  return tokens
}

const controls: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' }

function unescaped(text: string): string {
  return text.replaceAll(/\\([ntr"\\])/g, (_, name: string) => controls[name] as string)
}

/** How tightly what stands between two expressions binds them. */
function strength(token: Token): number {
  if (token.kind === 'word') {
    if (token.text === 'and' || token.text === 'or') return 20
    return token.text === 'as' || token.text === 'ref' ? 40 : token.text === 'ireduce' ? 35 : 0
  }
  if (token.kind !== 'sign') return 0
  if (token.text === ',') return 10
  if (token.text === '|') return 30
  if (/^(=c?|\|=c?|\+=|-=|\/=|%=|==|!=|<=?|>=?)$/.test(token.text)) return 40
  return /^(\*.*|\/\/?|\/\/=|%|\+|-)$/.test(token.text) ? 42 : 0
}

const attributes = new Set([
  'style',
  'tag',
  'anchor',
  'alias',
  'line_comment',
  'head_comment',
  'foot_comment',
  'comments',
  'lineComment',
  'headComment',
  'footComment',
  'type',
  'key',
])
const attributeStrength = 40

export function parseExpression(source: string): Expression {
  const tokens = tokensOf(source)
  let at = 0
  const peek = () => tokens[at]
  const isSign = (text: string, index = at) => tokens[index]?.kind === 'sign' && tokens[index]?.text === text

  function expect(text: string): void {
    if (!isSign(text))
      throw new YqError(
        `bad expression, please check expression syntax: expected '${text}'${peek() === undefined ? '' : ` before '${peek()?.text}'`}`,
      )
    at += 1
  }

  function binary(least: number): Expression {
    let left = postfix(primary())
    for (;;) {
      const token = peek()
      if (token === undefined) return left
      const isRelative = isSign('|=', at + 1)
      const isAttribute = token.kind === 'word' && attributes.has(token.text) && (isSign('=', at + 1) || isRelative)
      if (isAttribute && attributeStrength >= least) {
        at += 2
        left = { do: 'attribute', name: token.text, relative: isRelative, left, right: binary(attributeStrength + 1) }
        continue
      }
      const power = strength(token)
      if (power === 0 || power < least) return left
      at += 1
      if (token.text === 'as' || token.text === 'ref') left = bound(left, token.text === 'ref')
      else left = { do: 'binary', operator: token.text, left, right: binary(power + 1) }
    }
  }

  function bound(left: Expression, isReference: boolean): Expression {
    const name = peek()
    if (name?.kind !== 'variable') throw new YqError(`bad expression: expected a variable after 'as'`)
    at += 1
    if (peek()?.kind !== 'word' || peek()?.text !== 'ireduce') return { do: 'bind', left, name: name.text, isReference }
    at += 1
    expect('(')
    const start = binary(1)
    expect(';')
    const step = binary(1)
    expect(')')
    return { do: 'reduce', left, name: name.text, start, step }
  }

  function postfix(given: Expression): Expression {
    let left = given
    for (;;) {
      const token = peek()
      if (token === undefined || !token.isClose) return left
      if (token.kind === 'name') {
        at += 1
        left = { do: 'chain', left, right: { do: 'name', name: token.text, isOptional: token.isOptional === true } }
      } else if (token.kind === 'sign' && (token.text === '[' || token.text === '.[')) {
        at += 1
        left = bracket(left)
      } else if (isSign('?')) at += 1
      else return left
    }
  }

  function bracket(of: Expression): Expression {
    if (isSign(']')) {
      at += 1
      return { do: 'index', of, index: undefined }
    }
    const from = isSign(':') ? undefined : binary(1)
    if (isSign(':')) {
      at += 1
      const to = isSign(']') ? undefined : binary(1)
      expect(']')
      return { do: 'slice', of, from, to }
    }
    expect(']')
    return { do: 'index', of, index: from }
  }

  function textOf(source: string): Expression {
    const parts: Array<string | Expression> = []
    let begin = 0
    for (let index = 0; index < source.length; index += 1) {
      if (source[index] !== '\\') continue
      if (source[index + 1] !== '(') {
        index += 1
        continue
      }
      let depth = 1
      let end = index + 2
      for (; end < source.length && depth > 0; end += 1) depth += source[end] === '(' ? 1 : source[end] === ')' ? -1 : 0
      parts.push(
        unescaped(source.slice(begin, index)),
        parseExpression(source.slice(index + 2, end - 1).replaceAll('\\"', '"')),
      )
      begin = end
      index = end - 1
    }
    parts.push(unescaped(source.slice(begin)))
    return { do: 'text', parts }
  }

  function objectEntries(): Array<[Expression, Expression]> {
    const entries: Array<[Expression, Expression]> = []
    while (!isSign('}')) {
      const token = peek()
      const isPlain = token?.kind === 'word' && isSign(':', at + 1)
      if (isPlain) at += 1
      const key: Expression = isPlain ? { do: 'value', tag: '!!str', value: token.text } : binary(16)
      expect(':')
      entries.push([key, binary(16)])
      if (!isSign(',')) break
      at += 1
    }
    expect('}')
    return entries
  }

  function primary(): Expression {
    const token = peek()
    if (token === undefined) throw new YqError('bad expression, please check expression syntax')
    at += 1
    if (token.kind === 'name') return { do: 'name', name: token.text, isOptional: token.isOptional === true }
    if (token.kind === 'text') return textOf(token.text)
    if (token.kind === 'variable') return { do: 'variable', name: token.text }
    if (token.kind === 'value') {
      const tag = token.text === '~' ? '!!null' : /^-?(0x[0-9A-Fa-f]+|\d+)$/.test(token.text) ? '!!int' : '!!float'
      return { do: 'value', tag, value: token.text }
    }
    if (token.kind === 'word') return word(token)
    if (token.text === '.') return { do: 'self' }
    if (token.text === '..' || token.text === '...') return { do: 'descend', withKeys: token.text === '...' }
    if (token.text === '.[') return bracket({ do: 'self' })
    if (token.text === '[') {
      const inside = isSign(']') ? undefined : binary(1)
      expect(']')
      return { do: 'collect', inside }
    }
    if (token.text === '{') return { do: 'object', entries: objectEntries() }
    if (token.text === '(') {
      const inside = binary(1)
      expect(')')
      return inside
    }
    throw new YqError(`bad expression, please check expression syntax near '${source.slice(token.at, token.at + 20)}'`)
  }

  function word({ text }: Token): Expression {
    if (/^(true|True|TRUE|false|False|FALSE)$/.test(text)) return { do: 'value', tag: '!!bool', value: text }
    if (/^(null|Null|NULL)$/.test(text)) return { do: 'value', tag: '!!null', value: text }
    if (text === 'if') throw new YqError(`'if' is not supported by this shell`)
    const args: Expression[] = []
    if (isSign('(')) {
      at += 1
      while (!isSign(')')) {
        args.push(binary(1))
        if (isSign(';')) at += 1
        else break
      }
      expect(')')
    }
    return { do: 'call', name: text, args }
  }

  if (tokens.length === 0) return { do: 'self' }
  const made = binary(1)
  const left = peek()
  if (left !== undefined)
    throw new YqError(`bad expression, please check expression syntax near '${source.slice(left.at, left.at + 20)}'`)
  return made
}
