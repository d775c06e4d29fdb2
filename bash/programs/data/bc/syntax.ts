/** The syntax tree of bc. */

export type Operator = '+' | '-' | '*' | '/' | '%' | '^'
export type Relation = '<' | '<=' | '==' | '!=' | '>' | '>='

export type Expr =
  | { kind: 'number'; text: string }
  | Target
  | { kind: 'negate' | 'not'; operand: Expr }
  | { kind: 'binary'; operator: Operator; left: Expr; right: Expr }
  | { kind: 'compare'; operator: Relation; left: Expr; right: Expr }
  | { kind: 'and' | 'or'; left: Expr; right: Expr }
  | { kind: 'assign'; target: Target; operator?: Operator; value: Expr }
  | { kind: 'step'; target: Target; by: 1 | -1; prefix: boolean }
  | { kind: 'call'; name: string; args: Argument[] }
  /** Keeps a comparison or an assignment from being taken for a statement of its own. */
  | { kind: 'group'; inner: Expr }

export type Target = { kind: 'variable'; name: string } | { kind: 'element'; name: string; index: Expr }

export type Argument = Expr | { kind: 'array'; name: string }

export type Statement =
  | { kind: 'expression'; value: Expr }
  | { kind: 'string'; text: string }
  | { kind: 'print'; parts: Array<Expr | { kind: 'string'; text: string }> }
  | { kind: 'if'; test: Expr; yes: Statement; no?: Statement }
  | { kind: 'while'; test: Expr; body: Statement }
  | { kind: 'for'; start?: Expr; test?: Expr; next?: Expr; body: Statement }
  | { kind: 'block'; body: Statement[] }
  | { kind: 'return'; value?: Expr }
  | { kind: 'break' | 'continue' | 'halt' }

export interface Parameter {
  name: string
  isArray: boolean
  isReference: boolean
}

export interface FunctionDefinition {
  name: string
  /** It has no value, so that nothing is printed when it is called. */
  isVoid: boolean
  parameters: Parameter[]
  locals: Parameter[]
  body: Statement
}
