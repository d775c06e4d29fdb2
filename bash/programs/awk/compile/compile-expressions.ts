import type { ShellRegex } from '../../../regex/index.js'
import { ProgramError } from '../../program-error.js'
import type { Runtime } from '../run/runtime.js'
import { AwkFatal } from '../syntax/awk-error.js'
import type { ArrayRef, Expr, NameRef } from '../syntax/syntax.js'
import { AwkArray, type Cell } from '../values/array.js'
import {
  comparesAs,
  compareText,
  IndexText,
  type Key,
  RegexText,
  type Scalar,
  toBoolean,
  toNumber,
  unassigned,
} from '../values/values.js'
import type { Analysis } from './analysis.js'
import { compileBuiltin } from './builtins.js'
import { all, ask, type Code, constant, later, map, map2, now } from './code.js'
import { compileCall, compileIndirectCall } from './compile-calls.js'
import { compileGetline } from './compile-getline.js'
import { compileTarget } from './compile-targets.js'
import { type CompiledFunction, type Compiler, notAVariable, type Place } from './compiler.js'
import { arithmetic, comparer, fieldIndex } from './operators.js'

export class ExpressionCompiler implements Compiler {
  constructor(
    readonly runtime: Runtime,
    readonly analysis: Analysis,
    readonly functions: ReadonlyMap<string, CompiledFunction>,
    /** The parameters of the function that is compiled. */
    readonly locals: readonly string[],
    readonly functionName: string | undefined,
    readonly readMainRecord: () => Promise<string | undefined>,
  ) {}

  place({ name }: NameRef): Place {
    const local = this.locals.indexOf(name)
    if (local !== -1) return { kind: 'local', slot: local, name }
    if (this.runtime.isSpecial(name)) return { kind: 'special', name }
    return { kind: 'global', slot: this.runtime.slotOf(name), name }
  }

  value(expression: Expr): Code<Scalar> {
    switch (expression.kind) {
      case 'number':
        return constant(expression.value)
      case 'string':
        return this.text(expression)
      case 'regex':
        if (expression.strong) return constant(new RegexText(expression.source))
        return map(this.test(expression), asNumber)
      case 'name':
        return this.variable(expression)
      case 'field':
        return this.field(expression)
      case 'element':
        return this.element(expression)
      case 'negate':
      case 'plus':
      case 'arithmetic':
        return this.number(expression)
      case 'not':
      case 'compare':
      case 'match':
      case 'and':
      case 'or':
      case 'in':
        return map(this.test(expression), asNumber)
      case 'concat':
        return this.text(expression)
      case 'condition':
        return this.condition(expression)
      case 'assign': {
        const { target, operator, value, line } = expression
        if (operator === undefined) return compileTarget(this, target).assign(this.value(value))
        const compute = arithmetic(operator, line)
        return compileTarget(this, target).update(this.number(value), (old, by) =>
          compute(this.runtime.toNumber(old), by),
        )
      }
      case 'step': {
        const { target, by, prefix } = expression
        return compileTarget(this, target).step(by, prefix)
      }
      case 'call':
        return compileCall(this, expression)
      case 'indirect':
        return compileIndirectCall(this, expression)
      case 'builtin':
        return compileBuiltin(this, expression)
      case 'getline':
        return compileGetline(this, expression)
    }
  }

  number(expression: Expr): Code<number> {
    const { record } = this.runtime
    switch (expression.kind) {
      case 'number':
        return constant(expression.value)
      case 'negate':
        return map(this.number(expression.operand), (value) => -value)
      case 'plus':
        return this.number(expression.operand)
      case 'arithmetic':
        return this.arithmetic(expression)
      case 'field': {
        if (expression.index.kind !== 'number') break
        const index = expression.index.value
        return now(() => toNumber(record.get(index)))
      }
    }
    return map(this.value(expression), this.runtime.toNumber)
  }

  text(expression: Expr): Code<string> {
    const { record, text } = this.runtime
    if (expression.kind === 'string') return constant(this.runtime.locale.text(expression.value))
    if (expression.kind === 'concat') return this.concatenation(expression.parts)
    if (expression.kind === 'field' && expression.index.kind === 'number') {
      const index = expression.index.value
      return now(() => record.textOf(index))
    }
    return map(this.value(expression), text)
  }

  test(expression: Expr): Code<boolean> {
    const { record } = this.runtime
    switch (expression.kind) {
      case 'not':
        return map(this.test(expression.operand), (value) => !value)
      case 'compare':
        return this.comparison(expression)
      case 'regex': {
        const match = this.matcher(expression)
        return map(match, (matches) => matches(record.whole()))
      }
      case 'match': {
        const { negated } = expression
        return map2(
          this.text(expression.text),
          this.matcher(expression.regex),
          (text, matches) => matches(text) !== negated,
        )
      }
      case 'and':
      case 'or':
        return this.logic(expression.kind, this.test(expression.left), this.test(expression.right))
      case 'in':
        return map2(this.array(expression.array), this.key(expression.keys), (array, key) => array.has(key))
    }
    return map(this.value(expression), toBoolean)
  }

