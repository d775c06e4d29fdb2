/** Calls of perl's own functions. */
import type { Check, Expr } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, textOf, truth } from '../values/numbers.js'
import { dateText, timeParts } from '../values/time.js'
import { type PerlHash, Scalar, type Value } from '../values/values.js'
import { checkedFormat, definedList, isNumeric, namedList, notNumeric, warnOf } from './checked.js'
import { all, type Code, flattened, map, map2, now } from './code.js'
import { type Compiler, isContainer, isPlural } from './compiler.js'
import { containerFunction } from './containers.js'
import { fileFunction } from './files.js'
import { splitCode } from './matching.js'
import { partOf, replacePart } from './parts.js'
import { listFunctions, scalarFunctions } from './plain-functions.js'

type Call = Extract<Expr, { kind: 'function' }>

function argument({ args, name }: Call, index: number): Expr {
  const arg = args[index]
  if (arg === undefined) throw new Unsupported(`${name} without its arguments`)
  return arg
}

export function functionScalar(compiler: Compiler, call: Call): Code<Value> {
  const { runtime } = compiler
  const { name, args, checks } = call
  if (checks !== undefined) {
    const code = checkedFunction(compiler, call, checks)
    if (code !== undefined) return code
  }
  const special = specialScalar(compiler, call) ?? containerFunction(compiler, call) ?? fileFunction(compiler, call)
  if (special !== undefined) return special
  const one = scalarFunctions[name]
  if (one !== undefined) {
    const values = all(args.map((arg) => compiler.scalar(arg)))
    return map(values, (given) => one(given, runtime))
  }
  const many = listFunctions[name]
  if (many !== undefined) {
    const values = map(all(args.map((arg) => compiler.list(arg))), flattened)
    if (name === 'uniq' || name === 'uniqnum') return map(values, (given) => (many(given, runtime) as Value[]).length)
    return map(values, (given) => many(given, runtime) as Value)
  }
  throw new Unsupported(name)
}

/** Those whose warnings depend on all of their arguments. */
function checkedFunction(compiler: Compiler, { name, args }: Call, checks: Check): Code<Value> | undefined {
  const { runtime } = compiler
  const many = listFunctions[name]
  if (name === 'sprintf') {
    return map(namedList(compiler, args, checks.isOnly), (list) => checkedFormat(runtime, list, checks))
  }
  if (checks.in === 'subroutine entry' && many !== undefined) {
    return map(all(args.map((arg) => compiler.list(arg))), (lists) => {
      const values = flattened(lists)
      if (values.includes(undefined)) throw new Unsupported(`the warning of an uninitialized value in ${name}`)
      const isNumber = !name.endsWith('str')
      for (const value of values)
        if (isNumber && typeof value === 'string' && !isNumeric(value)) notNumeric(runtime, value, checks.in)
      return many(values, runtime) as Value
    })
  }
  if (['join', 'die', 'warn'].includes(name) && many !== undefined) {
    return map(definedList(compiler, args, checks), (values) => many(values, runtime) as Value)
  }
  if (name === 'reverse') {
    const code = definedList(compiler, args.length === 0 ? [topic] : args, checks)
    return map(code, (values) => [...values.map(textOf).join('')].reverse().join(''))
  }
  if (name === 'hex' || name === 'oct') return checkedDigits(compiler, name, args[0] as Expr)
  return undefined
}

function checkedDigits(compiler: Compiler, name: string, of: Expr): Code<Value> {
  const compute = scalarFunctions[name]
  return map(compiler.scalar(of), (value) => {
    const isRight =
      name === 'hex'
        ? /^(?:0?[xX])?[\da-fA-F]{0,8}$/
        : /^\s*(?:0?[xX][\da-fA-F]{0,8}|0?[bB][01]{0,32}|0?o?[0-7]{0,10})$/
    if (!isRight.test(textOf(value))) throw new Unsupported(`the warning of ${name} for such digits`)
    return compute?.([value], compiler.runtime)
  })
}

