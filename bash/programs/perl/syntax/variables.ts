/** Variables by their names. */
import type { Container, Expr, Sigil } from './ast.js'
import type { ParserState } from './parser-state.js'
import { mention, warn } from './warnings.js'

const refusedNames = new Set(['SIG', 'INC', 'ISA', 'EXPORT', 'EXPORT_OK', 'AUTOLOAD', 'DATA'])
const knownPunctuation: Readonly<Record<Sigil, string>> = {
  $: '_,.;/\\"!@0&|`\'+-',
  '@': '_-+',
  '%': '+',
}
const predeclared = new Set(['_', 'a', 'b', '0', 'ARGV', 'ENV', 'STDIN', 'STDOUT', 'STDERR', 'ARGVOUT'])

/** Before it is known what its subscripts are: `$x[0]` is no use of `$x`. */
export function unchecked(state: ParserState, sigil: Sigil, isQuoted = false): Container {
  const { shared } = state
  const { isStrict } = shared
  shared.isStrict = false
  shared.uncounted += 1
  const found = variableNamed(state, sigil, isQuoted)
  shared.uncounted -= 1
  shared.isStrict = isStrict
  return found
}

/**
 * Takes what stands after a sigil: a name, a punctuation mark, `{name}`, `{code}`, or a variable with a reference. In
 * quoted text blanks do not count.
 */
export function variableNamed(state: ParserState, sigil: Sigil, isQuoted = false): Container {
  if (!isQuoted) state.skip()
  const name = state.match(/(?:::)?[A-Za-z_]\w*(?:::\w+)*|\d+|\^[A-Z]/y)
  if (name !== undefined) {
    state.at += name[0].length
    return named(state, sigil, name[0], isQuoted)
  }
  const { text } = state
  const next = text[state.at]
  if (next === '{') return braced(state, sigil)
  if (next === '$') {
    if (!/^\$(?:[\w{$:])/.test(text.slice(state.at, state.at + 2))) state.refuse('the variable $$')
    state.at += 1
    const of = variableNamed(state, '$', isQuoted)
    return { kind: 'deref', sigil, of }
  }
  if (next !== undefined && knownPunctuation[sigil].includes(next)) {
    state.at += 1
    return punctuation(state, sigil, next)
  }
  return state.refuse(`the variable ${sigil}${next ?? ''}`)
}

function braced(state: ParserState, sigil: Sigil): Container {
  const name = state.match(/\{\s*((?:::)?[A-Za-z_]\w*(?:::\w+)*|\d+)\s*\}/y)
  if (name !== undefined) {
    state.at += name[0].length
    return named(state, sigil, name[1] as string)
  }
  const caret = state.match(/\{\s*\^\w+\s*\}/y)
  if (caret !== undefined) state.refuse(`the variable ${sigil}${caret[0]}`)
  const sign = state.match(/\{([^\w\s$@%{}(])\}/y)
  if (sign !== undefined && knownPunctuation[sigil].includes(sign[1] as string)) {
    state.at += sign[0].length
    return punctuation(state, sigil, sign[1] as string)
  }
  const body = state.grammar.block(state)
  const [only] = body.statements
  if (only?.kind === 'expression' && body.statements.length === 1 && !body.hasLocal) {
    return { kind: 'deref', sigil, of: only.value }
  }
  return { kind: 'deref', sigil, of: { kind: 'do', body } }
}

/** Some are no variables: what they give comes from the last match. They are kept as names. */
function punctuation(state: ParserState, sigil: Sigil, name: string): Container {
  if (sigil === '$' && '+-'.includes(name) && !'{['.includes(state.text[state.at] || ' ')) {
    return state.refuse(`the variable $${name}`)
  }
  return { kind: 'global', sigil, name }
}

function named(state: ParserState, sigil: Sigil, given: string, isQuoted = false): Container {
  const name = given.replace(/^(?:main)?::/, '')
  if (name.includes('::')) state.refuse(`the package of ${sigil}${name}`)
  if (name.startsWith('^')) {
    if (name === '^O' && sigil === '$') return { kind: 'global', sigil, name }
    state.refuse(`the variable ${sigil}${name}`)
  }
  if (refusedNames.has(name)) state.refuse(`the variable ${sigil}${name}`)
  const found = state.scope.find(sigil, name)
  if (found !== undefined) return found
  if (/^\d/.test(name) && sigil !== '$') state.refuse(`the variable ${sigil}${name}`)
  const isKnown = predeclared.has(name) || /^\d/.test(name) || given.includes('::')
  if (state.shared.isStrict && !isKnown) {
    state.fail(
      `Global symbol "${sigil}${name}" requires explicit package name (did you forget to declare "my ${sigil}${name}"?)`,
    )
  }
  if (state.shared.uncounted === 0 && isQuoted && sigil === '@' && !isKnown && !isMentioned(state, '@', name)) {
    warn(state, 'ambiguous', `Possible unintended interpolation of @${name} in string`)
  }
  mention(state, name, sigil)
  return { kind: 'global', sigil, name }
}

function isMentioned({ shared }: ParserState, sigil: Sigil, name: string): boolean {
  return shared.ours.has(name) || (shared.globals.get(name)?.sigils.includes(sigil) ?? false)
}

/** As an expression: `$1` and `$&` are no variables. */
export function asExpression(variable: Container): Expr {
  if (variable.kind !== 'global' || variable.sigil !== '$') return variable
  if (/^[1-9]/.test(variable.name)) return { kind: 'capture', number: Number(variable.name) }
  if ("&`'".includes(variable.name)) return { kind: 'special', name: variable.name }
  return variable
}
