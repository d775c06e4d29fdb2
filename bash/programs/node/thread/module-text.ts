/**
 * An ES module as a function: the browser can't be told where to get modules from. What it exports are functions that read its own variables, so they are
 * live; what it imports is read where it is used. The function is a generator that first hands out its exports, when its functions are there and
 * nothing has run, so that modules in a circle find each other as they should.
 */
import { moduleFunction } from './call-sites.js'
import type { Importer } from './dynamic-imports.js'
import { type Edited, type Edits, editsOf } from './edits.js'
import { declaredBy, declaredIn, isFunction, namesOf } from './shadows.js'
import { childrenOf, isNode, parseModule, type SyntaxNode } from './syntax.js'

export interface ModuleText {
  requests: string[]
  /** Names that it takes from a request: they have to be there. */
  imported: Array<{ request: number; name: string }>
  /** Names of others that it passes on; `*` is all of the module as an object. */
  passed: Array<{ name: string; request: number; from: string }>
  /** Requests all of whose names it passes on. */
  all: number[]
  awaits: boolean
  /** An expression: a function of what is imported, `import.meta`, `import` and what takes the exports. */
  code: Edited
}

/** A name of an import: of a request, `*` for the object. */
interface Binding {
  request: number
  name: string
}

type Names = Map<string, Binding>

export function moduleText(source: string, importer?: () => Importer): ModuleText {
  const program = parseModule(source) as unknown as SyntaxNode
  const edits = editsOf(source)
  const requests: string[] = []
  const names: Names = new Map()
  const exported = new Map<string, string>()
  const made: Omit<ModuleText, 'requests' | 'code'> = { imported: [], passed: [], all: [], awaits: false }
  const request = (node: SyntaxNode) => {
    const { value } = node.source as SyntaxNode
    const at = requests.indexOf(value as string)
    return at === -1 ? requests.push(value as string) - 1 : at
  }
  let naming = ''
  if (source.startsWith('#!')) edits.replace(0, 2, '//')
  const body = program.body as SyntaxNode[]

  // In the order of the text: so they run.
  for (const node of body) if (isNode(node.source)) request(node)
  for (const node of body) {
    if (node.type !== 'ImportDeclaration') continue
    const from = request(node)
    for (const each of node.specifiers as SyntaxNode[]) {
      const name =
        each.type === 'ImportSpecifier'
          ? textOf(each.imported)
          : each.type === 'ImportDefaultSpecifier'
            ? 'default'
            : '*'
      names.set(textOf(each.local), { request: from, name })
      if (name !== '*') made.imported.push({ request: from, name })
    }
    edits.blank(node.start, node.end)
  }
  for (const node of body) takeExports(node)
  made.awaits = rewrite(program, names, { edits, source, importer })

  function takeExports(node: SyntaxNode): void {
    if (node.type === 'ExportAllDeclaration') {
      const from = request(node)
      if (isNode(node.exported)) made.passed.push({ name: textOf(node.exported), request: from, from: '*' })
      else made.all.push(from)
      edits.blank(node.start, node.end)
    } else if (node.type === 'ExportDefaultDeclaration') takeDefault(node.declaration as SyntaxNode, node)
    else if (node.type === 'ExportNamedDeclaration') takeNamed(node)
  }

  function takeNamed(node: SyntaxNode): void {
    const { declaration } = node
    if (isNode(declaration)) {
      const own =
        declaration.type === 'VariableDeclaration' ? declaredBy(declaration) : namesOf(declaration.id as SyntaxNode)
      for (const name of own) exported.set(name, name)
      edits.blank(node.start, declaration.start)
      return
    }
    const from = isNode(node.source) ? request(node) : undefined
    for (const each of node.specifiers as SyntaxNode[]) {
      const [local, name] = [textOf(each.local), textOf(each.exported)]
      const binding = from === undefined ? names.get(local) : { request: from, name: local }
      if (binding === undefined) exported.set(name, local)
      else made.passed.push({ name, request: binding.request, from: binding.name })
    }
    edits.blank(node.start, node.end)
  }

  function takeDefault(node: SyntaxNode, outer: SyntaxNode): void {
    const isDeclared = node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration'
    const local = isDeclared && isNode(node.id) ? textOf(node.id) : defaultName
    exported.set('default', local)
    if (isDeclared && isNode(node.id)) return void edits.blank(outer.start, node.start)
    if (node.type === 'FunctionDeclaration') {
      const [start = ''] = /^(?:async\s+)?function\s*\*?/.exec(source.slice(node.start)) ?? []
      edits.blank(outer.start, node.start)
      edits.replace(node.start + start.length, node.start + start.length, ` ${defaultName}`)
      naming = `$call.named(${defaultName}); `
      return
    }
    // A property gives its name to a function or class that has none.
    edits.replace(
      outer.start,
      node.start,
      `${lineEndsIn(source.slice(outer.start, node.start))}const ${defaultName} = ({ default: `,
    )
    edits.replace(node.end, node.end, ' }).default;')
  }

  const parameters = [...requests.map((_, index) => spaceName(index)), ...requests.map((_, index) => objectName(index))]
  const getters = [...exported].map(([name, local]) => `${JSON.stringify(name)}: () => ${local}`)
  const start =
    `(${made.awaits ? 'async ' : ''}function* ${moduleFunction}(${[...parameters, metaName, importName, '$exported', '$call'].join(', ')}) ` +
    `{ "use strict"; $exported({ ${getters.join(', ')} }); ${naming}yield; `
  return { requests, ...made, code: edits.edited(start, '\n})') }
}

