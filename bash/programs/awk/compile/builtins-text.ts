/** Compiles calls of the built-in functions of text. */

import { isEscapedByte } from '../../../io/byte-text.js'
import type { TextLocale } from '../../../io/locale.js'
import { AwkFatal, SourceLine } from '../syntax/awk-error.js'
import { isTarget } from '../syntax/parse-expressions.js'
import type { Expr } from '../syntax/syntax.js'
import type { AwkArray } from '../values/array.js'
import { characterCount, formatText, hasPairs } from '../values/format.js'
import { type Splitter, splitBlanks, splitCharacters, splitMatches, splitRegex, splitterFor } from '../values/split.js'
import { literalOf, parseGroupReplacement, parseReplacement, substitute } from '../values/substitute.js'
import { numberOf, RegexText, type Scalar, toNumber, UserText } from '../values/values.js'
import { all, type Code, constant, map, map2, now } from './code.js'
import { compileTarget } from './compile-targets.js'
import type { BuiltinCall, Compiler } from './compiler.js'

export function compileTextBuiltin(compiler: Compiler, call: BuiltinCall): Code<Scalar> {
  const { name, args } = call
  const { text, locale, dialect } = compiler.runtime
  const [first = wholeRecord, second = wholeRecord, third] = args
  switch (name) {
    case 'length':
      return length(compiler, args[0])
    case 'substr':
      return substring(compiler, first, second, third)
    case 'index':
      if (second.kind === 'regex')
        throw new AwkFatal('index: regexp constant as second argument is not allowed', call.line)
      return map2(compiler.text(first), compiler.text(second), (within, wanted) => {
        const at = within.indexOf(wanted)
        return at <= 0 ? at + 1 : characterCount(within.slice(0, at)) + 1
      })
    case 'tolower':
      return map(compiler.text(first), (given) => changeCase(given, 'toLowerCase', locale))
    case 'toupper':
      return map(compiler.text(first), (given) => changeCase(given, 'toUpperCase', locale))
    case 'sprintf': {
      const values = all(args.slice(1).map((arg) => compiler.value(arg)))
      return map2(compiler.text(first), values, (format, given) =>
        formatText(format, given, text, { isBytes: locale.isBytes, ...dialect }),
      )
    }
    // There are no translations here.
    case 'dcgettext':
      return map(all([first, ...args.slice(1)].map((arg) => compiler.text(arg))), ([given = '']) => given)
    case 'dcngettext': {
      const rest = all(args.slice(3).map((arg) => compiler.value(arg)))
      const texts = map2(all([compiler.text(first), compiler.text(second)]), rest, (given) => given)
      return map2(texts, compiler.number(third as Expr), ([one = '', many = ''], count) => (count === 1 ? one : many))
    }
    case 'strtonum':
      return map(compiler.value(first), strtonum)
    case 'match':
      return match(compiler, call)
    case 'split':
    case 'patsplit':
      return split(compiler, call)
    case 'sub':
    case 'gsub':
      return substitution(compiler, call)
    case 'gensub':
      return generalSubstitution(compiler, call)
    default:
      throw new AwkFatal(`the function ${name} is not supported by this shell`)
  }
}

const wholeRecord: Expr = {
  kind: 'field',
  index: { kind: 'number', value: 0 },
  line: new SourceLine('cmd. line', 1),
}

function length(compiler: Compiler, arg: Expr | undefined): Code<Scalar> {
  const { runtime } = compiler
  const sizeOf = (array: AwkArray): number => {
    if (runtime.dialect.posix) throw new AwkFatal('length: received array argument')
    return array.size
  }
  if (arg?.kind === 'name') {
    const place = compiler.place(arg)
    if (place.kind === 'global' && compiler.analysis.globalArrays.has(place.name)) {
      return map(compiler.array(arg), sizeOf)
    }
    if (place.kind === 'local') {
      return now((frame) => {
        const value = frame[place.slot]
        return isArray(value) ? sizeOf(value) : characterCount(runtime.text(value))
      })
    }
  }
  if (arg?.kind === 'element') {
    return map2(compiler.array(arg.array), compiler.key(arg.keys), (array, key) => {
      const value = array.get(key)
      return isArray(value) ? sizeOf(value) : characterCount(runtime.text(value))
    })
  }
  return map(compiler.text(arg ?? wholeRecord), characterCount)
}