/** Undefined for those that give one value. */
export function functionList(compiler: Compiler, call: Call): Code<Value[]> | undefined {
  const { runtime } = compiler
  const { name, args } = call
  switch (name) {
    case 'split':
      return splitCode(compiler, args, call.line)
    case 'reverse':
      return map(compiler.list({ kind: 'list', items: args }), (values) => values.slice().reverse())
    case 'keys': {
      const of = argument(call, 0)
      if (isContainer(of) && of.sigil === '%') {
        return map(compiler.hash(of, true), (hash) => {
          hash.left = undefined
          return [...hash.map.keys()]
        })
      }
      if (isContainer(of) && of.sigil === '@') return map(compiler.array(of, true), (array) => [...array.cells.keys()])
      break
    }
    case 'values': {
      const of = argument(call, 0)
      if (isContainer(of) && of.sigil === '%') {
        return map(compiler.hash(of, true), (hash) => {
          hash.left = undefined
          return [...hash.map.values()].map(({ value }) => value)
        })
      }
      if (isContainer(of) && of.sigil === '@') return map(compiler.array(of, true), (array) => array.values())
      break
    }
    case 'each': {
      const of = argument(call, 0)
      if (isContainer(of) && of.sigil === '%') {
        return map(compiler.hash(of, true), (hash) => {
          const key = nextKey(hash)
          return key === undefined ? [] : [key, hash.map.get(key)?.value]
        })
      }
      break
    }
    case 'splice':
      return spliceCode(compiler, call)
    case 'delete': {
      const of = argument(call, 0)
      if (of.kind !== 'hash-slice') break
      return map2(compiler.hash(of.of, true), compiler.list(of.list), (hash, keys) =>
        keys.map((key) => {
          const value = hash.map.get(textOf(key))?.value
          hash.map.delete(textOf(key))
          return value
        }),
      )
    }
    case 'localtime':
    case 'gmtime': {
      const zone = name === 'gmtime' ? 'UTC' : undefined
      const given = args[0] === undefined ? now(() => undefined) : compiler.scalar(args[0])
      return map(given, (value) => timeParts(runtime.io, value, zone))
    }
    case 'qx':
      return map(fileFunction(compiler, call) as Code<Value>, (text) => {
        const lines = textOf(text).match(/[^\n]*\n|[^\n]+$/g)
        return lines === null ? [] : [...lines]
      })
    case 'uniq':
    case 'uniqnum': {
      const many = listFunctions[name]
      return map(all(args.map((arg) => compiler.list(arg))), (lists) => many?.(flattened(lists), runtime) as Value[])
    }
  }
  return undefined
}

function nextKey(hash: PerlHash): string | undefined {
  hash.left ??= [...hash.map.keys()].reverse()
  for (;;) {
    const key = hash.left.pop()
    if (key === undefined) {
      hash.left = undefined
      return undefined
    }
    if (hash.map.has(key)) return key
  }
}

function specialScalar(compiler: Compiler, call: Call): Code<Value> | undefined {
  const { runtime } = compiler
  const { name, args } = call
  switch (name) {
    case 'defined':
      return definedCode(compiler, argument(call, 0))
    case 'scalar':
      return compiler.scalar(argument(call, 0))
    case 'split':
      return map(splitCode(compiler, args, call.line), (values) => values.length)
    case 'reverse':
      return map(compiler.list({ kind: 'list', items: args.length === 0 ? [topic] : args }), (values) =>
        [...values.map(textOf).join('')].reverse().join(''),
      )
    case 'pos':
      return map(compiler.cell(argument(call, 0)), (cell) => cell.pos)
    case 'substr':
      return substrCode(compiler, call)
    case 'chomp':
    case 'chop':
      return map(all(args.map((arg) => compiler.cells(arg))), (lists) => {
        let result: Value = name === 'chomp' ? 0 : ''
        const cells = lists.flat()
        if (
          call.checks !== undefined &&
          args[0]?.kind !== 'checked' &&
          cells.some(({ value }) => value === undefined)
        ) {
          throw new Unsupported(`the warning of an uninitialized value in ${name}`)
        }
        for (const cell of cells) {
          if (name === 'chop') {
            const text = textOf(cell.value)
            if (text !== '') cell.set(text.slice(0, -1))
            result = text.slice(-1)
          } else result = (result as number) + chomp(compiler, cell)
        }
        return result
      })
    case 'localtime':
    case 'gmtime': {
      const given = args[0] === undefined ? now(() => undefined) : compiler.scalar(args[0])
      return map(given, (value) => dateText(runtime.io, value, name === 'gmtime' ? 'UTC' : undefined))
    }
    case 'splice':
      return map(spliceCode(compiler, call), (values) => values.at(-1))
    case 'each': {
      const list = functionList(compiler, call)
      return list && map(list, ([key]) => key)
    }
    case 'sprintf': {
      const [format] = args
      if (format !== undefined && isPlural(format)) throw new Unsupported('sprintf with an array as its format')
      return undefined
    }
  }
  return undefined
}

