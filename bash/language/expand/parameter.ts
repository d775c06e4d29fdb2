/** `$name` and `${name…}`. */
import { ExitJump, ExpansionFailure, MildFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import type { Parameter, ParameterOperation, Word } from '../syntax/ast.js'
import type { Expander } from './expander.js'
import { inCharacters } from './locale.js'
import { changeCase, removeAffix, replaceIn } from './parameter-operations.js'
import { expandPrompt } from './prompt.js'
import { type Sink, separatorsOf, TextSink } from './sinks.js'
import { sliceList, sliceText } from './slice.js'
import { expandSubscript, expandSubscriptText } from './subscripts.js'
import { transformAll, transformList, transformText } from './transform.js'
import { UnboundFailure } from './unbound-failure.js'
import {
  assignElement,
  assignText,
  ElementFault,
  findVariable,
  isSpecial,
  maxReferences,
  parseTarget,
  readAll,
  readElement,
  readKeys,
  readSpecial,
  readText,
  referredTo,
  resolveReference,
} from './variable-access.js'

/** What a parameter stands for, before its operation. */
interface Value {
  /** Undefined: it is not set. */
  text: string | undefined
  /** For `@` and `*`. */
  list?: readonly string[]
  separate: boolean
  /** What was meant after `!` and references. */
  name: string
  subscript?: string
}

export function* emitParameter(
  expander: Expander,
  shell: Shell,
  part: Parameter,
  sink: Sink,
  quoted: boolean,
): Steps<void> {
  const { operation } = part
  if (operation === undefined && !part.indirect && part.subscript === undefined) {
    const simple = simpleValue(shell, part.name)
    if (simple !== undefined) {
      if (quoted) sink.quoted(simple)
      else sink.split(simple)
      return
    }
  }
  if (operation?.type === 'invalid') throw new ExpansionFailure(`${operation.source}: bad substitution`)
  if (operation?.type === 'names') {
    const names = shell.variables.names().filter((name) => name.startsWith(part.name))
    emitNames(shell, sink, names, { separate: operation.separate, quoted, joiner: '' })
    return
  }
  if (operation?.type === 'keys') {
    const keys = readKeys(shell, resolveReference(shell, part.name).name)
    emitNames(shell, sink, keys, { separate: operation.separate, quoted, joiner: ' ' })
    return
  }
  const value = yield* resolveValue(expander, shell, part)
  if (operation === undefined) {
    emitValue(shell, required(shell, value, part), sink, quoted)
    return
  }
  yield* emitOperation(expander, shell, { part, value, operation, sink, quoted })
}

/** Where nothing is split, the names of `*` are one text, with a joiner of their own. */
function emitNames(
  shell: Shell,
  sink: Sink,
  names: readonly string[],
  { separate, quoted, joiner }: { separate: boolean; quoted: boolean; joiner: string },
): void {
  if (!separate && !quoted && readText(shell, 'IFS') === '') sink.split(names.join(joiner))
  else sink.list(names, separate, quoted)
}

/** The text of a parameter without any operation that is not a list. */
export function plainParameter(shell: Shell, { name }: Parameter): string {
  const value = simpleValue(shell, name)
  if (value === undefined && shell.options.nounset) throw new UnboundFailure(name)
  return value ?? ''
}

/** The value of the most common form: a variable or special parameter that is set. */
function simpleValue(shell: Shell, name: string): string | undefined {
  if (name === '@' || name === '*') return undefined
  return isSpecial(name) ? readSpecial(shell, name) : readText(shell, name)
}

function emitValue(_shell: Shell, value: Value, sink: Sink, quoted: boolean): void {
  if (value.list !== undefined) sink.list(value.list, value.separate, quoted)
  else if (quoted) sink.quoted(value.text ?? '')
  else sink.split(value.text ?? '')
}

/** `set -u` */
function required(shell: Shell, value: Value, part: Parameter): Value {
  if (!shell.options.nounset || value.text !== undefined) return value
  if (value.list !== undefined) return value
  const shown = part.subscript === undefined ? part.name : `${part.name}[${part.subscript.source}]`
  throw new UnboundFailure(part.indirect ? `!${shown}` : shown)
}

/** `set -u` for a length: an array that lacks the element is enough. */
function measured(shell: Shell, value: Value, part: Parameter): Value {
  if (value.text !== undefined || part.subscript === undefined || part.indirect) return required(shell, value, part)
  const { list, map } = shell.variables.get(value.name) ?? {}
  if (shell.options.nounset && list === undefined && map === undefined) throw new UnboundFailure(part.name)
  return value
}

/** An index before the beginning is reported, and the element counts as not set. */
function* resolveValue(expander: Expander, shell: Shell, part: Parameter): Steps<Value> {
  try {
    return yield* resolvedValue(expander, shell, part)
  } catch (error) {
    if (!(error instanceof ElementFault)) throw error
    if (part.operation?.type === 'length') throw new ExpansionFailure(`${part.subscript?.source}]: bad array subscript`)
    yield* shell.report(`${error.name}: bad array subscript`)
    // This message ends bash at once, even where a failing command would not.
    if (shell.options.errexit) throw new ExitJump(1)
    return { text: undefined, separate: false, name: error.name }
  }
}

function* resolvedValue(expander: Expander, shell: Shell, part: Parameter): Steps<Value> {
  const direct = yield* directValue(expander, shell, part.name, part.subscript)
  if (!part.indirect) return direct
  const variable = shell.variables.get(part.name)
  if (variable?.reference && part.subscript === undefined) {
    return { text: lastReference(shell, part.name), separate: false, name: part.name }
  }
  if (variable === undefined && !isSpecial(part.name)) {
    throw new ExpansionFailure(`${part.name}: invalid indirect expansion`)
  }
  const { list } = direct
  const target = list === undefined ? direct.text : list.length > 0 ? list.join(' ') : undefined
  if (target === undefined) return { text: undefined, separate: false, name: part.name }
  if (target === '') throw new ExpansionFailure(`${target}: invalid variable name`)
  return yield* namedValue(expander, shell, target)
}

/** What the last one of a chain of references refers to. */
function lastReference(shell: Shell, name: string): string | undefined {
  let { text } = shell.variables.get(name) ?? {}
  for (let count = 0; count < maxReferences && text !== undefined; count += 1) {
    const next = shell.variables.get(text)
    if (!next?.reference || next.text === undefined) return text
    text = next.text
  }
  return text
}

/** The value of a parameter that is named by text, as after `!`. */
function* namedValue(expander: Expander, shell: Shell, text: string): Steps<Value> {
  if (/^(?:[@*#?$!_-]|[0-9]+)$/.test(text)) return specialValue(shell, text)
  const target = parseTarget(text)
  if (target === undefined) throw new ExpansionFailure(`${text}: invalid variable name`)
  const { name, subscript } = target
  if (subscript === undefined || subscript === '@' || subscript === '*') return variableValue(shell, name, subscript)
  const isKey = shell.variables.get(referredTo(shell, name).name)?.map !== undefined
  return elementValue(shell, name, yield* expandSubscriptText(expander, shell, subscript, isKey))
}

function specialValue(shell: Shell, name: string): Value {
  if (name !== '@' && name !== '*') return { text: readSpecial(shell, name), separate: false, name }
  const list = shell.positional
  return { text: list.length > 0 ? list.join(' ') : undefined, list, separate: name === '@', name }
}

function* directValue(expander: Expander, shell: Shell, name: string, subscript: Word | undefined): Steps<Value> {
  if (isSpecial(name)) return specialValue(shell, name)
  if (subscript === undefined) return variableValue(shell, name, undefined)
  if (subscript.source === '@' || subscript.source === '*') return variableValue(shell, name, subscript.source)
  const isKey = shell.variables.get(resolveReference(shell, name).name)?.map !== undefined
  return elementValue(shell, name, yield* expandSubscript(expander, shell, subscript, isKey))
}

function variableValue(shell: Shell, given: string, subscript: string | undefined): Value {
  const { name, subscript: inner } = referredTo(shell, given)
  const element = subscript ?? inner
  if (element === undefined) return { text: readText(shell, name), separate: false, name }
  if (element !== '@' && element !== '*') {
    return elementValue(shell, name, element)
  }
  const list = readAll(shell, name)
  const text = list.length > 0 ? list.join(' ') : undefined
  return { text, list, separate: element === '@', name, subscript: element }
}

/** The key is expanded, so that even `@` is only that one. */
function elementValue(shell: Shell, given: string, key: string): Value {
  const { name } = referredTo(shell, given)
  return { text: readElement(shell, name, key), separate: false, name, subscript: key }
}

interface Emission<Operation> {
  part: Parameter
  value: Value
  operation: Operation
  sink: Sink
  quoted: boolean
}

function* emitOperation(expander: Expander, shell: Shell, given: Emission<ParameterOperation>): Steps<void> {
  const { part, value, operation, sink, quoted } = given
  switch (operation.type) {
    case 'length':
      emitText(sink, String(lengthOf(shell, measured(shell, value, part))), quoted)
      return
    case 'default':
    case 'assign':
    case 'error':
    case 'alternative':
      yield* emitDefault(expander, shell, { ...given, operation })
      return
    case 'remove': {
      const pattern = yield* expander.pattern(shell, operation.pattern)
      emitChanged(shell, given, (text) => removeAffix(shell, text, pattern, operation))
      return
    }
    case 'replace': {
      const pattern = yield* expander.pattern(shell, operation.pattern)
      const replacement = operation.replacement ? yield* expander.pattern(shell, operation.replacement) : []
      emitChanged(shell, given, (text) => replaceIn(shell, text, pattern, operation.where, replacement))
      return
    }
    case 'case': {
      const pattern = operation.pattern && (yield* expander.pattern(shell, operation.pattern))
      emitChanged(shell, given, (text) => changeCase(shell, text, operation, pattern))
      return
    }
    case 'slice':
      yield* emitSlice(expander, shell, { ...given, operation })
      return
    case 'transform': {
      required(shell, value, part)
      const target = { name: value.name, subscript: value.subscript }
      if (part.indirect && value.text === undefined && value.name === part.name) {
        emitText(sink, '', quoted)
        return
      }
      if ('AKak'.includes(operation.operator)) {
        const texts = transformAll(shell, operation.operator, target, value)
        if (value.list !== undefined && operation.operator !== 'A') emitEach(sink, texts ?? [], value, quoted)
        else if (value.list !== undefined) sink.list(texts ?? [], value.separate, quoted)
        else emitText(sink, texts?.join(' ') ?? '', quoted)
        return
      }
      if (operation.operator === 'P') {
        const prompts: string[] = []
        for (const text of value.list ?? [value.text ?? ''])
          prompts.push(yield* expandPrompt(shell, text, expander.text))
        if (value.list !== undefined) sink.list(prompts, value.separate, quoted)
        else emitText(sink, prompts[0] ?? '', quoted)
      } else if (value.list !== undefined) emitEach(sink, transformList(operation.operator, value.list), value, quoted)
      else if (value.text !== undefined) {
        const text = operation.operator === 'Q' ? inCharacters(shell, value.text) : value.text
        emitText(sink, transformText(operation.operator, text), quoted)
      } else emitText(sink, '', quoted)
      return
    }
    default:
      return
  }
}

/** What operations make of each value of `@` is joined as that of `*`, where it can't be separate. */
function emitEach(sink: Sink, values: readonly string[], { separate }: Value, quoted: boolean): void {
  const isJoined = sink instanceof TextSink && sink.separators.joiner !== ''
  sink.list(values, separate && !isJoined, quoted)
}

function emitText(sink: Sink, text: string, quoted: boolean): void {
  if (quoted) sink.quoted(text)
  else sink.split(text)
}

/** Each value changed in the same way. */
function emitChanged(
  shell: Shell,
  { part, value, sink, quoted, operation }: Emission<ParameterOperation>,
  change: (text: string) => string,
): void {
  required(shell, value, part)
  if (value.list !== undefined && operation.type === 'remove') emitEach(sink, value.list.map(change), value, quoted)
  else if (value.list !== undefined) sink.list(value.list.map(change), value.separate, quoted)
  else emitText(sink, value.text === undefined ? '' : change(value.text), quoted)
}

function lengthOf(shell: Shell, { text: given = '', list }: Value): number {
  if (list !== undefined) return list.length
  const text = inCharacters(shell, given)
  let length = text.length
  // Pairs of surrogates are one character.
  for (let at = 0; at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) length -= 1
  return length
}

type DefaultOperation = Extract<ParameterOperation, { type: 'default' | 'assign' | 'error' | 'alternative' }>

function* emitDefault(expander: Expander, shell: Shell, given: Emission<DefaultOperation>): Steps<void> {
  const { value, operation, sink, quoted, part } = given
  const isMissing = value.text === undefined || (operation.orEmpty && isEmpty(shell, value, part, quoted))
  if (operation.type === 'alternative') {
    if (!isMissing) yield* expander.emit(shell, operation.word, sink, quoted)
    else if (!part.indirect && (part.name === '@' || part.subscript?.source === '@')) sink.list([], true, quoted)
    return
  }
  if (!isMissing) {
    emitValue(shell, value, sink, quoted)
    return
  }
  if (operation.type === 'default') {
    yield* expander.emit(shell, operation.word, sink, quoted)
    return
  }
  const text = yield* expander.text(shell, operation.word)
  if (operation.type === 'error') {
    const kind = operation.orEmpty ? 'parameter null or not set' : 'parameter not set'
    const shown = part.subscript === undefined ? part.name : `${part.name}[${part.subscript.source}]`
    yield* shell.report(`${part.indirect ? '!' : ''}${shown}: ${operation.word.parts.length > 0 ? text : kind}`)
    throw new ExitJump(shell.invocation === 'c' && shell.level === 0 && !shell.options.errexit ? 127 : 1)
  }
  if (isSpecial(value.name)) throw new ExpansionFailure(`$${value.name}: cannot assign in this way`)
  if (value.subscript !== undefined) assignElement(shell, value.name, value.subscript, text)
  else assignText(shell, value.name, text)
  emitText(sink, readBack(shell, value) ?? text, quoted)
}

/** For `:-` and the like: elements count as they are joined. */
function isEmpty(shell: Shell, { text, list, separate }: Value, part: Parameter, quoted: boolean): boolean {
  if (list === undefined) return text === ''
  if (part.indirect && list.length > 0) return false
  // Several texts stay several where an empty IFS joins nothing.
  if (!quoted && list.length > 1 && readText(shell, 'IFS') === '') return false
  return separate ? text === '' : list.join(separatorsOf(readText(shell, 'IFS')).joiner) === ''
}

/** What was assigned, changed by the variable's attributes. */
function readBack(shell: Shell, { name, subscript }: Value): string | undefined {
  return subscript === undefined ? readText(shell, name) : readElement(shell, name, subscript)
}

type SliceOperation = Extract<ParameterOperation, { type: 'slice' }>

function* emitSlice(expander: Expander, shell: Shell, given: Emission<SliceOperation>): Steps<void> {
  const { value, operation, sink, quoted, part } = given
  required(shell, value, part)
  if (value.list === undefined && value.text === undefined) {
    emitText(sink, '', quoted)
    return
  }
  const offset = Number(shell.arithmetic.calculate(shell, yield* expander.arithmetic(shell, operation.offset)))
  const lengthText = operation.length && (yield* expander.arithmetic(shell, operation.length))
  const length = lengthText === undefined ? undefined : Number(shell.arithmetic.calculate(shell, lengthText))
  const fault = () => new MildFailure(`${operation.length?.source ?? ''}: substring expression < 0`)
  if (value.list === undefined) {
    emitText(sink, sliceText(inCharacters(shell, value.text ?? ''), offset, length, fault), quoted)
    return
  }
  const isPositional = value.name === '@' || value.name === '*'
  const source = isPositional ? [shell.name, ...shell.positional] : value.list
  const variable = isPositional ? undefined : findVariable(shell, value.name)
  // Bash counts the elements of associative arrays from 1, and takes 0 for the first too.
  const indexes = variable?.map === undefined ? variable?.list?.indexes() : source.map((_text, at) => at + 1)
  sink.list(sliceList(source, indexes, { offset, length }, fault), value.separate, quoted)
}
