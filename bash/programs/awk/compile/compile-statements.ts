/** Compiles statements. Each returns where the program continues. */

import { BrokenPipe } from '../../../io/streams.js'
import { AwkFatal, located } from '../syntax/awk-error.js'
import type { Redirect, Statement, SwitchCase } from '../syntax/syntax.js'
import { type AwkArray, keyText } from '../values/array.js'
import { formatText } from '../values/format.js'
import { comparesAs, type Scalar } from '../values/values.js'
import {
  all,
  ask,
  type Code,
  constant,
  type Frame,
  inTurn,
  Leave,
  later,
  map,
  map2,
  now,
  placed,
  type Went,
  went,
} from './code.js'
import { ExpressionCompiler } from './compile-expressions.js'
import { compileTarget } from './compile-targets.js'
import { sortedKeys } from './sort.js'

export class StatementCompiler extends ExpressionCompiler {
  statement(statement: Statement): Code<Went> {
    try {
      return this.compiled(statement)
    } catch (error) {
      throw located(error, statement.line)
    }
  }

  /** A statement that stands alone on its line, inside of another. */
  private part(statement: Statement, outer: Statement): Code<Went> {
    return statement.kind === 'block' || statement.line?.line === outer.line?.line
      ? this.statement(statement)
      : this.block([statement])
  }

  private compiled(statement: Statement): Code<Went> {
    switch (statement.kind) {
      case 'expression':
        return map(this.value(statement.value), () => went.on)
      case 'print':
      case 'printf':
        return this.print(statement)
      case 'if':
        return this.ifStatement(statement)
      case 'while':
        return this.loop(statement, { test: this.test(statement.test), body: this.part(statement.body, statement) })
      case 'do': {
        const test = this.test(statement.test)
        return this.loop(statement, { test, body: this.part(statement.body, statement), bodyFirst: true })
      }
      case 'for':
        return this.forStatement(statement)
      case 'for-in':
        return this.forIn(statement)
      case 'switch':
        return this.switchStatement(statement)
      case 'block':
        return this.block(statement.body)
      case 'break':
      case 'continue':
        return constant(went[statement.kind])
      case 'next':
      case 'nextfile':
        return this.leaving(went[statement.kind])
      case 'exit':
        return this.exit(statement)
      case 'return':
        return this.returning(statement)
      case 'delete':
        return this.deletion(statement)
    }
  }

  block(statements: readonly Statement[]): Code<Went> {
    const codes = statements.map((statement) => this.statement(statement))
    const immediate = codes.flatMap((code) => (code.now === undefined ? [] : [code.now]))
    if (immediate.length < codes.length) {
      return later(async (frame) => {
        let at = 0
        try {
          for (; at < codes.length; at += 1) {
            const code = codes[at] as Code<Went>
            const where = code.now === undefined ? await code.later(frame) : code.now(frame)
            if (where !== went.on) return where
          }
        } catch (error) {
          throw located(error, statements[at]?.line)
        }
        return went.on
      })
    }
    const [first] = immediate
    if (first === undefined) return constant(went.on)
    if (immediate.length === 1) {
      return placed(now(first), statements[0]?.line)
    }
    return now((frame) => {
      let at = 0
      try {
        for (; at < immediate.length; at += 1) {
          const where = (immediate[at] as (frame: Frame) => Went)(frame)
          if (where !== went.on) return where
        }
      } catch (error) {
        throw located(error, statements[at]?.line)
      }
      return went.on
    })
  }

  /** In rules the result says it; functions have to be left from within expressions. */
  private leaving(to: Went): Code<Went> {
    if (!this.isFunction) return constant(to)
    const leave = new Leave(to)
    return now(() => {
      throw leave
    })
  }

  private exit({ value }: Extract<Statement, { kind: 'exit' | 'return' }>): Code<Went> {
    const { runtime } = this
    const leave = this.leaving(went.exit)
    if (value === undefined) return leave
    const status = map(this.number(value), (given) => {
      runtime.exitStatus = Math.trunc(given) & 255
    })
    return inTurn(status, leave)
  }

  private returning({ value }: Extract<Statement, { kind: 'exit' | 'return' }>): Code<Went> {
    const { runtime } = this
    if (value === undefined) {
      return now(() => {
        runtime.returned = undefined
        return went.return
      })
    }
    return map(this.value(value), (given) => {
      runtime.returned = given
      return went.return
    })
  }

  private deletion({ array, keys }: Extract<Statement, { kind: 'delete' }>): Code<Went> {
    if (keys === undefined) {
      return map(this.array(array), (found) => {
        found.clear()
        return went.on
      })
    }
    return map2(this.array(array), this.key(keys), (found, key) => {
      found.delete(key)
      return went.on
    })
  }

