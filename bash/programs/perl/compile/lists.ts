/** What works on lists of items and on lines: map, grep, sort, print, reading. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import { toShell } from '../run/bytes.js'
import { FileHandle } from '../run/handles.js'
import type { Check, Expr, Handle } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { formatText } from '../values/format.js'
import { isTrue, plainNumber, textOf, truth } from '../values/numbers.js'
import { compareTexts } from '../values/operators.js'
import { CodeValue, HandleValue, PerlArray, Scalar, type Value } from '../values/values.js'
import { refuseWaiting } from './analysis.js'
import { checkedFormat, definedList, namedList, warnOf } from './checked.js'
import { ask, type Code, later, map, map2, now } from './code.js'
import type { Call, Compiler } from './compiler.js'

type EachItem = Extract<Expr, { kind: 'each-item' }>

export function eachItemCode(
  compiler: Compiler,
  expr: EachItem,
  want: 'list' | 'scalar' | 'cells',
): Code<Value | Value[] | Scalar[]> {
  const { runtime } = compiler
  const list = compiler.cells({ kind: 'list', items: expr.list })
  if (expr.name === 'map') {
    const body = compiler.lastList(expr.body)
    const finish = (values: Value[]) => (want === 'list' ? values : values.length)
    if (body.now === undefined) {
      return later(async (frame) => {
        const cells = await ask(list, frame)
        const before = runtime.topic.cell
        const result: Value[] = []
        try {
          for (const cell of cells) {
            runtime.io.step()
            runtime.topic.cell = cell
            for (const value of await body.later(frame)) result.push(value)
          }
        } finally {
          runtime.topic.cell = before
        }
        return finish(result)
      })
    }
    const run = body.now
    return map(list, (cells, frame) => {
      const result: Value[] = []
      withTopic(compiler, cells, () => {
        for (const value of run(frame)) result.push(value)
        return false
      })
      return finish(result)
    })
  }
  refuseWaiting(compiler, expr.body, expr.name)
  const test = compiler.lastValue(expr.body).now
  if (test === undefined) throw new Unsupported(`waiting in ${expr.name}`)
  return map(list, (cells, frame) => chosen(compiler, expr.name, cells, want, () => isTrue(test(frame))))
}

/** Runs for each item with it as `$_`, until it gives true. */
function withTopic(
  { runtime }: Compiler,
  cells: readonly Scalar[],
  run: (cell: Scalar) => boolean,
): Scalar | undefined {
  const before = runtime.topic.cell
  try {
    for (const cell of cells) {
      runtime.io.step()
      runtime.topic.cell = cell
      if (run(cell)) return cell
    }
    return undefined
  } finally {
    runtime.topic.cell = before
  }
}

function chosen(
  compiler: Compiler,
  name: EachItem['name'],
  cells: readonly Scalar[],
  want: 'list' | 'scalar' | 'cells',
  test: () => boolean,
): Value | Value[] | Scalar[] {
  if (name === 'grep') {
    const found: Scalar[] = []
    withTopic(compiler, cells, (cell) => {
      if (test()) found.push(cell)
      return false
    })
    if (want === 'cells') return found
    return want === 'list' ? found.map(({ value }) => value) : found.length
  }
  if (name === 'first') return withTopic(compiler, cells, test)?.value
  const isAny = name !== 'all'
  const found = withTopic(compiler, cells, () => test() === isAny) !== undefined
  return truth(name === 'any' ? found : !found)
}

