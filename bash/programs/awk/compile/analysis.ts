/** What can be known of a program before it runs: which names are arrays, and which functions wait or print. */
import type { Dialect } from '../syntax/dialect.js'
import type { AwkProgram, Expr, FunctionDefinition, Statement } from '../syntax/syntax.js'

export interface Analysis {
  globalArrays: ReadonlySet<string>
  /** The indices of the parameters that are arrays. */
  arrayParameters(name: string): ReadonlySet<number>
  /** Input, commands and files: their result is not there at once. */
  waits(part: Expr | Statement): boolean
  /** Writes to the program's output, whose reader may be slow. */
  prints(part: Expr | Statement): boolean
}

/** The arguments of built-in functions that are arrays. */
const arrayArguments: Readonly<Record<string, readonly number[]>> = {
  split: [1, 3],
  patsplit: [1, 3],
  match: [2],
  asort: [0, 1],
  asorti: [0, 1],
}

const waitingBuiltins = new Set(['system', 'close', 'fflush'])

type Node = Expr | Statement

const inputKinds = new Set(['file', 'command', 'coprocess'])

function children(node: object): Node[] {
  return Object.values(node)
    .flat()
    .flatMap((value: unknown) => {
      if (typeof value !== 'object' || value === null) return []
      return 'kind' in value && !inputKinds.has(value.kind as string) && !('to' in value)
        ? [value as Node]
        : children(value)
    })
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const child of children(node)) walk(child, visit)
}

export function analyse({ rules, functions }: AwkProgram, { traditional }: Dialect): Analysis {
  const globalArrays = new Set(['ENVIRON', 'ARGV', ...(traditional ? [] : ['PROCINFO', 'SYMTAB', 'FUNCTAB'])])
  const parameters = new Map<string, Set<number>>([...functions.keys()].map((name) => [name, new Set<number>()]))
  const waiting = new Set<string>()
  const printing = new Set<string>()

  function some(part: Node, test: (node: Node) => boolean): boolean {
    return test(part) || children(part).some((child) => some(child, test))
  }

  function waitsItself(node: Node): boolean {
    if (node.kind === 'getline') return true
    if (node.kind === 'builtin') return waitingBuiltins.has(node.name)
    if (node.kind === 'print' || node.kind === 'printf') return node.redirect !== undefined
    if (node.kind === 'indirect') return true
    return node.kind === 'call' && waiting.has(node.name)
  }

  function printsItself(node: Node): boolean {
    if (node.kind === 'print' || node.kind === 'printf') return true
    return node.kind === 'call' && printing.has(node.name)
  }

  /** A loop that prints waits for its reader. */
  function isPrintingLoop(node: Node): boolean {
    const isLoop = node.kind === 'while' || node.kind === 'do' || node.kind === 'for' || node.kind === 'for-in'
    return isLoop && some(node, printsItself)
  }

  const waits = (part: Node) => some(part, (node) => waitsItself(node) || isPrintingLoop(node))
  const prints = (part: Node) => some(part, printsItself)

  /** Marks the names that `node` uses as arrays; true when one is new. */
  function markArrays(node: Node, owner: FunctionDefinition | undefined): boolean {
    let changed = false
    const mark = (expression: Expr | undefined) => {
      if (expression?.kind !== 'name') return
      const index = owner?.parameters.indexOf(expression.name) ?? -1
      const known = index === -1 ? globalArrays : (parameters.get(owner?.name ?? '') as Set<number | string>)
      const member = index === -1 ? expression.name : index
      if ((known as Set<number | string>).has(member)) return
      ;(known as Set<number | string>).add(member)
      changed = true
    }
    walk(node, (part) => {
      if (part.kind === 'element' || part.kind === 'in' || part.kind === 'for-in' || part.kind === 'delete')
        mark(part.array)
      if (part.kind === 'builtin') for (const index of arrayArguments[part.name] ?? []) mark(part.args[index])
      if (part.kind === 'call') for (const index of parameters.get(part.name) ?? []) mark(part.args[index])
    })
    return changed
  }

  const rest: Node[] = rules.flatMap(({ pattern, until, action }) =>
    [pattern, until, action].filter((part) => part !== undefined),
  )
  let changed = true
  while (changed) {
    changed = false
    for (const definition of functions.values()) {
      const { name, body } = definition
      if (markArrays(body, definition)) changed = true
      if (!waiting.has(name) && waits(body)) changed = Boolean(waiting.add(name))
      if (!printing.has(name) && prints(body)) changed = Boolean(printing.add(name))
    }
    for (const part of rest) if (markArrays(part, undefined)) changed = true
  }
  return { globalArrays, arrayParameters: (name) => parameters.get(name) ?? new Set(), waits, prints }
}
