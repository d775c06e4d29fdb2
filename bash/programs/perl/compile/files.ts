/** Functions on files and commands. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import { pipe } from '../../../io/streams.js'
import { textOfBytes, toShell } from '../run/bytes.js'
import { BufferedSink, FileHandle, Input, TextSink } from '../run/handles.js'
import type { Expr, Handle } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, textOf } from '../values/numbers.js'
import { Both, HandleValue, Scalar, type Value } from '../values/values.js'
import { all, ask, type Code, later, map, now, waiting } from './code.js'
import { type Compiler, isContainer } from './compiler.js'
import { handleOf, readScalar } from './lists.js'

type Call = Extract<Expr, { kind: 'function' }>

export function fileFunction(compiler: Compiler, call: Call): Code<Value> | undefined {
  const { runtime } = compiler
  const { io } = runtime
  const { name, args } = call
  switch (name) {
    case 'open':
      return openCode(compiler, args)
    case 'close':
      return waiting(handleArgument(compiler, args[0]), async (handle) => {
        if (handle === undefined) return 0
        runtime.opened.delete(handle)
        return attempt(compiler, async () => {
          if (await handle.close()) runtime.failure.cell.value = new Both('', 0)
          else runtime.fail('Bad file descriptor')
        })
      })
    case 'binmode': {
      const [, layer] = args
      if (layer !== undefined && !(layer.kind === 'value' && /^:(?:raw|bytes)$/.test(textOf(layer.value)))) {
        throw new Unsupported('binmode with this layer')
      }
      return now(() => 1)
    }
    case 'eof':
      if (args.length === 0) {
        return later(async () => {
          const handle = runtime.lastRead
          return handle?.input === undefined || (await handle.input.isAtEnd()) ? 1 : ''
        })
      }
      return waiting(handleArgument(compiler, args[0]), async (handle) =>
        handle?.input === undefined || (await handle.input.isAtEnd()) ? 1 : '',
      )
    case 'readline':
      return readScalar(compiler, handleIn(args[0]))
    case 'unlink':
      return waiting(compiler.list({ kind: 'list', items: args }), async (names) => {
        await runtime.drain()
        let count = 0
        for (const one of names) {
          const removed = await attempt(compiler, async () => {
            const path = toShell(textOf(one))
            if ((await io.fs.lstat(path)).kind === 'directory') throw new Unsupported('unlink of a directory')
            await io.fs.remove(path)
          })
          count += removed === 1 ? 1 : 0
        }
        return count
      })
    case 'mkdir':
      if (args.length > 1) throw new Unsupported('mkdir with a mode')
      return onPaths(compiler, args, ([path = '']) => io.fs.makeDir(path.replace(/\/+$/, '')))
    case 'rmdir':
      return onPaths(compiler, args, async ([path = '']) => {
        if ((await io.fs.lstat(path)).kind !== 'directory') throw new Unsupported('rmdir of a file')
        await io.fs.remove(path)
      })
    case 'rename':
      return onPaths(compiler, args, ([from = '', to = '']) => io.fs.rename(from, to))
    case 'sleep':
      return waiting(compiler.scalar(args[0] ?? { kind: 'value', value: 0 }), async (seconds) => {
        await runtime.drain()
        const status = await io.run(['sleep', String(Math.max(0, indexOf(seconds)))])
        return status === 0 ? indexOf(seconds) : 0
      })
    case 'system':
      throw new Unsupported('system')
    case 'qx':
      return waiting(compiler.scalar(args[0] as Expr), (command) => output(compiler, toShell(textOf(command))))
  }
  return undefined
}

async function output({ runtime }: Compiler, command: string): Promise<Value> {
  await runtime.flushAll()
  const { reader, writer } = pipe()
  const pieces: string[] = []
  const read = async () => {
    for (let bytes = await reader.read(); bytes !== undefined; bytes = await reader.read()) {
      runtime.account(bytes.length)
      pieces.push(textOfBytes(bytes))
    }
  }
  const ended = runtime.io.run(['sh', '-c', command], { stdout: writer }).finally(() => writer.close())
  await Promise.all([ended, read()])
  return pieces.join('')
}

function handleIn(arg: Expr | undefined): Handle {
  if (arg === undefined) return { kind: 'named', name: '' }
  return arg.kind === 'handle' ? arg.handle : { kind: 'value', value: arg }
}

function handleArgument(compiler: Compiler, arg: Expr | undefined): Code<FileHandle | undefined> {
  if (arg === undefined) throw new Unsupported('close without a handle')
  return handleOf(compiler, handleIn(arg))
}

function onPaths(compiler: Compiler, args: readonly Expr[], run: (paths: string[]) => Promise<void>): Code<Value> {
  return waiting(all(args.map((arg) => compiler.scalar(arg))), async (values) => {
    await compiler.runtime.drain()
    return attempt(compiler, () => run(values.map((value) => toShell(textOf(value)))))
  })
}

async function attempt({ runtime }: Compiler, run: () => Promise<void>): Promise<Value> {
  try {
    await run()
    return 1
  } catch (error) {
    if (!isFsError(error)) throw error
    runtime.fail(describeError(error))
    return 0
  }
}

function openCode(compiler: Compiler, args: readonly Expr[]): Code<Value> {
  const { runtime } = compiler
  const [to, mode, name] = args
  if (to === undefined || mode === undefined) throw new Unsupported('open with one argument')
  if (args.length > 3) throw new Unsupported('open of a command')
  const given = all(args.slice(1).map((arg) => compiler.scalar(arg)))
  const place = placeFor(compiler, to)
  return later(async (frame) => {
    const [modeValue, nameValue] = await ask(given, frame)
    const put = await ask(place, frame)
    const [kind, target] = name === undefined ? splitMode(textOf(modeValue)) : [plainMode(textOf(modeValue)), nameValue]
    await runtime.drain()
    const handle = new FileHandle(put.name)
    const done = await attempt(compiler, () => openFile(compiler, handle, kind, target))
    if (done !== 1) return 0
    runtime.hasOpened()
    runtime.opened.add(handle)
    await put.set(handle)
    return 1
  })
}

/** The mode and the name in one text. */
function splitMode(text: string): [string, Value] {
  const found = /^\s*(<|>>|>|)\s*([\s\S]*?)\s*$/.exec(text)
  const name = found?.[2] ?? ''
  if (/^[|+&]|\|$|^-$/.test(name)) throw new Unsupported('open of a command or of a copy')
  return [found?.[1] || '<', name]
}

