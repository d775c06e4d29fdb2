/** Compound commands. */
import { ArithmeticFault } from '../arithmetic/expression.js'
import { calculateRaw } from '../expand/arithmetic.js'
import { evaluateCondition } from '../expand/condition.js'
import { expandArithmetic, expandFields, expandPattern, expandText } from '../expand/expand-word.js'
import { matchesPattern } from '../expand/parameter-operations.js'
import { assignText, isReferenceValue, namePattern } from '../expand/variable-access.js'
import type {
  Arithmetic,
  ArithmeticFor,
  Case,
  Command,
  Condition,
  For,
  FunctionDefinition,
  If,
  Statement,
  While,
  Word,
} from '../syntax/ast.js'
import { startCoprocess } from './coprocess.js'
import { redirect, restore, type Saved } from './redirect.js'
import { failedCommand, readonlyVariable, runSimple, specialBuiltins } from './run-simple.js'
import { runSelect } from './select.js'
import {
  AbandonJump,
  CommandFailure,
  ExitJump,
  ExpansionFailure,
  LoopJump,
  MildFailure,
  ReadonlyFailure,
  ScriptFailure,
} from './state/jumps.js'
import type { Shell } from './state/shell.js'
import type { Steps } from './state/steps.js'
import { endProcesses, runSubshell, withFork } from './subshell.js'
import { loopHead, trace } from './trace.js'
import { announce } from './traps.js'

type Compound = Exclude<Command, { type: 'simple' }>

/** `isAnnounced`: the trap of `DEBUG` has run for it. */
export function* runCommand(shell: Shell, command: Command, isAnnounced = false): Steps<number> {
  const processes = shell.processes.length
  try {
    if (command.type === 'simple') return yield* runSimple(shell, command, isAnnounced)
    if (command.redirections.length === 0 || command.type === 'function') return yield* runCompound(shell, command)
    return yield* runRedirected(shell, command)
  } catch (error) {
    return yield* failed(shell, error)
  } finally {
    if (shell.processes.length > processes) yield* endProcesses(shell, processes)
  }
}

function* runRedirected(shell: Shell, command: Compound): Steps<number> {
  shell.line = command.line
  let saved: Saved
  try {
    saved = yield* redirect(shell, command.redirections)
  } catch (error) {
    shell.unopened = command
    throw error
  }
  try {
    return yield* runCompound(shell, command)
  } catch (error) {
    // Here, for the message goes where the redirections lead.
    return yield* failed(shell, error)
  } finally {
    restore(shell, saved)
  }
}

function* failed(shell: Shell, error: unknown): Steps<number> {
  if (error instanceof CommandFailure) return yield* failedCommand(shell, error)
  if (!(error instanceof ExpansionFailure)) throw error
  yield* shell.report(error.message)
  const { errexit } = shell.options
  const isReadonly = error instanceof ReadonlyFailure
  if (error.status === 127 || (isReadonly && shell.options.has('posix')))
    throw new ExitJump(shell.invocation === 'c' && shell.level === 0 && !errexit ? 127 : 1)
  if (error instanceof ScriptFailure && shell.invocation === 'c') throw new ExitJump(1)
  throw new AbandonJump(error.status, error instanceof MildFailure)
}

function* runCompound(shell: Shell, command: Compound): Steps<number> {
  switch (command.type) {
    case 'group':
      return yield* shell.engine.runStatements(shell, command.body)
    case 'subshell': {
      shell.line = command.line
      shell.errorLine = command.line
      const status = yield* withFork(shell, (child) => {
        child.loops = 0
        return runSubshell(child, () => child.engine.runStatements(child, command.body))
      })
      if (shell.inTrap.size === 0) shell.command = command
      return status
    }
    case 'if':
      return yield* runIf(shell, command)
    case 'while':
      return yield* runWhile(shell, command)
    case 'for':
      return yield* runFor(shell, command)
    case 'arithmetic-for':
      return yield* runArithmeticFor(shell, command)
    case 'select':
      return yield* runSelect(shell, command, runBody)
    case 'case':
      return yield* runCase(shell, command)
    case 'arithmetic':
      return yield* runArithmetic(shell, command)
    case 'condition':
      return yield* runCondition(shell, command)
    case 'function':
      return yield* defineFunction(shell, command)
    case 'coprocess':
      return startCoprocess(shell, command)
  }
}