const topic: Expr = { kind: 'global', sigil: '$', name: '_' }

function chomp({ runtime }: Compiler, cell: Scalar): number {
  const separator = runtime.inputSeparator.cell.value
  if (separator === undefined || cell.value === undefined) return 0
  const end = textOf(separator)
  const text = textOf(cell.value)
  if (end === '') {
    const kept = text.replace(/\n+$/, '')
    if (kept.length < text.length) cell.set(kept)
    return text.length - kept.length
  }
  if (!text.endsWith(end)) return 0
  cell.set(text.slice(0, text.length - end.length))
  return end.length
}

function definedCode(compiler: Compiler, of: Expr): Code<Value> {
  if (isPlural(of)) throw new Unsupported('defined of an array or hash')
  if (of.kind === 'wantarray') throw new Unsupported('defined wantarray')
  if (of.kind === 'call' && of.keepsArgs) throw new Unsupported('defined of a sub')
  return map(compiler.scalar(of), (value) => truth(value !== undefined))
}

function substrCode(compiler: Compiler, call: Call): Code<Value> {
  const { runtime } = compiler
  const [of, start, length, by] = call.args
  if (of === undefined || start === undefined) throw new Unsupported('substr without its arguments')
  const places = all([start, ...(length === undefined ? [] : [length])].map((place) => compiler.scalar(place)))
  if (by !== undefined) {
    return map2(
      map2(places, compiler.scalar(by), (given, text) => ({ given, text })),
      compiler.cell(of),
      ({ given, text }, cell) => replacePart(runtime, cell, given[0], given[1], textOf(text)),
    )
  }
  return map2(compiler.scalar(of), places, (value, [from, count]) => {
    const text = textOf(value)
    if (length !== undefined && count === undefined) return ''
    const span = partOf(text.length, from, count)
    if (span === undefined && call.checks !== undefined) {
      warnOf(runtime, call.checks.warns, 'substr', 'substr outside of string')
    }
    return span === undefined ? undefined : text.slice(span[0], span[1])
  })
}

function spliceCode(compiler: Compiler, call: Call): Code<Value[]> {
  const [of, start, length, ...rest] = call.args
  if (of === undefined || !isContainer(of) || of.sigil !== '@') throw new Unsupported('splice of this')
  const places = all(
    [start, length].map((place) => (place === undefined ? now(() => undefined) : compiler.scalar(place))),
  )
  const added = compiler.list({ kind: 'list', items: rest })
  return map2(
    map2(compiler.array(of, true), places, (array, given) => ({ array, given })),
    added,
    ({ array, given }, values) => {
      const { cells } = array
      const from = start === undefined ? 0 : indexOf(given[0])
      const at = Math.min(cells.length, from < 0 ? from + cells.length : from)
      if (at < 0) return compiler.runtime.die('Modification of non-creatable array value attempted, subscript ' + from)
      const given1 = given[1]
      const count = length === undefined || given1 === undefined ? cells.length - at : indexOf(given1)
      const taken = count < 0 ? Math.max(0, cells.length - at + count) : count
      const removed = cells.splice(at, taken, ...values.map((value) => new Scalar(value)))
      return removed.map((cell) => cell?.value)
    },
  )
}
