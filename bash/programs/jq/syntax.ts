/** The syntax tree of jq programs. */
import type { Json } from './values.js'

export type Node =
  | { kind: 'identity' }
  | { kind: 'recurse' }
  | { kind: 'literal'; value: Json }
  | { kind: 'string'; format: string | undefined; parts: Array<string | Node> }
  | { kind: 'format'; name: string }
  | { kind: 'index'; of: Node; key: Node }
  | { kind: 'slice'; of: Node; from: Node | undefined; to: Node | undefined }
  | { kind: 'iterate'; of: Node }
  | { kind: 'array'; items: Node | undefined }
  | { kind: 'object'; entries: Array<{ key: Node; value: Node }> }
  | { kind: 'negate'; of: Node }
  | { kind: 'pipe'; left: Node; right: Node }
  | { kind: 'comma'; left: Node; right: Node }
  | { kind: 'binary'; operator: string; left: Node; right: Node }
  | { kind: 'and' | 'or' | 'alternative'; left: Node; right: Node }
  | { kind: 'assign'; operator: string; left: Node; right: Node }
  | { kind: 'if'; condition: Node; then: Node; otherwise: Node }
  | { kind: 'try'; body: Node; handler: Node | undefined }
  | { kind: 'reduce'; source: Node; patterns: Pattern[]; start: Node; update: Node }
  | { kind: 'foreach'; source: Node; patterns: Pattern[]; start: Node; update: Node; extract: Node | undefined }
  | { kind: 'bind'; source: Node; patterns: Pattern[]; body: Node }
  | { kind: 'label'; name: string; body: Node }
  | { kind: 'break'; name: string }
  | { kind: 'variable'; name: string; line: number }
  | { kind: 'location'; line: number }
  | { kind: 'call'; name: string; args: Node[]; line: number }
  | { kind: 'define'; definition: FunctionDefinition; body: Node }

export interface FunctionDefinition {
  name: string
  parameters: string[]
  body: Node
}

export type Pattern =
  | { kind: 'variable'; name: string }
  | { kind: 'array'; items: Pattern[] }
  | { kind: 'object'; entries: Array<{ variable: string | undefined; key: Node; pattern: Pattern | undefined }> }

/** A program can't be compiled. */
export class CompileError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message)
  }
}
