/** The vocabulary of the conformance cases in `<dialect>/<tool>.json`: plain data, the same on every backend. */

export interface VectorFile {
  dialect: string
  cases: VectorCase[]
}

/** `{ROOT}`, `{OUTSIDE}` and `{BASE}` stand for places in every text of a case. */
export interface VectorCase {
  /** Unique in its file. */
  name: string
  /** What is in the workspace before. */
  tree?: Tree
  /** What lies beside the workspace, where nothing may be reached. */
  outside?: Tree
  /** Adds a minimal `.git`. */
  git?: boolean
  flags?: Flags
  /** Must not share a server with cases before it. */
  fresh?: boolean
  /** One after the other; those in an inner array are sent at once. */
  calls: Array<Call | Call[]>
  /** What changed; a key may begin with `{OUTSIDE}/`. All that is not named must be as before, on both sides of the border. */
  after?: Record<string, After>
  /** Why the described behaviour was chosen where the program it describes behaves otherwise. */
  oracle?: string
}

/** What the server is started with. */
export interface Flags {
  readOnly?: boolean
  allowRead?: string[]
  allowWrite?: string[]
}

/** Nodes by path, where a path that ends in `/` is a directory. Parents need not be listed. */
export type Tree = Record<string, TreeNode>

export type TreeNode = string | FileNode

/** Also a directory, which has at most a mode and a time. */
export interface FileNode {
  text?: string
  base64?: string
  gen?: Generated
  /** So many zero bytes. */
  size?: number
  link?: string
  /** In octal. */
  mode?: string
  /** Seconds since 1970. */
  mtime?: number
}

/** A text over and over, or a line for each number. */
export type Generated = { prefix?: string; suffix?: string } & (
  | { repeat: string; times: number }
  /** `{i}` is the number, `{i6}` the number in six columns, `{i3}` with zeros to three digits. */
  | { line: string; from?: number; to: number }
)

/** `null` is gone. */
export type After = null | string | (Pick<FileNode, 'text' | 'base64' | 'gen' | 'link' | 'mode'> & AfterRules)

interface AfterRules {
  dir?: true
  regex?: string
  /** There is a place for it elsewhere on some stages. */
  optional?: true
}

export type Call = (ToolCall | MethodCall | LineCall) & {
  expect?: Expectation
  /** Generous, for what must not hang. */
  maxMs?: number
}

export interface ToolCall {
  tool: string
  args?: Record<string, unknown>
}

/** A request of the protocol itself. */
export interface MethodCall {
  method: string
  params?: Record<string, unknown>
}

/** A line as it is, valid or not; `rawId` is the id in the answer, `null` without one. */
export interface LineCall {
  raw: string
  rawId?: number
}

/** What an answer must be. Without `error` and `fails` it is a result, without `isError` one that succeeded. */
export interface Expectation {
  /** Of the first content item. */
  text?: TextMatcher
  /** Of the first content item, read as JSON. */
  json?: ValueMatcher
  /** One for each content item. */
  content?: Array<TextMatcher | ValueMatcher>
  structured?: ValueMatcher
  isError?: boolean
  /** An error of the protocol. */
  error?: { code?: ValueMatcher; message?: TextMatcher }
  /** A failure in either channel, with this message. */
  fails?: true | TextMatcher
  /** Of the result as it is. */
  result?: ValueMatcher
  /** The names of the tools in the result, in any order. */
  tools?: string[]
  /** Any of these. */
  oneOf?: Expectation[]
}

/** A text to be equal to, or rules which all must hold. */
export type TextMatcher = string | TextRules

export interface TextRules {
  regex?: string
  contains?: string[]
  notContains?: string[]
  startsWith?: string
  endsWith?: string
  /** The same lines in any order. */
  lines?: string[]
  /** Without white space around it. */
  trimmed?: TextMatcher
  /** Contains these in any case. */
  ignoreCase?: string[]
  /** In bytes. */
  minLength?: number
  maxLength?: number
  anyOf?: TextMatcher[]
  json?: ValueMatcher
  $gen?: Generated
}

/** JSON to be equal to, where objects may hold further keys; one whose keys begin with `$` is made of operators. */
export type ValueMatcher = unknown
