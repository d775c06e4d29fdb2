/** JavaScript to a syntax tree and tokens. The only file that imports the parser. */
import { type Node, type Program, parse, tokenizer, tokTypes } from 'acorn'

export type { Program }

/** A node with whatever its type has. */
export type SyntaxNode = Node & { [key: string]: unknown }

/** Where a text is wrong, from 1. */
export interface Fault {
  line: number
  column: number
}

export function parseModule(source: string): Program {
  return parse(source, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
}

/** Undefined for what is right. `inFunction`: as CommonJS has it. */
export function faultOf(source: string, kind: 'script' | 'module', inFunction = false): Fault | undefined {
  try {
    parse(source, {
      ecmaVersion: 'latest',
      sourceType: kind,
      allowHashBang: true,
      allowReturnOutsideFunction: inFunction,
      allowNewTargetOutsideFunction: inFunction,
    } as Parameters<typeof parse>[1])
    return undefined
  } catch (error) {
    const { loc } = error as { loc?: { line: number; column: number } }
    if (loc === undefined) throw error
    return { line: loc.line, column: loc.column + 1 }
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string'
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
}

export interface Word {
  word: string
  start: number
  end: number
}

/** Tokens, up to where the text is wrong. Of texts only that they are there. */
export function wordsOf(source: string): Word[] {
  const found: Word[] = []
  try {
    for (const { type, start, end } of tokenizer(source, { ecmaVersion: 'latest', allowHashBang: true })) {
      const isText = type === tokTypes.string || type === tokTypes.template || type === tokTypes.regexp
      found.push({ word: isText ? '""' : source.slice(start, end), start, end })
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return found
}
