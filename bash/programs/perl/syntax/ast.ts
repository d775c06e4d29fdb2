/** The syntax tree of a program. Variables are resolved to slots while it is parsed. */
import type { Warnings } from './categories.js'

export type Sigil = '$' | '@' | '%'

export type Variable =
  /** Of the sub, by its place in the frame. */
  | { kind: 'lexical'; sigil: Sigil; slot: number; name: string }
  | {
      kind: 'global'
      sigil: Sigil
      name: string
      /** By `our`, here. */
      isDeclared?: boolean
    }

/** What stands for an array or a hash. */
export type Container = Variable | { kind: 'deref'; sigil: Sigil; of: Expr }

/** What perl warns of at a place: where it was, in its words, and whether one operand alone can be meant. */
export interface Check {
  in: string
  isOnly: boolean
  warns: Warnings
  /** Of an assignment with an operator: what is undefined is taken for nothing. */
  startsEmpty?: boolean
}

export interface Pattern {
  /** Parts of the text, with the variables in it. */
  source: Expr
  flags: string
}

export type Expr =
  | Container
  | { kind: 'value'; value: string | number | bigint | undefined }
  /** Text with variables in it; arrays are joined with `$"`. */
  | { kind: 'interpolated'; parts: Expr[] }
  | { kind: 'joined'; list: Expr; checks?: Check }
  /** Warns of an undefined value, and of text that is no number. Without `isOnly` it has no name. */
  | { kind: 'checked'; of: Expr; as: 'text' | 'number'; in: string; isOnly: boolean | undefined; warns: Warnings }
  | { kind: 'my'; variables: Variable[]; isList: boolean }
  | { kind: 'local'; target: Expr }
  | { kind: 'capture'; number: number }
  /** One of `& + @ -` and so on, which the last match sets. */
  | { kind: 'special'; name: string }
  | { kind: 'element'; of: Container; index: Expr }
  | { kind: 'hash-element'; of: Container; key: Expr }
  | { kind: 'slice'; of: Container; list: Expr }
  | { kind: 'hash-slice'; of: Container; list: Expr }
  | { kind: 'pair-slice'; of: Container; list: Expr }
  | { kind: 'list-slice'; from: Expr; list: Expr }
  | { kind: 'last-index'; of: Container }
  | { kind: 'call'; name: string; args: Expr[]; keepsArgs: boolean; line: number }
  | { kind: 'call-value'; of: Expr; args: Expr[]; line: number }
  | { kind: 'function'; name: string; args: Expr[]; line: number; checks?: Check }
  | {
      kind: 'print'
      name: 'print' | 'printf' | 'say'
      handle: Handle | undefined
      args: Expr[]
      line: number
      checks?: Check
    }
  | { kind: 'each-item'; name: 'map' | 'grep' | 'first' | 'any' | 'all' | 'none'; body: Block; list: Expr[] }
  | { kind: 'sort'; compare: Block | Expr | undefined; list: Expr[]; line: number; checks?: Check }
  | { kind: 'unary'; operator: string; of: Expr }
  | { kind: 'binary'; operator: string; left: Expr; right: Expr; line: number; checks?: Check }
  | { kind: 'logic'; operator: '&&' | '||' | '//'; left: Expr; right: Expr }
  | { kind: 'not'; of: Expr }
  | { kind: 'condition'; test: Expr; yes: Expr; no: Expr }
  | { kind: 'assign'; operator: string; target: Expr; value: Expr; line: number; checks?: Check }
  | { kind: 'step'; by: 1 | -1; isPrefix: boolean; target: Expr; checks?: Check }
  | { kind: 'list'; items: Expr[] }
  | { kind: 'array'; items: Expr[] }
  | { kind: 'hash'; items: Expr[]; checks?: Check }
  | { kind: 'sub'; sub: Sub }
  | { kind: 'sub-reference'; name: string }
  | { kind: 'reference'; of: Expr }
  | { kind: 'match'; target: Expr | undefined; pattern: Pattern; isNegated: boolean; line: number }
  | { kind: 'regex'; pattern: Pattern }
  | {
      kind: 'substitute'
      target: Expr | undefined
      pattern: Pattern
      by: Expr | Block
      line: number
      isNegated: boolean
    }
  | { kind: 'translate'; target: Expr | undefined; table: Translation; isNegated: boolean }
  | { kind: 'range'; left: Expr; right: Expr; isThreeDots: boolean; state: { isOn: boolean; count: number } }
  | { kind: 'read-line'; handle: Handle; line: number; checks?: Check }
  | { kind: 'file-test'; test: string; of: Expr }
  | { kind: 'do'; body: Block }
  | { kind: 'eval'; body: Block }
  | { kind: 'control'; name: 'next' | 'last' | 'redo'; label: string | undefined }
  | { kind: 'return'; value: Expr | undefined }
  | { kind: 'handle'; handle: Handle }
  | { kind: 'wantarray' }

/** `STDIN`, a bareword, `$fh`, or `''` for the files of the arguments. */
export type Handle = { kind: 'named'; name: string } | { kind: 'value'; value: Expr }

export interface Translation {
  from: string
  to: string
  flags: string
}

/** `line`: where it begins; `warns`: which warnings are on there. */
export type Statement = { line?: number; warns?: Warnings } & StatementKind

type StatementKind =
  | { kind: 'expression'; value: Expr }
  | { kind: 'if'; branches: Array<{ test: Expr; isUnless: boolean; body: Block }>; otherwise: Block | undefined }
  | {
      kind: 'while'
      label: string | undefined
      test: Expr | undefined
      isUntil: boolean
      body: Block
      next: Block | undefined
      scope: 'own' | 'none'
    }
  /** The body runs before the first test. */
  | { kind: 'do-while'; body: Expr; test: Expr; isUntil: boolean }
  | {
      kind: 'for'
      label: string | undefined
      first: Expr | undefined
      test: Expr | undefined
      step: Expr | undefined
      body: Block
    }
  | { kind: 'foreach'; label: string | undefined; variable: Variable; list: Expr; body: Block }
  | { kind: 'block'; label: string | undefined; body: Block }
  | { kind: 'nothing' }

export interface Block {
  statements: Statement[]
  /** What `local` changed is put back at its end. */
  hasLocal: boolean
}

export interface Sub {
  name: string | undefined
  body: Block
  /** How many places its frame has. */
  slots: { count: number }
  /** Variables of the code around it: where they are there, and where in its own frame. */
  captures: Array<{ sigil: Sigil; outer: number; inner: number }>
  warns?: Warnings
}

export interface PerlProgram {
  main: Sub
  subs: Map<string, Sub>
  /** Blocks that run first, and at the end. */
  begin: Block[]
  end: Block[]
  isStrict: boolean
}
