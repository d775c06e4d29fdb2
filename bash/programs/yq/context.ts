/** What expressions are run with. */
import type { YamlNode } from './nodes.js'
import type { Expression } from './syntax.js'

export interface Context {
  nodes: YamlNode[]
  variables: ReadonlyMap<string, YamlNode[]>
}

/** What expressions reach outside of the documents. */
export interface Outside {
  /** Absent: expressions may not read it. */
  env: ReadonlyMap<string, string> | undefined
  /** What a file holds; only those that were fetched. */
  file(name: string): string
  parse(text: string): YamlNode[]
  random(): number
  step(): void
  /** Counts memory. */
  account(bytes: number): void
}

export type Evaluate = (context: Context, expression: Expression) => Context
export type Call = (context: Context, args: readonly Expression[], tools: Tools) => Context

export interface Tools {
  evaluate: Evaluate
  outside: Outside
  /** Runs it on one node alone. */
  on(context: Context, node: YamlNode, expression: Expression): YamlNode[]
}
