/** The syntax tree of a script. */
import type { SyntaxFault } from './fault.js'

export interface Script {
  statements: Statement[]
}

/** One and-or list, such as `a && b || c &`. */
export interface Statement {
  first: Pipeline
  rest: Array<{ operator: '&&' | '||'; pipeline: Pipeline }>
  background: boolean
  line: number
  /** As written, for messages about jobs. */
  source?: string
}

export interface Pipeline {
  negated: boolean
  timed?: 'bash' | 'posix'
  commands: Command[]
  /** For each command: whether its stderr goes into the pipe too (`|&`). */
  pipesErrors: boolean[]
}

export type Command =
  | Simple
  | Group
  | Subshell
  | If
  | While
  | For
  | ArithmeticFor
  | Select
  | Case
  | Arithmetic
  | Condition
  | FunctionDefinition
  | Coprocess

interface Common {
  redirections: Redirection[]
  line: number
}

export interface Simple extends Common {
  type: 'simple'
  assignments: Assignment[]
  /** The command's name and arguments. Arguments of `declare`, `local`, `export`, `readonly`, `typeset` may be assignments. */
  words: Array<Word | Assignment>
}

/** `a=1`, `a+=1`, `a[i]=1`, `a=(…)`, `a+=(…)`. */
export interface Assignment {
  type: 'assignment'
  name: string
  /** The text between the brackets, parsed as a word; arithmetic or a key, depending on the variable. */
  subscript?: Word
  appends: boolean
  value: Word | ArrayLiteral
}

export interface ArrayLiteral {
  type: 'array'
  elements: Array<{ key?: Word; appends?: boolean; value: Word }>
  /** As written, with its brackets. */
  source: string
}

/** `{ …; }` */
export interface Group extends Common {
  type: 'group'
  body: Statement[]
}

/** `( … )` */
export interface Subshell extends Common {
  type: 'subshell'
  body: Statement[]
}

export interface If extends Common {
  type: 'if'
  clauses: Array<{ condition: Statement[]; body: Statement[] }>
  otherwise?: Statement[]
}

export interface While extends Common {
  type: 'while'
  until: boolean
  condition: Statement[]
  body: Statement[]
}

export interface For extends Common {
  type: 'for'
  name: string
  /** Absent: the positional parameters. */
  words?: Word[]
  body: Statement[]
}

/** `for ((a; b; c))`; each part is an arithmetic expression, empty when it is left out. */
export interface ArithmeticFor extends Common {
  type: 'arithmetic-for'
  init: Word
  condition: Word
  step: Word
  body: Statement[]
}

export interface Select extends Common {
  type: 'select'
  name: string
  words?: Word[]
  body: Statement[]
}

export interface Case extends Common {
  type: 'case'
  subject: Word
  /** `end`: `;;` stops, `;&` runs the next body, `;;&` tests the next patterns. */
  items: Array<{ patterns: Word[]; body: Statement[]; end: ';;' | ';&' | ';;&' }>
}

/** `(( … ))` */
export interface Arithmetic extends Common {
  type: 'arithmetic'
  expression: Word
}

/** `[[ … ]]` */
export interface Condition extends Common {
  type: 'condition'
  test: Test
}

export type Test =
  | { type: 'unary'; operator: string; operand: Word }
  /** The right side of `==`, `=`, `!=` is a pattern and of `=~` a regular expression, except for its quoted parts. */
  | { type: 'binary'; operator: string; left: Word; right: Word }
  | { type: 'not'; test: Test }
  | { type: 'and' | 'or'; left: Test; right: Test }

export interface FunctionDefinition extends Common {
  type: 'function'
  name: string
  body: Command
  /** As written, for `declare -f` and `type`. */
  source: string
}

export interface Coprocess extends Common {
  type: 'coprocess'
  name?: string
  body: Command
}

export interface Redirection {
  operator: '<' | '>' | '>>' | '>|' | '<>' | '<&' | '>&' | '&>' | '&>>' | '<<<' | '<<'
  /** Absent: the operator's default. */
  descriptor?: number
  /** `{name}>file`: the shell chooses a descriptor and assigns it. */
  variable?: string
  /** The file or descriptor; for `<<<` the text; for `<<` the body, expanded unless the delimiter was quoted. */
  target: Word
  /** Of a here-document, as it is shown. */
  delimiter?: string
  line: number
}

export interface Word {
  type: 'word'
  parts: Part[]
  /** As written. */
  source: string
}

export type Part =
  /** Unquoted text without quotes and escapes: may hold glob characters, braces and a leading tilde. */
  | { type: 'text'; text: string }
  /** `'…'`, `$'…'` (decoded), `\x` or text of a double-quoted string: taken as it is. */
  | { type: 'quoted'; text: string }
  /** `"…"` and `$"…"`: its parts are `quoted`, `parameter`, `command` and `arithmetic` only. */
  | { type: 'double'; parts: Part[] }
  | Parameter
  /**
   * `$(…)` and backquotes. `fault`: the text is wrong, which is reported when it runs; then it expands to nothing, and with
   * `failsCommand` the command does not run.
   */
  | { type: 'command'; body: Statement[]; source: string; fault?: SyntaxFault; failsCommand?: true }
  /** `$((…))` and `$[…]`. */
  | { type: 'arithmetic'; expression: Word }
  /** `<(…)` and `>(…)` */
  | { type: 'process'; direction: '<' | '>'; body: Statement[]; source: string }

/** `$name`, `${name…}` */
export interface Parameter {
  type: 'parameter'
  /** A variable, a digit or digits, or one of `@ * # ? - $ ! _`. */
  name: string
  /** `${a[…]}`; `@` and `*` are words of that text. */
  subscript?: Word
  /** `${!name…}` */
  indirect: boolean
  /** `$name` without braces. */
  bare?: true
  operation?: ParameterOperation
}

export type ParameterOperation =
  /** `${#name}` */
  | { type: 'length' }
  /** `-`, `=`, `?`, `+`; `orEmpty` with a colon. */
  | { type: 'default' | 'assign' | 'error' | 'alternative'; orEmpty: boolean; word: Word }
  /** `${name#pattern}`, `##`, `%`, `%%` */
  | { type: 'remove'; side: 'prefix' | 'suffix'; longest: boolean; pattern: Word }
  /** `${name/pattern/replacement}`; `where`: `//` all, `/#` prefix, `/%` suffix. */
  | { type: 'replace'; where: 'first' | 'all' | 'prefix' | 'suffix'; pattern: Word; replacement?: Word }
  /** `${name:offset:length}`; arithmetic. */
  | { type: 'slice'; offset: Word; length?: Word }
  /** `^`, `^^`, `,`, `,,`, `~`, `~~` */
  | { type: 'case'; to: 'upper' | 'lower' | 'toggle'; all: boolean; pattern?: Word }
  /** `${name@Q}` and the like. */
  | { type: 'transform'; operator: string }
  /** `${!prefix@}` and `${!prefix*}`: names. */
  | { type: 'names'; separate: boolean }
  /** `${!name[@]}`: keys. */
  | { type: 'keys'; separate: boolean }
  /** What bash calls a bad substitution when it runs; `source` is all of `${…}`. */
  | { type: 'invalid'; source: string }
