/** Variables, elements and what references lead to, as places that can be changed. */
import type { Container, Expr, Variable } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, isTrue, textOf } from '../values/numbers.js'
import { isReference, PerlArray, PerlHash, Scalar, type Value } from '../values/values.js'
import { checkedCell } from './checked.js'
import { all, type Code, type Frame, map, map2, now } from './code.js'
import { type Compiler, isContainer } from './compiler.js'

type Kind = 'ARRAY' | 'HASH' | 'SCALAR'

export function lexicalScalar(frame: Frame, slot: number): Scalar {
  return (frame.cells[slot] ??= new Scalar()) as Scalar
}

export function arrayOf(compiler: Compiler, container: Container, makes: boolean): Code<PerlArray> {
  const { runtime } = compiler
  if (container.kind === 'lexical') {
    const { slot } = container
    return now((frame) => (frame.cells[slot] ??= new PerlArray()) as PerlArray)
  }
  if (container.kind === 'global') {
    if (container.name === '-' || container.name === '+') return now(() => offsets(compiler, container.name))
    if (container.name === '_') return now((frame) => frame.args)
    const global = runtime.array(container.name)
    return now(() => global.array)
  }
  return followed(compiler, container.of, makes, 'ARRAY', () => new PerlArray(), PerlArray)
}

function offsets({ runtime }: Compiler, name: string): PerlArray {
  const last = runtime.lastMatch
  if (last === undefined) return new PerlArray()
  const { start, end, groups } = last.match
  const spans: Array<[number, number] | undefined> = [[start, end], ...groups]
  while (name === '-' && spans.at(-1) === undefined) spans.pop()
  return PerlArray.of(spans.map((span) => span?.[name === '-' ? 0 : 1]))
}

export function hashOf(compiler: Compiler, container: Container, makes: boolean): Code<PerlHash> {
  const { runtime } = compiler
  if (container.kind === 'lexical') {
    const { slot } = container
    return now((frame) => (frame.cells[slot] ??= new PerlHash()) as PerlHash)
  }
  if (container.kind === 'global') {
    if (container.name === '+') return now(() => namedGroups(compiler))
    const global = runtime.hash(container.name)
    return now(() => global.hash)
  }
  return followed(compiler, container.of, makes, 'HASH', () => new PerlHash(), PerlHash)
}

function namedGroups({ runtime }: Compiler): PerlHash {
  const hash = new PerlHash()
  const last = runtime.lastMatch
  for (const [name, number] of last?.regex.names ?? []) {
    const span = last?.match.groups[number - 1]
    if (span !== undefined && last !== undefined) hash.cell(name).value = last.text.slice(span[0], span[1])
  }
  return hash
}

function canHold(expr: Expr): boolean {
  return (
    (isContainer(expr) && expr.sigil === '$') ||
    expr.kind === 'element' ||
    expr.kind === 'hash-element' ||
    (expr.kind === 'my' && !expr.isList)
  )
}

function followed<Item extends Value>(
  compiler: Compiler,
  of: Expr,
  makes: boolean,
  kind: Kind,
  make: () => Item,
  itemClass: abstract new () => Item,
): Code<Item> {
  const { runtime } = compiler
  const wrong = (value: Value): Item => {
    if (value === undefined) {
      if (!runtime.isStrict) return make()
      return runtime.die(`Can't use an undefined value as ${kind === 'ARRAY' ? 'an' : 'a'} ${kind} reference`)
    }
    if (isReference(value)) return runtime.die(`Not ${kind === 'ARRAY' ? 'an' : 'a'} ${kind} reference`)
    const text = textOf(value)
    if (!runtime.isStrict) throw new Unsupported(`the text "${text.slice(0, 20)}" as a reference`)
    return runtime.die(
      `Can't use string ("${text.slice(0, 32)}"${text.length > 32 ? '...' : ''}) as ${kind === 'ARRAY' ? 'an' : 'a'} ${kind} ref while "strict refs" in use`,
    )
  }
  if (makes && canHold(of)) {
    return map(compiler.cell(of), (cell) => {
      const { value } = cell
      if (value instanceof itemClass) return value
      if (value !== undefined) return wrong(value)
      const made = make()
      cell.set(made)
      return made
    })
  }
  return map(compiler.scalar(of), (value) => (value instanceof itemClass ? value : wrong(value)))
}

export function scalarThrough(compiler: Compiler, of: Expr): Code<Scalar> {
  return followed(compiler, of, true, 'SCALAR', () => new Scalar(), Scalar)
}