function* defineFunction(shell: Shell, command: FunctionDefinition): Steps<number> {
  if (shell.functions.get(command.name)?.readonly) {
    yield* shell.report(`${command.name}: readonly function`)
    return 1
  }
  if (/[$`'"\\]/.test(command.name)) throw new CommandFailure(`\`${command.name}': not a valid identifier`)
  if (specialBuiltins.has(command.name) && shell.options.has('posix')) {
    yield* shell.report(`\`${command.name}': is a special builtin`)
    throw new ExitJump(2)
  }
  shell.setFunction(command.name, { definition: command, source: shell.frame?.source ?? shell.mainSource })
  return 0
}

/** Statements whose failures do not end the shell. */
function* runTest(shell: Shell, statements: readonly Statement[]): Steps<number> {
  shell.ignoring += 1
  try {
    return yield* shell.engine.runStatements(shell, statements)
  } finally {
    shell.ignoring -= 1
  }
}

function* runIf(shell: Shell, { clauses, otherwise }: If): Steps<number> {
  for (const { condition, body } of clauses) {
    if ((yield* runTest(shell, condition)) === 0) return yield* shell.engine.runStatements(shell, body)
  }
  return otherwise === undefined ? 0 : yield* shell.engine.runStatements(shell, otherwise)
}

/** What a turn of a loop ended with: a status, or what `brokenOff` makes of that of `break`. */
type Turn = number

/** The loop ends with this status. Its own inverse. */
export function brokenOff(status: number): Turn {
  return -1 - status
}

/** Runs the body once. `break` and `continue` for outer loops are thrown on. */
function* runBody(shell: Shell, body: readonly Statement[]): Steps<Turn> {
  try {
    return yield* shell.engine.runStatements(shell, body)
  } catch (error) {
    return ownTurn(error)
  }
}

function ownTurn(error: unknown): Turn {
  if (!(error instanceof LoopJump)) throw error
  if (error.levels > 1) {
    error.levels -= 1
    throw error
  }
  return error.kind === 'break' ? brokenOff(error.status) : 0
}

function* runWhile(shell: Shell, { until, condition, body }: While): Steps<number> {
  let status = 0
  shell.loops += 1
  try {
    for (;;) {
      shell.step()
      let tested: Turn
      try {
        tested = yield* runTest(shell, condition)
      } catch (error) {
        tested = ownTurn(error)
        if (tested === 0) continue
      }
      if (tested < 0) return brokenOff(tested)
      if ((tested === 0) === until) return status
      const turn = yield* runBody(shell, body)
      if (turn < 0) return brokenOff(turn)
      status = turn
    }
  } finally {
    shell.loops -= 1
  }
}

function* runFor(shell: Shell, { name, words, body, line }: For): Steps<number> {
  shell.line = line
  if (!namePattern.test(name)) throw new CommandFailure(`\`${name}': not a valid identifier`)
  const values = words === undefined ? shell.positional : yield* expandFields(shell, words)
  let status = 0
  shell.loops += 1
  try {
    for (const value of values) {
      shell.step()
      shell.line = line
      if (shell.traps.size > 0 && !(yield* announce(shell, loopHead('for', name, words)))) continue
      if (shell.options.xtrace) yield* trace(shell, loopHead('for', name, words))
      assignLoopVariable(shell, name, value)
      const turn = yield* runBody(shell, body)
      if (turn < 0) return brokenOff(turn)
      status = turn
    }
    return status
  } catch (error) {
    return yield* readonlyVariable(shell, error)
  } finally {
    shell.loops -= 1
  }
}

/** A loop over a reference makes it refer to each value. */
function assignLoopVariable(shell: Shell, name: string, value: string): void {
  const variable = shell.variables.get(name)
  if (variable?.reference) {
    if (!isReferenceValue(value)) throw new CommandFailure(`\`${value}': not a valid identifier`)
    shell.variables.set(name, { ...variable, text: value })
  } else assignText(shell, name, value)
}

function* runArithmeticFor(shell: Shell, { init, condition, step, body, line }: ArithmeticFor): Steps<number> {
  let status = 0
  shell.line = line
  shell.loops += 1
  try {
    yield* calculateWord(shell, init)
    for (;;) {
      shell.step()
      shell.line = line
      if (condition.source.trim() !== '' && (yield* calculateWord(shell, condition)) === 0) return status
      const turn = yield* runBody(shell, body)
      if (turn < 0) return brokenOff(turn)
      status = turn
      shell.line = line
      yield* calculateWord(shell, step)
    }
  } catch (error) {
    if (!(error instanceof ArithmeticFault)) throw error
    throw new CommandFailure(`((: ${error.message}`)
  } finally {
    shell.loops -= 1
  }
}

function* calculateWord(shell: Shell, word: Word): Steps<number | bigint> {
  if (shell.traps.size > 0 && !(yield* announce(shell, `((${word.source.trimStart()}))`))) return 0
  const text = yield* expandArithmetic(shell, word)
  if (shell.options.xtrace && text.trim() !== '') yield* trace(shell, `(( ${text.trimStart()} ))`)
  return calculateRaw(shell, text)
}

function* runArithmetic(shell: Shell, command: Arithmetic): Steps<number> {
  const { expression } = command
  if (!(yield* announce(shell, command))) return 0
  const text = yield* expandArithmetic(shell, expression)
  if (shell.options.xtrace) yield* trace(shell, `(( ${text} ))`)
  try {
    return calculateRaw(shell, text) === 0 ? 1 : 0
  } catch (error) {
    if (!(error instanceof ArithmeticFault)) return yield* readonlyVariable(shell, error)
    yield* shell.report(`((: ${error.message}`)
    return 1
  }
}

function* runCondition(shell: Shell, command: Condition): Steps<number> {
  if (!(yield* announce(shell, command))) return 0
  return yield* evaluateCondition(shell, command.test, (text) => trace(shell, `[[ ${text} ]]`))
}

function* runCase(shell: Shell, { subject, items, line }: Case): Steps<number> {
  shell.line = line
  if (shell.traps.size > 0 && !(yield* announce(shell, `case ${subject.source} in `))) return 0
  const text = yield* expandText(shell, subject)
  if (shell.options.xtrace) yield* trace(shell, `case ${subject.source} in`)
  let status = 0
  let falls = false
  for (const { patterns, body, end } of items) {
    if (!falls && !(yield* matchesAny(shell, text, patterns))) continue
    status = yield* shell.engine.runStatements(shell, body)
    if (end === ';;') return status
    falls = end === ';&'
  }
  return status
}

function* matchesAny(shell: Shell, text: string, patterns: readonly Word[]): Steps<boolean> {
  for (const pattern of patterns) {
    if (matchesPattern(shell, text, yield* expandPattern(shell, pattern))) return true
  }
  return false
}