function isArray(value: unknown): value is AwkArray {
  return typeof value === 'object' && !(value instanceof UserText)
}

/** From `start`, which counts from 1; a start before the text is 1. */
function substring(compiler: Compiler, given: Expr, from: Expr, count: Expr | undefined): Code<Scalar> {
  const cut = (text: string, start: number, length: number): string => {
    const first = Math.max(0, Math.trunc(start) - 1)
    const size = Math.trunc(length)
    if (!(size > 0)) return ''
    return hasPairs(text) ? [...text].slice(first, first + size).join('') : text.slice(first, first + size)
  }
  const text = compiler.text(given)
  const start = compiler.number(from)
  if (count === undefined) return map2(text, start, (within, at) => cut(within, at, Infinity))
  const sizes = map2(start, compiler.number(count), (at, length): [number, number] => [at, length])
  return map2(text, sizes, (within, [at, length]) => cut(within, at, length))
}

/** Case is changed only where the result is one character too, as in C. Bytes that are not text become U+FFFD. */
function changeCase(text: string, change: 'toLowerCase' | 'toUpperCase', { isBytes }: TextLocale): string {
  const changed = text[change]()
  if (isBytes || !/[^\0-\x7f]/.test(text)) return changed
  return text.replace(/[\s\S]/gu, (character) => {
    if (isEscapedByte(character)) return '\ufffd'
    const other = character[change]()
    return [...other].length === 1 ? other : character
  })
}

function strtonum(value: Scalar): number {
  if (typeof value === 'number') return value
  const text = value === undefined ? '' : typeof value === 'string' ? value : value.text
  const [, sign, hexadecimal, octal] = /^\s*([-+]?)(?:0[xX]([0-9a-fA-F]+)|0([0-7]+)(?![0-9.eE]))/.exec(text) ?? []
  const factor = sign === '-' ? -1 : 1
  if (hexadecimal !== undefined) return factor * Number.parseInt(hexadecimal, 16)
  if (octal !== undefined) return factor * Number.parseInt(octal, 8)
  return numberOf(text)
}

function match(compiler: Compiler, { args }: BuiltinCall): Code<Scalar> {
  const { runtime } = compiler
  const [given = wholeRecord, regex = wholeRecord, groups] = args
  const array = groups && compiler.arrayArgument(groups, 'match')
  const start = runtime.slotOf('RSTART')
  const length = runtime.slotOf('RLENGTH')
  const sources = map2(compiler.text(given), compiler.regexSource(regex), (text, source): [string, string] => [
    text,
    source,
  ])
  return map2(sources, array ?? constant(undefined), ([text, source], into) => {
    const compiled = into === undefined ? runtime.regexes.of(source) : runtime.regexes.withGroups(source)
    const found = compiled.exec(text, 0)
    into?.clear()
    const at = (index: number) => characterCount(text.slice(0, index)) + 1
    const first = found === undefined ? 0 : at(found.start)
    runtime.globals[start] = first
    runtime.globals[length] = found === undefined ? -1 : at(found.end) - first
    if (found === undefined || into === undefined) return first
    const spans: Array<[number, number] | undefined> = [[found.start, found.end], ...found.groups]
    spans.forEach((span, group) => {
      if (span === undefined) return
      const separator = runtime.subscriptSeparator
      into.set(group, runtime.userText(text.slice(...span)))
      into.set(`${group}${separator}start`, at(span[0]))
      into.set(`${group}${separator}length`, at(span[1]) - at(span[0]))
    })
    return first
  })
}