  /** The source of a regular expression: literal, or the text of a value. */
  regexSource(expression: Expr): Code<string> {
    if (expression.kind !== 'regex') return this.text(expression)
    this.checked(expression)
    return constant(expression.source)
  }

  /** A wrong one is found before the program runs. */
  private checked({ source, line }: Extract<Expr, { kind: 'regex' }>): ShellRegex {
    for (const message of this.runtime.regexes.oddEscapes(source)) this.runtime.warn(line, message)
    try {
      return this.runtime.regexes.of(source)
    } catch (error) {
      if (!(error instanceof AwkFatal)) throw error
      const message = error.message.replace('invalid regexp: ', '')
      throw new ProgramError(`${line}: error: ${message}`, 1)
    }
  }

  private matcher(expression: Expr): Code<(text: string) => boolean> {
    const { regexes } = this.runtime
    if (expression.kind === 'regex') {
      const { source } = expression
      let regex = this.checked(expression)
      let ignoreCase = regexes.ignoreCase
      const matches = (text: string) => {
        if (regexes.ignoreCase !== ignoreCase) {
          regex = regexes.of(source)
          ignoreCase = regexes.ignoreCase
        }
        return regex.test(text)
      }
      return constant(matches)
    }
    return map(this.text(expression), (source) => {
      const regex = regexes.of(source)
      return (text) => regex.test(text)
    })
  }

  private variable(expression: NameRef): Code<Scalar> {
    const { runtime } = this
    const place = this.place(expression)
    if (place.kind === 'special') return this.special(place.name)
    const { slot, name } = place
    // What is read is no array any more.
    if (place.kind === 'local') {
      return now((frame) => {
        frame[slot] ??= unassigned
        return scalar(frame[slot], name)
      })
    }
    if (this.functions.has(name)) throw notAVariable(name, expression.line)
    const { globals } = runtime
    return now(() => {
      const value = globals[slot]
      if (value === undefined) globals[slot] = unassigned
      return value instanceof AwkArray ? scalar(value, name) : value
    })
  }

  private special(name: string): Code<Scalar> {
    const { runtime } = this
    const { record } = runtime
    if (name === 'NF') return now(() => record.count)
    if (name === 'NR') return now(() => runtime.recordNumber)
    if (name === 'FNR') return now(() => runtime.fileRecordNumber)
    return now(() => runtime.special(name))
  }

  private field({ index, line }: Extract<Expr, { kind: 'field' }>): Code<Scalar> {
    const { record } = this.runtime
    if (index.kind === 'number' && index.value >= 0) {
      const { value } = index
      return now(() => record.get(Math.trunc(value)))
    }
    return map(this.number(index), (given) => record.get(fieldIndex(given, line)))
  }

  private element({ array, keys }: Extract<Expr, { kind: 'element' }>): Code<Scalar> {
    const name = array.kind === 'name' ? array.name : 'element'
    const from = this.array(array)
    const at = this.key(keys)
    if (from.now !== undefined && at.now !== undefined) {
      const [arrayOf, keyOf] = [from.now, at.now]
      return now((frame) => {
        const value = arrayOf(frame).get(keyOf(frame))
        return value instanceof AwkArray ? scalar(value, `${name}[...]`) : value
      })
    }
    return map2(from, at, (found, key) => scalar(found.get(key), `${name}[...]`))
  }

  /** The subscripts of an element as one. */
  key(keys: readonly Expr[]): Code<Key> {
    const { runtime } = this
    const [only] = keys
    if (keys.length === 1 && only !== undefined) {
      if (only.kind === 'string') return constant(runtime.key(only.value))
      const value = this.value(only)
      if (value.now === undefined) return map(value, runtime.key)
      const run = value.now
      const { key } = runtime
      return now((frame) => key(run(frame)))
    }
    return map(all(keys.map((key) => this.text(key))), (texts) => runtime.key(texts.join(runtime.subscriptSeparator)))
  }

  array(reference: ArrayRef): Code<AwkArray> {
    const { runtime } = this
    const make = () => new AwkArray(runtime.accounting)
    if (reference.kind === 'element') {
      return map2(this.array(reference.array), this.key(reference.keys), (parent, key) => {
        const found = parent.peek(key)
        if (found instanceof AwkArray) return found
        if (found !== undefined) throw new AwkFatal('attempt to use a scalar value as array', reference.line)
        const made = make()
        parent.set(key, made)
        return made
      })
    }
    const place = this.place(reference)
    const { name } = reference
    const asScalar = () => new AwkFatal(`attempt to use scalar \`${name}' as an array`, reference.line)
    if (place.kind === 'special') throw asScalar()
    const { slot } = place
    if (place.kind === 'local') {
      return now((frame) => {
        const found = frame[slot]
        if (found instanceof AwkArray) return found
        if (found !== undefined) throw asScalar()
        const made = make()
        frame[slot] = made
        return made
      })
    }
    if (this.functions.has(name)) throw notAVariable(name, reference.line)
    const { globals } = runtime
    runtime.globalArray(name)
    return now(() => {
      const found = globals[slot]
      if (found instanceof AwkArray) return found
      throw asScalar()
    })
  }

