/** Words: functions of perl's own, calls of subs, file handles, and blocks that are expressions. */
import type { Block, Expr, Handle } from './ast.js'
import { functions, refusedFunctions } from './functions.js'
import { endsList, moreItems, unaryLevel } from './lists.js'
import type { ParserState } from './parser-state.js'
import { variableNamed } from './variables.js'
import { checkParentheses, mention, warn } from './warnings.js'

const topic: Expr = { kind: 'global', sigil: '$', name: '_' }
const standardHandles = new Set(['STDIN', 'STDOUT', 'STDERR'])

export function functionCall(state: ParserState, word: string): Expr {
  const { line } = state
  const imported = state.shared.imported.get(word)
  if (imported !== undefined && !state.shared.subs.has(word)) {
    state.at += word.length
    return importedCall(state, imported, line)
  }
  if (state.shared.declared.has(word)) {
    state.at += word.length
    return userCall(state, word, line)
  }
  switch (word) {
    case 'print':
    case 'printf':
    case 'say':
      if (word === 'say' && !state.shared.canSay) break
      state.at += word.length
      return print(state, word, line)
    case 'map':
    case 'grep':
      state.at += word.length
      return eachItem(state, word)
    case 'sort':
      state.at += word.length
      return sort(state, line)
    case 'do':
      state.at += 2
      if (!state.sees('{')) state.refuse('do of a file')
      return { kind: 'do', body: state.grammar.block(state) }
    case 'eval':
      state.at += 4
      if (!state.sees('{')) state.refuse('eval of a string')
      return { kind: 'eval', body: state.grammar.block(state) }
    case 'sub':
      state.at += 3
      if (!state.sees('{')) state.refuse('a sub with a prototype or signature')
      return { kind: 'sub', sub: state.grammar.sub(state, undefined) }
    case 'next':
    case 'last':
    case 'redo': {
      state.at += word.length
      const label = state.takeMatch(/[A-Z_][A-Z0-9_]*(?!\w)/y)?.[0]
      return { kind: 'control', name: word, label }
    }
    case 'return':
      state.at += word.length
      return { kind: 'return', value: endsList(state) ? undefined : commaList(state) }
  }
  const arity = functions[word]
  if (arity !== undefined && Object.hasOwn(functions, word)) {
    state.at += word.length
    return builtin(state, word, arity, line)
  }
  if (refusedFunctions.has(word)) state.refuse(word)
  state.at += word.length
  return bareword(state, word, line)
}

/** `return 1, 2 if ...`: the list without `and` and `or`. */
function commaList(state: ParserState): Expr {
  const first = state.grammar.item(state)
  const rest = moreItems(state)
  return rest.length === 0 ? first : { kind: 'list', items: [first, ...rest] }
}

function bareword(state: ParserState, word: string, line: number): Expr {
  mention(state, word, '*')
  if (standardHandles.has(word)) return { kind: 'handle', handle: { kind: 'named', name: word } }
  if (state.sees('(')) return userCall(state, word, line)
  if (state.sees('=>')) return { kind: 'value', value: word }
  if (state.sees('->') || word.includes('::')) state.refuse(`the package ${word}`)
  return state.refuse(`the bareword ${word}`)
}

function userCall(state: ParserState, name: string, line: number): Expr {
  if (name.includes('::')) state.refuse(`the package of ${name}`)
  state.shared.called.push({ name, line })
  return { kind: 'call', name, args: callArguments(state), keepsArgs: false, line }
}

/** In parentheses, or all that follows. */
function callArguments(state: ParserState, isOwn = false): Expr[] {
  if (state.take('(')) return parenthesized(state)
  if (endsList(state) || (!isOwn && atOperator(state))) return []
  return [state.grammar.item(state), ...moreItems(state)]
}

/** What can only stand after a term. */
function atOperator(state: ParserState): boolean {
  state.skip()
  return (
    state.match(/[=?*|^,>)]|\/\/|\.(?!\d)|&&|=~|!~|!=|<=|<\s|(?:x|eq|ne|lt|gt|le|ge|cmp)\b|[-+/%]\s/y) !== undefined
  )
}