function split(compiler: Compiler, { name, args }: BuiltinCall): Code<Scalar> {
  const [given = wholeRecord, target = wholeRecord, separator, separatorArray] = args
  if (separatorArray !== undefined && compiler.runtime.dialect.traditional) {
    return now(() => {
      throw new AwkFatal('split: fourth argument is a gawk extension')
    })
  }
  const splitter = name === 'split' ? splitterOf(compiler, separator) : patternOf(compiler, separator)
  const arrays = all(
    [target, ...(separatorArray ? [separatorArray] : [])].map((arg) => compiler.arrayArgument(arg, name)),
  )
  const { userText } = compiler.runtime
  const parts = map2(compiler.text(given), splitter, (text, run) => ({ text, run }))
  return map2(parts, arrays, ({ text, run }, [into, between]) => {
    if (into === undefined) return 0
    const fields: string[] = []
    const separators: string[] = []
    run(text, fields, between && separators)
    into.clear()
    for (const [index, field] of fields.entries()) into.set(index + 1, userText(field))
    if (between !== undefined) {
      between.clear()
      // What is before the first field and after the last one has its place too, where there can be something.
      const isOuter = run === splitBlanks || name === 'patsplit'
      separators.forEach((gap, index) => {
        const position = isOuter ? index : index + 1
        const isEdge = run === splitBlanks && (index === 0 || index === separators.length - 1)
        if (!(isEdge && gap === '')) between.set(position, gap)
      })
    }
    return fields.length
  })
}

function splitterOf(compiler: Compiler, separator: Expr | undefined): Code<Splitter> {
  const { runtime } = compiler
  const { regexes, text } = runtime
  if (separator === undefined) return now(() => splitterFor(text(runtime.special('FS')), regexes))
  if (separator.kind === 'regex') {
    const { source } = separator
    if (source === '') return constant(splitCharacters)
    return now(() => splitRegex(regexes.of(source)))
  }
  let last = ''
  let lastIgnoreCase = false
  let kept: Splitter | undefined
  return map(compiler.value(separator), (value) => {
    if (value instanceof RegexText && value.text.length > 1) return splitRegex(regexes.of(value.text))
    const given = text(value)
    if (kept === undefined || given !== last || lastIgnoreCase !== regexes.ignoreCase) {
      kept = splitterFor(given, regexes)
      last = given
      lastIgnoreCase = regexes.ignoreCase
    }
    return kept
  })
}

function patternOf(compiler: Compiler, pattern: Expr | undefined): Code<Splitter> {
  const { runtime } = compiler
  const source =
    pattern === undefined ? now(() => runtime.text(runtime.special('FPAT'))) : compiler.regexSource(pattern)
  return map(source, (given) => splitMatches(runtime.regexes.of(given)))
}

function substitution(compiler: Compiler, { name, args }: BuiltinCall): Code<Scalar> {
  const { runtime } = compiler
  const [regex = wholeRecord, replacement = wholeRecord, target = wholeRecord] = args
  const which = name === 'gsub' ? 'all' : 1
  const inputs = map2(compiler.regexSource(regex), compiler.text(replacement), (source, text): [string, string] => [
    source,
    text,
  ])
  let lastText: string | undefined
  let lastParts: ReturnType<typeof parseReplacement> = []
  const partsOf = (text: string) => {
    if (text === lastText) return lastParts
    lastParts = parseReplacement(text, runtime.dialect.posix)
    lastText = text
    return lastParts
  }
  let lastSource: string | undefined
  let literal: string | undefined
  const run = (text: string, [source, given]: [string, string]) => {
    if (source !== lastSource) {
      lastSource = source
      literal = literalOf(source)
    }
    const plain = runtime.regexes.ignoreCase ? undefined : literal
    return substitute(text, runtime.regexes.of(source), partsOf(given), which, plain)
  }
  // What cannot be assigned is only looked at.
  if (!isTarget(target)) {
    return map2(compiler.text(target), inputs, (text, given) => run(text, given).count)
  }
  return compileTarget(compiler, target).change(inputs, (old, given) => run(runtime.text(old), given))
}

function generalSubstitution(compiler: Compiler, { args, line }: BuiltinCall): Code<Scalar> {
  const { runtime } = compiler
  const [regex = wholeRecord, replacement = wholeRecord, how = wholeRecord, target = wholeRecord] = args
  const sources = all([compiler.regexSource(regex), compiler.text(replacement), compiler.text(target)])
  return map2(sources, compiler.value(how), ([source = '', given = '', text = ''], which) => {
    const number = Math.max(1, Math.trunc(toNumber(which)))
    const isAll = /^[gG]/.test(runtime.text(which))
    if (!isAll && !(toNumber(which) >= 1))
      runtime.warn(line, `gensub: third argument \`${runtime.text(which)}' treated as 1`)
    return substitute(text, runtime.regexes.withGroups(source), parseGroupReplacement(given), isAll ? 'all' : number)
      .text
  })
}