  private ifStatement(statement: Extract<Statement, { kind: 'if' }>): Code<Went> {
    const { test, yes, no } = statement
    const asked = this.test(test)
    const one = this.part(yes, statement)
    const other: Code<Went> = no === undefined ? constant(went.on) : this.part(no, statement)
    if (asked.now === undefined || one.now === undefined || other.now === undefined) {
      return later(async (frame) => ((await ask(asked, frame)) ? ask(one, frame) : ask(other, frame)))
    }
    const [holds, first, second] = [asked.now, one.now, other.now]
    return now((frame) => (holds(frame) ? first(frame) : second(frame)))
  }

  private forStatement(statement: Extract<Statement, { kind: 'for' }>): Code<Went> {
    const { start, test, next, body } = statement
    const loop = this.loop(statement, {
      test: test === undefined ? constant(true) : this.test(test),
      body: this.part(body, statement),
      ...(next && { next: this.statement(next) }),
    })
    return start === undefined ? loop : inTurn(this.statement(start), loop)
  }

  private loop(statement: Statement, parts: LoopParts): Code<Went> {
    const { runtime } = this
    const { test, body, next = constant<Went>(went.on), bodyFirst = false } = parts
    const isImmediate = test.now !== undefined && body.now !== undefined && next.now !== undefined
    if (isImmediate && !this.analysis.prints(statement)) {
      const [holds, run, advance] = [test.now, body.now, next.now]
      return now((frame) => {
        for (let skipsTest = bodyFirst; skipsTest || holds(frame); skipsTest = false) {
          runtime.step()
          const where = run(frame)
          if (where > went.continue) return where
          if (where === went.break) return went.on
          advance(frame)
        }
        return went.on
      })
    }
    return later(async (frame) => {
      for (
        let skipsTest = bodyFirst;
        skipsTest || (test.now ? test.now(frame) : await test.later(frame));
        skipsTest = false
      ) {
        runtime.step()
        const where = body.now ? body.now(frame) : await body.later(frame)
        if (runtime.pending !== undefined) await runtime.drain()
        if (where > went.continue) return where
        if (where === went.break) return went.on
        if (next.now) next.now(frame)
        else await next.later(frame)
      }
      return went.on
    })
  }

  private forIn(statement: Extract<Statement, { kind: 'for-in' }>): Code<Went> {
    const { runtime } = this
    const array = this.array(statement.array)
    let current: Scalar
    const place = this.place(statement.key)
    const store: Code<unknown> =
      place.kind === 'special'
        ? now(() => runtime.setSpecial(place.name, current, true))
        : compileTarget(this, statement.key).assign(now(() => current))
    const body = this.part(statement.body, statement)
    runtime.loopsOverArrays = true
    const indices = (looped: AwkArray, how: string) =>
      how.startsWith('@ind_str') || place.kind === 'special' ? keyText : looped.indices(runtime.userText)
    const order = (): string => {
      if (runtime.dialect.traditional) return ''
      const procinfo = runtime.globalArray('PROCINFO')
      return procinfo.has('sorted_in') ? runtime.text(procinfo.peek('sorted_in') as Scalar) : ''
    }
    if (
      array.now !== undefined &&
      body.now !== undefined &&
      store.now !== undefined &&
      !this.analysis.prints(statement)
    ) {
      const [arrayOf, run, set] = [array.now, body.now, store.now]
      return now((frame) => {
        const looped = arrayOf(frame)
        const how = order()
        const keys = sortedKeys(this, looped, how)
        const indexOf = indices(looped, how)
        for (const key of keys) {
          runtime.step()
          current = indexOf(key)
          set(frame)
          const where = run(frame)
          if (where > went.continue) return where
          if (where === went.break) return went.on
        }
        return went.on
      })
    }
    return later(async (frame) => {
      const looped = await ask(array, frame)
      const how = order()
      const keys = sortedKeys(this, looped, how)
      const indexOf = indices(looped, how)
      for (const key of keys) {
        runtime.step()
        current = indexOf(key)
        await ask(store, frame)
        const where = body.now ? body.now(frame) : await body.later(frame)
        if (runtime.pending !== undefined) await runtime.drain()
        if (where > went.continue) return where
        if (where === went.break) return went.on
      }
      return went.on
    })
  }

