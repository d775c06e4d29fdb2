/** Builtins that leave the normal course: `exit`, `return`, `break`, `eval`, `exec`, `source`. */
import { isFsError } from '../../../src/errors.js'
import { decodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import { concat } from '../../io/streams.js'
import { readText } from '../expand/variable-access.js'
import { runFound } from '../run/external.js'
import { findCommand } from '../run/find-command.js'
import { AbandonJump, ExitJump, LoopJump, ReturnJump } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { type Steps, wait } from '../run/state/steps.js'
import { runTrap } from '../run/traps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'

export const flowBuiltins: Builtins = {
  *exit(shell, args, call) {
    throw new ExitJump(yield* statusArgument(shell, args, call))
  },
  *return(shell, args, call) {
    yield* refuseMore(shell, args, call)
    if (shell.frame === undefined) {
      return yield* fail(shell, call, "can only `return' from a function or sourced script", 2)
    }
    throw new ReturnJump(yield* statusArgument(shell, args, call))
  },
  break: (shell, args, call) => jump(shell, args, call, 'break'),
  continue: (shell, args, call) => jump(shell, args, call, 'continue'),
  *eval(shell, args, call) {
    const { rest, wrong } = parseFlags(args, '')
    if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'eval [arg ...]')
    const text = rest.join(' ')
    if (text === '') return 0
    shell.traceDepth += 1
    try {
      return yield* shell.engine.runText(shell, text)
    } finally {
      shell.traceDepth -= 1
    }
  },
  *exec(shell, args, call) {
    const { flags, rest, wrong } = parseFlags(args, 'cl', 'a')
    if (wrong !== undefined)
      return yield* wrongOption(shell, call, wrong, 'exec [-cl] [-a name] [command [argument ...]] [redirection ...]')
    const [name, ...values] = rest
    if (name === undefined) return 0
    const found = yield* findCommand(shell, name)
    if (found.kind === 'failure') {
      yield* shell.report(`exec: ${found.message.replace('command not found', 'not found')}`)
      if (shell.options.has('execfail')) return found.status
      throw new ExitJump(found.status)
    }
    shell.traps.delete('EXIT')
    const shown = `${flags.has('l') ? '-' : ''}${flags.get('a') ?? name}`
    const env = flags.has('c') ? new Map<string, string>() : shell.environment()
    throw new ExitJump(yield* runFound(shell, found, [shown, ...values], env))
  },
  source,
  '.': source,
}

function* statusArgument(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const [given] = args[0] === '--' ? args.slice(1) : args
  if (given === undefined) return shell.status
  if (!/^\s*[-+]?\d+\s*$/.test(given)) {
    yield* shell.report(`${call.name}: ${given}: numeric argument required`)
    return 2
  }
  yield* refuseMore(shell, args, call)
  return Number(BigInt.asUintN(8, BigInt(given.trim().replace(/^\+/, ''))))
}

/** More than one argument ends what runs, with all that is around it. */
export function* refuseMore(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<void> {
  if (args.length < (args[0] === '--' ? 3 : 2)) return
  yield* shell.report(`${call.name}: too many arguments`)
  throw new AbandonJump(1, false, true)
}

function* jump(shell: Shell, args: readonly string[], call: BuiltinCall, kind: 'break' | 'continue'): Steps<number> {
  if (shell.loops === 0) {
    yield* shell.report(`${call.name}: only meaningful in a \`for', \`while', or \`until' loop`)
    return 0
  }
  const [given = '1'] = args[0] === '--' ? args.slice(1) : args
  if (!/^\s*[-+]?\d+\s*$/.test(given)) {
    yield* shell.report(`${call.name}: ${given}: numeric argument required`)
    throw new ExitJump(128)
  }
  yield* refuseMore(shell, args, call)
  const levels = Number(given)
  if (levels < 1) {
    yield* shell.report(`${call.name}: ${given}: loop count out of range`)
    throw new LoopJump('break', shell.loops, 1)
  }
  throw new LoopJump(kind, Math.min(levels, shell.loops))
}

function* source(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const [name, ...rest] = args[0] === '--' ? args.slice(1) : args
  if (name === undefined) {
    yield* shell.report(`${call.name}: filename argument required`)
    yield* shell.complain(`${call.name}: usage: ${call.name} filename [arguments]\n`)
    return 2
  }
  const path = yield* sourcePath(shell, name)
  let text: string
  try {
    text = decodeText(yield* wait(readSource(shell, path)))
  } catch (error) {
    if (!isFsError(error)) throw error
    if (error.code === 'IS_A_DIRECTORY') return yield* fail(shell, call, `${name}: is a directory`)
    yield* shell.report(`${name}: ${describeError(error)}`)
    return 1
  }
  const { frame, line, loops } = shell
  // `set --` in the file stays, unless it had arguments of its own.
  const restorePositional = rest.length > 0 ? shell.hidePositional(rest) : undefined
  shell.frame = { name: 'source', source: path, line, kind: 'source', below: frame, depth: (frame?.depth ?? 0) + 1 }
  try {
    let status: number
    try {
      status = yield* shell.engine.runText(shell, text, path)
    } catch (error) {
      if (!(error instanceof ReturnJump)) throw error
      status = error.status
    }
    if (shell.traps.has('RETURN')) yield* runTrap(shell, 'RETURN')
    return status
  } finally {
    restorePositional?.()
    shell.frame = frame
    shell.line = line
    shell.loops = loops
  }
}

async function readSource(shell: Shell, path: string) {
  const reader = await shell.files.openRead(path)
  const chunks = []
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) chunks.push(chunk)
  return concat(chunks)
}

/** Names without a slash are looked for in `PATH`, and then here. */
function* sourcePath(shell: Shell, name: string): Steps<string> {
  if (name.includes('/') || !shell.options.has('sourcepath')) return name
  for (const directory of (readText(shell, 'PATH') ?? '').split(':')) {
    if (/^\/(?:usr\/(?:local\/)?)?s?bin$/.test(directory)) continue
    const path = `${directory === '' ? '.' : directory}/${name}`
    try {
      const { kind } = yield* wait(shell.files.stat(path))
      if (kind === 'file') return path
    } catch (error) {
      if (!isFsError(error)) throw error
    }
  }
  return name
}