const metaName = '$meta'
const importName = '$import'
const defaultName = '$default'
const spaceName = (request: number) => `$${request}`
const objectName = (request: number) => `$space${request}`
/** It is made when it is used: all names have to be there. */
const objectRead = (request: number) => `${objectName(request)}()`

/** An identifier, or a name in quotes. */
function textOf(node: unknown): string {
  const { name, value } = node as { name?: string; value?: string }
  return name ?? value ?? ''
}

const lineEndsIn = (text: string) => text.replace(/[^\n\r\u2028\u2029]/g, '')

interface RewriteGiven {
  edits: Edits
  source: string
  importer: (() => Importer) | undefined
}

/** Reads of what is imported, `import()` and `import.meta`. Returns whether the module waits at its top level. */
function rewrite(program: SyntaxNode, names: Names, { edits, source, importer }: RewriteGiven): boolean {
  const scopes: Array<ReadonlySet<string>> = []
  let functions = 0
  let awaits = false
  const bindingOf = (name: string) => (scopes.some((scope) => scope.has(name)) ? undefined : names.get(name))
  const readOf = ({ request, name }: Binding) =>
    name === '*'
      ? objectRead(request)
      : `${spaceName(request)}${/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`}`

  /** A call is without an object. What a statement begins with may not be a bracket: it could go on with the line before. */
  function callee(node: SyntaxNode, isFirst: boolean): void {
    const binding = bindingOf(node.name as string)
    if (binding === undefined) return
    edits.replace(node.start, node.end, isFirst ? `$call(${readOf(binding)})` : `(0, ${readOf(binding)})`)
  }

  function visitAll(nodes: readonly unknown[]): undefined {
    for (const node of nodes) if (isNode(node)) visit(node)
  }

  let statementStart = -1
  function visit(node: SyntaxNode): undefined {
    const { type } = node
    if (type === 'Identifier') {
      const binding = bindingOf(node.name as string)
      if (binding !== undefined) edits.replace(node.start, node.end, readOf(binding))
      else if (node.name === 'eval' && importer !== undefined) edits.replace(node.start, node.end, importer().evaluator)
      return
    }
    if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration') return
    if (type === 'ExportNamedDeclaration') return visitAll([node.declaration])
    if (type === 'LabeledStatement') return visitAll([node.body])
    if (type === 'BreakStatement' || type === 'ContinueStatement') return
    if (type === 'MetaProperty') {
      if (source.startsWith('import', node.start)) edits.replace(node.start, node.end, metaName)
      return
    }
    if (type === 'ImportExpression') {
      edits.replace(node.start, node.start + 'import'.length, importName)
      return visitAll([node.source, node.options])
    }
    if ((type === 'AwaitExpression' || (type === 'ForOfStatement' && node.await)) && functions === 0) awaits = true
    if (type === 'ExpressionStatement') statementStart = node.start
    if (type === 'CallExpression' || type === 'TaggedTemplateExpression') {
      const called = (node.callee ?? node.tag) as SyntaxNode
      if (called.name === 'eval' && importer !== undefined && node.quasi === undefined) {
        const open = source.indexOf('(', called.end) + 1
        edits.replace(open, open, `${importer().text}(`)
        edits.replace(node.end - 1, node.end - 1, ')')
      } else if (called.type === 'Identifier') callee(called, called.start === statementStart)
      else visit(called)
      return visitAll([...((node.arguments as unknown[]) ?? []), node.quasi])
    }
    if (type === 'MemberExpression') {
      const object = node.object as SyntaxNode
      const binding = object.type === 'Identifier' && !node.computed ? bindingOf(object.name as string) : undefined
      const isEval =
        (node.property as SyntaxNode).name === 'eval' &&
        !node.computed &&
        /^(?:globalThis|global)$/.test(object.name as string)
      if (isEval && importer !== undefined) return void edits.replace(node.start, node.end, importer().evaluator)
      // What a whole module has can be read without the object that stands for it.
      if (binding?.name === '*') edits.replace(object.start, object.end, spaceName(binding.request))
      else visit(object)
      return node.computed ? visitAll([node.property]) : undefined
    }
    if (type === 'Property' || type === 'MethodDefinition' || type === 'PropertyDefinition') {
      if (node.computed) visitAll([node.key])
      if (!node.shorthand) return visitKeyed(node)
      const value = node.value as SyntaxNode
      const target = (value.type === 'AssignmentPattern' ? value.left : value) as SyntaxNode
      const binding = bindingOf(target.name as string)
      if (binding !== undefined) edits.replace(target.start, target.end, `${target.name}: ${readOf(binding)}`)
      return value.type === 'AssignmentPattern' ? visitAll([value.right]) : undefined
    }
    inside(node, () => visitAll(childrenOf(node)))
  }

  /** Fields of classes are functions of their own. */
  function visitKeyed(node: SyntaxNode): undefined {
    const isField = node.type === 'PropertyDefinition'
    functions += isField ? 1 : 0
    visitAll([node.value])
    functions -= isField ? 1 : 0
  }

  function inside(node: SyntaxNode, run: () => void): void {
    const isOwn = isFunction(node) || node.type === 'StaticBlock'
    functions += isOwn ? 1 : 0
    scopes.push(new Set(node.type === 'Program' ? [] : declaredIn(node)))
    run()
    scopes.pop()
    functions -= isOwn ? 1 : 0
  }

  visit(program)
  return awaits
}
