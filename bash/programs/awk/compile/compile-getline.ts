/** Compiles `getline` in all its forms. */
import { isFsError } from '../../../../src/errors.js'
import type { Expr } from '../syntax/syntax.js'
import type { Scalar } from '../values/values.js'
import { ask, type Code, constant, type Frame, later, now } from './code.js'
import { compileTarget } from './compile-targets.js'
import type { Compiler } from './compiler.js'

export function compileGetline(
  compiler: Compiler,
  { target, source, line: where }: Extract<Expr, { kind: 'getline' }>,
): Code<Scalar> {
  const { runtime } = compiler
  const { redirections, record } = runtime
  const name = source && compiler.text(source.name)
  let line: string | undefined
  const store = target && compileTarget(compiler, target).assign(now(() => runtime.userText(line as string)))
  // The place is found also where nothing is read.
  const touch =
    target?.kind === 'element'
      ? compileTarget(compiler, target).update(constant(undefined), (old) => old)
      : target?.kind === 'field'
        ? compiler.number(target.index)
        : undefined
  const terminator = runtime.extensionSlot('RT')

  const read = async (frame: Frame): Promise<{ text: string | undefined } | undefined> => {
    if (name === undefined || source === undefined) return { text: await compiler.readMainRecord() }
    const from = await ask(name, frame)
    const input = await redirections.input(source.kind, from, where)
    if (input === undefined) return undefined
    const text = await input.read(runtime.separator)
    runtime.globals[terminator] = input.terminator
    return { text }
  }

  return later(async (frame) => {
    if (runtime.pending !== undefined) await runtime.drain()
    runtime.step()
    const found = await read(frame).catch((error: unknown) => {
      // A directory, for example.
      if (isFsError(error)) return undefined
      throw error
    })
    if (found?.text === undefined) {
      if (touch !== undefined) await ask(touch, frame)
      return found === undefined ? -1 : 0
    }
    if (store === undefined) record.set(found.text)
    else {
      line = found.text
      await ask(store, frame)
    }
    return 1
  })
}