function parenthesized(state: ParserState): Expr[] {
  if (state.take(')')) return []
  const all = state.grammar.expression(state)
  state.expect(')')
  return all.kind === 'list' ? all.items : [all]
}

const blockFunctions = new Set(['first', 'any', 'all', 'none'])

function importedCall(state: ParserState, name: string, line: number): Expr {
  if (blockFunctions.has(name)) {
    const isInside = state.take('(')
    if (!state.sees('{')) state.refuse(`${name} without a block`)
    const body = state.grammar.block(state, true)
    const list = endsList(state) ? [] : [state.grammar.item(state), ...moreItems(state)]
    if (isInside) state.expect(')')
    return { kind: 'each-item', name: name as 'first', body, list }
  }
  return { kind: 'function', name, args: callArguments(state), line }
}

function builtin(state: ParserState, name: string, arity: 'unary' | 'topic' | 'list' | 'none', line: number): Expr {
  const call = (args: Expr[]): Expr => ({ kind: 'function', name, args, line })
  if (arity === 'none') {
    if (state.take('(')) state.expect(')')
    return name === 'wantarray' ? { kind: 'wantarray' } : call([])
  }
  if (name === 'open' || name === 'close' || name === 'eof' || name === 'binmode' || name === 'readline') {
    return call(handleArguments(state, name))
  }
  if (arity === 'list') {
    const args = callArguments(state, true)
    return call(args.length === 0 && name === 'unlink' ? [topic] : args)
  }
  let args: Expr[]
  if (state.take('(')) {
    args = parenthesized(state)
    if (args.length > 1 && name !== 'chomp' && name !== 'chop') state.fail(`Too many arguments for ${name}`)
    checkLength(state, name, args[0])
  } else
    args =
      endsList(state) ||
      atOperator(state) ||
      (name === 'undef' && !state.match(/[$@%&]/y)) ||
      state.match(/<(?![$A-Z<])/y)
        ? []
        : [state.grammar.binary(state, unaryLevel)]
  if (args.length === 0 && arity === 'topic') args = [topic]
  if (args.length === 0 && (name === 'shift' || name === 'pop')) {
    args = [{ kind: 'global', sigil: '@', name: state.scope.isSub ? '_' : 'ARGV' }]
  }
  return call(args)
}

function checkLength(state: ParserState, name: string, of: Expr | undefined): void {
  if (name !== 'length' || of === undefined || !('sigil' in of) || of.sigil === '$' || !('name' in of)) return
  const meant = of.sigil === '@' ? `@${of.name}` : `keys %${of.name}`
  warn(state, 'syntax', `length() used on ${of.sigil}${of.name} (did you mean "scalar(${meant})"?)`)
}

/** Names of files that are open are words: they become the name as text in a list of one. */
function handleArguments(state: ParserState, name: string): Expr[] {
  const isInside = state.take('(')
  const word = state.word()
  const args: Expr[] = []
  if (word !== undefined && /^[A-Z]\w*$/.test(word) && !state.shared.declared.has(word)) {
    state.at += word.length
    mention(state, word, '*')
    args.push({ kind: 'handle', handle: { kind: 'named', name: word } })
    if (name === 'open' || name === 'binmode') args.push(...moreItems(state))
  } else if (isInside ? !state.sees(')') : !endsList(state) && !atOperator(state)) {
    args.push(
      name === 'open' || name === 'binmode' ? state.grammar.item(state) : state.grammar.binary(state, unaryLevel),
    )
    if (name === 'open' || name === 'binmode') args.push(...moreItems(state))
  } else if (isInside && name === 'eof') state.refuse('eof()')
  if (isInside) state.expect(')')
  return args
}

