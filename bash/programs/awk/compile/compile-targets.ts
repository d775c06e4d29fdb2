/** Compiles what can be assigned: variables, fields and elements of arrays. */

import type { Runtime } from '../run/runtime.js'
import { AwkFatal } from '../syntax/awk-error.js'
import type { Target } from '../syntax/syntax.js'
import { AwkArray, type Cell } from '../values/array.js'
import { RegexText, type Scalar, unassigned } from '../values/values.js'
import { ask, type Code, constant, type Frame, later, now } from './code.js'
import { type Compiler, notAVariable } from './compiler.js'
import { fieldIndex } from './operators.js'

export interface CompiledTarget {
  assign(value: Code<Scalar>): Code<Scalar>
  /** Assigns what `compute` makes of the old value and another. */
  update<Given>(given: Code<Given>, compute: (old: Scalar, given: Given) => Scalar): Code<Scalar>
  /** Assigns what `compute` makes of the old value, unless it makes nothing; says whether it did. */
  change<Given>(
    given: Code<Given>,
    compute: (old: Scalar, given: Given) => { text: string; count: number },
  ): Code<number>
  /** `++` and `--`. */
  step(by: number, prefix: boolean): Code<Scalar>
}

/** How a target is read and written, once `At` is known. */
interface Access<At> {
  at: Code<At>
  get(at: At, frame: Frame): Scalar
  set(at: At, value: Scalar, frame: Frame): void
  /** Makes what a reference to it makes. */
  touch?(at: At): void
}

export function compileTarget(compiler: Compiler, target: Target): CompiledTarget {
  if (target.kind === 'element') return elementTarget(compiler, target)
  if (target.kind === 'field') return fieldTarget(compiler, target)
  const { runtime } = compiler
  const place = compiler.place(target)
  if (place.kind === 'special') {
    const { name } = place
    return targetOf(runtime, {
      at: constant(undefined),
      get: () => runtime.special(name),
      set: (_, value) => runtime.setSpecial(name, value),
    })
  }
  const { slot, name } = place
  const { accounting, globals } = runtime
  if (place.kind === 'global' && compiler.functions.has(name)) {
    throw notAVariable(name, target.line)
  }
  const of = place.kind === 'local' ? (frame: Frame) => frame : () => globals
  return targetOf(runtime, {
    at: constant(undefined),
    get: (_, frame) => asScalar(of(frame)[slot], name),
    set(_, value, frame) {
      const variables = of(frame)
      if (variables[slot] instanceof AwkArray) asScalar(variables[slot], name)
      if (typeof value === 'string') accounting.replaced(variables[slot], value)
      variables[slot] = value
    },
  })
}

function asScalar(value: Cell, name: string): Scalar {
  if (value instanceof AwkArray) throw new AwkFatal(`attempt to use array \`${name}' in a scalar context`)
  return value
}

function fieldTarget(compiler: Compiler, { index, line }: Extract<Target, { kind: 'field' }>): CompiledTarget {
  const { runtime } = compiler
  const { record } = runtime
  return targetOf(runtime, {
    at: compiler.number(index),
    get: (given) => record.get(fieldIndex(given, line)),
    set: (given, value) => record.assign(fieldIndex(given, line), value),
    touch(given) {
      if (given >= 1) record.touch(fieldIndex(given, line))
    },
  })
}

function elementTarget(compiler: Compiler, target: Extract<Target, { kind: 'element' }>): CompiledTarget {
  const { runtime } = compiler
  const array = compiler.array(target.array)
  const key = compiler.key(target.keys)
  if (array.now === undefined || key.now === undefined) {
    return targetOf(runtime, {
      at: later(async (frame) => ({ array: await ask(array, frame), key: await ask(key, frame) })),
      get: (at) => asScalar(at.array.get(at.key), 'element'),
      set: (at, value) => at.array.set(at.key, value),
    })
  }
  const [arrayOf, keyOf] = [array.now, key.now]
  return {
    ...targetOf(runtime, {
      at: now((frame) => ({ array: arrayOf(frame), key: keyOf(frame) })),
      get: (at) => asScalar(at.array.get(at.key), 'element'),
      set: (at, value) => at.array.set(at.key, value),
    }),
    // The frequent `count[key]++`.
    step: (by, prefix) =>
      now((frame) => {
        const found = arrayOf(frame)
        const at = keyOf(frame)
        const old = runtime.toNumber(asScalar(found.peek(at), 'element'))
        found.set(at, old + by)
        return prefix ? old + by : old
      }),
  }
}

function targetOf<At>({ toNumber }: Runtime, { at, get, set, touch }: Access<At>): CompiledTarget {
  function update<Given>(given: Code<Given>, compute: (old: Scalar, given: Given) => Scalar): Code<Scalar> {
    // The value comes first, then the place: `a[i++] = i`.
    if (given.now === undefined || at.now === undefined) {
      return later(async (frame) => {
        const by = await ask(given, frame)
        const place = await ask(at, frame)
        const value = compute(get(place, frame), by)
        set(place, value, frame)
        return value
      })
    }
    const [valueAt, placeOf] = [given.now, at.now]
    return now((frame) => {
      const by = valueAt(frame)
      const place = placeOf(frame)
      const value = compute(get(place, frame), by)
      set(place, value, frame)
      return value
    })
  }

  function change<Given>(
    given: Code<Given>,
    compute: (old: Scalar, given: Given) => { text: string; count: number },
  ): Code<number> {
    const finish = (by: Given, place: At, frame: Frame): number => {
      touch?.(place)
      const old = get(place, frame)
      const { text, count } = compute(old, by)
      if (count > 0) set(place, old instanceof RegexText ? new RegexText(text) : text, frame)
      return count
    }
    if (given.now === undefined || at.now === undefined) {
      return later(async (frame) => {
        const by = await ask(given, frame)
        return finish(by, await ask(at, frame), frame)
      })
    }
    const [valueAt, placeOf] = [given.now, at.now]
    return now((frame) => finish(valueAt(frame), placeOf(frame), frame))
  }

  return {
    update,
    change,
    assign(value) {
      if (value.now === undefined || at.now === undefined) {
        return later(async (frame) => {
          const given = (await ask(value, frame)) ?? unassigned
          set(await ask(at, frame), given, frame)
          return given
        })
      }
      const [valueAt, placeOf] = [value.now, at.now]
      return now((frame) => {
        const given = valueAt(frame) ?? unassigned
        set(placeOf(frame), given, frame)
        return given
      })
    },
    step(by, prefix) {
      if (prefix) return update(constant(by), (old) => toNumber(old) + by)
      let before = 0
      const updated = update(constant(by), (old) => {
        before = toNumber(old)
        return before + by
      })
      if (updated.now === undefined) {
        return later(async (frame) => {
          await updated.later(frame)
          return before
        })
      }
      const run = updated.now
      return now((frame) => {
        run(frame)
        return before
      })
    },
  }
}
