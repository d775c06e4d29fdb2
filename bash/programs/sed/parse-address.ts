/** The addresses before a command. */
import { readDelimited } from './delimited.js'
import type { Address, EndAddress, Range, ScriptOptions } from './script.js'
import type { ScriptReader } from './script-reader.js'
import { sedRegex } from './sed-regex.js'

export function readRange(reader: ScriptReader, options: ScriptOptions): Range | undefined {
  let start = readAddress(reader, options)
  let isBeforeAll = false
  let end: EndAddress | undefined
  if (start !== undefined) {
    reader.skipBlanks()
    if (reader.peek() === ',') {
      reader.next()
      reader.skipBlanks()
      end = readEndAddress(reader, options)
      if (end === undefined) {
        reader.next()
        reader.fail("unexpected `,'")
      }
    }
  }
  if (start?.kind === 'line' && start.line === 0 && (end?.kind !== 'regex' || options.posix)) {
    reader.skipBlanks()
    const name = reader.next()
    if (name !== 'r' || end !== undefined || options.posix) reader.fail('invalid usage of line address 0')
    reader.back()
    start = { kind: 'line', line: 1 }
    isBeforeAll = true
  }
  const isNegated = readNegation(reader)
  if (start === undefined && !isNegated) return undefined
  return {
    // Without an address every line is meant, so that its negation means none.
    start: start ?? { kind: 'step', first: 0, step: 1 },
    ...(end !== undefined && { end }),
    isNegated,
    isBeforeAll,
    isActive: startsActive(start),
    endLine: Infinity,
    isOver: false,
  }
}

/** A range from line 0 holds before the first line, so that its end may be there. */
export function startsActive(start: Address | undefined): boolean {
  return start?.kind === 'line' && start.line === 0
}

function readNegation(reader: ScriptReader): boolean {
  reader.skipBlanks()
  if (reader.peek() !== '!') return false
  reader.next()
  reader.skipBlanks()
  if (reader.peek() === '!') {
    reader.next()
    reader.fail("multiple `!'s")
  }
  return true
}

function readEndAddress(reader: ScriptReader, options: ScriptOptions): EndAddress | undefined {
  const sign = reader.peek()
  if (options.posix && (sign === '+' || sign === '~')) return undefined
  if (sign !== '+' && sign !== '~') return readAddress(reader, options)
  reader.next()
  const number = readNumber(reader)
  return sign === '+' ? { kind: 'plus', count: number } : { kind: 'multiple', of: number }
}

function readAddress(reader: ScriptReader, options: ScriptOptions): Address | undefined {
  const first = reader.peek()
  if (first === undefined) return undefined
  if (/^[0-9]$/.test(first)) return readLine(reader, options)
  if (first === '$') {
    reader.next()
    return { kind: 'last' }
  }
  if (first === '+' || first === '~') {
    reader.next()
    reader.next()
    reader.fail('invalid usage of +N or ~N as first address')
  }
  if (first !== '/' && first !== '\\') return undefined
  reader.next()
  const delimiter = first === '/' ? '/' : reader.next()
  const source = delimiter === undefined ? undefined : readDelimited(reader, delimiter, true)
  if (source === undefined) reader.fail('unterminated address regex')
  let ignoreCase = false
  let multiline = false
  for (;;) {
    const flag = reader.peek()
    if (options.posix) break
    if (flag === 'I') ignoreCase = true
    else if (flag === 'M') multiline = true
    else break
    reader.next()
  }
  return { kind: 'regex', regex: sedRegex(reader, source, { ...options, ignoreCase, multiline }) }
}

function readLine(reader: ScriptReader, { posix }: ScriptOptions): Address {
  const first = readNumber(reader)
  reader.skipBlanks()
  if (posix || reader.peek() !== '~') return { kind: 'line', line: first }
  reader.next()
  return { kind: 'step', first, step: readNumber(reader) }
}

export function readNumber(reader: ScriptReader): number {
  let digits = ''
  while (/^[0-9]$/.test(reader.peek() ?? '')) digits += reader.next()
  return Number(digits)
}
