/** A parsed sed script. */
import type { TextLocale } from '../../io/locale.js'
import type { ShellRegex } from '../../regex/index.js'
import type { Replacement } from './replacement.js'

export type Address =
  | { kind: 'line'; line: number }
  | { kind: 'last' }
  | { kind: 'step'; first: number; step: number }
  /** Without a regex the last one that was used. */
  | { kind: 'regex'; regex: ShellRegex | undefined }

export type EndAddress = Address | { kind: 'plus'; count: number } | { kind: 'multiple'; of: number }

export interface Range {
  start: Address
  end?: EndAddress
  isNegated: boolean
  /** `0r`: before the first line. */
  isBeforeAll: boolean
  /** Of a range: whether it holds now, and the line it ends at when that is known. */
  isActive: boolean
  endLine: number
  /** It began at a line of a given number and has ended, so that it can't begin again. */
  isOver: boolean
}

export interface Substitution {
  regex: ShellRegex | undefined
  replacement: Replacement
  isGlobal: boolean
  isPrinted: boolean
  /** The new text is run as a command, whose output replaces it; with `print-first` it is printed before. */
  runs?: 'print-first' | 'then-print'
  /** The first match that is replaced, counted from 1. */
  number: number
  file?: string
}

export type Action =
  | { name: '{'; end: number }
  /** Without a command the pattern space is one. */
  | { name: 'e'; command: string }
  | { name: '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' | 'v' }
  | { name: ':'; label: string }
  | { name: 'a' | 'i' | 'c'; text: string }
  | { name: 'b' | 't' | 'T'; label: string; target: number }
  | { name: 'q' | 'Q'; status: number }
  | { name: 'l'; width: number | undefined }
  | { name: 'r' | 'R' | 'w' | 'W'; file: string }
  | { name: 's'; substitution: Substitution }
  | { name: 'y'; map: ReadonlyMap<string, string> }

export interface Command {
  range: Range | undefined
  action: Action
}

export interface Script {
  commands: Command[]
  /** The script starts with `#n`. */
  isQuiet: boolean
}

export interface ScriptOptions {
  extended: boolean
  /** `e`, `r` and `w` are refused. */
  sandbox: boolean
  /** Lines end with zero bytes, so that line feeds are nothing special. */
  nullData: boolean
  /** Nothing that GNU has beyond POSIX. */
  posix: boolean
  locale: TextLocale
}