export function sortCode(
  compiler: Compiler,
  { compare, list, checks }: Extract<Expr, { kind: 'sort' }>,
): Code<Value[]> {
  const { runtime } = compiler
  const values = map(compiler.list({ kind: 'list', items: list }), (given) => {
    if (checks !== undefined && given.includes(undefined)) throw new Unsupported('a warning while sorting')
    return given
  })
  if (compare === undefined) {
    return map(values, (given) => {
      runtime.io.step(given.length)
      return given.slice().sort(compareTexts)
    })
  }
  const [a, b] = [runtime.scalar('a'), runtime.scalar('b')]
  const ordered = (given: Value[], test: () => Value): Value[] => {
    const [first, second] = [a.cell, b.cell]
    const cells = given.map((value) => new Scalar(value))
    const { isSorting } = runtime
    runtime.isSorting = checks !== undefined
    try {
      cells.sort((one, two) => {
        runtime.io.step()
        a.cell = one
        b.cell = two
        const order = plainNumber(test())
        return Number.isNaN(order) ? 0 : order
      })
    } finally {
      runtime.isSorting = isSorting
      a.cell = first
      b.cell = second
    }
    return cells.map(({ value }) => value)
  }
  if ('statements' in compare) {
    refuseWaiting(compiler, compare, 'sort')
    const test = compiler.lastValue(compare).now
    if (test === undefined) throw new Unsupported('waiting in sort')
    return map(values, (given, frame) => ordered(given, () => test(frame)))
  }
  return map2(compiler.scalar(compare), values, (code, given) => {
    if (!(code instanceof CodeValue)) throw new Unsupported('sort by what is no sub')
    return ordered(given, () => {
      const result = (code.call as Call)(new PerlArray(), 'scalar')
      if (!Array.isArray(result)) throw new Unsupported('waiting in sort')
      return result[0]
    })
  })
}

export function handleOf(compiler: Compiler, handle: Handle): Code<FileHandle | undefined> {
  const { runtime } = compiler
  if (handle.kind === 'named') return now(() => runtime.handles.get(handle.name))
  return map(compiler.scalar(handle.value), (value) => {
    if (value instanceof HandleValue && value.handle instanceof FileHandle) return value.handle
    if (value instanceof Scalar && value.value instanceof HandleValue) return value.value.handle as FileHandle
    if (typeof value === 'string') return runtime.handles.get(value.replace(/^\*?(?:main::)?/, ''))
    return undefined
  })
}

export function printCode(compiler: Compiler, expr: Extract<Expr, { kind: 'print' }>): Code<Value> {
  const { runtime } = compiler
  const handle: Code<FileHandle | undefined> =
    expr.handle === undefined ? now(() => runtime.selected) : handleOf(compiler, expr.handle)
  const { name, checks } = expr
  if (name === 'printf' && checks !== undefined) return checkedPrintf(compiler, expr, handle, checks)
  const args =
    checks === undefined ? compiler.list({ kind: 'list', items: expr.args }) : definedList(compiler, expr.args, checks)
  return map2(handle, args, (to, values) => {
    if (to?.output === undefined) {
      warnClosed(compiler, name, expr.handle, to, checks)
      runtime.fail('Bad file descriptor')
      return undefined
    }
    const text = name === 'printf' ? formatText(values) : printed(compiler, values, name === 'say')
    to.output.write(text)
    runtime.written.add(to)
    return 1
  })
}

function checkedPrintf(
  compiler: Compiler,
  { args, handle: named }: Extract<Expr, { kind: 'print' }>,
  handle: Code<FileHandle | undefined>,
  checks: Check,
): Code<Value> {
  const { runtime } = compiler
  return map2(handle, namedList(compiler, args, false), (to, list) => {
    if (to?.output === undefined) {
      warnClosed(compiler, 'printf', named, to, checks)
      runtime.fail('Bad file descriptor')
      return undefined
    }
    to.output.write(checkedFormat(runtime, list, checks))
    runtime.written.add(to)
    return 1
  })
}

/** Of a file that is not open. */
function warnClosed(
  { runtime }: Compiler,
  what: string,
  named: Handle | undefined,
  file: FileHandle | undefined,
  checks: Check | undefined,
): void {
  if (checks === undefined) return
  const name = named?.kind === 'named' ? named.name : handleName(named)
  if (file?.isOpen) throw new Unsupported(`the warning of ${what} on a file for the other direction`)
  if (name === undefined) throw new Unsupported(`the warning of ${what} on a file that is not open`)
  const isUnknown = file === undefined && named?.kind === 'named'
  const state = isUnknown ? 'unopened' : 'closed'
  warnOf(runtime, checks.warns, state, `${what}() on ${state} filehandle ${name}`)
}

