/** `echo`, `printf`, `test` and their like in the shell. */
import { testUnary } from '../expand/condition.js'
import { assignElement, assignText, readText, targetOf } from '../expand/variable-access.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail } from './builtin.js'
import { echoText, plainEchoText } from './echo.js'
import { printFormat } from './printf-format.js'
import { evaluateTest, TestFault } from './test.js'

export const outputBuiltins: Builtins = {
  ':': () => 0,
  true: () => 0,
  false: () => 1,
  *echo(shell, args) {
    yield* shell.write(1, shell.isPlainSh ? plainEchoText(args) : echoText(args, shell.options.has('xpg_echo')))
    return 0
  },
  printf,
  *test(shell, args, call) {
    return yield* test(shell, args, call)
  },
  *'['(shell, args, call) {
    if (args.at(-1) !== ']') return yield* fail(shell, call, "missing `]'", 2)
    return yield* test(shell, args.slice(0, -1), call)
  },
}

function* test(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  try {
    const holds = yield* evaluateTest(args, {
      files: shell.files,
      shellTest: (operator, operand) => testUnary(shell, operator, operand),
    })
    return holds ? 0 : 1
  } catch (error) {
    if (!(error instanceof TestFault)) throw error
    return yield* fail(shell, call, error.message, 2)
  }
}

function* printf(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  let rest = args
  let variable: string | undefined
  for (;;) {
    const first = rest[0] ?? ''
    if (first === '--') {
      rest = rest.slice(1)
      break
    }
    if (!/^-v/.test(first)) {
      if (/^-./.test(first)) return yield* usage(shell, call, `${first.slice(0, 2)}: invalid option`)
      break
    }
    variable = first.length > 2 ? first.slice(2) : rest[1]
    rest = rest.slice(first.length > 2 ? 1 : 2)
    if (variable === undefined) return yield* usage(shell, call, '-v: option requires an argument')
  }
  const [format, ...values] = rest
  if (format === undefined) return yield* usage(shell, call)
  const target = variable === undefined ? undefined : targetOf(shell, variable)
  if (variable !== undefined && target === undefined) {
    return yield* fail(shell, call, `\`${variable}': not a valid identifier`, 2)
  }
  const clock = { nowMs: shell.run.now(), startMs: shell.session.startMs, zone: readText(shell, 'TZ') }
  const { text, errors } = printFormat(format, values, clock)
  let done = 0
  for (const { message, at } of errors) {
    if (target === undefined && at > done) yield* shell.write(1, text.slice(done, at))
    done = at
    yield* shell.report(`printf: ${message}`)
  }
  if (target === undefined) yield* shell.write(1, done === 0 ? text : text.slice(done))
  else if (target.subscript === undefined) assignText(shell, target.name, text)
  else assignElement(shell, target.name, target.subscript, text)
  return errors.some(({ message }) => !message.startsWith('warning')) ? 1 : 0
}

function* usage(shell: Shell, call: BuiltinCall, message?: string): Steps<number> {
  if (message !== undefined) yield* shell.report(`${call.name}: ${message}`)
  yield* shell.complain('printf: usage: printf [-v var] format [arguments]\n')
  return 2
}
