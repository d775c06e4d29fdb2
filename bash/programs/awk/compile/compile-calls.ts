/** Compiles calls of the program's own functions. */

import { ProgramError } from '../../program-error.js'
import { AwkFatal } from '../syntax/awk-error.js'
import { builtins } from '../syntax/lexer.js'
import type { Expr } from '../syntax/syntax.js'
import type { Cell } from '../values/array.js'
import { type Scalar, unassigned } from '../values/values.js'
import { all, ask, type Code, type Frame, later, map, map2, now } from './code.js'
import { type Compiler, notAVariable } from './compiler.js'

const callsPerStack = 50
const substitutions = new Set(['sub', 'gsub'])

/** Values as arguments of a function: arrays by reference. */
function argument(compiler: Compiler, expression: Expr, isArray: boolean): Code<Cell> {
  if (isArray) {
    if (expression.kind === 'name' || expression.kind === 'element') return compiler.array(expression)
    throw new AwkFatal('a value is passed to a function that uses it as an array')
  }
  if (expression.kind === 'element') {
    return map2(compiler.array(expression.array), compiler.key(expression.keys), (array, key): Cell => array.get(key))
  }
  if (expression.kind !== 'name') return map(compiler.value(expression), (value): Cell => value ?? unassigned)
  const place = compiler.place(expression)
  if (place.kind === 'global' && compiler.functions.has(place.name)) {
    throw notAVariable(place.name, expression.line)
  }
  if (place.kind === 'special') return compiler.value(expression)
  if (place.kind === 'local') return now((frame): Cell => frame[place.slot])
  if (compiler.analysis.globalArrays.has(place.name)) return compiler.array(expression)
  const { globals } = compiler.runtime
  return now((): Cell => globals[place.slot])
}

/** A variable that was handed over before it had a value, and was read there, is no array any more here either. */
function readVariables(
  compiler: Compiler,
  args: readonly Expr[],
  arrays: ReadonlySet<number>,
): (frame: Frame, locals: Frame) => void {
  const { globals } = compiler.runtime
  const named = args.flatMap((arg, index) => {
    if (arg.kind !== 'name' || arrays.has(index)) return []
    const place = compiler.place(arg)
    return place.kind === 'special' ? [] : [{ index, slot: place.slot, isLocal: place.kind === 'local' }]
  })
  return (frame, locals) => {
    for (const { index, slot, isLocal } of named) {
      if (locals[index] !== unassigned) continue
      const variables = isLocal ? frame : globals
      variables[slot] ??= unassigned
    }
  }
}

export function compileCall(compiler: Compiler, { name, args, line }: Extract<Expr, { kind: 'call' }>): Code<Scalar> {
  const called = compiler.functions.get(name)
  if (compiler.place({ kind: 'name', name, line }).kind === 'local') {
    throw new ProgramError(`${line}: error: attempt to use non-function \`${name}' in function call`, 1)
  }
  if (called === undefined) {
    return now(() => {
      throw new AwkFatal(`function \`${name}' not defined`, line)
    })
  }
  const arrays = compiler.analysis.arrayParameters(name)
  const given = all(args.map((arg, index) => argument(compiler, arg, arrays.has(index))))
  const { runtime } = compiler
  const markRead = readVariables(compiler, args, arrays)
  const count = called.parameters.length
  const begin = () => {
    if (args.length > count) runtime.warn(line, `function \`${name}' called with more arguments than declared`)
    runtime.step()
  }
  if (given.now === undefined || called.waits) {
    return later(async (frame) => {
      const locals = await ask(given, frame)
      // Now and then a call begins on an empty stack, so that functions can nest deeply.
      runtime.calls += 1
      if (runtime.calls % callsPerStack === 0) await undefined
      begin()
      while (locals.length < count) locals.push(undefined)
      const result = await called.call(locals)
      markRead(frame, locals)
      return result
    })
  }
  const evaluate = given.now
  const call = (frame: Frame): Scalar => {
    const locals = evaluate(frame)
    begin()
    while (locals.length < count) locals.push(undefined)
    const result = called.call(locals) as Scalar
    markRead(frame, locals)
    return result
  }
  return now(runtime.io.clock.isVirtual ? (frame) => runtime.nested(() => call(frame)) : call)
}

export function compileIndirectCall(
  compiler: Compiler,
  { name, args, line }: Extract<Expr, { kind: 'indirect' }>,
): Code<Scalar> {
  const target = compiler.text(name)
  const given = args.map((arg) => argument(compiler, arg, false))
  const known = new Map([...compiler.functions].filter(([, { parameters }]) => parameters.length >= args.length))
  const builtinCalls = new Map<string, Code<Scalar>>()
  const builtinNamed = (wanted: string): Code<Scalar> => {
    const [least, most] = builtins.get(wanted) ?? [Infinity, 0]
    if (args.length < least || args.length > most) {
      throw new AwkFatal(`\`${wanted}' is not a function, so it cannot be called indirectly`, line)
    }
    if (substitutions.has(wanted) && args.length !== 2) {
      throw new AwkFatal(`${wanted}: can be called indirectly only with two arguments`, line)
    }
    const made = builtinCalls.get(wanted) ?? compiler.value({ kind: 'builtin', name: wanted, args, line })
    builtinCalls.set(wanted, made)
    return made
  }
  return later(async (frame) => {
    const wanted = (await ask(target, frame)).replace(/^awk::/, '')
    const called = known.get(wanted)
    if (called === undefined) return ask(builtinNamed(wanted), frame)
    const locals: Cell[] = []
    for (const code of given) locals.push(await ask(code, frame))
    while (locals.length < called.parameters.length) locals.push(undefined)
    compiler.runtime.step()
    return called.call(locals)
  })
}
