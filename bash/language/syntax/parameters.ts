/** Reads `${…}`. */
import type { Parameter, ParameterOperation, Word } from './ast.js'
import { type Input, type PartsMode, readWord } from './input.js'
import { findClosing } from './matching.js'
import {
  allReplacedMode,
  offsetMode,
  operandMode,
  quotedOperandMode,
  replacedMode,
  sliceLengthMode,
  subscriptMode,
} from './modes.js'
import { unmatched } from './unexpected.js'

const identifier = /[A-Za-z_][A-Za-z0-9_]*|[0-9]+/y
const special = /[@*#?$!_-]/
const operators = { '-': 'default', '=': 'assign', '?': 'error', '+': 'alternative' } as const
const cases = { '^': 'upper', ',': 'lower', '~': 'toggle' } as const

/** Reads from `${` to the `}`. What bash calls a bad substitution, when it runs, has the operation `invalid`. */
export function readBracedParameter(input: Input, mode: PartsMode): Parameter {
  const start = input.at
  input.at += 2
  const parameter = readLength(input) ?? readOther(input, mode)
  if (parameter !== undefined && input.text[input.at] === '}') {
    input.at += 1
    return parameter
  }
  if (input.at >= input.text.length) throw unmatched(input, '}', start)
  // The first `}` closes, whatever is opened before it.
  const end = findClosing(input.text, start + 2, '', '}')
  if (end < 0) throw unmatched(input, '}', start)
  input.at = end + 1
  const source = input.text.slice(start, input.at)
  return { type: 'parameter', name: '', indirect: false, operation: { type: 'invalid', source } }
}

/** `${#name}`; otherwise `#` is a parameter with an operation. */
function readLength(input: Input): Parameter | undefined {
  const start = input.at
  if (input.text[start] !== '#') return undefined
  input.at += 1
  const name = readName(input)
  if (name !== undefined) {
    const subscript = readSubscript(input)
    if (input.text[input.at] === '}') {
      return {
        type: 'parameter',
        name,
        ...(subscript && { subscript }),
        indirect: false,
        operation: { type: 'length' },
      }
    }
  }
  input.at = start
  return undefined
}

function readOther(input: Input, mode: PartsMode): Parameter | undefined {
  if (/^!#[^}]/.test(input.text.slice(input.at, input.at + 3))) return undefined
  const indirect = takesIndirection(input)
  const name = readName(input)
  if (name === undefined) return undefined
  const { text } = input
  const next = text[input.at]
  if (indirect && (next === '*' || next === '@') && text[input.at + 1] === '}') {
    input.at += 1
    return { type: 'parameter', name, indirect: true, operation: { type: 'names', separate: next === '@' } }
  }
  const subscript = readSubscript(input)
  if (subscript?.source === '') return undefined
  if (indirect && (subscript?.source === '@' || subscript?.source === '*') && text[input.at] === '}') {
    const operation: ParameterOperation = { type: 'keys', separate: subscript.source === '@' }
    return { type: 'parameter', name, subscript, indirect: true, operation }
  }
  const parameter: Parameter = { type: 'parameter', name, ...(subscript && { subscript }), indirect }
  if (text[input.at] === '}') return parameter
  if (name === '#' && /[\^,~]/.test(text[input.at] ?? '')) return undefined
  const operation = readOperation(input, mode)
  return operation && { ...parameter, operation }
}

/** `${!name…}`, where `!` is not the parameter itself. */
function takesIndirection(input: Input): boolean {
  const { text, at } = input
  if (text[at] !== '!') return false
  const next = text[at + 1] ?? '}'
  const isIndirect = /[A-Za-z0-9_]/.test(next) || (/[@*#?$!-]/.test(next) && text[at + 2] === '}')
  if (isIndirect) input.at += 1
  return isIndirect
}

function readName(input: Input): string | undefined {
  identifier.lastIndex = input.at
  const [name] = identifier.exec(input.text) ?? []
  const found = name ?? (special.test(input.text[input.at] ?? '') ? input.text[input.at] : undefined)
  if (found !== undefined) input.at += found.length
  return found
}

function readSubscript(input: Input): Word | undefined {
  if (input.text[input.at] !== '[') return undefined
  const start = input.at
  input.at += 1
  const subscript = readWord(input, subscriptMode)
  if (input.text[input.at] !== ']') throw unmatched(input, ']', start)
  input.at += 1
  return subscript
}

function readOperation(input: Input, mode: PartsMode): ParameterOperation | undefined {
  const { text } = input
  const first = text[input.at] as string
  const second = text[input.at + 1] ?? ''
  if (first === ':' && second in operators) {
    input.at += 2
    return readDefault(input, mode, second as keyof typeof operators, true)
  }
  if (first in operators) {
    input.at += 1
    return readDefault(input, mode, first as keyof typeof operators, false)
  }
  switch (first) {
    case ':':
      return readSlice(input)
    case '#':
    case '%': {
      const longest = second === first
      input.at += longest ? 2 : 1
      const pattern = readWord(input, operandMode)
      return { type: 'remove', side: first === '#' ? 'prefix' : 'suffix', longest, pattern }
    }
    case '/':
      return readReplace(input)
    case '^':
    case ',':
    case '~': {
      const all = second === first
      input.at += all ? 2 : 1
      const pattern = readWord(input, operandMode)
      return { type: 'case', to: cases[first], all, ...(pattern.parts.length > 0 && { pattern }) }
    }
    case '@':
      if (!/[A-Za-z]/.test(second)) return undefined
      input.at += 2
      return { type: 'transform', operator: second }
  }
  return undefined
}

function readDefault(
  input: Input,
  mode: PartsMode,
  operator: keyof typeof operators,
  orEmpty: boolean,
): ParameterOperation {
  return { type: operators[operator], orEmpty, word: readWord(input, mode.quoted ? quotedOperandMode : operandMode) }
}

function readSlice(input: Input): ParameterOperation | undefined {
  input.at += 1
  const offset = readWord(input, offsetMode)
  if (input.text[input.at] !== ':') return offset.source === '' ? undefined : { type: 'slice', offset }
  input.at += 1
  return { type: 'slice', offset, length: readWord(input, sliceLengthMode) }
}

function readReplace(input: Input): ParameterOperation {
  const { text } = input
  const kinds: Readonly<Record<string, 'all' | 'prefix' | 'suffix'>> = { '/': 'all', '#': 'prefix', '%': 'suffix' }
  const where = kinds[text[input.at + 1] ?? ''] ?? 'first'
  input.at += where === 'first' ? 1 : 2
  const pattern = readWord(input, where === 'all' ? allReplacedMode : replacedMode)
  if (text[input.at] !== '/') return { type: 'replace', where, pattern }
  input.at += 1
  return { type: 'replace', where, pattern, replacement: readWord(input, operandMode) }
}
