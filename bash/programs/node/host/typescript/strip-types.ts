/**
 * JavaScript of TypeScript: types become spaces, so that every line and column stays. What is more than types (enums, namespaces with code, parameter
 * properties) is refused, as Node does it.
 */
import { end, keyword, nonNull, regularExpression, SyntaxFault, type Token, tokensOf } from './tokens.js'

export { SyntaxFault }

/** A construct that has to be compiled, not only stripped. */
export class UnsupportedSyntax extends Error {}

const modifiers = ['public', 'private', 'protected', 'readonly', 'override', 'abstract', 'declare'].map(keyword)
const declare = keyword('declare')
const abstract = keyword('abstract')
const lineEnds = /[\r\n\u2028\u2029]/
/** What a line can't begin with after a line that had no semicolon. */
const continuing = /^[([`]/
const continuingStatement = /^[([`+\-/*]/

export function stripTypes(text: string): string {
  const tokens = tokensOf(text)
  const out = text.split('')
  const word = (index: number) => {
    const token = tokens[index]
    return token === undefined || token.type === end ? '' : text.slice(token.start, token.end)
  }

  function erase(from: number, to: number): void {
    const [first, last] = [tokens[from] as Token, tokens[to - 1] as Token]
    for (let at = first.start; at < last.end; at += 1) if (!lineEnds.test(out[at] as string)) out[at] = ' '
  }

  const put = (index: number, character: string) => {
    out[(tokens[index] as Token).start] = character
  }

  const isOnNewLine = (index: number, other: number) =>
    lineEnds.test(text.slice((tokens[index - 1] as Token).end, (tokens[other] as Token).start))

  /** Code that follows on its own line must not be taken for more of what is before. */
  function separate(from: number, to: number, hazard: RegExp): void {
    const before = word(from - 1)
    if (before === '' || /^[;{,([]$/.test(before) || before === '=>') return
    const next = tokens[to]
    if (next === undefined || !isOnNewLine(from, to)) return
    if (hazard.test(word(to)) || next.type === regularExpression) put(from, ';')
  }

  /** A run of tokens of types. */
  function eraseTypes(from: number): number {
    let to = from
    while (tokens[to]?.isType) to += 1
    refuseNamespaces(from, to)
    const first = word(from)
    if (first === '<' && word(to) !== '(' && isExpressionStart(from)) throw new UnsupportedSyntax(angleBrackets)
    erase(from, to)
    if (first === ':' && word(from - 1) === ')' && word(to) === '=>' && isOnNewLine(from, to)) {
      // Before an arrow there must be no end of a line, so the bracket moves.
      erase(from - 1, from)
      out[(tokens[to - 1] as Token).end - 1] = ')'
    } else if (first === '<' && word(from - 1) === 'async' && word(to) === '(' && isOnNewLine(from, to)) {
      put(from, '(')
      erase(to, to + 1)
      return to + 1
    } else if (first !== '<') separate(from, to, isStatement(from) ? continuingStatement : continuing)
    return to
  }

  /** `<T>value`, and not the type parameters of an arrow function or the arguments of a call. */
  function isExpressionStart(from: number): boolean {
    const before = word(from - 1)
    return (
      before === '' || /^(?:[=([{,;:?&|+\-*/%!~<>^]+|=>|return|typeof|void|await|yield|case|in|of|new)$/.test(before)
    )
  }

  const isStatement = (index: number) =>
    /^(?:interface|type|declare|namespace|module|abstract|export|function|global)$/.test(word(index))

  function refuseNamespaces(from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const name = word(index)
      if (name === 'declare' && isStatementStart(index)) return
      if ((name !== 'namespace' && name !== 'module') || !isStatementStart(index)) continue
      if (name === 'module' && /^\w/.test(word(index + 1))) throw new UnsupportedSyntax(moduleKeyword)
      if (hasCode(index, to)) throw new UnsupportedSyntax(`TypeScript namespace declaration ${notStripped}`)
    }
  }

  const isStatementStart = (index: number) => {
    const before = word(index - 1)
    return before === '' || /^[;{}]$/.test(before) || before === 'export' || isOnNewLine(index, index)
  }

  /** True when more than types is declared between the braces. */
  function hasCode(from: number, to: number): boolean {
    let open = from
    while (word(open) !== '{') open += 1
    let depth = 1
    for (let index = open + 1; index < to && depth > 0; index += 1) {
      const name = word(index)
      if (depth === 1 && isCode(index, to)) return true
      if (name === '{') depth += 1
      else if (name === '}') depth -= 1
    }
    return false
  }

  function isCode(index: number, to: number): boolean {
    const name = word(index)
    const isFirst = /^[;{}]$/.test(word(index - 1))
    if (!isFirst && !isOnNewLine(index, index)) return false
    const what = name === 'export' ? word(index + 1) : name
    if (what === 'namespace') return hasCode(index, to)
    if (/^(?:const|let|var|function|class|enum|import)$/.test(what)) return true
    return isFirst && /^[\w$(]/.test(what) && !/^(?:interface|type|declare|abstract)$/.test(what)
  }

  /** `import type …` and `export type …` up to their end. */
  function eraseStatement(from: number): number {
    let to = from + 2
    while (to < tokens.length - 1 && word(to) !== ';' && !/^['"]/.test(word(to)) && word(to) !== '}') to += 1
    if (word(to) === '}' && word(to + 1) === 'from') to += 2
    to += 1
    if ((word(to) === 'with' || word(to) === 'assert') && word(to + 1) === '{') while (word(to - 1) !== '}') to += 1
    if (word(to) === ';') to += 1
    erase(from, to)
    separate(from, to, continuingStatement)
    return to
  }

  function isTypeImport(index: number): boolean {
    const [next, after] = [word(index + 1), word(index + 2)]
    if (next !== 'type' || tokens[index + 1]?.isType) return false
    if (word(index) === 'export') return after === '{' || after === '*'
    if (after === 'from') return word(index + 3) === 'from'
    return after !== ',' && after !== '=' && after !== '('
  }

  /** The names that are only types, in braces. */
  function eraseName(from: number): number {
    let to = from
    while (tokens[to]?.isType) to += 1
    if (word(to) === ',') to += 1
    erase(from, to)
    return to
  }

  /** Modifiers of a member: it goes as a whole if it is only declared. */
  function eraseModifiers(from: number): number {
    const before = word(from - 1)
    if (before === '(' || (before === ',' && tokens[from]?.type !== abstract)) {
      throw new UnsupportedSyntax(`TypeScript parameter property ${notStripped}`)
    }
    let to = from
    let isDeclared = false
    while (modifiers.includes(tokens[to]?.type ?? -1) || word(to) === 'static' || word(to) === 'accessor') {
      const type = tokens[to]?.type
      isDeclared ||= type === declare || (type === abstract && word(to + 1) !== 'class')
      to += 1
    }
    if (isDeclared) {
      if (word(to) === '[') while (word(to) !== ']') to += 1
      to += 1
      while (tokens[to]?.isType) to += 1
      if (word(to) === ';') to += 1
      erase(from, to)
      return to
    }
    for (let index = from; index < to; index += 1) {
      if (modifiers.includes(tokens[index]?.type ?? -1)) erase(index, index + 1)
    }
    if (/^[[*]/.test(word(to)) && modifiers.includes(tokens[from]?.type ?? -1)) put(from, ';')
    return to
  }

  let isInNames = false
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index] as Token
    const name = word(index)
    if (name === 'import' || name === 'export') {
      refuseStatements(index, word)
      if (isTypeImport(index)) {
        index = eraseStatement(index)
        continue
      }
      isInNames = true
    } else if (/^['"]|^[;}]$/.test(name)) isInNames = false
    if (token.isType) {
      const isName = isInNames && name === 'type' && /^[{,]$/.test(word(index - 1))
      index = isName ? eraseName(index) : eraseTypes(index)
    } else if (modifiers.includes(token.type)) index = eraseModifiers(index)
    else if (token.type === nonNull) {
      erase(index, index + 1)
      index += 1
    } else if (
      name === 'this' &&
      word(index + 1) === ':' &&
      tokens[index + 1]?.isType &&
      /^[(]$/.test(word(index - 1))
    ) {
      erase(index, index + 1)
      index = eraseName(index + 1)
    } else {
      if (token.type === keyword('enum')) throw new UnsupportedSyntax(`TypeScript enum ${notStripped}`)
      index += 1
    }
  }
  return out.join('')
}

function refuseStatements(index: number, word: (index: number) => string): void {
  const at = word(index + 1) === 'import' ? index + 1 : index
  const isEquals = word(at) === 'import' && word(at + 2) === '=' && word(at + 1) !== '{'
  if (isEquals) throw new UnsupportedSyntax(`TypeScript import equals declaration ${notStripped}`)
  if (word(index) === 'export' && word(index + 1) === '=') {
    throw new UnsupportedSyntax(`TypeScript export assignment ${notStripped}`)
  }
}

const notStripped = 'is not supported in strip-only mode'
const moduleKeyword = '`module` keyword is not supported. Use `namespace` instead.'
const angleBrackets =
  "The angle-bracket syntax for type assertions, `<T>expr`, is not supported in type strip mode. Instead, use the 'as' syntax: `expr as T`."
