/** New texts, arrays and objects. */
import { applyFormat } from '../formats.js'
import { JqError, type Json } from '../values.js'
import type { Code } from './code.js'
import { valueCode } from './code-parts.js'
import { type Account, countedAtOnce, itemBytes } from './memory.js'

export function compileText(parts: ReadonlyArray<string | Code>, format: string): Code {
  // The last interpolation is the outermost loop.
  return valueCode((input, env, emit) => {
    const build = (index: number, tail: string): void => {
      if (index < 0) {
        emit(tail)
        return
      }
      const part = parts[index] as string | Code
      if (typeof part === 'string') build(index - 1, part + tail)
      else part.run(input, env, (value) => build(index - 1, String(applyFormat(format, value)) + tail))
    }
    build(parts.length - 1, '')
  })
}

export function compileArray(items: Code, account: Account): Code {
  return valueCode((input, env, emit) => {
    const collected: Json[] = []
    let [counted, waiting] = [0, 0]
    items.run(input, env, (value) => {
      collected.push(value)
      waiting += itemBytes(value)
      if (waiting < countedAtOnce) return
      account(waiting)
      counted += waiting
      waiting = 0
    })
    emit(collected)
    if (counted > 0) account(-counted)
  })
}

export function compileObject(entries: ReadonlyArray<{ key: Code; value: Code }>): Code {
  return valueCode((input, env, emit) => {
    const build = (index: number, sofar: ReadonlyArray<readonly [string, Json]>): void => {
      const entry = entries[index]
      if (entry === undefined) {
        emit(new Map(sofar))
        return
      }
      entry.key.run(input, env, (key) => {
        if (typeof key !== 'string') throw new JqError(`Object keys must be strings`)
        entry.value.run(input, env, (value) => build(index + 1, [...sofar, [key, value]]))
      })
    }
    build(0, [])
  })
}
