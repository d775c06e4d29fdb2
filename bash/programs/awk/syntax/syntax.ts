/** The syntax tree of an awk program. */
import type { SourceLine } from './awk-error.js'

export type Expr =
  | { kind: 'number'; value: number }
  | { kind: 'string'; value: string }
  /** `strong`: written `@/…/`, a value of its own instead of a match against `$0`. */
  | { kind: 'regex'; source: string; strong: boolean; line: SourceLine }
  | Target
  | { kind: 'negate' | 'plus' | 'not'; operand: Expr }
  | { kind: 'arithmetic'; operator: ArithmeticOperator; left: Expr; right: Expr; line: SourceLine }
  | { kind: 'compare'; operator: CompareOperator; left: Expr; right: Expr }
  | { kind: 'match'; negated: boolean; text: Expr; regex: Expr }
  | { kind: 'concat'; parts: Expr[] }
  | { kind: 'and' | 'or'; left: Expr; right: Expr }
  | { kind: 'condition'; test: Expr; yes: Expr; no: Expr }
  | { kind: 'in'; keys: Expr[]; array: ArrayRef }
  | { kind: 'assign'; target: Target; operator?: ArithmeticOperator; value: Expr; line: SourceLine }
  | { kind: 'step'; target: Target; by: 1 | -1; prefix: boolean }
  | { kind: 'call'; name: string; args: Expr[]; line: SourceLine }
  | { kind: 'indirect'; name: NameRef; args: Expr[]; line: SourceLine }
  | { kind: 'builtin'; name: string; args: Expr[]; line: SourceLine }
  | {
      kind: 'getline'
      target?: Target
      source?: { kind: 'file' | 'command' | 'coprocess'; name: Expr }
      line: SourceLine
    }

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^'
export type CompareOperator = '<' | '<=' | '==' | '!=' | '>' | '>='

export interface NameRef {
  kind: 'name'
  name: string
  line: SourceLine
}

/** What can be assigned. */
export type Target = NameRef | { kind: 'field'; index: Expr; line: SourceLine } | ElementRef

/** An element: the last subscript of one or more, for arrays of arrays. */
export interface ElementRef {
  kind: 'element'
  array: ArrayRef
  keys: Expr[]
  line: SourceLine
}

/** An array by name, or one that is an element of another. */
export type ArrayRef = NameRef | ElementRef

export type Redirect = { kind: '>' | '>>' | '|' | '|&'; to: Expr; line: SourceLine }

/** `line`: where it begins. */
export type Statement = { line?: SourceLine } & AnyStatement

type AnyStatement =
  | { kind: 'expression'; value: Expr }
  | { kind: 'print'; args: Expr[]; redirect?: Redirect }
  | { kind: 'printf'; args: Expr[]; redirect?: Redirect; line: SourceLine }
  | { kind: 'if'; test: Expr; yes: Statement; no?: Statement }
  | { kind: 'while' | 'do'; test: Expr; body: Statement }
  | { kind: 'for'; start?: Statement; test?: Expr; next?: Statement; body: Statement }
  | { kind: 'for-in'; key: NameRef; array: ArrayRef; body: Statement }
  | { kind: 'switch'; value: Expr; cases: SwitchCase[] }
  | { kind: 'block'; body: Statement[] }
  | { kind: 'break' | 'continue' }
  | { kind: 'next' | 'nextfile' }
  | { kind: 'exit' | 'return'; value?: Expr }
  /** No keys: the whole array. */
  | { kind: 'delete'; array: ArrayRef; keys?: Expr[] }

/** No test: `default`. */
export interface SwitchCase {
  test?: Expr
  body: Statement[]
}

export interface Rule {
  kind: 'begin' | 'end' | 'beginfile' | 'endfile' | 'main'
  line: SourceLine
  pattern?: Expr
  /** The end of a range. */
  until?: Expr
  /** Absent: prints the record. */
  action?: Statement
}

export interface FunctionDefinition {
  name: string
  parameters: string[]
  body: Statement
}

/** `@include`: what another file has, at a place among the rules. */
export interface Include {
  name: string
  /** The number of rules before it. */
  at: number
  line: SourceLine
}

export interface AwkProgram {
  includes: Include[]
  rules: Rule[]
  functions: Map<string, FunctionDefinition>
}
