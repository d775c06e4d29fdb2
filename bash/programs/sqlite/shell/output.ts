/** Where the output goes, as `.output` and `.once` change it. */
import { isFsError } from '../../../../src/errors.js'
import { commandSink, fileSink, type Sink, standardError, standardOutput } from './sink.js'
import type { ShellState } from './state.js'
import { say } from './state.js'

export async function resetOutput(state: ShellState): Promise<void> {
  await state.out.close()
  state.out = standardOutput(state.io)
  state.outName = ''
}

/** A file by its name, with those that have a meaning. Undefined for `off`, and for one that can't be written. */
export async function openOutput(state: ShellState, name: string): Promise<Sink | undefined> {
  if (name === 'stdout') return standardOutput(state.io)
  if (name === 'stderr') return standardError(state.io)
  if (name === 'off') return undefined
  try {
    return await fileSink(state.io, state.io.path(name))
  } catch (error) {
    if (!isFsError(error)) throw error
    await say(state, `Error: cannot open "${name}"\n`)
    return undefined
  }
}

const byteOrderMark = '\ufeff'

export async function redirect(state: ShellState, name: string, hasMark: boolean): Promise<number> {
  if (name.startsWith('|')) state.out = commandSink(state.io, name.slice(1))
  else {
    const sink = await openOutput(state, name)
    if (sink === undefined) {
      if (name !== 'off') await say(state, `Error: cannot write to "${name}"\n`)
      return 1
    }
    state.out = sink
  }
  if (hasMark) await state.out.write(byteOrderMark)
  state.outName = name
  return 0
}
