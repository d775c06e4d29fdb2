/** Reads assignments. */
import type { ArrayLiteral, Assignment, Word } from './ast.js'
import { takeNewline } from './heredocs.js'
import { emptyWord, type Input, isMeta, nested, readWord, skipBlanks } from './input.js'
import { findClosing } from './matching.js'
import { subscriptMode, wordMode } from './modes.js'
import { unexpectedToken, unmatched } from './unexpected.js'

const assigned = /([A-Za-z_][A-Za-z0-9_]*)(\[|\+?=)/y

/** The assignment that is next, if there is one. `isArgument`: of `declare` and the like. */
export function readAssignment(input: Input, isArgument: boolean): Assignment | undefined {
  const { text, at } = input
  assigned.lastIndex = at
  const [all, name, mark] = assigned.exec(text) ?? []
  if (all === undefined || name === undefined) return undefined
  if (mark !== '[') {
    input.at += all.length
    return { type: 'assignment', name, appends: mark === '+=', value: readValue(input) }
  }
  if (!isArgument && findClosing(text, at + all.length, '[', ']') < 0) throw unmatched(input, ']', at)
  if (isArgument && !isOneWord(input, at + all.length)) return undefined
  const subscript = readKey(input, at + name.length)
  if (subscript === undefined) return undefined
  return { type: 'assignment', name, subscript: subscript.key, appends: subscript.appends, value: readValue(input) }
}

/** True when no blank ends the word before the subscript that begins at `at` does. */
function isOneWord(input: Input, at: number): boolean {
  const { at: start, text } = input
  input.at = at
  nested(input, () => readWord(input, wordMode))
  const end = input.at
  input.at = start
  return findClosing(text, at, '[', ']') < end
}

/** `[key]=` or `[key]+=` at `at`, or nothing. */
function readKey(input: Input, at: number): { key: Word; appends: boolean } | undefined {
  const { text } = input
  const end = findClosing(text, at + 1, '[', ']')
  if (end < 0) return undefined
  const appends = text.startsWith('+=', end + 1)
  if (!appends && text[end + 1] !== '=') return undefined
  const start = input.at
  input.at = at + 1
  const key = nested(input, () => readWord(input, subscriptMode))
  if (input.at !== end) {
    input.at = start
    return undefined
  }
  input.at = end + (appends ? 3 : 2)
  return { key, appends }
}

function readValue(input: Input): Word | ArrayLiteral {
  if (input.text[input.at] === '(') return nested(input, () => readArray(input))
  return readPlainValue(input)
}

function readPlainValue(input: Input): Word {
  const next = input.text[input.at]
  const isProcess = (next === '<' || next === '>') && input.text[input.at + 1] === '('
  return isMeta(next) && !isProcess ? emptyWord() : readWord(input, wordMode)
}

function readArray(input: Input): ArrayLiteral {
  const start = input.at
  const elements: ArrayLiteral['elements'] = []
  input.at += 1
  for (;;) {
    skipBlanks(input)
    const next = input.text[input.at]
    if (next === undefined) throw unmatched(input, ')', start)
    if (next === '\n') takeNewline(input)
    else if (next === ')') break
    else elements.push(readElement(input))
  }
  input.at += 1
  return { type: 'array', elements, source: input.text.slice(start, input.at) }
}

function readElement(input: Input): ArrayLiteral['elements'][number] {
  const keyed = input.text[input.at] === '[' ? readKey(input, input.at) : undefined
  if (keyed !== undefined) return { key: keyed.key, appends: keyed.appends, value: readPlainValue(input) }
  const start = input.at
  const value = readWord(input, wordMode)
  if (input.at === start || input.text[input.at] === '(') {
    const fault = unexpectedToken(input)
    fault.inArray = true
    throw fault
  }
  return { value }
}