  private switchStatement({ value, cases }: Extract<Statement, { kind: 'switch' }>): Code<Went> {
    const asked = this.value(value)
    const tests = cases.map(({ test }) => this.caseTest(test))
    const bodies = cases.map(({ body }) => this.block(body))
    const fallback = cases.findIndex(({ test }) => test === undefined)
    const firstOf = (given: Scalar): number => {
      const matching = tests.findIndex((test) => test(given))
      return matching === -1 ? fallback : matching
    }
    const immediate = bodies.flatMap((body) => (body.now === undefined ? [] : [body.now]))
    if (asked.now !== undefined && immediate.length === bodies.length) {
      const valueAt = asked.now
      return now((frame) => {
        const first = firstOf(valueAt(frame))
        for (let at = first; at >= 0 && at < immediate.length; at += 1) {
          const where = immediate[at]?.(frame) ?? went.on
          if (where !== went.on) return where === went.break ? went.on : where
        }
        return went.on
      })
    }
    return later(async (frame) => {
      const first = firstOf(await ask(asked, frame))
      if (first === -1) return went.on
      for (const body of bodies.slice(first)) {
        const where = await ask(body, frame)
        if (where !== went.on) return where === went.break ? went.on : where
      }
      return went.on
    })
  }

  private caseTest(test: SwitchCase['test']): (value: Scalar) => boolean {
    const { regexes, text } = this.runtime
    if (test?.kind === 'regex') return (value) => regexes.of(test.source).test(text(value))
    if (test?.kind === 'string') return (value) => typeof value !== 'number' && text(value) === test.value
    if (test?.kind === 'number') return (value) => comparesAs(value) === test.value && value !== undefined
    return () => false
  }

  private print(statement: Extract<Statement, { kind: 'print' | 'printf' }>): Code<Went> {
    const { runtime } = this
    const text = statement.kind === 'print' ? this.printedText(statement.args) : this.formattedText(statement.args)
    if (statement.redirect !== undefined) return this.redirected(text, statement.redirect)
    return map(text, (line) => {
      runtime.write(line)
      return went.on
    })
  }

  private printedText(args: Extract<Statement, { kind: 'print' }>['args']): Code<string> {
    const { runtime } = this
    const { record, printed } = runtime
    const [only] = args
    if (only === undefined) return now(() => record.whole() + runtime.recordEnd)
    const codes = args.map((arg) =>
      arg.kind === 'concat' ||
      arg.kind === 'string' ||
      (arg.kind === 'field' && arg.index.kind === 'number' && arg.index.value === 0)
        ? this.text(arg)
        : map(this.value(arg), printed),
    )
    // A comparison sees what a subscript is before it is printed, which makes it text.
    if (args.length > 1 && runtime.loopsOverArrays && args.some(({ kind }) => kind === 'compare')) {
      return map(
        all(args.map((arg) => this.value(arg))),
        (values) => values.map(printed).join(runtime.outputSeparator) + runtime.recordEnd,
      )
    }
    const [first, second] = codes
    if (first !== undefined && codes.length === 1) return map(first, (text) => text + runtime.recordEnd)
    if (first !== undefined && second !== undefined && codes.length === 2) {
      return map2(first, second, (one, two) => one + runtime.outputSeparator + two + runtime.recordEnd)
    }
    return map(all(codes), (texts) => texts.join(runtime.outputSeparator) + runtime.recordEnd)
  }

  private formattedText(args: Extract<Statement, { kind: 'printf' }>['args']): Code<string> {
    const { text, locale, dialect } = this.runtime
    const [format, ...rest] = args
    if (format === undefined) {
      return now(() => {
        if (dialect.traditional) return ''
        throw new AwkFatal('printf: no arguments')
      })
    }
    return map2(this.text(format), all(rest.map((arg) => this.value(arg))), (given, values) =>
      formatText(given, values, text, { isBytes: locale.isBytes, ...dialect }),
    )
  }

  private redirected(text: Code<string>, { kind, to, line }: Redirect): Code<Went> {
    const { redirections } = this.runtime
    const target = this.text(to)
    return later(async (frame) => {
      const written = await ask(text, frame)
      const name = await ask(target, frame)
      const output = await redirections.output(kind, name, line)
      try {
        await output.write(written)
      } catch (error) {
        if (kind === '>' || kind === '>>' || !(error instanceof BrokenPipe)) throw error
        throw new AwkFatal(`print to "${name}" failed: Broken pipe`, line)
      }
      return went.on
    })
  }

  private get isFunction(): boolean {
    return this.functionName !== undefined
  }
}

interface LoopParts {
  test: Code<boolean>
  body: Code<Went>
  next?: Code<Went>
  bodyFirst?: boolean
}