function handleName(handle: Handle | undefined): string | undefined {
  if (handle?.kind !== 'value') return undefined
  const { value } = handle
  return value.kind === 'lexical' || value.kind === 'global' ? `$${value.name}` : undefined
}

function printed({ runtime }: Compiler, values: readonly Value[], isSay: boolean): string {
  const separator = textOf(runtime.fieldSeparator.cell.value)
  const end = isSay ? '\n' : textOf(runtime.outputSeparator.cell.value)
  if (values.length === 1) return textOf(values[0]) + end
  return values.map(textOf).join(separator) + end
}

/** The next line; undefined at the end. */
async function nextLine(compiler: Compiler, handle: FileHandle): Promise<Value> {
  const { runtime } = compiler
  if (handle.input === undefined) return undefined
  const separator = runtime.inputSeparator.cell.value
  if (typeof separator === 'object') throw new Unsupported('$/ as a reference')
  await runtime.drain()
  const line = await handle.input.read(separator === undefined ? undefined : textOf(separator))
  if (line !== undefined) {
    handle.count += 1
    runtime.lastRead = handle
  }
  return line
}

function slurps({ runtime }: Compiler): boolean {
  return runtime.inputSeparator.cell.value === undefined
}

function source(compiler: Compiler, handle: Handle, checks: Check | undefined): Code<() => Promise<Value>> {
  if (handle.kind === 'named' && handle.name === '') return now(() => () => compiler.runtime.nextOfArguments())
  return map(handleOf(compiler, handle), (file) => async () => {
    if (file?.input === undefined) {
      warnClosed(compiler, 'readline', handle, file, checks)
      return undefined
    }
    const line = await nextLine(compiler, file)
    // An empty file gives one empty text when all of it is read.
    if (line === undefined && slurps(compiler) && file.count === 0) {
      file.count = 1
      compiler.runtime.lastRead = file
      return ''
    }
    return line
  })
}

export function readScalar(compiler: Compiler, handle: Handle, checks?: Check): Code<Value> {
  const from = source(compiler, handle, checks)
  return later(async (frame) => (await ask(from, frame))())
}

export function readList(compiler: Compiler, handle: Handle, checks?: Check): Code<Value[]> {
  const from = source(compiler, handle, checks)
  return later(async (frame) => {
    const next = await ask(from, frame)
    const lines: Value[] = []
    for (let line = await next(); line !== undefined; line = await next()) {
      compiler.runtime.io.step()
      compiler.runtime.account(64 + textOf(line).length)
      lines.push(line)
      if (slurps(compiler) && handle.kind !== 'named') break
    }
    return lines
  })
}

export function testFile(compiler: Compiler, test: string, of: Expr): Code<Value> {
  const { runtime } = compiler
  const name = compiler.scalar(of)
  return later(async (frame) => {
    const value = await ask(name, frame)
    if (typeof value === 'object') throw new Unsupported('a file test of what is no name')
    await runtime.drain()
    try {
      const { kind, size, mode = 0o644 } = await runtime.io.fs.stat(toShell(textOf(value)))
      switch (test) {
        case 'e':
          return 1
        case 'f':
          return truth(kind === 'file')
        case 'd':
          return truth(kind === 'directory')
        case 's':
          return kind === 'file' ? (size === 0 ? '' : (size as number)) : 4096
        case 'z':
          return truth(kind === 'file' && size === 0)
        case 'r':
          return truth((mode & 0o400) !== 0)
        case 'w':
          return truth((mode & 0o200) !== 0)
        default:
          return truth((mode & 0o100) !== 0)
      }
    } catch (error) {
      if (!isFsError(error)) throw error
      runtime.fail(describeError(error))
      return undefined
    }
  })
}
