/** Compiles syntax trees to functions. */
import { applyFormat } from '../formats.js'
import { parseProgram } from '../parse/parse-program.js'
import type { Node } from '../syntax.js'
import { objectOf } from '../values.js'
import { compileField, compileIndex, compileIterate, compileSlice } from './access.js'
import { compileAssign } from './assign.js'
import { compileBind, compileVariable } from './bindings.js'
import { compileAlternative, compileIf, compileLogic, compileTry } from './branches.js'
import type { Code, JqContext } from './code.js'
import { constant, identity, valueCode } from './code-parts.js'
import { compileArray, compileObject, compileText } from './construct.js'
import { callCompiler, compileDefine } from './functions.js'
import { compileBreak, compileLabel } from './labels.js'
import { compileForeach, compileReduce } from './loops.js'
import { compileBinary, compileComma, compileNegation, compilePipe } from './operators.js'
import { ignoresInput } from './owned.js'
import type { Scope } from './scope.js'

export function compileProgram(source: string, context: JqContext): Code {
  const { definitions, body } = parseProgram(source)
  const whole = definitions.reduceRight<Node>(
    (inner, definition) => ({ kind: 'define', definition, body: inner }),
    body,
  )
  return createCompiler(context)(whole, undefined)
}

function createCompiler(context: JqContext) {
  const compileCall = callCompiler(compile, context)
  return compile

  function compile(node: Node, scope: Scope | undefined): Code {
    const inScope = (part: Node) => compile(part, scope)
    switch (node.kind) {
      case 'identity':
        return identity
      case 'recurse':
        return compileCall({ kind: 'call', name: 'recurse', args: [], line: 1 }, scope)
      case 'literal':
        return constant(node.value)
      case 'location':
        return constant(objectOf({ file: '<top-level>', line: node.line }))
      case 'string': {
        const parts = node.parts.map((part) => (typeof part === 'string' ? part : inScope(part)))
        return compileText(parts, node.format ?? 'text')
      }
      case 'format':
        return valueCode((input, _env, emit) => emit(applyFormat(node.name, input)))
      case 'index':
        if (node.key.kind === 'literal') return compileField(inScope(node.of), node.key.value)
        return compileIndex(inScope(node.of), inScope(node.key))
      case 'slice': {
        const { of, from, to } = node
        const edge = (part: Node | undefined) => (part === undefined ? constant(null) : inScope(part))
        return compileSlice(inScope(of), edge(from), edge(to))
      }
      case 'iterate':
        return compileIterate(inScope(node.of))
      case 'array':
        return node.items === undefined ? emptyArray : compileArray(inScope(node.items), context.account)
      case 'object':
        return compileObject(node.entries.map(({ key, value }) => ({ key: inScope(key), value: inScope(value) })))
      case 'negate':
        return compileNegation(inScope(node.of))
      case 'pipe':
        return compilePipe(inScope(node.left), inScope(node.right))
      case 'comma':
        return compileComma(inScope(node.left), inScope(node.right))
      case 'binary':
        return compileBinary(node, inScope, context.account)
      case 'and':
      case 'or':
        return compileLogic(inScope(node.left), inScope(node.right), node.kind === 'or')
      case 'alternative':
        return compileAlternative(inScope(node.left), inScope(node.right))
      case 'assign': {
        const { operator, left, right } = node
        const isOther = ignoresInput(right)
        return compileAssign({ operator, left: inScope(left), right: inScope(right), isOther, step: context.step })
      }
      case 'if':
        return compileIf(inScope(node.condition), inScope(node.then), inScope(node.otherwise))
      case 'try':
        return compileTry(inScope(node.body), node.handler && inScope(node.handler))
      case 'reduce':
        return compileReduce(node, scope, compile, context)
      case 'foreach':
        return compileForeach(node, scope, compile, context)
      case 'bind':
        return compileBind(node, scope, compile)
      case 'label':
        return compileLabel(node, scope, compile)
      case 'break':
        return compileBreak(node, scope)
      case 'variable':
        return compileVariable(node, scope, context)
      case 'call':
        return compileCall(node, scope)
      case 'define':
        return compileDefine(node, scope, compile)
    }
  }
}

const emptyArray = valueCode((_input, _env, emit) => emit([]))