function print(state: ParserState, name: 'print' | 'printf' | 'say', line: number): Expr {
  checkParentheses(state, name)
  const isInside = state.match(/\s*\(/y) !== undefined && state.take('(')
  const handle = printHandle(state)
  let args: Expr[] = []
  if (isInside) args = parenthesized(state)
  else if (!endsList(state)) {
    args = [state.grammar.item(state), ...moreItems(state)]
  }
  if (args.length === 0) args = [topic]
  return { kind: 'print', name, handle, args, line }
}

function printHandle(state: ParserState): Handle | undefined {
  const word = state.word()
  if (word !== undefined && /^[A-Z][A-Z0-9_]*$/.test(word) && !state.shared.declared.has(word)) {
    const isHandle = state.match(new RegExp(`${word}\\s*(?![\\s,(.=+\\-*/<>?x]|->|=>)`, 'y')) !== undefined
    if (isHandle || standardHandles.has(word)) {
      mention(state, word, '*')
      state.at += word.length
      return { kind: 'named', name: word }
    }
  }
  if (state.sees('{')) {
    const start = state.at
    const plain = state.match(/\{\s*([A-Z]+)\s*\}/y)
    if (plain !== undefined) {
      state.at += plain[0].length
      mention(state, plain[1] as string, '*')
      return { kind: 'named', name: plain[1] as string }
    }
    if (state.match(/\{\s*[$*]/y) === undefined) return undefined
    state.at = start + 1
    const value = state.grammar.expression(state)
    state.expect('}')
    return { kind: 'value', value }
  }
  // A scalar with a term after it: `print $fh "text"`.
  if (state.match(/\$\w+\s+(?:["'$@%\w<\\]|(?=-\d))(?!\s)/y) === undefined) return undefined
  if (state.match(/\$\w+\s+(?:x|eq|ne|lt|gt|le|ge|cmp|and|or|if|unless|for|foreach|while|until|xor)\b/y) !== undefined)
    return undefined
  if (state.match(/\$\w+\s+[%<]/y) !== undefined) return undefined
  state.at += 1
  return { kind: 'value', value: variableNamed(state, '$') }
}

function eachItem(state: ParserState, name: 'map' | 'grep'): Expr {
  const isInside = state.take('(')
  let body: Block
  if (state.sees('{') && !isHash(state)) {
    body = state.grammar.block(state, true)
    state.take(',')
  } else {
    state.scope.open(true)
    const { line } = state
    const value = state.grammar.item(state)
    state.scope.close(true)
    state.expect(',')
    body = state.only(value, line)
  }
  const list = (isInside ? state.sees(')') : endsList(state)) ? [] : [state.grammar.item(state), ...moreItems(state)]
  if (isInside) state.expect(')')
  return { kind: 'each-item', name, body, list }
}

/** As perl guesses whether braces after `map` are a hash: by a word or text with a comma after it. */
function isHash(state: ParserState): boolean {
  return (
    state.match(
      /\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*(?:,|=>)|'(?:[^'\\]|\\.)*'\s*(?:,|=>)|[A-Za-z_]\w*\s*=>|[A-Z]\w*\s*,)/y,
    ) !== undefined
  )
}

function sort(state: ParserState, line: number): Expr {
  const isInside = state.take('(')
  let compare: Block | Expr | undefined
  if (state.sees('{')) {
    compare = state.grammar.block(state, true)
    state.take(',')
  } else {
    const named = state.match(/([A-Za-z_]\w*)\s+[@$(\w]/y)
    const byValue = state.match(/\$\w+\s+[@(]/y)
    if (named !== undefined && state.shared.declared.has(named[1] as string)) {
      state.at += (named[1] as string).length
      compare = { kind: 'sub-reference', name: named[1] as string }
    } else if (named !== undefined && isUnknown(state, named[1] as string))
      state.refuse('sort by a sub that comes later')
    else if (byValue !== undefined) {
      state.at += 1
      compare = variableNamed(state, '$')
    }
  }
  const list = (isInside ? state.sees(')') : endsList(state)) ? [] : [state.grammar.item(state), ...moreItems(state)]
  if (isInside) state.expect(')')
  return { kind: 'sort', compare, list, line }
}

function isUnknown(state: ParserState, word: string): boolean {
  const { imported } = state.shared
  return !(
    Object.hasOwn(functions, word) ||
    imported.has(word) ||
    /^(?:map|grep|sort|keys|values|qw|do|split|reverse|my|uniq)$/.test(word)
  )
}
