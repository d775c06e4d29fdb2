/** The names that a piece of code declares, so that they stand there for nothing that is imported. */
import { childrenOf, isNode, type SyntaxNode } from './syntax.js'

export function isFunction({ type }: SyntaxNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/** Names that a node declares for what is inside of it. */
export function declaredIn(node: SyntaxNode): string[] {
  if (isFunction(node)) {
    const own = node.type === 'FunctionExpression' && isNode(node.id) ? namesOf(node.id) : []
    const body = node.body as SyntaxNode
    return [
      ...own,
      ...(node.params as SyntaxNode[]).flatMap(namesOf),
      ...variablesIn(body),
      ...lexicalIn(statementsOf(body)),
    ]
  }
  if (node.type === 'ClassExpression' || node.type === 'ClassDeclaration')
    return isNode(node.id) ? namesOf(node.id) : []
  if (node.type === 'CatchClause') return isNode(node.param) ? namesOf(node.param) : []
  if (node.type === 'StaticBlock') return [...variablesIn(node), ...lexicalIn(statementsOf(node))]
  if (node.type === 'SwitchStatement') {
    return lexicalIn((node.cases as SyntaxNode[]).flatMap((each) => each.consequent as SyntaxNode[]))
  }
  if (node.type === 'ForStatement') return isNode(node.init) ? lexicalIn([node.init]) : []
  if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') return lexicalIn([node.left as SyntaxNode])
  return node.type === 'BlockStatement' ? lexicalIn(statementsOf(node)) : []
}

/** The names that a pattern binds. */
export function namesOf(pattern: SyntaxNode): string[] {
  if (pattern.type === 'Identifier') return [pattern.name as string]
  if (pattern.type === 'ObjectPattern') {
    return (pattern.properties as SyntaxNode[]).flatMap((each) => namesOf((each.value ?? each.argument) as SyntaxNode))
  }
  if (pattern.type === 'ArrayPattern') return (pattern.elements as unknown[]).filter(isNode).flatMap(namesOf)
  if (pattern.type === 'AssignmentPattern') return namesOf(pattern.left as SyntaxNode)
  return pattern.type === 'RestElement' ? namesOf(pattern.argument as SyntaxNode) : []
}

function statementsOf(node: SyntaxNode): SyntaxNode[] {
  return Array.isArray(node.body) ? (node.body as SyntaxNode[]) : []
}

/** What statements declare for their block. */
export function lexicalIn(statements: readonly SyntaxNode[]): string[] {
  return statements.flatMap((node) => {
    if (node.type === 'VariableDeclaration') return node.kind === 'var' ? [] : declaredBy(node)
    return (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && isNode(node.id)
      ? namesOf(node.id)
      : []
  })
}

/** `var` belongs to the function, wherever in it. */
function variablesIn(node: SyntaxNode): string[] {
  if (isFunction(node)) return []
  const own = node.type === 'VariableDeclaration' && node.kind === 'var' ? declaredBy(node) : []
  return [...own, ...childrenOf(node).flatMap(variablesIn)]
}

export function declaredBy(node: SyntaxNode): string[] {
  return (node.declarations as SyntaxNode[]).flatMap((each) => namesOf(each.id as SyntaxNode))
}
