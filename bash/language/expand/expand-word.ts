/** Expands words, in bash's order: braces, tildes, parameters and substitutions, splitting, file names, quotes. */

import { BraceFault, expandBraces } from '../patterns/braces.js'
import { AbandonJump, ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import type { Part, Word } from '../syntax/ast.js'
import type { SyntaxFault } from '../syntax/fault.js'
import type { Expander } from './expander.js'
import { expandFileNames, hasGlob } from './file-names.js'
import { emitParameter, plainParameter } from './parameter.js'
import { FieldSink, joinSegments, type Segment, type Separators, type Sink, separatorsOf, TextSink } from './sinks.js'
import { tildeDirectory } from './tilde.js'
import { readText } from './variable-access.js'

/** What is known of a word before it is expanded. */
interface WordFacts {
  /** It always is this one field. */
  field?: string
  /** Without splitting, it always is this text. */
  text?: string
  /** After the expansion of braces. */
  braced?: readonly Word[]
  /** Only texts, plain parameters and arithmetic: expanded without waiting. `field`: even as a field. */
  quick?: 'text' | 'field'
}

const facts = new WeakMap<Word, WordFacts>()
const special = /[*?~]|[+@!]\(/

function factsOf(word: Word): WordFacts {
  const known = facts.get(word)
  if (known !== undefined) return known
  const found = examine(word)
  facts.set(word, found)
  return found
}

function examine({ parts }: Word): WordFacts {
  let text = ''
  let isField = parts.length > 0
  let isFixed = true
  for (const part of parts) {
    if (part.type === 'double') {
      if (part.parts.some(({ type }) => type !== 'quoted')) isFixed = false
      for (const inner of part.parts) if (inner.type === 'quoted') text += inner.text
      continue
    }
    if (part.type !== 'text' && part.type !== 'quoted') {
      isFixed = false
      continue
    }
    if (part.type === 'text' && special.test(part.text)) isField = false
    if (part.type === 'text' && part.text.includes('~')) return {}
    text += part.text
  }
  // Brackets and braces only count when they can be complete.
  if (/\[.*\]/s.test(text) || /\{.*(?:,|\.\.)/s.test(text)) isField = false
  if (isFixed) return isField ? { field: text, text } : { text }
  if (!parts.every(isQuick)) return {}
  const isQuickField = isField && !/[[\]{}]/.test(text) && !parts.some(({ type }) => type === 'arithmetic')
  return { quick: isQuickField ? 'field' : 'text' }
}

/** Whether a part is expanded without waiting. */
function isQuick(part: Part): boolean {
  switch (part.type) {
    case 'text':
    case 'quoted':
      return true
    case 'double':
      return part.parts.every(isQuick)
    case 'parameter':
      return (
        part.operation === undefined &&
        !part.indirect &&
        part.subscript === undefined &&
        part.name !== '@' &&
        part.name !== '*'
      )
    case 'arithmetic': {
      const known = factsOf(part.expression)
      return known.text !== undefined || known.quick !== undefined
    }
    default:
      return false
  }
}

/** The text of quick parts. */
function quickText(shell: Shell, parts: readonly Part[]): string {
  let text = ''
  for (const part of parts) {
    switch (part.type) {
      case 'text':
      case 'quoted':
        text += part.text
        break
      case 'double':
        text += quickText(shell, part.parts)
        break
      case 'parameter':
        text += plainParameter(shell, part)
        break
      case 'arithmetic': {
        const expression = factsOf(part.expression).text ?? quickExpression(shell, part.expression)
        text += String(shell.arithmetic.calculate(shell, expression))
        break
      }
    }
  }
  return text
}

function quickExpression(shell: Shell, expression: Word): string {
  const { parts } = expression
  if (!hasSubscript(expression)) return quickText(shell, parts)
  return joinSubscripts(
    parts,
    parts.map((part) => quickText(shell, [part])),
    'quoted',
  )
}

const needsSplitting = /[ \t\n*?[\]\\]/

/** The one field that quick parts are; undefined when they have to be split. */
function quickField(shell: Shell, parts: readonly Part[]): string | undefined {
  const ifs = readText(shell, 'IFS')
  if (ifs !== undefined && ifs !== ' \t\n') return undefined
  let text = ''
  for (const part of parts) {
    if (part.type === 'parameter') {
      const value = plainParameter(shell, part)
      if (value === '' || needsSplitting.test(value)) return undefined
      text += value
    } else if (part.type === 'double') text += quickText(shell, part.parts)
    else if (part.type === 'text' || part.type === 'quoted') text += part.text
  }
  return text
}

/** The text of a word that is expanded without waiting; undefined for all others. */
export function expandQuickly(shell: Shell, word: Word): string | undefined {
  const { text, quick } = factsOf(word)
  if (text !== undefined) return text
  return quick === undefined ? undefined : quickText(shell, word.parts)
}

export function separators(shell: Shell): Separators {
  return separatorsOf(readText(shell, 'IFS'))
}

/** The fields of several words, such as the arguments of a command. */
export function* expandFields(shell: Shell, words: readonly Word[]): Steps<string[]> {
  const fields: string[] = []
  for (const word of words) {
    const { field, quick } = factsOf(word)
    const known = field ?? (quick === 'field' ? quickField(shell, word.parts) : undefined)
    if (known !== undefined) fields.push(known)
    else yield* addFields(shell, word, fields)
  }
  return fields
}

function bracesOf(word: Word): readonly Word[] {
  try {
    return expandBraces(word)
  } catch (error) {
    if (error instanceof BraceFault) throw new ExpansionFailure(error.message)
    throw error
  }
}

/** The words that braces make of a word. */
export function bracedWords(shell: Shell, word: Word): readonly Word[] {
  if (!shell.options.has('braceexpand')) return [word]
  const known = factsOf(word)
  known.braced ??= bracesOf(word)
  return known.braced
}

function* addFields(shell: Shell, word: Word, fields: string[]): Steps<void> {
  for (const one of bracedWords(shell, word)) {
    const sink = new FieldSink(separators(shell))
    yield* emitWord(shell, one, sink, 'command')
    for (const segments of sink.finish()) {
      if (shell.options.noglob || !hasGlob(shell, segments)) fields.push(joinSegments(segments))
      else fields.push(...(yield* expandFileNames(shell, segments)))
    }
  }
}

/** In assignments tildes count after colons too; in a plain text they do not count at all. */
export type TextContext = 'assignment' | 'word' | 'plain'

/** The text of a word that is not split: the value of an assignment, the subject of `case`, a file to redirect to. */
export function* expandText(shell: Shell, word: Word, context: TextContext = 'word'): Steps<string> {
  const text = expandQuickly(shell, word)
  if (text !== undefined) return text
  const sink = new TextSink(separators(shell))
  if (context === 'plain') yield* emitParts(shell, word.parts, sink, 'literal')
  else yield* emitWord(shell, word, sink, context)
  return sink.text()
}

/** The text of an arithmetic expression. What subscripts in it stand for is quoted, as they are read once more. */
export function* expandArithmetic(shell: Shell, word: Word): Steps<string> {
  const { text, quick } = factsOf(word)
  if (text !== undefined) return text
  if (quick !== undefined) return quickExpression(shell, word)
  return hasSubscript(word) ? yield* expandBracketed(shell, word, 'quoted') : yield* expandText(shell, word)
}

/** The text of a name, with its subscript as in an expression when that is part of the script. */
export function* expandName(shell: Shell, word: Word): Steps<string> {
  const [first] = word.parts
  const isElement = first?.type === 'text' && /^\w+\[/.test(first.text)
  return isElement ? yield* expandBracketed(shell, word, 'text') : yield* expandText(shell, word)
}

function* expandBracketed(shell: Shell, { parts }: Word, raw: 'quoted' | 'text'): Steps<string> {
  const texts: string[] = []
  for (const part of parts) {
    texts.push(part.type === raw ? part.text : yield* expandText(shell, { type: 'word', parts: [part], source: '' }))
  }
  return joinSubscripts(parts, texts, raw)
}

function hasSubscript({ parts }: Word): boolean {
  return parts.length > 1 && parts.some((part) => part.type === 'quoted' && part.text.includes('['))
}

/** Joins what the parts of an expression stand for. `raw`: those that are its own text. */
function joinSubscripts(parts: readonly Part[], texts: readonly string[], raw: 'quoted' | 'text'): string {
  let level = 0
  return parts
    .map(({ type }, at) => {
      const text = texts[at] as string
      if (type !== raw) return level > 0 ? text.replace(/[[\]$`"'\\]/g, '\\$&') : text
      for (const [bracket] of text.matchAll(/[[\]]/g)) level = Math.max(0, level + (bracket === '[' ? 1 : -1))
      return text
    })
    .join('')
}

/** The same as a pattern: with what was quoted. */
export function* expandPattern(shell: Shell, word: Word): Steps<Segment[]> {
  const sink = new TextSink(separators(shell))
  yield* emitWord(shell, word, sink, 'word')
  return sink.segments
}

export const expander: Expander = {
  text: (shell, word) => expandText(shell, word),
  plain: (shell, word) => expandText(shell, word, 'plain'),
  quick: expandQuickly,
  arithmetic: expandArithmetic,
  pattern: expandPattern,
  *emit(shell, word, sink, quoted) {
    if (quoted) yield* emitParts(shell, word.parts, sink, 'quoted')
    else {
      const rest = emitTilde(shell, word.parts, sink)
      yield* emitParts(shell, rest, sink, 'split')
    }
  },
}

/** What unquoted text is: part of the script, of an expansion that is split, or of a double-quoted string. */
type TextMode = 'literal' | 'split' | 'quoted'

function* emitWord(shell: Shell, { parts }: Word, sink: Sink, context: 'command' | 'assignment' | 'word'): Steps<void> {
  const rest = emitTilde(shell, parts, sink)
  const prepared = context === 'word' ? rest : withInnerTildes(shell, rest, context)
  yield* emitParts(shell, prepared, sink, 'literal')
}

/** Emits what a leading tilde stands for, and returns the parts that follow. */
function emitTilde(shell: Shell, parts: readonly Part[], sink: Sink): readonly Part[] {
  const [first, ...rest] = parts
  if (first?.type !== 'text' || !first.text.startsWith('~')) return parts
  const [prefix = ''] = /^~[^/:]*/.exec(first.text) ?? []
  if (prefix.length === first.text.length && rest.length > 0) return parts
  const directory = tildeDirectory(shell, prefix)
  if (directory === undefined) return parts
  sink.quoted(directory)
  return [{ type: 'text', text: first.text.slice(prefix.length) }, ...rest]
}

/** Tildes after `:` in assignments, and after `=` in arguments that look like one. */
function withInnerTildes(shell: Shell, parts: readonly Part[], context: 'command' | 'assignment'): readonly Part[] {
  const [first] = parts
  const looksAssigned = first?.type === 'text' && /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(first.text)
  if (context === 'command' && !looksAssigned) return parts
  if (!parts.some((part) => part.type === 'text' && /[:=]~/.test(part.text))) return parts
  return parts.flatMap((part, at): Part[] => {
    if (part.type !== 'text') return [part]
    const pattern = context === 'assignment' ? /(?<=:)~[^/:]*/ : /(?<=^[A-Za-z_][A-Za-z0-9_]*\+?=|:)~[^/:]*/
    const pieces: Part[] = []
    let rest = part.text
    for (let found = pattern.exec(rest); found !== null; found = pattern.exec(rest)) {
      const end = found.index + found[0].length
      const directory = end < rest.length || at === parts.length - 1 ? tildeDirectory(shell, found[0]) : undefined
      pieces.push({ type: 'text', text: rest.slice(0, found.index) })
      pieces.push({ type: 'quoted', text: directory ?? found[0] })
      rest = rest.slice(end)
    }
    return [...pieces, { type: 'text', text: rest }]
  })
}

function* emitParts(shell: Shell, parts: readonly Part[], sink: Sink, mode: TextMode): Steps<void> {
  const quoted = mode === 'quoted'
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        if (quoted) sink.quoted(part.text)
        else if (mode === 'split') sink.split(part.text)
        else sink.literal(part.text)
        break
      case 'quoted':
        sink.quoted(part.text)
        break
      case 'double':
        sink.beginDouble()
        yield* emitParts(shell, part.parts, sink, 'quoted')
        sink.endDouble()
        break
      case 'parameter':
        yield* emitParameter(expander, shell, part, sink, quoted)
        break
      case 'command': {
        if (part.fault !== undefined) {
          yield* reportFault(shell, part.fault, part.failsCommand === true)
          break
        }
        const bytes = yield* shell.engine.capture(shell, shell.engine.commandsOf(shell, part))
        emitResult(sink, substituted(shell.text(bytes)), quoted)
        break
      }
      case 'arithmetic': {
        const expression = yield* expandArithmetic(shell, part.expression)
        emitResult(sink, String(shell.arithmetic.calculate(shell, expression)), quoted)
        break
      }
      case 'process':
        sink.quoted(shell.engine.startProcess(shell, part.direction, shell.engine.commandsOf(shell, part)))
        break
    }
  }
}

/** Tells what is wrong in the text of a substitution, as late as bash does. */
function* reportFault(shell: Shell, fault: SyntaxFault, failsCommand: boolean): Steps<void> {
  yield* shell.complain(fault.describe(`${shell.name}: command substitution`))
  shell.substitutionStatus = 2
  if (failsCommand) throw new AbandonJump(1)
}

function emitResult(sink: Sink, text: string, quoted: boolean): void {
  if (quoted) sink.quoted(text)
  else sink.split(text)
}

/** The output of a command as a value. */
function substituted(output: string): string {
  let end = output.length
  while (end > 0 && output.charCodeAt(end - 1) === 10) end -= 1
  const text = end === output.length ? output : output.slice(0, end)
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
