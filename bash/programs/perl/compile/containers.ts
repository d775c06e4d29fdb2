/** Functions on arrays and hashes themselves. */
import type { Container, Expr } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, textOf, truth } from '../values/numbers.js'
import { type PerlArray, type PerlHash, Scalar, type Value } from '../values/values.js'
import { type Code, map, map2, now } from './code.js'
import { type Compiler, isContainer } from './compiler.js'

type Call = Extract<Expr, { kind: 'function' }>

function arrayArgument({ args, name }: Call): Container {
  const [of] = args
  if (of === undefined || !isContainer(of) || of.sigil !== '@') {
    if (of?.kind === 'my' && of.variables[0]?.sigil === '@') throw new Unsupported(`${name} of a declaration`)
    throw new Unsupported(`${name} of what is no array`)
  }
  return of
}

/** What an element of an array takes, roughly. */
function sizeOf(value: Value): number {
  return typeof value === 'string' && value.length > 64 ? 64 + value.length : 64
}

export function containerFunction(compiler: Compiler, call: Call): Code<Value> | undefined {
  const { runtime } = compiler
  const { name, args } = call
  const [of] = args
  switch (name) {
    case 'push':
    case 'unshift': {
      const array = compiler.array(arrayArgument(call), true)
      return map2(array, compiler.list({ kind: 'list', items: args.slice(1) }), ({ cells }, values) => {
        for (const value of values) runtime.account(sizeOf(value))
        if (name === 'push') for (const value of values) cells.push(new Scalar(value))
        else cells.splice(0, 0, ...values.map((value) => new Scalar(value)))
        return cells.length
      })
    }
    case 'pop':
    case 'shift':
      return map(compiler.array(arrayArgument(call), true), ({ cells }) => {
        if (cells.length === 0) return undefined
        const value = (name === 'pop' ? cells.pop() : cells.shift())?.value
        runtime.account(-sizeOf(value))
        return value
      })
    case 'keys':
    case 'values':
      if (of !== undefined && isContainer(of) && of.sigil === '%') {
        return map(compiler.hash(of, true), (hash) => {
          hash.left = undefined
          return hash.map.size
        })
      }
      return map(compiler.array(arrayArgument(call), true), ({ cells }) => cells.length)
    case 'exists':
      return existsCode(compiler, of)
    case 'delete':
      return deleteCode(compiler, of)
    case 'undef':
      return undefCode(compiler, of)
  }
  return undefined
}

function existsCode(compiler: Compiler, of: Expr | undefined): Code<Value> {
  if (of?.kind === 'hash-element') {
    return map2(compiler.hash(of.of, true), compiler.scalar(of.key), (hash, key) => truth(hash.map.has(textOf(key))))
  }
  if (of?.kind === 'element') {
    return map2(compiler.array(of.of, true), compiler.scalar(of.index), ({ cells }, index) => {
      const at = indexOf(index)
      return truth(cells[at < 0 ? at + cells.length : at] !== undefined)
    })
  }
  throw new Unsupported('exists of this')
}

function deleteCode(compiler: Compiler, of: Expr | undefined): Code<Value> {
  const { runtime } = compiler
  if (of?.kind === 'hash-element') {
    return map2(compiler.hash(of.of, true), compiler.scalar(of.key), (hash, key) => {
      const text = textOf(key)
      const value = hash.map.get(text)?.value
      if (hash.map.delete(text)) runtime.account(-128 - text.length)
      return value
    })
  }
  if (of?.kind === 'hash-slice') {
    return map2(compiler.hash(of.of, true), compiler.list(of.list), (hash, keys) => {
      let last: Value
      for (const key of keys) {
        last = hash.map.get(textOf(key))?.value
        hash.map.delete(textOf(key))
      }
      return last
    })
  }
  throw new Unsupported('delete of this')
}

function undefCode(compiler: Compiler, of: Expr | undefined): Code<Value> {
  if (of === undefined) return now(() => undefined)
  if (isContainer(of) && of.sigil === '@') {
    return map(compiler.array(of, true), (array: PerlArray) => {
      array.cells = []
      return undefined
    })
  }
  if (isContainer(of) && of.sigil === '%') {
    return map(compiler.hash(of, true), (hash: PerlHash) => {
      hash.map = new Map()
      return undefined
    })
  }
  if (isContainer(of) || of.kind === 'element' || of.kind === 'hash-element') {
    return map(compiler.cell(of), (cell) => {
      cell.set(undefined)
      return undefined
    })
  }
  throw new Unsupported('undef of this')
}