function plainMode(mode: string): string {
  const found = /^\s*(<|>>|>)\s*(?::(?:raw|bytes))?\s*$/.exec(mode)
  if (found === null) throw new Unsupported(`open with the mode ${mode}`)
  return found[1] as string
}

async function openFile({ runtime }: Compiler, handle: FileHandle, kind: string, target: Value): Promise<void> {
  const { io } = runtime
  if (target instanceof Scalar) {
    if (kind === '<') {
      const text = textOf(target.value)
      let isRead = false
      const bytes = Uint8Array.from(text, (unit) => unit.charCodeAt(0))
      const read = async () => {
        if (isRead || bytes.length === 0) return undefined
        isRead = true
        return bytes
      }
      handle.input = new Input({ read, unread() {}, close() {} }, () => undefined)
      return
    }
    if (kind === '>') target.set('')
    const sink = new TextSink((size) => runtime.account(size))
    sink.write = (text) => target.set(textOf(target.value) + text)
    handle.output = sink
    return
  }
  if (typeof target === 'object' || target === undefined) throw new Unsupported('open of what is no name')
  const path = toShell(textOf(target))
  if (kind === '<') {
    const stat = await io.fs.stat(path)
    if (stat.kind === 'directory') throw new Unsupported('open of a directory')
    handle.input = new Input(await io.fs.openRead(path), (size) => runtime.account(size))
    return
  }
  const writer = await io.fs.openWrite(path, { append: kind === '>>' })
  handle.output = new BufferedSink(writer, () => writer.close())
}

interface Put {
  name: string
  set(handle: FileHandle): Promise<void>
}

function placeFor(compiler: Compiler, to: Expr): Code<Put> {
  const { runtime } = compiler
  if (to.kind === 'handle' && to.handle.kind === 'named') {
    const { name } = to.handle
    if (/^(?:STDIN|STDOUT|STDERR|ARGV|DATA)$/.test(name)) throw new Unsupported(`open of ${name}`)
    return now(() => ({
      name,
      async set(handle) {
        const before = runtime.handles.get(name)
        if (before !== undefined) {
          runtime.opened.delete(before)
          await before.close()
        }
        runtime.handles.set(name, handle)
      },
    }))
  }
  const isVariable =
    (isContainer(to) && to.sigil === '$') || to.kind === 'my' || to.kind === 'element' || to.kind === 'hash-element'
  if (!isVariable) throw new Unsupported('open of this handle')
  return map(compiler.cell(to), (cell) => ({
    name: '$fh',
    async set(handle) {
      const before = cell.value
      if (before instanceof HandleValue && before.handle instanceof FileHandle) {
        runtime.opened.delete(before.handle)
        await before.handle.close()
      }
      cell.set(new HandleValue(handle))
    },
  }))
}