  arrayArgument(argument: Expr, name: string): Code<AwkArray> {
    if (argument.kind === 'name' || argument.kind === 'element') return this.array(argument)
    throw new AwkFatal(`${name}: an argument is not an array`)
  }

  private condition({ test, yes, no }: Extract<Expr, { kind: 'condition' }>): Code<Scalar> {
    const [asked, one, other] = [this.test(test), this.value(yes), this.value(no)]
    if (asked.now === undefined || one.now === undefined || other.now === undefined) {
      return later(async (frame) => ((await ask(asked, frame)) ? ask(one, frame) : ask(other, frame)))
    }
    const [holds, first, second] = [asked.now, one.now, other.now]
    return now((frame) => (holds(frame) ? first(frame) : second(frame)))
  }

  private logic(kind: 'and' | 'or', left: Code<boolean>, right: Code<boolean>): Code<boolean> {
    const decided = kind === 'or'
    if (left.now === undefined || right.now === undefined) {
      return later(async (frame) => ((await ask(left, frame)) === decided ? decided : ask(right, frame)))
    }
    const [first, second] = [left.now, right.now]
    if (decided) return now((frame) => first(frame) || second(frame))
    return now((frame) => first(frame) && second(frame))
  }

  private arithmetic({ operator, left, right, line }: Extract<Expr, { kind: 'arithmetic' }>): Code<number> {
    const [one, two] = [this.number(left), this.number(right)]
    if (one.now !== undefined && two.now !== undefined) {
      const [a, b] = [one.now, two.now]
      if (operator === '+') return now((frame) => a(frame) + b(frame))
      if (operator === '-') return now((frame) => a(frame) - b(frame))
      if (operator === '*') return now((frame) => a(frame) * b(frame))
    }
    return map2(one, two, arithmetic(operator, line))
  }

  private comparison({ operator, left, right }: Extract<Expr, { kind: 'compare' }>): Code<boolean> {
    const [one, two] = [this.value(left), this.value(right)]
    const { text, regexes } = this.runtime
    const folded = (given: string) => given.toLowerCase()
    const compare = comparer(operator)
    const holds = (a: Scalar, b: Scalar): boolean => {
      if (typeof a === 'number' && typeof b === 'number') return compare(a, b)
      // Beside a number or another one, a regular expression is 0.
      const [x, y] = [regexAsNumber(a, b) ?? comparesAs(a), regexAsNumber(b, a) ?? comparesAs(b)]
      // Two values that were never assigned are equal both ways; one against text is text.
      if (a instanceof IndexText) a.becomeText()
      if (b instanceof IndexText) b.becomeText()
      if (x !== undefined && y !== undefined && !isIndexBesideInput(a, b)) return compare(x, y)
      if (regexes.ignoreCase) return compare(compareText(folded(text(a)), folded(text(b))), 0)
      return compare(compareText(text(a), text(b)), 0)
    }
    return map2(one, two, holds)
  }

  private concatenation(parts: readonly Expr[]): Code<string> {
    const codes = parts.map((part) => this.text(part))
    const [one, two, three] = codes
    if (codes.length === 2 && one?.now !== undefined && two?.now !== undefined) {
      const [a, b] = [one.now, two.now]
      return now((frame) => a(frame) + b(frame))
    }
    if (codes.length === 3 && one?.now !== undefined && two?.now !== undefined && three?.now !== undefined) {
      const [a, b, c] = [one.now, two.now, three.now]
      return now((frame) => a(frame) + b(frame) + c(frame))
    }
    return map(all(codes), (texts) => texts.join(''))
  }
}

function regexAsNumber(value: Scalar, other: Scalar): number | undefined {
  return value instanceof RegexText && (typeof other === 'number' || other instanceof RegexText) ? 0 : undefined
}

/** A subscript of a loop compares as text with text from outside, and with what has no value. */
function isIndexBesideInput(a: Scalar, b: Scalar): boolean {
  const isFirst = a instanceof IndexText
  return isFirst !== b instanceof IndexText && typeof (isFirst ? b : a) !== 'number'
}

const asNumber = (value: boolean): number => (value ? 1 : 0)

function scalar(value: Cell, name: string): Scalar {
  if (value instanceof AwkArray) throw new AwkFatal(`attempt to use array \`${name}' in a scalar context`)
  return value
}