/** A scalar variable to change. */
export function cellOf(compiler: Compiler, expr: Expr): Code<Scalar> {
  const { runtime } = compiler
  switch (expr.kind) {
    case 'lexical':
      if (expr.sigil === '$') {
        const { slot } = expr
        return now((frame) => (frame.cells[slot] ??= new Scalar()) as Scalar)
      }
      break
    case 'global':
      if (expr.sigil === '$') {
        const global = runtime.scalar(expr.name)
        if ('.'.includes(expr.name)) return now(() => readOnlyLine(compiler))
        return now(() => global.cell)
      }
      break
    case 'deref':
      if (expr.sigil === '$') return scalarThrough(compiler, expr.of)
      break
    case 'my':
      if (!expr.isList && expr.variables[0]?.sigil === '$') return newScalar(compiler, expr.variables[0])
      break
    case 'element':
      return map2(compiler.array(expr.of, true), compiler.scalar(expr.index), (array, index) => {
        const cell = runtime.cellAt(array, indexOf(index))
        return cell ?? runtime.die(`Modification of non-creatable array value attempted, subscript ${textOf(index)}`)
      })
    case 'hash-element':
      return map2(compiler.hash(expr.of, true), compiler.scalar(expr.key), (hash, key) => {
        const text = textOf(key)
        const known = hash.map.get(text)
        if (known !== undefined) return known
        runtime.account(128 + text.length)
        return hash.cell(text)
      })
    case 'local':
      return localized(compiler, expr.target)
    case 'checked':
      return checkedCell(compiler, expr)
    case 'condition': {
      const test = compiler.scalar(expr.test)
      const yes = compiler.cell(expr.yes)
      const no = compiler.cell(expr.no)
      if (test.now === undefined || yes.now === undefined || no.now === undefined) break
      const [holds, first, second] = [test.now, yes.now, no.now]
      return now((frame) => (isTrue(holds(frame)) ? first(frame) : second(frame)))
    }
    case 'list':
      if (expr.items.length === 1) return compiler.cell(expr.items[0] as Expr)
      break
  }
  // A value of no variable: what is done to it is lost.
  return map(compiler.scalar(expr), (value) => new Scalar(value))
}

/** `$.` is read from what was read last. */
function readOnlyLine({ runtime }: Compiler): Scalar {
  return new Scalar(runtime.lastRead?.count)
}

function newScalar({ runtime }: Compiler, variable: Variable): Code<Scalar> {
  if (variable.kind !== 'lexical') throw new Unsupported('this declaration')
  const { slot } = variable
  return now((frame) => {
    const before = frame.cells[slot] as (Scalar & { counted?: number }) | undefined
    if (before?.counted !== undefined) runtime.account(-before.counted)
    const made = new Scalar()
    frame.cells[slot] = made
    return made
  })
}

/** Makes the variables of a declaration anew. */
export function declare(variables: readonly Variable[]): (frame: Frame) => void {
  const slots = variables.map((variable) => {
    if (variable.kind !== 'lexical') throw new Unsupported('this declaration')
    return { slot: variable.slot, sigil: variable.sigil }
  })
  return (frame) => {
    for (const { slot, sigil } of slots) {
      frame.cells[slot] = sigil === '$' ? new Scalar() : sigil === '@' ? new PerlArray() : new PerlHash()
    }
  }
}

function localized(compiler: Compiler, target: Expr): Code<Scalar> {
  const { runtime } = compiler
  if (target.kind === 'global' && target.sigil === '$') {
    const global = runtime.scalar(target.name)
    return now(() => {
      const before = global.cell
      runtime.restores.push(() => {
        global.cell = before
      })
      global.cell = new Scalar()
      return global.cell
    })
  }
  if (target.kind === 'hash-element') {
    return map2(compiler.hash(target.of, true), compiler.scalar(target.key), (hash, key) => {
      const text = textOf(key)
      const before = hash.map.get(text)
      runtime.restores.push(() => {
        if (before === undefined) hash.map.delete(text)
        else hash.map.set(text, before)
      })
      const made = new Scalar()
      hash.map.set(text, made)
      return made
    })
  }
  throw new Unsupported('local of this')
}

/** `local @x`, `local ($x, %y)`: the places, empty. */
export function localizeAll(compiler: Compiler, target: Expr): Code<void> {
  const { runtime } = compiler
  if (target.kind === 'list') return map(all(target.items.map((item) => localizeAll(compiler, item))), () => undefined)
  if (target.kind === 'global' && target.sigil === '@') {
    if (target.name === '_') throw new Unsupported('local @_')
    const global = runtime.array(target.name)
    return now(() => {
      const before = global.array
      runtime.restores.push(() => {
        global.array = before
      })
      global.array = new PerlArray()
    })
  }
  if (target.kind === 'global' && target.sigil === '%') {
    const global = runtime.hash(target.name)
    return now(() => {
      const before = global.hash
      runtime.restores.push(() => {
        global.hash = before
      })
      global.hash = new PerlHash()
    })
  }
  return map(localized(compiler, target), () => undefined)
}

/** What `\` gives for it. */
export function referenceTo(compiler: Compiler, of: Expr): Code<Value> {
  if (of.kind === 'sub-reference') return compiler.scalar(of)
  if (of.kind === 'list') {
    if (of.items.length !== 1) throw new Unsupported('a reference to a list')
    return referenceTo(compiler, of.items[0] as Expr)
  }
  if (of.kind === 'my' && of.variables.length === 1 && !of.isList) {
    const variable = of.variables[0] as Variable
    const made = declare(of.variables)
    const inner = referenceTo(compiler, variable)
    return map2(now(made), inner, (_, value) => value)
  }
  if (isContainer(of)) {
    if (of.sigil === '@') return map(compiler.array(of, true), (array) => array)
    if (of.sigil === '%') return map(compiler.hash(of, true), (hash) => hash)
  }
  if (of.kind === 'handle') return compiler.scalar(of)
  return map(compiler.cell(of), (cell) => cell)
}
